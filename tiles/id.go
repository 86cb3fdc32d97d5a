package tiles

import (
	"crypto/rand"
	"encoding/hex"
	"fmt"

	"ooc/tiles/disk"
)

// ID names a store, or the queue of a batch: random bits that each of its files carries, so that a file of another
// one is told from its own.
type ID [16]byte

// NewID returns an ID that no other store has.
func NewID() (id ID) {
	rand.Read(id[:]) // never fails
	return id
}

// MarshalText gives the ID as 32 hexadecimal digits.
func (id ID) MarshalText() ([]byte, error) { return hex.AppendEncode(nil, id[:]), nil }

// UnmarshalText takes what MarshalText gives, and nothing else.
func (id *ID) UnmarshalText(text []byte) error {
	var read ID
	if n, err := hex.Decode(read[:], text[:min(len(text), 2*len(read))]); err != nil || n != len(read) || len(text) != 2*n {
		return fmt.Errorf("%.40q is no id of 32 hexadecimal digits", text)
	}
	*id = read
	return nil
}

// checkHead refuses a file of the store whose head has another version or another store's id. remedy is what to do
// about the latter.
func (m *Meta) checkHead(file string, version uint32, id ID, remedy string) error {
	if version != FormatVersion {
		return otherVersion(file, int64(version))
	}
	return m.checkID(file, id, remedy)
}

// checkID refuses a file that carries another id than the store's.
func (m *Meta) checkID(file string, id ID, remedy string) error {
	if id != m.ID {
		return strange(file, remedy)
	}
	return nil
}

func strange(file, remedy string) error {
	return disk.Corrupt(file, "it belongs to another store; %s", remedy)
}

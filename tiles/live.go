package tiles

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"ooc/tiles/disk"
)

// live: a few pages. A sequence number guards it: odd while the writer is in it,
// raised by two with each update.
const (
	liveMagic  = "OOCLIVE\x00"
	liveBytes  = 16384
	liveID     = 24 // where the store's id is; the content follows it
	liveHeader = liveID + 16
	liveTries  = 20

	// MaxLive is the most that SetLive takes, in bytes.
	MaxLive = liveBytes - liveHeader
)

// errTorn: the writer was seen in the middle of an update, or died there.
var errTorn = errors.New("it is being written")

// SetLive says what the solve is doing now, to whoever calls ReadLive: at most
// MaxLive bytes, never synced.
func (s *Store) SetLive(data []byte) error {
	if len(data) > MaxLive {
		return fmt.Errorf("%s: %d bytes of live status pass %d", s.dir, len(data), MaxLive)
	}
	if !s.writable {
		return fmt.Errorf("%s: %w", s.dir, errReadOnly)
	}
	s.mu.RLock() // Close waits until the file is ours no more
	defer s.mu.RUnlock()
	if s.mem == nil {
		return fmt.Errorf("%s: %w", s.dir, errClosed)
	}
	s.liveMu.Lock()
	defer s.liveMu.Unlock()
	if err := s.openLive(); err != nil {
		return err
	}
	err := s.writeLive(data)
	if err != nil {
		return fmt.Errorf("writing %s: %w", s.live.Name(), disk.Classify(err))
	}
	return nil
}

// openLive opens the file on first use and goes on from its sequence number,
// so that a reader never sees one number on two contents.
func (s *Store) openLive() error {
	if s.live != nil {
		return nil
	}
	f, err := disk.OpenRegular(s.path(nameLive), os.O_RDWR|os.O_CREATE)
	if err != nil {
		return err
	}
	var head [16]byte
	if n, _ := f.ReadAt(head[:], 0); n == len(head) && string(head[:8]) == liveMagic {
		s.liveSeq = (binary.LittleEndian.Uint64(head[8:]) + 1) &^ 1
	}
	s.live = f
	return nil
}

func (s *Store) writeLive(data []byte) error {
	le, header := binary.LittleEndian, liveHeader
	b := make([]byte, header+len(data))
	copy(b, liveMagic)
	le.PutUint64(b[8:], s.liveSeq+1)
	if _, err := s.live.WriteAt(b[:16], 0); err != nil {
		return err
	}
	le.PutUint32(b[16:], uint32(len(data)))
	le.PutUint32(b[20:], disk.Checksum(data))
	copy(b[liveID:], s.meta.ID[:])
	copy(b[header:], data)
	if _, err := s.live.WriteAt(b[16:], 16); err != nil {
		return err
	}
	s.liveSeq += 2
	le.PutUint64(b[8:], s.liveSeq)
	_, err := s.live.WriteAt(b[8:16], 8)
	return err
}

// ReadLive gives what the last SetLive said on the store in dir, by whichever
// process, and when, by the clock of the volume; lock.HolderOf says whether that
// process still runs. It fails with fs.ErrNotExist where nothing was ever said,
// with disk.ErrCorrupt where it was said of another store.
func ReadLive(dir string) (data []byte, at time.Time, err error) {
	m, err := readMeta(dir)
	if err != nil {
		return nil, at, err
	}
	path := filepath.Join(dir, nameLive)
	f, err := disk.OpenRegular(path, os.O_RDONLY)
	if err != nil {
		return nil, at, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, at, err
	}
	for try := 0; ; try++ {
		data, err := readLive(f, &m)
		if err == nil || !errors.Is(err, errTorn) || try == liveTries {
			if err != nil && !errors.Is(err, disk.ErrCorrupt) {
				err = fmt.Errorf("reading %s: %w", path, err)
			}
			return data, info.ModTime(), err
		}
		time.Sleep(time.Millisecond)
	}
}

// readLive looks once: the sequence number before and after must be the same
// even one.
func readLive(f *os.File, m *Meta) ([]byte, error) {
	b := make([]byte, liveBytes)
	n, err := f.ReadAt(b, 0)
	if err != nil && err != io.EOF {
		return nil, err
	}
	var again [8]byte
	if _, err := f.ReadAt(again[:], 8); err != nil && err != io.EOF {
		return nil, err
	}
	return decodeLive(f.Name(), b[:n], again[:], m)
}

// decodeLive takes what a file holds, and its sequence number as it was a
// moment later. file is its path, for messages.
func decodeLive(file string, b, again []byte, m *Meta) ([]byte, error) {
	const header = liveHeader
	if len(b) < header || string(b[:8]) == "\x00\x00\x00\x00\x00\x00\x00\x00" {
		return nil, os.ErrNotExist
	}
	le := binary.LittleEndian
	seq, end := le.Uint64(b[8:]), int64(header)+int64(le.Uint32(b[16:]))
	if string(b[:8]) != liveMagic || end > liveBytes {
		return nil, disk.Corrupt(file, "it is no live status")
	}
	if seq%2 == 1 || le.Uint64(again) != seq {
		return nil, errTorn
	}
	if err := m.checkID(file, ID(b[liveID:liveHeader]), "remove it"); err != nil {
		return nil, err
	}
	if end > int64(len(b)) || disk.Checksum(b[header:end]) != le.Uint32(b[20:]) {
		return nil, errTorn
	}
	return b[header:end], nil
}

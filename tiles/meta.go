package tiles

import (
	"bytes"
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"math"
	"time"

	"ooc/kernels/entry"
	"ooc/tiles/disk"
)

// formatVersion is the version of stores, and of each of their files: no other is read.
const formatVersion = 5

func otherVersion(file string, version int64) error {
	return fmt.Errorf("%s: %w: format version %d, this program reads %d; use the version of ooc that wrote it, or "+
		"solve the graph into another store with --out",
		file, ErrVersion, version, formatVersion)
}

const (
	storeFormat  = "ooc store"
	maxStoreJSON = 64 << 20
)

// Input says what a store was made from.
type Input struct {
	Name    string    `json:"name"`
	Format  string    `json:"format"`
	Size    int64     `json:"size"` // bytes
	ModTime time.Time `json:"mod_time"`
	SHA256  string    `json:"sha256"`           // hexadecimal
	Columns string    `json:"columns"`          // as they were named for reading it; "" if they were not
	Base    string    `json:"base"`             // the smallest id, as it was given; "" if it was not
	NoArc   string    `json:"no_arc,omitempty"` // what no arc looks like in a matrix, as it was given
	Asked   *Asked    `json:"asked,omitempty"`  // nil: nobody has noted it
	// Unweighted: every arc was read as one of weight 1.
	Unweighted bool `json:"unweighted,omitempty"`
}

// Asked is what a reader was told that finds it out where it is not told, as it was given; "" if it was not.
type Asked struct {
	Format    string `json:"format"`
	Kind      string `json:"kind"`
	Direction string `json:"direction"` // directed or undirected
}

// Meta describes a store; it is the content of store.json. Create sets
// Version, ID, Dense and IDs, Created and Scale where they are zero, and Layout unless it is Upper.
type Meta struct {
	Version  int        `json:"version"`
	ID       ID         `json:"id"`
	Parent   ID         `json:"parent,omitzero"` // the store that this one is the core of, see CoreDir
	Layout   Layout     `json:"layout"`          // which tiles the matrix's file holds, and where
	N        int        `json:"n"`
	Arcs     int64      `json:"arcs"`
	Kind     entry.Kind `json:"kind"`
	T        int        `json:"tile"`
	Scale    int64      `json:"scale"` // stored value = weight × Scale
	Directed bool       `json:"directed"`
	Negative bool       `json:"negative"`
	Dense    bool       `json:"dense"`             // no graph.csr
	IDs      string     `json:"ids"`               // "", "numeric" or "text": what the file ids holds
	IDBase   int64      `json:"id_base"`           // the id of row 0 where ids is "": the rest follow
	Sources  RowSet     `json:"sources,omitempty"` // the vertices whose rows there are; none: all

	Predecessors bool `json:"predecessors,omitempty"` // each entry is a distance and a predecessor

	Part *Part `json:"part,omitempty"` // which tiles of the matrix there are; nil: all of the layout

	Input     Input     `json:"input"`
	MinWeight float64   `json:"min_weight"`
	MaxWeight float64   `json:"max_weight"`
	Command   []string  `json:"command"`
	Created   time.Time `json:"created"`
}

// Geometry is the shape of the store's matrix.
func (m Meta) Geometry() Geometry {
	g := Geometry{N: m.N, T: m.T, EntryBytes: m.Kind.Bytes(), Rows: len(m.Sources), Upper: m.Layout == Upper,
		Factors: m.Layout == Factors}
	if m.Predecessors {
		g.EntryBytes = m.Kind.PairBytes()
	}
	return g
}

// SumsPerTile is how many checksums each tile has: one for each stripRows of its rows.
func (m *Meta) SumsPerTile() int { return m.T / stripRows }

// Validate says whether a store with this description can exist.
func (m Meta) Validate() error {
	if !m.Kind.Valid() {
		return fmt.Errorf("kind %q is not supported", m.Kind)
	}
	if m.Predecessors && m.Kind.PairBytes() == 0 {
		return fmt.Errorf("kind %q does not go with predecessors", m.Kind)
	}
	if err := m.Geometry().Validate(); err != nil {
		return err
	}
	if err := m.Sources.Validate(m.N); err != nil {
		return err
	}
	if m.Part != nil {
		if err := m.Part.validate(&m); err != nil {
			return err
		}
	}
	switch {
	case m.ID == ID{}:
		return fmt.Errorf("it has no id")
	case m.Layout != m.Geometry().Layout():
		return fmt.Errorf("layout %q does not go with %d of %d rows", m.Layout, m.Geometry().RowCount(), m.N)
	case m.Layout == Factors && m.Dense:
		return fmt.Errorf("layout %q does not go with a matrix as input", m.Layout)
	case (m.Layout == Upper || m.Layout == Factors) && m.Predecessors:
		return fmt.Errorf("layout %q does not go with predecessors", m.Layout)
	case m.Arcs < 0 || m.Arcs > maxArcs:
		return fmt.Errorf("%d arcs are not in 0…%d", m.Arcs, int64(maxArcs))
	case m.Scale < 1:
		return fmt.Errorf("scale %d is not positive", m.Scale)
	case m.IDs != "" && m.IDs != idsNumeric && m.IDs != idsText:
		return fmt.Errorf("ids of kind %q are not supported", m.IDs)
	case m.IDBase > math.MaxInt64-maxN:
		return fmt.Errorf("ids from %d on do not fit 64 bits", m.IDBase)
	case m.Input.Size < 0:
		return fmt.Errorf("the input's size %d is negative", m.Input.Size)
	case !finite(m.MinWeight) || !finite(m.MaxWeight):
		return fmt.Errorf("the weight range %v…%v is not finite", m.MinWeight, m.MaxWeight)
	}
	return nil
}

func finite(x float64) bool { return !math.IsNaN(x) && !math.IsInf(x, 0) }

// storeFile is store.json: the description between a mark that names the
// format and a checksum of the description.
type storeFile struct {
	Format string `json:"format"`
	Meta
	Checksum string `json:"checksum"`
}

// metaSum is the checksum over the compact JSON of the description. Without it
// a flipped digit of, say, the scale would go unseen.
func metaSum(m Meta) (string, error) {
	b, err := json.Marshal(m)
	return sumText(b), err
}

func sumText(description []byte) string {
	return fmt.Sprintf("crc32c:%08x", disk.Checksum(description))
}

// unwrap takes the mark and the checksum off compact JSON of store.json. Without the mark, ok is false.
func unwrap(compact []byte) (description []byte, sum string, ok bool) {
	rest, ok := bytes.CutPrefix(compact, []byte(`{"format":"`+storeFormat+`",`))
	if at := bytes.LastIndex(rest, []byte(`,"checksum":`)); at >= 0 {
		_ = json.Unmarshal(rest[at+len(`,"checksum":`):len(rest)-1], &sum) // else it is "", which matches nothing
		rest = append(rest[:at:at], '}')
	}
	return append([]byte("{"), rest...), sum, ok
}

// normalMeta is m as it reads back from JSON (times in UTC and without
// monotonic part, valid UTF-8), so that its checksum is stable.
func normalMeta(m Meta) (Meta, error) {
	m.Created, m.Input.ModTime = m.Created.UTC(), m.Input.ModTime.UTC()
	b, err := json.Marshal(m)
	if err != nil {
		return m, err
	}
	var out Meta
	err = json.Unmarshal(b, &out)
	return out, err
}

// encodeMeta gives the bytes of store.json for a normal, valid description.
func encodeMeta(m Meta) ([]byte, error) {
	sum, err := metaSum(m)
	if err != nil {
		return nil, err
	}
	b, err := json.MarshalIndent(storeFile{Format: storeFormat, Meta: m, Checksum: sum}, "", "  ")
	if err != nil {
		return nil, err
	}
	if len(b) >= maxStoreJSON {
		return nil, fmt.Errorf("store.json would pass %d bytes; shorten the command line, or the list of sources",
			maxStoreJSON)
	}
	return append(b, '\n'), nil
}

// decodeMeta reads store.json; file is its path, for messages. The checksum is looked at first, since the version of
// a damaged one says nothing, and then version, layout and kind, so that a newer store is not called corrupt.
func decodeMeta(file string, data []byte) (Meta, error) {
	const (
		mend     = "restore the file, or solve the graph again with --restart"
		anothers = ", or name another folder with --out if it is another program's"
	)
	var compact bytes.Buffer
	if err := json.Compact(&compact, data); err != nil {
		return Meta{}, disk.Corrupt(file, "it is not valid JSON: %v; "+mend+anothers, err)
	}
	description, sum, ok := unwrap(compact.Bytes())
	if !ok {
		return Meta{}, disk.Corrupt(file, "it is not an ooc store description; "+mend+anothers)
	}
	if got := sumText(description); got != sum {
		return Meta{}, disk.Corrupt(file, "its checksum is %q, its content gives %q; "+mend, sum, got)
	}
	var head struct {
		Version int        `json:"version"`
		Layout  Layout     `json:"layout"`
		Kind    entry.Kind `json:"kind"`
	}
	if err := json.Unmarshal(description, &head); err != nil {
		return Meta{}, disk.Corrupt(file, "%v; "+mend, err)
	}
	const remedy = "use the version of ooc that wrote it"
	switch {
	case head.Version != formatVersion:
		return Meta{}, otherVersion(file, int64(head.Version))
	case !head.Layout.Known():
		return Meta{}, fmt.Errorf("%s: %w: this program does not know layout %q; %s", file, ErrVersion, head.Layout,
			remedy)
	case !head.Kind.Valid():
		return Meta{}, fmt.Errorf("%s: %w: this program does not know kind %q; %s", file, ErrVersion, head.Kind, remedy)
	}
	var m Meta
	d := json.NewDecoder(bytes.NewReader(description))
	d.DisallowUnknownFields()
	if err := d.Decode(&m); err != nil {
		return Meta{}, disk.Corrupt(file, "%v; "+mend, err)
	}
	if err := m.Validate(); err != nil {
		return Meta{}, disk.Corrupt(file, "%v; "+mend, err)
	}
	return m, nil
}

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
	read, err := hex.DecodeString(string(text))
	if err != nil || len(read) != len(id) {
		return fmt.Errorf("%.40q is no id of 32 hexadecimal digits", text)
	}
	*id = ID(read)
	return nil
}

// checkHead refuses a file of the store whose head has another version or another store's id. remedy is what to do
// about the latter.
func (m *Meta) checkHead(file string, version uint32, id ID, remedy string) error {
	if version != formatVersion {
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

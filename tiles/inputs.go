package tiles

import (
	"fmt"
	"io"
	"os"

	"ooc/tiles/disk"
)

// graph.csr and ids begin with a head, which carries the store's id.
const headBytes = 64

// head is the head of graph.csr or ids.
type head struct {
	Magic   [8]byte
	Version uint32
	Kind    uint32    // of ids; of a graph the bytes of a weight
	N, Size uint64    // vertices; bytes of ids, or arcs
	Sums    [3]uint32 // CRC-32C of offsets, targets, weights; of ids there is one
	ID      ID
	_       uint32 // checksum
}

// headOf reads a head of whatever version and store, if that is one and checks out.
func headOf(b []byte) (h head, ok bool) {
	ok = disk.Unseal(b, &h)
	return h, ok && (string(h.Magic[:]) == graphMagic || string(h.Magic[:]) == idsMagic)
}

// decodeHead reads a head of the store. none is what is said where there is not even one.
func (m *Meta) decodeHead(file string, b []byte, magic, none string) (head, error) {
	h, ok := headOf(b)
	if string(h.Magic[:]) != magic {
		return h, corruptInput(file, "%s", none)
	}
	if !ok {
		return h, corruptInput(file, "the checksum of its header does not match")
	}
	const remedy = "put this store's own back, or solve the graph again with --restart"
	return h, m.checkHead(file, h.Version, h.ID, remedy)
}

// writeInput fills a reserved file with a head, to which it adds checksums, and what follows it. It leaves the file to
// the caller to sync.
func (m *Meta) writeInput(f *os.File, magic string, h head, parts ...[]byte) error {
	copy(h.Magic[:], magic)
	h.Version, h.ID = formatVersion, m.ID
	at := int64(headBytes)
	for i, part := range parts {
		h.Sums[i] = disk.Checksum(part)
		if _, err := f.WriteAt(part, at); err != nil {
			return err
		}
		at += int64(len(part))
	}
	_, err := f.WriteAt(disk.Seal(&h), 0)
	return err
}

// readParts reads what follows a head, and compares it with the checksums there.
func (h head) readParts(f *os.File, parts ...[]byte) error {
	at, sums := int64(headBytes), [3]uint32{}
	for i, part := range parts {
		if n, err := f.ReadAt(part, at); n < len(part) {
			return disk.ReadError(f.Name(), err)
		}
		sums[i] = disk.Checksum(part)
		at += int64(len(part))
	}
	if sums != h.Sums {
		return corruptInput(f.Name(), "its checksum does not match")
	}
	return nil
}

// readHead reads a head and has check look at it, and at the size of the file.
func readHead(f *os.File, check func(file string, b []byte, size int64) (head, error)) (head, error) {
	info, err := f.Stat()
	if err != nil {
		return head{}, err
	}
	b := make([]byte, headBytes)
	if _, err := io.ReadFull(f, b); err != nil {
		return head{}, disk.ReadError(f.Name(), err)
	}
	return check(f.Name(), b, info.Size())
}

// corruptInput is disk.Corrupt with what to do about it.
func corruptInput(file, format string, args ...any) error {
	return disk.Corrupt(file, format+"; restore the file, or solve the graph again with --restart", args...)
}

// CSR reads the graph, checks its checksums and its arrays, and gives a copy
// that is the caller's. It fails with ErrNoCSR in a store of dense input and
// with disk.ErrCorrupt where the file is damaged.
func (s *Store) CSR() (g *CSR, err error) {
	if s.joined != nil {
		return s.joined[0].CSR()
	}
	if s.meta.Dense {
		return nil, fmt.Errorf("%s: %w", s.dir, ErrNoCSR)
	}
	err = s.readInput(nameGraph, func(f *os.File) error {
		g, err = s.meta.readGraph(f)
		return err
	})
	return g, err
}

// IDs reads the outside ids and checks them; both fields are nil where ids are
// 0…N-1. It fails with disk.ErrCorrupt where the file is damaged.
func (s *Store) IDs() (ids IDs, err error) {
	if s.joined != nil {
		return s.joined[0].IDs()
	}
	if s.meta.IDs == "" {
		return IDs{}, nil
	}
	err = s.readInput(nameIDs, func(f *os.File) error {
		ids, err = s.meta.readIDs(f)
		return err
	})
	return ids, err
}

// CheckInputs reads graph.csr and ids to their ends, of all parts if these are all, from the disk and not from
// memory. It fails with disk.ErrCorrupt where one is damaged.
func (s *Store) CheckInputs() error {
	for _, p := range s.joined {
		if err := p.CheckInputs(); err != nil {
			return err
		}
	}
	if s.joined != nil {
		return nil
	}
	return s.eachInput(func(name string) error {
		return s.readInput(name, func(f *os.File) (err error) {
			disk.DropCache(f)
			if name == nameIDs {
				_, err = s.meta.readIDs(f)
			} else {
				_, err = s.meta.readGraph(f)
			}
			return err
		})
	})
}

// eachInput calls do with the names of the files that there are of graph.csr and ids.
func (s *Store) eachInput(do func(name string) error) error {
	if !s.meta.Dense {
		if err := do(nameGraph); err != nil {
			return err
		}
	}
	if s.meta.IDs == "" {
		return nil
	}
	return do(nameIDs)
}

// readInput has a file of the store read.
func (s *Store) readInput(name string, read func(f *os.File) error) error {
	f, err := disk.OpenRegular(s.path(name), os.O_RDONLY)
	if err != nil {
		return s.anew(err)
	}
	defer f.Close()
	if err := s.hooks.Ask("read", name); err != nil {
		return s.anew(disk.ReadError(f.Name(), err))
	}
	return s.anew(read(f))
}

// checkInputs looks at the heads and sizes of graph.csr and ids, so that their
// loss is said when the store is opened and not hours later.
func (s *Store) checkInputs() error {
	return s.eachInput(func(name string) error {
		f, err := s.mustOpen(name, os.O_RDONLY)
		if err != nil {
			return err
		}
		defer f.Close()
		check := s.meta.checkGraph
		if name == nameIDs {
			check = s.meta.checkIDs
		}
		_, err = readHead(f, check)
		return err
	})
}

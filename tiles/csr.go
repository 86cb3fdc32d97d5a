package tiles

import (
	"fmt"
	"os"

	"ooc/tiles/csr"
	"ooc/tiles/disk"
	"ooc/tiles/internal/system"
)

// What package csr keeps of a store's graph, under the names by which other packages know it.
type (
	CSR = csr.Graph
	IDs = csr.IDs
)

// csr is what package csr has to know of a store.
func (m *Meta) csr() *csr.Store {
	return &csr.Store{Version: FormatVersion, ID: m.ID, N: m.N, Arcs: m.Arcs, WeightBytes: m.weightBytes(), IDs: m.IDs,
		Check: func(file string, version uint32, id [16]byte) error {
			const remedy = "put this store's own back, or solve the graph again with --restart"
			if err := checkFile(file, version); err != nil {
				return err
			}
			return m.checkID(file, id, remedy)
		}}
}

// weightBytes is the size of the weight of an arc.
func (m *Meta) weightBytes() int { return m.Kind.Wide().Bytes() }

// CSR reads the graph, checks its checksums and its arrays, and gives a copy
// that is the caller's. It fails with ErrNoCSR in a store of dense input and
// with ErrCorrupt where the file is damaged.
func (s *Store) CSR() (g *CSR, err error) {
	if s.joined != nil {
		return s.joined[0].CSR()
	}
	if s.meta.Dense {
		return nil, fmt.Errorf("%s: %w", s.dir, ErrNoCSR)
	}
	err = s.readInput(nameGraph, func(f *os.File) error {
		g, err = s.meta.csr().ReadGraph(f)
		return err
	})
	return g, err
}

// IDs reads the outside ids and checks them; both fields are nil where ids are
// 0…N-1. It fails with ErrCorrupt where the file is damaged.
func (s *Store) IDs() (ids IDs, err error) {
	if s.joined != nil {
		return s.joined[0].IDs()
	}
	if s.meta.IDs == "" {
		return IDs{}, nil
	}
	err = s.readInput(nameIDs, func(f *os.File) error {
		ids, err = s.meta.csr().ReadIDs(f)
		return err
	})
	return ids, err
}

// CheckInputs reads graph.csr and ids to their ends, of all parts if these are all, from the disk and not from
// memory. It fails with ErrCorrupt where one is damaged.
func (s *Store) CheckInputs() error {
	for _, p := range s.joined {
		if err := p.CheckInputs(); err != nil {
			return err
		}
	}
	if s.joined != nil {
		return nil
	}
	c := s.meta.csr()
	if !s.meta.Dense {
		err := s.readInput(nameGraph, func(f *os.File) error {
			system.DropCache(f)
			_, err := c.ReadGraph(f)
			return err
		})
		if err != nil {
			return err
		}
	}
	if s.meta.IDs == "" {
		return nil
	}
	return s.readInput(nameIDs, func(f *os.File) error {
		system.DropCache(f)
		_, err := c.ReadIDs(f)
		return err
	})
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
	c := s.meta.csr()
	check := func(name string, check func(*os.File) error) error {
		f, err := s.mustOpen(name, os.O_RDONLY)
		if err != nil {
			return err
		}
		defer f.Close()
		return check(f)
	}
	if !s.meta.Dense {
		if err := check(nameGraph, c.CheckGraph); err != nil {
			return err
		}
	}
	if s.meta.IDs == "" {
		return nil
	}
	return check(nameIDs, c.CheckIDs)
}

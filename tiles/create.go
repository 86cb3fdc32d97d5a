package tiles

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/edsrzf/mmap-go"

	"ooc/tiles/disk"
	"ooc/tiles/lock"
)

// Create makes a store at dir and opens it as its writer, ready to be written.
// The folder may be missing (its parent may not), empty, or hold an import
// that died. csr is nil for dense input.
//
// All space the store will ever need is reserved first, the matrix before
// anything else. Create fails with disk.ErrNoSpace, ErrExists where a store is
// complete, lock.ErrNotStore for other folders, a *lock.LockedError while another
// process is at it; and when it fails it leaves nothing of its own behind.
func Create(dir string, m Meta, csr *CSR, ids IDs) (*Store, error) {
	m, err := completeMeta(m, csr, ids)
	if err != nil {
		return nil, fmt.Errorf("creating %s: %w", dir, err)
	}
	c := &creation{s: unopened(dir, m, true)}
	if err := c.begin(); err != nil {
		return nil, err
	}
	return c.finish(csr, ids)
}

// Replace is Create in the place of this store, whose lock goes over to the new
// one: no other process gets in between. Errors up to the moment from which the
// old one counts for nothing leave it as it was, and open; from then on, until
// the new one is complete, the folder is that of an import that died.
func (s *Store) Replace(m Meta, csr *CSR, ids IDs) (*Store, error) {
	m, err := completeMeta(m, csr, ids)
	if err != nil {
		return nil, fmt.Errorf("replacing %s: %w", s.dir, err)
	}
	if !s.writable {
		return nil, fmt.Errorf("%s: %w", s.dir, errReadOnly)
	}
	if err := s.CheckOwn(); err != nil {
		return nil, err
	}
	c := &creation{s: unopened(s.dir, m, true), named: true}
	if err := disk.Room(s.dir, s.path(nameDist), total(sizes(&m, ids)), GivesBack(s.dir)); err != nil {
		return nil, err
	}
	if c.s.lock, err = s.giveUp(); err != nil {
		return nil, fmt.Errorf("replacing %s: %w", s.dir, err)
	}
	if err := c.startOver(); err != nil {
		c.undo()
		return nil, err
	}
	return c.finish(csr, ids)
}

// giveUp makes the folder of a store one of an import that died, durably, and
// closes the store but for the lock.
func (s *Store) giveUp() (*lock.Lock, error) {
	s.syncMu.Lock()
	defer s.syncMu.Unlock()
	s.mu.Lock()
	defer s.mu.Unlock()
	s.liveMu.Lock()
	defer s.liveMu.Unlock()
	if s.lock == nil {
		return nil, errClosed
	}
	err := s.hooks.Ask("rename", nameStore)
	if err == nil {
		err = os.Rename(s.path(nameStore), s.path(nameStoreTmp))
	}
	if err == nil {
		if err = s.syncNames(); err != nil { // it is as it was
			err = errors.Join(err, os.Rename(s.path(nameStoreTmp), s.path(nameStore)))
		}
	}
	if err != nil {
		return nil, disk.Classify(err)
	}
	held := s.lock
	s.lock = nil
	_ = s.closeFiles() // of files that are removed next
	return held, nil
}

// completeMeta sets what Create sets and checks the rest.
func completeMeta(m Meta, csr *CSR, ids IDs) (Meta, error) {
	m.Version, m.ID, m.Layout, m.Dense, m.IDs = formatVersion, NewID(), m.Geometry().Layout(), csr == nil, ids.kind()
	if m.Scale == 0 {
		m.Scale = 1
	}
	if m.Created.IsZero() {
		m.Created = time.Now()
	}
	if err := m.Validate(); err != nil {
		return m, err
	}
	if csr != nil {
		if err := csr.validate(m.N, m.weightBytes()); err != nil {
			return m, err
		}
		if m.Arcs != int64(len(csr.Targets)) {
			return m, fmt.Errorf("%d arcs announced, %d given", m.Arcs, len(csr.Targets))
		}
	}
	if err := ids.validate(m.N); err != nil {
		return m, err
	}
	return normalMeta(m)
}

// creation is a Create in progress; it remembers what to undo.
type creation struct {
	s        *Store
	madeDir  bool
	madeLock bool
	named    bool       // the folder's name is durable: there was a store in it
	files    []*os.File // open files to close on failure
}

// finish makes all but the folder and its lock.
func (c *creation) finish(csr *CSR, ids IDs) (*Store, error) {
	if err := c.fill(csr, ids); err != nil {
		c.undo()
		if strings.Contains(err.Error(), c.s.dir) { // it names the store
			return nil, fmt.Errorf("creating store: %w", disk.Classify(err))
		}
		return nil, fmt.Errorf("creating %s: %w", c.s.dir, disk.Classify(err))
	}
	c.s.ready.Store(true)
	return c.s, nil
}

// begin makes the folder and takes its lock. Another Create that fails
// meanwhile may take the folder away between the two; then both are done anew.
func (c *creation) begin() error {
	for try := 0; ; try++ {
		err := os.Mkdir(c.s.dir, 0o777)
		switch {
		case err == nil:
			c.madeDir = true
		case errors.Is(err, fs.ErrExist):
			if _, err := ownFiles(c.s.dir); err != nil && !errors.Is(err, fs.ErrNotExist) {
				return err
			}
		case errors.Is(err, fs.ErrNotExist):
			return fmt.Errorf("creating %s: %w: make the folder %s first", c.s.dir, fs.ErrNotExist,
				filepath.Dir(filepath.Clean(c.s.dir)))
		default:
			return fmt.Errorf("creating store: %w", disk.Classify(err))
		}
		c.s.lock, err = lock.Take(c.s.dir)
		if err == nil {
			c.madeLock = c.s.lock.Made
			break
		}
		if !errors.Is(err, fs.ErrNotExist) || try == 10 {
			if c.madeDir && !errors.Is(err, ErrExists) { // else it has become another process's store meanwhile
				os.Remove(c.s.dir) // fails if another process is in it, rightly
			}
			return err
		}
	}
	err := c.startOver()
	if err != nil {
		c.giveBack()
	}
	return err
}

// startOver removes the remains of a dead import, under the lock.
func (c *creation) startOver() error {
	names, err := ownFiles(c.s.dir)
	if err != nil {
		return err
	}
	if slices.Contains(names, nameStore) {
		return fmt.Errorf("%s: %w; open it, or remove the folder to import again", c.s.dir, ErrExists)
	}
	return c.s.removeFiles()
}

// StoreBytes is how much of its volume the store takes that Create makes of
// these: more, by some blocks, than its files are long.
func (m Meta) StoreBytes(ids IDs) int64 {
	m.Version = formatVersion
	return total(sizes(&m, ids))
}

// sizes lists what to reserve, the matrix first.
func sizes(m *Meta, ids IDs) []reservation {
	list := []reservation{
		{nameDist, npyHeaderLen + m.heldBytes()},
		{nameState, stateBytes},
		{nameLive, liveBytes},
		{nameSumsSpare, m.sumsBytes()},
	}
	if m.Layout == Factors {
		list = list[1:]
	}
	if !m.Dense {
		list = append(list, reservation{nameGraph, m.graphBytes()})
	}
	if ids.kind() != "" {
		list = append(list, reservation{nameIDs, ids.bytes()})
	}
	return list
}

// total is what a list of files takes in whole blocks, with the folder and the
// small files that nothing is reserved for: the lock, and store.json twice while
// it is replaced.
func total(list []reservation) int64 {
	const block = 4096
	sum := int64(4 * block)
	for _, r := range list {
		sum += (r.size + block - 1) / block * block
	}
	return sum
}

type reservation struct {
	name string
	size int64
}

// fill reserves, writes and syncs everything, store.json last.
func (c *creation) fill(csr *CSR, ids IDs) error {
	files, err := c.reserveAll(sizes(&c.s.meta, ids))
	if err != nil {
		return err
	}
	s := c.s
	s.dist, s.state = files[nameDist], files[nameState]
	if s.dist != nil {
		if err := s.writeAt(s.dist, nameDist, s.npyHeader(), 0); err != nil {
			return err
		}
	}
	err = s.eachInput(func(name string) error {
		if err := s.hooks.Ask("write", name); err != nil {
			return err
		}
		if name == nameIDs {
			return s.meta.writeIDs(files[name], ids)
		}
		return s.meta.writeGraph(files[name], csr)
	})
	if err != nil {
		return err
	}
	// The matrix has a header and no content yet: syncing it is quick.
	for _, name := range []string{nameDist, nameState, nameGraph, nameIDs} {
		if f := files[name]; f != nil {
			if err := s.hooks.Synced(name, f.Sync); err != nil {
				return err
			}
		}
	}
	if err := c.closeSpare(); err != nil {
		return err
	}
	if err := s.mapMatrix(mmap.RDWR); err != nil {
		return err
	}
	s.here = s.incarnation()
	return c.publish()
}

// publish makes the folder a store.
func (c *creation) publish() error {
	data, err := encodeMeta(c.s.meta)
	if err != nil {
		return err
	}
	if err := c.s.syncNames(); err != nil {
		return err
	}
	if err := c.s.replaceFile(nameStore, data); err != nil {
		return err
	}
	if c.named {
		return nil
	}
	err = disk.SyncDir(filepath.Dir(filepath.Clean(c.s.dir)))
	if !c.madeDir && errors.Is(err, fs.ErrPermission) { // whoever made the folder may sync its name, and perhaps did
		return nil
	}
	return err
}

// reserveAll creates the files and their space, in order.
func (c *creation) reserveAll(list []reservation) (map[string]*os.File, error) {
	// Looking first makes "no space" instant where allocating would fill the
	// volume for a while before it failed, and is all there is on volumes
	// that cannot allocate ahead.
	if err := disk.Room(c.s.dir, c.s.path(list[0].name), total(list), 0); err != nil {
		return nil, err
	}
	files := map[string]*os.File{}
	for _, r := range list {
		f, err := disk.OpenRegular(c.s.path(r.name), os.O_RDWR|os.O_CREATE|os.O_EXCL)
		if err != nil {
			return nil, err
		}
		c.files = append(c.files, f)
		files[r.name] = f
		if err := disk.Reserve(f, r.size); err != nil {
			return nil, err
		}
	}
	return files, nil
}

// closeSpare closes every file that the store does not keep open.
func (c *creation) closeSpare() error {
	for _, f := range c.files {
		if f != c.s.dist && f != c.s.state {
			if err := f.Close(); err != nil {
				return err
			}
		}
	}
	return nil
}

// undo takes back a failed creation.
func (c *creation) undo() {
	if len(c.s.mem) > 0 {
		c.s.mem.Unmap()
	}
	for _, f := range c.files {
		f.Close() // some are closed already
	}
	if err := c.s.removeFiles(); err != nil {
		c.s.lock.Release() // the next import goes on with that
		return
	}
	c.giveBack()
}

// giveBack gives the lock back, and removes it and the folder where they were
// made here. The lock file goes while we hold its lock; a process that has
// already opened it notices (see lock.Take).
func (c *creation) giveBack() {
	switch {
	case c.madeDir && c.madeLock:
		_ = c.s.lock.RemoveFolder() // what stays is empty but for the lock
	case c.madeLock:
		_ = c.s.lock.Remove()
	default:
		c.s.lock.Release()
	}
}

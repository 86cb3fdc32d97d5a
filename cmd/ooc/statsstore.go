package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"

	"github.com/dustin/go-humanize"
	"github.com/spf13/cobra"

	"ooc/cmd/ooc/exit"
	"ooc/cmd/ooc/terminal"
	"ooc/engine"
	"ooc/engine/graph"
	"ooc/engine/plan"
	"ooc/engine/stats"
	"ooc/engine/text"
	"ooc/tiles"
)

// begun reports whether an earlier run has begun the store of --store, or its import. It refuses any other folder
// that is there, unless that is empty, as a kill may leave it: the store is removed at the end.
func (f *graphStatsFlags) begun(input string) (bool, error) {
	if f.store == "" {
		return false, nil
	}
	if input == "-" {
		return false, exit.UsageError(errors.New("--store: standard input cannot be read again after a stop; give a file"))
	}
	if _, err := os.Lstat(f.store); errors.Is(err, fs.ErrNotExist) {
		return false, noStoreIn(f.store)
	}
	if !isStore(f.store) {
		half, err := tiles.Incomplete(f.store)
		if errors.Is(err, tiles.ErrNotStore) {
			err = exit.UsageError(fmt.Errorf("--store %s: it is there, and would be removed at the end; "+
				"name a folder that is not there, or is empty", f.store))
		}
		return half, err
	}
	p, err := engine.OpenReadOnly(f.store)
	if err != nil {
		return false, f.damaged(err)
	}
	defer p.Close()
	if made := p.Meta().Command; len(made) < 2 || made[1] != "stats" {
		return false, exit.UsageError(fmt.Errorf("--store %s: it is a store that ooc stats has not made, and would be removed at the end; ask it (%s), or name another folder",
			f.store, terminal.Command("stats", nil, f.store)))
	}
	return true, nil
}

// damaged says what to do where the store of --store is damaged. What the error says of --restart is not for stats.
func (f *graphStatsFlags) damaged(err error) error {
	if !tiles.Damaged(err) || errors.Is(err, tiles.ErrVersion) {
		return err
	}
	cause, _, _ := strings.Cut(err.Error(), "; ")
	return text.ErrorOf(tiles.ErrCorrupt, "%s; if an earlier ooc stats made that store, remove it, rm -r %s, "+
		"and the same command begins again", cause, text.Quote(f.store))
}

// byStore solves a graph into the store of --store, gathers its statistics, and removes it.
func (f *statsFlags) byStore(cmd *cobra.Command, input string, o stats.Options) (err error) {
	defer func() { err = f.damaged(err) }()
	_, s := newSolve()
	s.graphFlags, s.out, s.sources, s.quiet = f.graphFlags, f.store, f.sources, true
	s.strict, s.place = true, "store" // what is begun for other statistics goes on for none but these
	s.checkpoint, s.progress, s.HostMemory = f.checkpoint, f.progress, f.memory
	s.device, s.deviceMemory = f.device, f.deviceMemory
	if err := s.run(cmd, input); err != nil {
		return err
	}
	p, err := engine.Open(f.store)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, p.Close()) }()
	if err := o.Check(p.Geometry().N); err != nil {
		return exit.UsageError(err)
	}
	ids, err := p.IDs()
	if err != nil {
		return err
	}
	r, err := f.draw(cmd.Context(), func() (*stats.Result, error) { return stats.Of(cmd.Context(), p, o) })
	if exit.Code(err) == exit.Interrupted {
		return fmt.Errorf("%w; continue with:\n  %s", err, wholeCommand([]string{input}))
	}
	if err == nil {
		err = f.print(r, p.Meta().Input.Name, ids)
	}
	if err != nil {
		return err
	}
	if err = p.Remove(); err != nil && !errors.Is(err, tiles.ErrNotStore) {
		err = fmt.Errorf("%w; the same command begins again with that:\n  %s", err, wholeCommand([]string{input}))
	}
	return err
}

// storeTakes says what statistics by way of a store take; "" if that cannot be told.
func (f *graphStatsFlags) storeTakes(cmd *cobra.Command, g *graph.Graph, sources tiles.RowSet) string {
	d, _, err := openDevice(f.device, f.deviceMemory)
	if err != nil {
		return ""
	}
	defer d.Close()
	c, err := engine.ForecastGraph(cmd.Context(), g, d, plan.Request{Sources: sources, HostMemory: f.memory, Room: engine.Room(".")}, "")
	if err != nil {
		return ""
	}
	return fmt.Sprintf(". A store for the meantime would take %s on disk and about %s; --store DIR makes one and removes it",
		humanize.IBytes(uint64(c.StoreBytes+c.BesideBytes)), terminal.Time(c.Seconds()))
}

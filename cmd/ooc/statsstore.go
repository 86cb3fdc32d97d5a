package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"

	"github.com/dustin/go-humanize"

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
func (o *statsOptions) begun(in input) (bool, error) {
	if o.store == "" {
		return false, nil
	}
	if in.form == standardInput {
		return false, exit.UsageError(errors.New("--store: standard input cannot be read again after a stop; give a file"))
	}
	if _, err := os.Lstat(o.store); errors.Is(err, fs.ErrNotExist) {
		return false, noStoreIn(o.store)
	}
	if !tiles.IsStore(o.store) {
		half, err := tiles.Incomplete(o.store)
		if errors.Is(err, tiles.ErrNotStore) {
			err = exit.UsageError(fmt.Errorf("--store %s: it is there, and would be removed at the end; "+
				"name a folder that is not there, or is empty", o.store))
		}
		return half, err
	}
	p, err := engine.OpenReadOnly(o.store)
	if err != nil {
		return false, o.damaged(err)
	}
	defer p.Close()
	if made := p.Meta().Command; len(made) < 2 || made[1] != "stats" {
		return false, exit.UsageError(fmt.Errorf("--store %s: it is a store that ooc stats has not made, and would be removed at the end; ask it (%s), or name another folder",
			o.store, terminal.Command("stats", nil, o.store)))
	}
	return true, nil
}

// damaged says what to do where the store of --store is damaged. What the error says of --restart is not for stats.
func (o *statsOptions) damaged(err error) error {
	if !tiles.Damaged(err) || errors.Is(err, tiles.ErrVersion) {
		return err
	}
	cause, _, _ := strings.Cut(err.Error(), "; ")
	return text.ErrorOf(tiles.ErrCorrupt, "%s; if an earlier ooc stats made that store, remove it, rm -r %s, "+
		"and the same command begins again", cause, text.Quote(o.store))
}

// byStore solves a graph into the store of --store, gathers its statistics, and removes it.
func (o *statsOptions) byStore(ctx context.Context, in input, q stats.Options) (err error) {
	defer func() { err = o.damaged(err) }()
	j := &job{in: in, solveOptions: solveOptions{
		line: o.line, progressFlags: o.progressFlags, out: o.store, quiet: true,
		matrixFlags: matrixFlags{graphFlags: o.graphFlags, deviceFlags: o.deviceFlags, Request: plan.Request{HostMemory: o.hostMemory, Algorithm: plan.Auto}, sources: o.sources},
		strict:      true, place: "store", // what is begun for other statistics goes on for none but these
	}}
	if err := j.run(ctx); err != nil {
		return err
	}
	p, err := engine.Open(o.store)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, p.Close()) }()
	err = o.ofStore(ctx, p, p.Meta().Input.Name, q, func(string, ...any) {})
	if err != nil {
		return o.goOn(err, exit.Interrupted)
	}
	if err = p.Remove(); err != nil && !errors.Is(err, tiles.ErrNotStore) {
		err = fmt.Errorf("%w; the same command begins again with that:\n  %s", err, o.again())
	}
	return err
}

// storeTakes says what statistics by way of a store take; "" if that cannot be told.
func (o *statsOptions) storeTakes(ctx context.Context, g *graph.Graph, sources tiles.RowSet) string {
	d, _, err := o.open()
	if err != nil {
		return ""
	}
	defer d.Close()
	c, err := engine.ForecastGraph(ctx, g, d, plan.Request{Sources: sources, HostMemory: o.hostMemory, Room: engine.Room(".")}, "")
	if err != nil {
		return ""
	}
	return fmt.Sprintf(". A store for the meantime would take %s on disk and about %s; --store DIR makes one and removes it",
		humanize.IBytes(uint64(c.StoreBytes+c.BesideBytes)), terminal.Time(c.Seconds()))
}

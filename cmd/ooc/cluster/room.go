package cluster

import (
	"cmp"
	"fmt"
	"path/filepath"
	"strings"

	"ooc/engine"
	"ooc/engine/graph"
	"ooc/tiles"
	"ooc/tiles/disk"
)

// room is what the part store of a rank is to take of a volume, and what that has.
type room struct {
	Dir    string // of the part stores
	Volume string // the same for ranks that share one; "": nothing is known
	Source string // what that was mounted from
	Free   int64
	Need   int64 // beyond what the store that is replaced gives back
}

// roomOf looks at the volume of a part store that is to be made in dir.
func (c *Cluster) roomOf(dir string, w graph.Weights, o *engine.CreateOptions) room {
	_, sparse := w.(*graph.Graph)
	f := w.Facts()
	m := tiles.Meta{N: f.N, Arcs: f.Arcs, Kind: f.Kind, Dense: !sparse, T: o.Tile, Layout: o.Layout, Predecessors: o.Predecessors, Part: o.Part}
	r := room{Need: tiles.StoreBytes(m, tiles.IDs{Numeric: f.IDs.Numeric, Text: f.IDs.Text}) - tiles.GivesBack(dir)}
	id, free, err := disk.Volume(dir)
	if r.Dir, _ = filepath.Abs(filepath.Dir(dir)); err != nil {
		return r // making the store will tell
	}
	r.Free, r.Volume = free, c.seats[o.Part.Index].Host+" "+id
	source, everywhere := disk.Source(dir)
	if r.Source = cmp.Or(source, id); everywhere {
		r.Volume = source
	}
	return r
}

// roomForAll fails where a volume lacks room for all stores that ranks are to make on it. They make them at once:
// what one gives back may come too late for another.
func (c *Cluster) roomForAll(rooms []room) error {
	type all struct {
		need, free int64
		ranks      []string
	}
	volumes := map[string]*all{}
	for rank, r := range rooms {
		if r.Volume == "" || r.Need <= 0 {
			continue
		}
		v := volumes[r.Volume]
		if v == nil {
			v = &all{free: r.Free}
			volumes[r.Volume] = v
		}
		v.need, v.free = v.need+r.Need, min(v.free, r.Free)
		v.ranks = append(v.ranks, fmt.Sprintf("%s for %s in %s", disk.Size(r.Need), c.seats[rank].name(rank), r.Dir))
	}
	for _, r := range rooms {
		if v := volumes[r.Volume]; v != nil && v.need > v.free {
			return fmt.Errorf("%w on the volume %s: %s needed, %s free (%s); free some, or name another --part-dir",
				disk.ErrNoSpace, r.Source, disk.Size(v.need), disk.Size(v.free), strings.Join(v.ranks, ", "))
		}
	}
	return nil
}

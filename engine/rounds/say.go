package rounds

import (
	"fmt"

	"github.com/dustin/go-humanize"

	"ooc/engine/plan"
	"ooc/engine/text"
)

// Member implements plan.Plan.
func (p *Plan) Member() string { return "plan" }

// Lines implements plan.Plan.
func (p *Plan) Lines(q *plan.Basis) (lines []plan.Line) {
	add := func(name, format string, args ...any) {
		lines = append(lines, plan.Line{Name: name, Text: fmt.Sprintf(format, args...)})
	}
	done, n := q.State.Done, int64(q.Facts.N)
	add("matrix", "%s on disk, %d×%d tiles of %d×%d (%s each)%s",
		ib(p.DiskBytes), p.Side, p.Side, p.Tile, p.Tile, ib(p.DiskBytes/int64(p.Tiles)), q.Half())
	if done == n && done > 0 {
		add("rounds", "none left: it is solved")
		return lines
	}
	left := ""
	if done > 0 {
		left = fmt.Sprintf(" left, %.1f %% done", 100*float64(done)/float64(n))
	}
	if p.Passes {
		add("passes", "%d at most, over groups of %d rows%s", p.Rounds, p.Width*p.Tile, left)
	} else {
		ahead := "off"
		if p.LookAhead {
			ahead = "on"
		}
		add("rounds", "%d of %d vertices%s, look-ahead %s", p.Rounds, p.Width*p.Tile, left, ahead)
	}
	each, waiting := "", ""
	if p.Devices > 1 {
		nodes := ""
		if p.Nodes > 1 {
			nodes = fmt.Sprintf("; %s, each with %d", text.Count(p.Nodes, "node", "nodes"), p.perNode())
		}
		add("devices", "%d share the rounds, in a grid of %d×%d%s", p.Devices, p.GridRows, p.GridCols, nodes)
		each, waiting = "each ", fmt.Sprintf(", waiting for strips %s", text.Time(p.WaitSeconds))
	}
	if p.Nodes > 1 {
		add("each node", "host memory %s; disk %s; link %s in and as much out, %s",
			ib(p.HostBytes), ib(p.nodeDiskBytes()), ib(p.BytesLink), text.Time(p.LinkSeconds))
	}
	where := "tiles stream through"
	if p.InCore {
		where = "the matrix fits"
	}
	add("tiles", "%sdevice %s: %s on %s (%s); host %s: %s", each, ib(p.DeviceBytes),
		text.Count(p.Slots, "slot", "slots"), text.Count(p.Streams, "stream", "streams"), where,
		ib(p.HostBytes/int64(max(1, p.perNode()))), text.Count(p.Pages, "page", "pages"))
	add("traffic", "device %s in, %s out; disk %s read, %s written",
		ib(p.BytesIn), ib(p.BytesOut), ib(p.BytesRead), ib(p.BytesWritten))
	add("time", "%s: page-locking %s, kernels %s, copies %s, final sync %s%s; bound by %s",
		text.Time(p.Seconds), text.Time(p.SetupSeconds), text.Time(p.KernelSeconds),
		text.Time(p.CopySeconds), text.Time(p.SyncSeconds), waiting, p.Bound)
	return lines
}

func ib(n int64) string { return humanize.IBytes(uint64(n)) }

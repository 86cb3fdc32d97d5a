package main

import (
	"encoding/json"
	"fmt"
	"os"
	"time"

	"github.com/dustin/go-humanize"
	"github.com/spf13/cobra"

	"ooc/engine"
	"ooc/tiles"
)

func statusCommand() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "status STORE",
		Short: "Say what a store is, how far it is, and what to run next",
		Args:  cobra.ExactArgs(1),
		RunE:  func(cmd *cobra.Command, args []string) error { return printStatus(args[0], asJSON) },
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "one JSON object")
	return cmd
}

func printStatus(dir string, asJSON bool) error {
	p, err := engine.OpenReadOnly(dir)
	if err != nil {
		return err
	}
	defer p.Close()
	st, err := currentStatus(p)
	if err != nil {
		return err
	}
	if asJSON {
		printJSON(os.Stdout, "status", st)
		return nil
	}
	m, geom := p.Meta(), p.Geometry()
	fmt.Printf("graph     %s (%s, %s), imported %s\n", m.Input.Name, m.Input.Format, humanize.IBytes(uint64(m.Input.Size)), m.Created.Local().Format(time.DateTime))
	direction := "directed"
	if !m.Directed {
		direction = "undirected"
	}
	fmt.Printf("          %s vertices, %s arcs, %s, weights %s…%s, %s\n", humanize.Comma(int64(m.N)), humanize.Comma(m.Arcs), direction,
		number(m.MinWeight/float64(m.Scale)), number(m.MaxWeight/float64(m.Scale)), m.Kind)
	if k := len(m.Sources); k > 0 {
		fmt.Printf("rows      of %s chosen sources\n", humanize.Comma(int64(k)))
	}
	if m.Predecessors {
		fmt.Println("entries   distances with predecessors")
	}
	fmt.Printf("matrix    %s/dist.npy, %d×%d tiles of %d×%d, %s\n", dir, geom.Down(), geom.Side(), geom.T, geom.T, humanize.IBytes(uint64(geom.MatrixBytes())))
	stage := ""
	if st.Stage != "" {
		stage = ", stage " + st.Stage
	}
	fmt.Printf("algorithm %s%s\n", st.Algorithm, stage)
	fmt.Printf("state     %s, progress %.1f %%, restore point %.1f %%, %s of work\n", st.State, 100*st.Progress, 100*st.RestorePoint, shortTime(st.Elapsed))
	switch st.State {
	case "solved":
		fmt.Printf("next      ooc query %s U V\n", quote(dir))
	case "running":
		rate := rateText(st.Rate)
		if st.DistanceRate > 0 {
			rate = distanceRate(st.DistanceRate)
		}
		fmt.Printf("          by process %d, %s, %s\n", st.PID, rate, etaText(st.ETA))
	default:
		fmt.Printf("next      ooc solve %s\n", quote(dir))
	}
	return nil
}

// currentStatus is what the store's files say, or what the process that solves it says if one does.
func currentStatus(p *engine.Problem) (engine.Status, error) {
	st, err := p.Status()
	if err != nil {
		return st, err
	}
	pid, _, running, err := tiles.LockHolder(p.Dir())
	if err != nil || !running {
		return st, err
	}
	var live engine.Status
	data, err := tiles.ReadLive(p.Dir())
	if err == nil && json.Unmarshal(data, &live) == nil && live.PID == pid {
		st = live // else it is what another run left: what the files say still holds
	}
	if st.State != "solved" {
		st.State = "running"
	}
	st.Store, st.PID = p.Dir(), pid
	return st, nil
}

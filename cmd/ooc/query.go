package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"ooc/engine"
)

func queryCommand() *cobra.Command {
	var row, col, pairs string
	cmd := &cobra.Command{
		Use:   "query STORE U V...",
		Short: "Print distances between vertices named by their ids in the input",
		Long: "query prints one line for each V: U, V and their distance, separated by tabs. --row prints the distances\n" +
			"from a vertex to all, --col those from all to a vertex, --pairs those of each line \"U V\" of a file (- for\n" +
			"standard input). A pair without a path is \"unreachable\".",
		Args: cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			given := len(args) > 1
			for _, f := range []string{row, col, pairs} {
				if f != "" && given {
					return usageError{errors.New("give one of: U V..., --row, --col, --pairs")}
				}
				given = given || f != ""
			}
			if !given || len(args) == 2 {
				return usageError{errors.New("name a pair of vertices U V, or --row U, --col V or --pairs FILE")}
			}
			p, err := engine.OpenReadOnly(args[0])
			if err != nil {
				return err
			}
			defer p.Close()
			if err := p.Solved(); err != nil {
				return fmt.Errorf("%w; go on with: ooc solve %s", err, quote(args[0]))
			}
			w := bufio.NewWriterSize(os.Stdout, 1<<16)
			switch {
			case row != "":
				err = queryLine(p, w, row, true)
			case col != "":
				err = queryLine(p, w, col, false)
			case pairs != "":
				err = queryPairs(p, w, pairs)
			default:
				for _, v := range args[2:] {
					if err = queryPair(p, w, args[1], v); err != nil {
						break
					}
				}
			}
			return errors.Join(err, w.Flush())
		},
	}
	cmd.Flags().StringVar(&row, "row", "", "print the distances from this vertex to all")
	cmd.Flags().StringVar(&col, "col", "", "print the distances from all to this vertex")
	cmd.Flags().StringVar(&pairs, "pairs", "", "a file with a pair of vertices a line")
	return cmd
}

func queryPair(p *engine.Problem, w io.Writer, u, v string) error {
	from, err := p.Lookup(u)
	if err != nil {
		return err
	}
	to, err := p.Lookup(v)
	if err != nil {
		return err
	}
	d, err := p.Distance(from, to)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(w, "%s\t%s\t%s\n", u, v, numbers(p)(d))
	return err
}

func queryLine(p *engine.Problem, w io.Writer, id string, isRow bool) error {
	at, err := p.Lookup(id)
	if err != nil {
		return err
	}
	ids, err := p.IDs()
	if err != nil {
		return err
	}
	d := make([]float64, p.Geometry().N)
	read, name := p.Row, ids.Name
	if !isRow {
		d = d[:p.Geometry().RowCount()]
		read, name = p.Col, func(i int) string { return ids.Name(p.Sources().Vertex(i)) }
	}
	if err := read(d, at); err != nil {
		return err
	}
	show := numbers(p)
	for i, x := range d {
		u, v := id, name(i)
		if !isRow {
			u, v = v, u
		}
		if _, err := fmt.Fprintf(w, "%s\t%s\t%s\n", u, v, show(x)); err != nil {
			return err
		}
	}
	return nil
}

func queryPairs(p *engine.Problem, w io.Writer, file string) error {
	in := os.Stdin
	if file != "-" {
		f, err := os.Open(file)
		if err != nil {
			return err
		}
		defer f.Close()
		in = f
	}
	lines := bufio.NewScanner(in)
	lines.Buffer(nil, 1<<20)
	for n := 1; lines.Scan(); n++ {
		f := strings.Fields(lines.Text())
		if len(f) == 0 || strings.HasPrefix(f[0], "#") {
			continue
		}
		if len(f) != 2 {
			return badInput{fmt.Errorf("%s:%d: want two vertices, found %d words", file, n, len(f))}
		}
		if err := queryPair(p, w, f[0], f[1]); err != nil {
			return fmt.Errorf("%s:%d: %w", file, n, err)
		}
	}
	return lines.Err()
}

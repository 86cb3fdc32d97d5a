package main

import (
	"bytes"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
)

// Two builds of the command that play one history have to answer alike.

// measured are the fields of JSON that differ from run to run: what a run measures, where and when it ran, and what
// rates, the moment of a stop, or threads decide.
var measured = regexp.MustCompile(`seconds|_per_second|^busy|^pid$|^plan$|^eliminate$|^rates$|^input$|^message$|` +
	`_bytes$|^resumed|^bytes|^next$|^progress$|^restore_point$|^round|` +
	`^already|^algorithm$|^relaxations$|^rows_written$|` +
	`^predecessor$|^sweeps$|^method$|^group$|^stage$|^rows_done$`)

// alike compares the last answer of two players, and the files that they have.
func (p *player) alike(s step, q *player) *failure {
	differ := func(what string, a, b any) *failure {
		return &failure{"two builds differ in " + what + " of " + s.args[0],
			fmt.Sprintf("now:    %v\nbefore: %v", a, b)}
	}
	if s.how == "kill" || s.how == "interrupt" { // each was stopped at another moment
		for _, name := range p.names(s) {
			p.torn[name] = true
		}
		return nil
	}
	torn := slices.ContainsFunc(p.names(s), func(name string) bool { return p.torn[name] })
	if torn && (p.outcome.code != 0 || q.outcome.code != 0) {
		for _, name := range p.names(s) {
			p.torn[name] = true
		}
		return nil
	}
	if unsure := p.unsure(s, q); unsure && p.outcome.code != q.outcome.code { // one has written a file, the other not
		for _, name := range p.names(s) {
			p.torn[name] = true
		}
	} else if s.how == "ooc" && !unsure {
		if s.args[0] != "status" {
			for _, name := range p.names(s) { // what both have ended is alike again
				delete(p.torn, name)
				if s.flag("--predecessors") != "" && s.args[0] == "export" { // of equal paths any one
					p.torn[name] = s.operands()[0] != name
				}
			}
		}
		a, b := p.outcome, q.outcome
		if a.code != b.code {
			return differ("the exit code", fmt.Sprint(a.code, "\n", a.stderr), fmt.Sprint(b.code, "\n", b.stderr))
		}
		objects, err := objectsOf(a.stdout)
		others, othersErr := objectsOf(b.stdout)
		if err != nil || othersErr != nil {
			return differ("the output", err, othersErr)
		}
		now, before := lasting(objects, torn), lasting(others, torn)
		for i := range min(len(now), len(before)) { // a later build may add fields
			maps.DeleteFunc(now[i], func(name string, _ any) bool { _, ok := before[i][name]; return !ok })
		}
		if !reflect.DeepEqual(now, before) && p.integers(s) {
			return differ("the answer", fmt.Sprint(now, "\n", a.stdout, a.stderr),
				fmt.Sprint(before, "\n", b.stdout, b.stderr))
		}
	}
	now, before := p.files(q), q.files(p)
	for name, b := range now {
		if dir, _, _ := strings.Cut(name, "/"); p.torn[dir] {
			continue
		}
		if other, ok := before[name]; !ok {
			return differ("files", name, "none")
		} else if !bytes.Equal(b, other) {
			return differ("bytes", fmt.Sprintf("%s, %d bytes", name, len(b)), fmt.Sprintf("%d bytes", len(other)))
		}
	}
	for name := range before {
		if dir, _, _ := strings.Cut(name, "/"); p.torn[dir] {
			continue
		}
		if _, ok := now[name]; !ok {
			return differ("files", "none", name)
		}
	}
	return nil
}

// names are the stores and files that a step is about, but for the graph.
func (p *player) names(s step) (list []string) {
	for _, name := range append(s.operands(), p.target(s)) {
		if name != p.file && name != "" && strings.Contains(name, ".") {
			list = append(list, name)
		}
	}
	return list
}

// unsure says that a step is about a store that was stopped at different moments, or damaged.
func (p *player) unsure(s step, q *player) bool {
	for _, name := range p.names(s) {
		a, b := p.stores[name], q.stores[name]
		if (a != nil || b != nil) && !equalStores(a, b) {
			return true
		}
	}
	return false
}

// integers says that an answer has no rounded numbers: those the model has compared.
func (p *player) integers(s step) bool {
	kind, scale := p.kindOf(s)
	for _, name := range p.names(s) {
		if k := p.stores[name]; k != nil {
			kind, scale = k.Kind, int64(k.Scale)
			if k.Predecessors && s.args[0] == "path" { // of equal paths any one
				return false
			}
		}
	}
	return p.exact(kind, scale)
}

// equalStores says that two builds have solved the same store, and neither is damaged.
func equalStores(a, b *kept) bool {
	return a != nil && b != nil && a.State == "solved" && b.State == "solved" && a.damaged == "" && b.damaged == "" &&
		a.asked == b.asked && a.Kind == b.Kind && a.Scale == b.Scale && a.Layout == b.Layout &&
		len(a.rows) == len(b.rows)
}

// lastingFiles are those of a store that do not differ from run to run.
var lastingFiles = []string{"dist.npy", "sums", "graph.csr", "ids", "factors"}

// byRates is a tip that measured rates decide about.
const byRates = "elimination, which would take"

// lasting are the objects without what is measured, and without those that say how far a solve is. Where a solve was
// stopped in the middle, it depends on the moment whether the graph is read once more, which is when notes are printed.
func lasting(objects []map[string]any, torn bool) (list []map[string]any) {
	for _, o := range objects {
		message, _ := o["message"].(string)
		note := o["type"] == "note" && (torn || strings.HasPrefix(message, byRates))
		if note || o["type"] == "status" && o["next"] == nil {
			continue
		}
		for name := range o {
			if measured.MatchString(name) || name == "rows" && o["type"] == "status" { // of an elimination alone
				delete(o, name)
			}
		}
		list = append(list, o)
	}
	return list
}

// files are the bytes of all files that two builds have to write alike: outputs, and what stores hold that both have
// solved, but for heads, in which their ids are.
func (p *player) files(q *player) map[string][]byte {
	files := map[string][]byte{}
	_ = filepath.WalkDir(p.dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return nil
		}
		name, err := filepath.Rel(p.dir, path)
		if err != nil {
			return err
		}
		head, exact := 0, true
		if dir, file := filepath.Split(name); dir != "" {
			k, other := p.stores[strings.TrimSuffix(dir, "/")], q.stores[strings.TrimSuffix(dir, "/")]
			if !equalStores(k, other) || !slices.Contains(lastingFiles, file) {
				return nil
			}
			exact = p.exact(k.Kind, int64(k.Scale)) && !k.Predecessors && file != "factors"
			head = 64
		}
		stopped := strings.HasPrefix(name, ".") || strings.HasSuffix(name, ".stats") || strings.HasSuffix(name, ".near")
		if stopped || strings.HasPrefix(name, "out") && !p.whole() { // or perhaps rounded
			return nil
		}
		b, err := os.ReadFile(path)
		files[name] = b[min(head, len(b)):]
		if !exact {
			files[name] = nil
		}
		return err
	})
	return files
}

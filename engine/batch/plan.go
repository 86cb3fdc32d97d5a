package batch

import (
	"errors"
	"fmt"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/dustin/go-humanize"

	"ooc/engine/text"
	"ooc/tiles/disk"
)

// Need is what a job needs.
type Need struct {
	Vertices int
	Bytes    int64 // that its store will take, all in all; 0: unknown
	Has      int64 // of these, what its store has already
	Beside   int64 // that it may take beside its store while that is solved
	Err      error // why it is unknown: what is wrong with the input
}

// Room fails with disk.ErrNoSpace if the stores that a batch still has to make do not fit their volumes together. The
// error names what each needs.
func Room(jobs []Job, needs []Need) error {
	var errs []error
	for _, v := range volumes(jobs, needs) {
		sum := v.stores + v.beside(needs)
		if sum <= v.free {
			continue
		}
		var list []string
		for _, i := range v.jobs {
			n, beside := &needs[i], ""
			if n.Beside > 0 {
				beside = ", and " + humanize.IBytes(uint64(n.Beside)) + " beside it for a while"
			}
			list = append(list, fmt.Sprintf("  %s  %s (%s vertices)%s", humanize.IBytes(uint64(n.Bytes-n.Has)),
				jobs[i].Store, humanize.Comma(int64(n.Vertices)), beside))
		}
		errs = append(errs, fmt.Errorf("%w on the volume of %s: the stores of this batch need %s, %s is "+
			"free:\n%s\nfree some, take jobs out, or give them another volume with --out-dir, or some with --out in a "+
			"jobs file",
			disk.ErrNoSpace, v.at, humanize.IBytes(uint64(sum)), humanize.IBytes(uint64(v.free)),
			strings.Join(list, "\n")))
	}
	return errors.Join(errs...)
}

// Share leaves each job as much of the room beside all stores as it can have while others run. The error of Room is
// then about stores alone.
func Share(jobs []Job, needs []Need) {
	for _, v := range volumes(jobs, needs) {
		room, small := max(0, v.free-v.stores), int64(0)
		for _, i := range v.jobs {
			if needs[i].Beside > 0 && needs[i].Bytes <= smallBytes {
				small++
			}
		}
		for _, i := range v.jobs {
			n := &needs[i]
			if n.Bytes > smallBytes {
				n.Beside = min(n.Beside, room)
			} else if n.Beside > 0 {
				n.Beside = min(n.Beside, room/min(small, int64(atOnce)))
			}
		}
	}
}

// volume is what jobs take of one volume.
type volume struct {
	at     string
	free   int64
	stores int64 // that are not there yet
	jobs   []int
}

// beside is the most that jobs which run at one time take beside their stores. Those that are not small run alone.
func (v *volume) beside(needs []Need) int64 {
	var large, sum int64
	var small []int64
	for _, i := range v.jobs {
		if n := &needs[i]; n.Bytes > smallBytes {
			large = max(large, n.Beside)
		} else {
			small = append(small, n.Beside)
		}
	}
	slices.Sort(small)
	for _, b := range small[max(0, len(small)-atOnce):] {
		sum += b
	}
	return max(large, sum)
}

// volumes returns the volumes that jobs take something of.
func volumes(jobs []Job, needs []Need) (list []*volume) {
	known := map[string]*volume{}
	for i := range jobs {
		more := needs[i].Bytes - needs[i].Has
		if more == 0 && needs[i].Beside == 0 {
			continue
		}
		dir := filepath.Dir(filepath.Clean(jobs[i].Store))
		id, free, err := disk.Volume(dir)
		if err != nil {
			// What is wrong with the folder is for the job to say, and some volumes do not say how full they are.
			continue
		}
		v := known[id]
		if v == nil {
			v = &volume{at: dir, free: free}
			known[id], list = v, append(list, v)
		}
		v.stores += more
		v.jobs = append(v.jobs, i)
	}
	return list
}

// namedIn is an input, with where it was named if that says more.
func namedIn(input, from string) string {
	if input == from {
		return input
	}
	return fmt.Sprintf("%s (%s)", input, from)
}

// Distinct fails if two jobs have the same store. from says where each job was named; a name that is equal to the
// input is not repeated.
func Distinct(jobs []Job, from []string) error {
	seen := map[string]int{}
	for i := range jobs {
		key := place(jobs[i].Store)
		first, twice := seen[key]
		if !twice {
			seen[key] = i
			continue
		}
		if place(jobs[first].Input) == place(jobs[i].Input) {
			return text.ErrorOf(errJobs,
				"%s is there twice (%s, %s): take one out, or give one another store with --out in a jobs file",
				jobs[i].Input, from[first], from[i])
		}
		return text.ErrorOf(errJobs,
			"%s and %s would both be solved into %s: give one another store with --out in a jobs file, or rename it",
			namedIn(jobs[first].Input, from[first]), namedIn(jobs[i].Input, from[i]), jobs[i].Store)
	}
	return nil
}

// place identifies a file, which need not be there: it is its absolute path without links, as far as these lead
// somewhere.
func place(path string) string {
	abs := absolute(path)
	if dir, err := filepath.EvalSymlinks(filepath.Dir(abs)); err == nil {
		abs = filepath.Join(dir, filepath.Base(abs))
	}
	if whole, err := filepath.EvalSymlinks(abs); err == nil {
		abs = whole
	}
	if runtime.GOOS == "windows" || runtime.GOOS == "darwin" {
		abs = strings.ToLower(abs) // as their file systems do by default
	}
	return abs
}

// Name returns the folder of these jobs' queue, in the current folder. It depends on the jobs and their order, but
// not on their flags. hint is its first part, for people.
func Name(hint string, jobs []Job) string {
	var list []byte
	for _, j := range jobs {
		list = fmt.Appendf(list, "%q\n%q\n", inside("x", j.Input), inside("x", j.Store))
	}
	return fmt.Sprintf("%s-%08x%s", hint, disk.Checksum(list), extension)
}

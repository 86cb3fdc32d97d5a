package batch

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/mattn/go-shellwords"

	"ooc/engine/graph/read"
	"ooc/engine/text"
	"ooc/tiles"
	"ooc/tiles/class"
)

// errJobs is wrapped by the error for arguments or a jobs file that no batch can be made from.
var errJobs = class.New(class.Usage, "bad jobs")

// IsPattern reports whether an argument is a pattern of file names: it has the form of one, and no file has it as its
// name.
func IsPattern(arg string) bool {
	if !strings.ContainsAny(arg, "*?[") {
		return false
	}
	_, err := os.Lstat(arg)
	return err != nil
}

// Expand returns the inputs that an argument stands for. A pattern stands for the files that match it. A folder that
// is no store stands for the files in it whose names are those of graphs, sorted; skipped are its other files. Any
// other argument stands for itself.
func Expand(arg string) (inputs, skipped []string, err error) {
	if IsPattern(arg) {
		if inputs, err = filepath.Glob(arg); err != nil {
			return nil, nil, text.ErrorOf(errJobs, "%s: %w", arg, err)
		}
		if len(inputs) == 0 {
			return nil, nil, text.ErrorOf(errJobs, "nothing matches %s", arg)
		}
		return inputs, nil, onLines(inputs)
	}
	if info, err := os.Stat(arg); err != nil || !info.IsDir() || tiles.IsStore(arg) {
		return []string{arg}, nil, nil // what is wrong with it is for the job to say
	}
	if half, err := tiles.Incomplete(arg); err == nil && half {
		return nil, nil, text.ErrorOf(errJobs, "%s is a store whose import died, or still runs; solve its graph", arg)
	}
	if Is(arg) {
		return nil, nil, text.ErrorOf(errJobs,
			"%s is the queue of a batch; ooc status names the command that continues it", arg)
	}
	entries, err := os.ReadDir(arg)
	if err != nil {
		return nil, nil, err
	}
	for _, e := range entries {
		path := filepath.Join(arg, e.Name())
		info, err := os.Stat(path) // of what a link leads to
		switch {
		case err == nil && info.IsDir():
		case err == nil && info.Mode().IsRegular() && read.KnownName(e.Name()):
			inputs = append(inputs, path)
		default:
			skipped = append(skipped, path)
		}
	}
	if err := onLines(append(inputs, skipped...)); err != nil {
		return nil, nil, err
	}
	if len(inputs) == 0 {
		return nil, nil, text.ErrorOf(errJobs, "no file in %s has the name of a graph (%s)", arg,
			strings.Join(read.Extensions(), " "))
	}
	return inputs, skipped, nil
}

// onLines refuses names that would seem to say more than they do wherever they are shown.
func onLines(paths []string) error {
	for _, path := range paths {
		if !text.OneLine(path) {
			return fmt.Errorf("%w: the name %q holds a line end: rename it", errJobs, path)
		}
	}
	return nil
}

// jobLine is a job of a jobs file.
type jobLine struct {
	Number int // from 1
	Words  []string
}

// ReadLines reads a jobs file: one job a line, in words quoted as for a shell; # begins a comment. Errors name the
// file and the line.
func ReadLines(in io.Reader, name string) ([]jobLine, error) {
	var lines []jobLine
	n, bad := 0, false
	err := text.EachLine(in, name, func(text string) error {
		n++
		words, err := split(text)
		if bad = err != nil; len(words) > 0 {
			lines = append(lines, jobLine{n, words})
		}
		return err
	})
	switch {
	case bad, errors.Is(err, text.ErrLongLine):
		return nil, text.ErrorOf(errJobs, "%w", err)
	case err != nil:
		return nil, err
	case len(lines) == 0:
		return nil, text.ErrorOf(errJobs, "%s names no job", name)
	}
	return lines, nil
}

// split cuts a line into words. It refuses everything else that a shell would do, so that nobody thinks it was done.
func split(text string) ([]string, error) {
	p := shellwords.NewParser()
	p.ParseComment = true
	words, err := p.Parse(text)
	switch {
	case err != nil:
		return nil, errors.New("a quote, a backslash or a bracket is not closed: quote words that have ( ) or quotes " +
			"in them")
	case p.Position >= 0:
		return nil, fmt.Errorf("%q is for a shell, and a job is a graph and its flags: quote the word",
			string([]rune(text)[p.Position]))
	case slices.ContainsFunc(words, func(w string) bool { return strings.ContainsRune(w, 0) }):
		return nil, errors.New("a zero byte")
	}
	return words, nil
}

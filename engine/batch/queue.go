package batch

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"ooc/engine/live"
	"ooc/engine/task"
	"ooc/tiles"
	"ooc/tiles/class"
	"ooc/tiles/disk"
	"ooc/tiles/lock"
)

// State is the state of a job.
type State string

// The states of a job.
const (
	Queued      State = "queued"
	Reading     State = "reading" // its input, or opening its store
	Solving     State = "solving"
	Interrupted State = "interrupted" // after a checkpoint, or by a kill
	Solved      State = State(live.Solved)
	Failed      State = "failed"
)

var states = map[State]bool{Queued: true, Reading: true, Solving: true, Interrupted: true, Solved: true, Failed: true}

// Job is one solve of a batch.
type Job struct {
	Input string   // path of the graph, or of the store that goes on
	Store string   // path of the store
	Flags []string // that it is solved with

	progress
}

// progress is how far a job is.
type progress struct {
	State   State         `json:"state"`
	Attempt int           `json:"attempt"`             // how often it was begun
	Restart bool          `json:"restart,omitempty"`   // its store is to begin again, and has not yet
	At      time.Time     `json:"at"`                  // of the last change of state
	Seconds float64       `json:"seconds,omitempty"`   // that the last attempt took, once that ended
	Code    int           `json:"exit_code,omitempty"` // of a failure, as Options.Code gives it
	Error   string        `json:"error,omitempty"`     // of a failure
	Summary *task.Summary `json:"summary,omitempty"`   // of what is solved; nil: not yet
}

// newJob returns a job that is queued.
func newJob(input, store string, flags []string, restart bool) Job {
	return Job{Input: input, Store: store, Flags: flags, progress: progress{State: Queued, Restart: restart}}
}

// Queue is a batch as its folder describes it.
type Queue struct {
	Dir     string
	Created time.Time
	Command []string // the command line that made it
	Jobs    []Job    // in order

	Running bool // a process is at it now
	PID     int  // that process, or the last one if that did not end cleanly; 0: none, or unknown
	Host    string
	Process lock.ProcessState // what it does, if it is at it now
	Torn    int               // bytes of a last record that was cut off

	id tiles.ID // that each record carries
}

// Names in the folder.
const (
	extension = ".batch"
	nameQueue = "queue"
	nameLock  = lock.Name
)

// Is reports whether a path leads to the folder of a batch.
func Is(path string) bool {
	info, err := os.Lstat(filepath.Join(path, nameQueue))
	return err == nil && info.Mode().IsRegular()
}

// Read reads the queue in the folder dir, also while a batch runs. The paths of jobs begin where that of dir does. It
// fails if the file is damaged, and with fs.ErrNotExist if there is none.
func Read(dir string) (*Queue, error) {
	q, _, err := readQueue(dir)
	if err != nil {
		return nil, err
	}
	h, err := lock.HolderOf(dir)
	q.PID, q.Host, q.Running = h.PID, h.Host, h.Running
	if h.Running {
		q.Process = h.State()
	}
	for i := range q.Jobs {
		if j := &q.Jobs[i]; !q.Running && (j.State == Reading || j.State == Solving) {
			j.State = Interrupted // by whatever ended that process
		}
	}
	return q, err
}

// readQueue reads a queue, and returns the length of the part of its file that is intact.
func readQueue(dir string) (*Queue, int64, error) {
	path := filepath.Join(dir, nameQueue)
	f, err := disk.OpenRegular(path, os.O_RDONLY)
	if err != nil {
		return nil, 0, err
	}
	defer f.Close()
	q, good, err := decode(f)
	if err != nil {
		return nil, 0, fmt.Errorf("%s: %w; remove the folder; the same command then makes it again and continues "+
			"the stores", path, err)
	}
	q.Dir = dir
	for i := range q.Jobs {
		j := &q.Jobs[i]
		j.Input, j.Store = outside(dir, j.Input), outside(dir, j.Store)
	}
	return q, good, nil
}

// inside returns a path as the queue in dir stores it. What lies beside the queue is stored relative to it, so that
// it may be moved together with it.
func inside(dir, path string) string {
	abs := absolute(path)
	if rel, err := filepath.Rel(absolute(filepath.Dir(filepath.Clean(dir))), abs); err == nil && filepath.IsLocal(rel) {
		abs = rel
	}
	return filepath.ToSlash(abs)
}

// absolute is the absolute path; as it is given, where nobody can tell: the current folder is gone.
func absolute(path string) string {
	if abs, err := filepath.Abs(path); err == nil {
		return abs
	}
	return path
}

// outside undoes inside.
func outside(dir, path string) string {
	path = filepath.FromSlash(path)
	if filepath.IsAbs(path) {
		return path
	}
	return filepath.Join(filepath.Dir(filepath.Clean(dir)), path)
}

// Counts returns how many jobs are in each state.
func (q *Queue) Counts() map[State]int {
	n := map[State]int{}
	for i := range q.Jobs {
		n[q.Jobs[i].State]++
	}
	return n
}

// Log is a queue that this process runs and may change.
type Log struct {
	*Queue
	file   *os.File
	end    int64
	lock   *lock.Lock
	failed error // the first; nothing is recorded after it
}

// Open makes the queue in the folder dir for the given jobs, of which only Input, Store, Flags and Restart count. If
// there is a queue already, it continues that one, with the Restart that is recorded there. It fails with a
// *lock.LockedError while another process runs the queue, and if the queue is one of other jobs.
func Open(dir string, jobs []Job, command []string) (*Log, error) {
	made := os.Mkdir(dir, 0o777)
	if made != nil && !errors.Is(made, fs.ErrExist) {
		return nil, fmt.Errorf("the batch's queue: %w", made)
	}
	if err := ours(dir); err != nil {
		return nil, err
	}
	held, err := lock.Take(dir)
	if errors.Is(err, lock.ErrNoLocks) {
		err = fmt.Errorf("the batch's queue, which is made in the current folder: %w", err)
		if made == nil {
			err = errors.Join(err, os.Remove(dir))
		}
	}
	if errors.Is(err, lock.ErrNotStore) {
		err = fmt.Errorf("%s: %w: its file %s is another program's", dir, errNotQueue, nameLock)
	}
	if err != nil {
		return nil, err
	}
	l := &Log{lock: held}
	if err := l.open(dir, jobs, command); err != nil {
		if made == nil {
			l.Queue = &Queue{Dir: dir}
			return nil, errors.Join(err, l.Discard())
		}
		return nil, errors.Join(err, l.Close())
	}
	return l, nil
}

// Kinds of errors.
var (
	errCorrupt  = class.New(class.Corrupt, "the batch's queue is damaged")
	errNotQueue = class.New(class.Input, "folder is not the queue of a batch")
	errOther    = errors.New("the queue is of other jobs")
)

// ours refuses folders that hold anything but a queue.
func ours(dir string) error {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	for _, e := range entries {
		if name := e.Name(); name != nameQueue && name != nameLock || !e.Type().IsRegular() {
			return fmt.Errorf("%s: %w: it holds %s", dir, errNotQueue, name)
		}
	}
	return nil
}

// open reads the queue. It begins a new one if there is none, or if that was cut off in its first record.
func (l *Log) open(dir string, jobs []Job, command []string) (err error) {
	l.Queue, l.end, err = readQueue(dir)
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, errNothing) {
		return l.begin(dir, jobs, command)
	}
	if err != nil {
		return err
	}
	if err := l.same(jobs); err != nil {
		return err
	}
	if l.file, err = disk.OpenRegular(filepath.Join(dir, nameQueue), os.O_RDWR); err != nil {
		return err
	}
	return l.file.Truncate(l.end)
}

// same compares the queue's jobs with those of the command.
func (l *Log) same(jobs []Job) error {
	if len(jobs) != len(l.Jobs) {
		return fmt.Errorf("%s: %w: it has %d, and the command names %d", l.Dir, errOther, len(l.Jobs), len(jobs))
	}
	for i := range jobs {
		have := &l.Jobs[i]
		same := func(a, b string) bool { return inside(l.Dir, a) == inside(l.Dir, b) }
		if !same(jobs[i].Input, have.Input) || !same(jobs[i].Store, have.Store) {
			return fmt.Errorf("%s: %w: job %d is %s there, and %s in the command", l.Dir, errOther, i+1, have.Input,
				jobs[i].Input)
		}
	}
	return nil
}

// begin writes the first record.
func (l *Log) begin(dir string, jobs []Job, command []string) (err error) {
	l.Queue = &Queue{Dir: dir, id: tiles.NewID(), Created: time.Now(), Command: command, Jobs: make([]Job, len(jobs))}
	h := head{Format: queueFormat, Version: queueVersion, ID: l.id, Created: l.Created.UTC(), Command: command,
		Jobs: make([]headJob, len(jobs))}
	for i, j := range jobs {
		l.Jobs[i] = newJob(j.Input, j.Store, j.Flags, j.Restart)
		h.Jobs[i] = headJob{inside(dir, j.Input), inside(dir, j.Store), j.Flags, j.Restart}
	}
	if l.file, err = disk.OpenRegular(filepath.Join(dir, nameQueue), os.O_RDWR|os.O_CREATE); err != nil {
		return err
	}
	if err := l.file.Truncate(0); err != nil {
		return err
	}
	l.end = 0
	if err := l.write(h); err != nil {
		return err
	}
	// An error here does no harm: without these names on disk, the next run makes a new queue.
	_ = disk.SyncDir(dir)
	_ = disk.SyncDir(filepath.Dir(filepath.Clean(dir)))
	return nil
}

// write appends a record and syncs it.
func (l *Log) write(record any) error {
	line, err := encode(record)
	if err != nil {
		return err
	}
	if _, err = l.file.WriteAt(line, l.end); err == nil {
		err = l.file.Sync()
	}
	if err != nil {
		_ = l.file.Truncate(l.end) // a part of a record would be taken for a torn one anyway
		return fmt.Errorf("writing %s: %w", l.file.Name(), err)
	}
	l.end += int64(len(line))
	return nil
}

// record writes the present state of job i. The first error is kept and ends recording. The batch continues, since
// what is solved is in the stores.
func (l *Log) record(i int) {
	j := &l.Jobs[i]
	j.At = time.Now()
	if l.failed != nil {
		return
	}
	c := change{l.id, i, j.progress}
	c.At = c.At.UTC()
	if len(c.Error) > longestError {
		c.Error = strings.ToValidUTF8(c.Error[:longestError], "") + "…"
	}
	if _, err := json.Marshal(c.Summary); err != nil {
		c.Summary = nil // a rate that is no number must not cost the record
	}
	l.failed = l.write(c)
}

// Close releases the queue.
func (l *Log) Close() error {
	return errors.Join(l.closeFile(), l.lock.Release())
}

// Discard closes a queue, and removes it if no job was ever begun.
func (l *Log) Discard() error {
	for i := range l.Jobs {
		if l.Jobs[i].Attempt > 0 {
			return l.Close()
		}
	}
	err := l.closeFile()
	if rerr := os.Remove(filepath.Join(l.Dir, nameQueue)); !errors.Is(rerr, fs.ErrNotExist) {
		err = errors.Join(err, rerr)
	}
	return errors.Join(err, l.lock.RemoveFolder())
}

func (l *Log) closeFile() error {
	if l.file == nil {
		return nil
	}
	return l.file.Close()
}

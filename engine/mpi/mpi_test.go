package mpi_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/sync/errgroup"

	"ooc/engine/mpi"
	"ooc/engine/mpi/mpitest"
	"ooc/engine/ranks"
	"ooc/tiles/crashtest"
)

// asRank is the environment variable that makes this program one of several processes, and says what it does.
const asRank = "OOC_TEST_RANK"

func TestMain(m *testing.M) {
	if what := os.Getenv(asRank); what != "" {
		if err := asOneOfMany(what); err != nil {
			fmt.Println(err)
			mpi.Exit(1)
		}
		mpi.Exit(0)
	}
	os.Exit(m.Run())
}

func asOneOfMany(what string) error {
	mpi.ShortMessages()
	w, err := mpi.Start()
	if err != nil {
		return err
	}
	if what == "fail" && w.Rank() == w.Size()-1 {
		return errors.New("this rank fails")
	}
	if what == "give up" {
		return giveUp(w)
	}
	ctx := context.Background()
	if err := fault(); err != nil {
		return err
	}
	g := ranks.NewGroup(w)
	all, err := ranks.Gather(ctx, g, strings.Repeat(fmt.Sprintf("rank %d ", w.Rank()), 2000))
	if err != nil {
		return err
	}
	if err := swap(ctx, w); err != nil {
		return err
	}
	if w.Rank() == 0 {
		for r, text := range all {
			if want := strings.Repeat(fmt.Sprintf("rank %d ", r), 2000); text != want {
				return fmt.Errorf("rank %d said %.20q", r, text)
			}
		}
		fmt.Printf("%d ranks over %s\n", w.Size(), w.Library())
	}
	if err := g.Leave(ctx); err != nil {
		return err
	}
	if w.Rank() > 0 {
		if err := g.Hear(ctx, new(string)); !errors.Is(err, ranks.ErrOver) {
			return fmt.Errorf("rank 0 has left: %v", err)
		}
	}
	if err := w.Close(); err != nil {
		return err
	}
	if w.Send(ctx, 0, ranks.FirstTag, make([]byte, 10)) == nil || w.Close() == nil {
		return errors.New("sent after the end")
	}
	return nil
}

// giveUp waits for what nobody sends, twice, and gives up one: then the other fails, too.
func giveUp(w *mpi.World) error {
	other := make(chan error)
	go func() { other <- w.Receive(context.Background(), 0, ranks.FirstTag, make([]byte, 10)) }()
	ctx, stop := context.WithTimeout(context.Background(), 50*time.Millisecond)
	defer stop()
	if err := w.Receive(ctx, 0, ranks.FirstTag+1, make([]byte, 10)); !errors.Is(err, context.DeadlineExceeded) {
		return fmt.Errorf("given up: %v", err)
	}
	return <-other
}

// swap has every two processes exchange some long messages, all at once.
func swap(ctx context.Context, w *mpi.World) error {
	const messages, size = 5, 1 << 20
	var group errgroup.Group
	fill := func(from, to, tag int) []byte { return bytes.Repeat([]byte{byte(1 + 64*from + 8*to + tag)}, size) }
	for peer := range w.Size() {
		for tag := ranks.LastTag; tag > ranks.LastTag-messages && peer != w.Rank(); tag-- {
			group.Go(func() error { return w.Send(ctx, peer, tag, fill(w.Rank(), peer, tag)) })
			group.Go(func() error {
				got := make([]byte, size)
				if err := w.Receive(ctx, peer, tag, got); err != nil || bytes.Equal(got, fill(peer, w.Rank(), tag)) {
					return err
				}
				return fmt.Errorf("rank %d got other bytes than rank %d sent", w.Rank(), peer)
			})
		}
	}
	return group.Wait()
}

// fault makes sure that a fault is still a panic, as Go's handlers make it, and not the end.
func fault() (err error) {
	err = errors.New("a nil pointer was written to")
	defer func() {
		if recover() != nil {
			err = nil
		}
	}()
	var p *int
	*p = 1
	return err
}

func TestWorld(t *testing.T) {
	crashtest.Slow(t)
	for _, l := range mpitest.Launchers(t) {
		for _, n := range []int{1, 2, 4} {
			cmd := l.Command(t, n, self(t))
			cmd.Env = append(cmd.Env, asRank+"=talk")
			out, err := cmd.CombinedOutput()
			if want := fmt.Sprintf("%d ranks over ", n); err != nil || !strings.Contains(string(out), want) ||
				strings.Count(string(out), "\n") != 1 {
				t.Errorf("%s: %v\n%s", l.Name, err, out)
			}
		}
	}
}

// TestOneFails has one of the processes fail while the others wait for it. All end.
func TestOneFails(t *testing.T) {
	crashtest.Slow(t)
	for _, l := range mpitest.Launchers(t) {
		cmd := l.Command(t, 3, self(t))
		cmd.Env = append(cmd.Env, asRank+"=fail")
		out, err := cmd.CombinedOutput()
		if err == nil || !strings.Contains(string(out), "this rank fails") {
			t.Errorf("%s: %v\n%s", l.Name, err, out)
		}
	}
}

// TestGivenUp has a process give up what it waits for: all else that is on its way fails, and the process ends.
func TestGivenUp(t *testing.T) {
	crashtest.Slow(t)
	for _, l := range mpitest.Launchers(t) {
		cmd := l.Command(t, 1, self(t))
		cmd.Env = append(cmd.Env, asRank+"=give up")
		out, err := cmd.CombinedOutput()
		if err == nil || !strings.Contains(string(out), "was given up") {
			t.Errorf("%s: %v\n%s", l.Name, err, out)
		}
	}
}

// TestOtherLibrary starts processes that look for a library that is not there, that of another mpirun, and none of
// MPI at all.
func TestOtherLibrary(t *testing.T) {
	crashtest.Slow(t)
	all := mpitest.Launchers(t)
	try := func(l *mpitest.Launcher, library string, want error) {
		cmd := l.Command(t, 2, self(t))
		cmd.Env = append(cmd.Env, asRank+"=talk", mpi.Variable+"="+library)
		if out, err := cmd.CombinedOutput(); err == nil || !strings.Contains(string(out), want.Error()) {
			t.Errorf("%s with %s: %v, want %v\n%s", l.Name, library, err, want, out)
		}
	}
	last := all[len(all)-1]
	try(last, filepath.Join(t.TempDir(), "libmpi.so"), mpi.ErrAbsent)
	try(last, "libc.so.6", mpi.ErrUnknown)
	try(last, "libc.so.6", errors.New("name another with "+mpi.Variable))
	for _, l := range all {
		if l.Name == "MPICH" && all[0].Name == "Open MPI" {
			try(all[0], "libmpich.so.12", mpi.ErrAlone)
		}
	}
	if cc, err := exec.LookPath("cc"); err == nil {
		dir := t.TempDir()
		source, lib := filepath.Join(dir, "other.c"), filepath.Join(dir, "libother.so")
		text := `#include <string.h>
int MPI_Get_library_version(char *s, int *n) { strcpy(s, "Another MPI 1.0"); *n = 15; return 0; }
#define F(name) int name(void) { return 0; }
F(MPI_Init_thread) F(MPI_Finalize) F(MPI_Abort) F(MPI_Comm_rank) F(MPI_Comm_size) F(MPI_Comm_set_errhandler)
F(MPI_Isend) F(MPI_Irecv) F(MPI_Test) F(MPI_Error_string)
`
		if err := os.WriteFile(source, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		if out, err := exec.Command(cc, "-shared", "-fPIC", "-o", lib, source).CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
		try(last, lib, mpi.ErrUnknown)
	}
}

func self(t *testing.T) string {
	t.Helper()
	path, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return path
}

package main

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"ooc/cmd/ooc/about"
	"ooc/cmd/ooc/cluster"
	"ooc/engine/mpi"
	"ooc/kernels/cuda"
	"ooc/kernels/opencl"
	"ooc/tiles/crashtest"
)

// TestMain lets the test binary stand in for the command: tests run it in processes of their own, so
// that exit codes, signals and locks are real.
func TestMain(m *testing.M) {
	if v := os.Getenv("OOC_TEST_VERSION"); v != "" {
		about.Version = func() string { return v }
	}
	if os.Getenv("OOC_TEST_BYFILE") == "1" {
		crashtest.ByFile()
	}
	if os.Getenv("OOC_TEST_HOSTS") == "1" { // each process is a host
		cluster.Host = func() (string, error) { return fmt.Sprintf("host%d", os.Getpid()), nil }
	}
	stopSelf(os.Getenv("OOC_TEST_STOP"))
	switch os.Getenv("OOC_TEST_MAIN") {
	case "1":
		code := run(os.Args[1:])
		if file := os.Getenv("OOC_TEST_STATUS"); file != "" { // of the process, as Linux has it
			if status, err := os.ReadFile("/proc/self/status"); err != nil || os.WriteFile(file, status, 0o600) != nil {
				panic(file)
			}
		}
		if os.Getenv("OOC_TEST_CONNECTIONS") == "1" {
			fmt.Fprintln(os.Stderr, "connections:", os.Getenv("CUDA_DEVICE_MAX_CONNECTIONS"))
		}
		mpi.Exit(code)
	case "submitted":
		if err := submit(); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(exitNotSubmitted)
		}
		os.Exit(run(os.Args[1:]))
	case "hurt":
		os.Exit(hurtRank())
	case "hog":
		os.Exit(hog())
	}
	cache, err := os.MkdirTemp("", "ooc-cache-*") // the user's is left alone
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Setenv("XDG_CACHE_HOME", cache)
	code := m.Run()
	os.RemoveAll(cache)
	os.Exit(code)
}

// stopSelf has this process kill or interrupt itself at an operation on a file of a store, as "kill 12" says; "": it
// does not.
func stopSelf(at string) {
	var how string
	var n int64
	if _, err := fmt.Sscan(at, &how, &n); err != nil {
		return
	}
	sig := os.Interrupt
	if how == "kill" {
		sig = os.Kill
	}
	crashtest.StopAt(n, func() {
		self, err := os.FindProcess(os.Getpid())
		if err == nil {
			err = self.Signal(sig)
		}
		if err != nil {
			panic(err)
		}
	})
}

// submit hands the process's calls of the system to the test that started it, where there is a way.
var submit func() error

// hurtRank runs the command, and does not let it make one of its calls.
var hurtRank func() int

const exitNotSubmitted = 99 // there is none

// command is the ooc command as a process, in the folder dir.
func command(t testing.TB, dir string, args ...string) *exec.Cmd {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(self, args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "OOC_TEST_MAIN=1")
	return cmd
}

// testDevices are what to solve on: the processor, a GPU and an OpenCL device where there are. OOC_REQUIRE_GPU=1 and
// OOC_REQUIRE_OPENCL=1 demand them.
func testDevices(t *testing.T) []string {
	t.Helper()
	devices := []string{"cpu"}
	if _, err := cuda.Count(); err == nil {
		devices = append(devices, "cuda")
	} else if !errors.Is(err, cuda.ErrNoDevice) || os.Getenv("OOC_REQUIRE_GPU") == "1" {
		t.Fatal(err)
	}
	if name := openCL(t); name != "" {
		devices = append(devices, name)
	}
	return devices
}

// openCL names an OpenCL device that is not one of CUDA too; "": there is none, which OOC_REQUIRE_OPENCL=1 makes a
// failure.
func openCL(t *testing.T) string {
	t.Helper()
	all, err := opencl.List()
	if index := slices.IndexFunc(all, func(f opencl.Found) bool { return !f.NVIDIA() }); index >= 0 {
		return fmt.Sprintf("opencl:%d", index)
	}
	if err != nil && !errors.Is(err, opencl.ErrNoDevice) || os.Getenv("OOC_REQUIRE_OPENCL") == "1" {
		t.Fatal(err)
	}
	return ""
}

// hasGPU reports whether there is a GPU of CUDA.
func hasGPU(t *testing.T) bool { return slices.Contains(testDevices(t), "cuda") }

// tooFast skips a test whose process was done before it could be stopped. OOC_REQUIRE_STOPS=1 makes that a failure.
func tooFast(t testing.TB, process string) {
	t.Helper()
	if os.Getenv("OOC_REQUIRE_STOPS") == "1" {
		t.Fatalf("%s was done before it could be stopped", process)
	}
	t.Skipf("%s was done before it could be stopped, on a machine as fast as this one", process)
}

// result is what a process left.
type result struct {
	code           int
	stdout, stderr string
}

func ooc(t testing.TB, dir string, args ...string) result {
	t.Helper()
	return finish(t, command(t, dir, args...))
}

func finish(t testing.TB, cmd *exec.Cmd) result {
	t.Helper()
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	err := cmd.Run()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	r := result{cmd.ProcessState.ExitCode(), stdout.String(), stderr.String()}
	if strings.Contains(r.stderr, "goroutine ") || strings.Contains(r.stderr, "panic") {
		t.Fatalf("%v crashed:\n%s", cmd.Args[1:], r.stderr)
	}
	for line := range strings.Lines(r.stderr) {
		if name := namedTwice(line); name != "" {
			t.Errorf("%v: %q names %s twice", cmd.Args[1:], line, name)
		}
	}
	return r
}

// named is what stands before a colon: a name of a file, with or without a line.
var named = regexp.MustCompile(`(\S*[./]\S*?)(:\d+)?: `)

// namedTwice returns a name of a file, or of a folder, that stands twice before a colon in a line.
func namedTwice(line string) string {
	seen := map[string]bool{}
	for _, m := range named.FindAllStringSubmatch(line, -1) {
		for name := range seen {
			if name == m[1] || strings.HasPrefix(m[1], name+"/") {
				return name
			}
		}
		seen[m[1]] = true
	}
	return ""
}

// want fails the test unless the process ended with the code, and its output has every text.
func (r result) want(t testing.TB, code int, texts ...string) result {
	t.Helper()
	if r.code != code {
		t.Fatalf("exit code %d, want %d\n%s%s", r.code, code, r.stdout, r.stderr)
	}
	for _, text := range texts {
		if !strings.Contains(r.stdout+r.stderr, text) {
			t.Fatalf("output lacks %q:\n%s%s", text, r.stdout, r.stderr)
		}
	}
	return r
}

// rome is the bundled road network: rome99.gr of the 9th DIMACS Implementation Challenge.
func rome(t testing.TB) string {
	t.Helper()
	path, err := filepath.Abs("../../engine/graph/testdata/rome99.gr")
	if err != nil {
		t.Fatal(err)
	}
	return path
}

func writeFile(t testing.TB, dir, name, content string) string {
	t.Helper()
	path := filepath.Join(dir, name)
	if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}

func readFile(t testing.TB, parts ...string) []byte {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(parts...))
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// checksums returns the checksums of a solved store: the file but for its header, in which the store's own id is.
func checksums(t testing.TB, dir, store string) []byte {
	t.Helper()
	const header = 64
	b := readFile(t, dir, store, "sums")
	if len(b) <= header {
		t.Fatalf("%s: sums has %d bytes", store, len(b))
	}
	return b[header:]
}

// seeded returns a fresh generator and prints its seed; OOC_SEED repeats a run.
func seeded(t testing.TB) *rand.Rand {
	seed := uint64(time.Now().UnixNano())
	if v, err := strconv.ParseUint(os.Getenv("OOC_SEED"), 10, 64); err == nil {
		seed = v
	}
	t.Logf("OOC_SEED=%d", seed)
	return rand.New(rand.NewPCG(seed, 1))
}

package opencl

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ooc/kernels"
)

// TestTune wants the best tunables to be kept and used, and a file of anything else to be done without.
func TestTune(t *testing.T) {
	index := testedDevice(t)
	file := filepath.Join(t.TempDir(), "ooc", "opencl")
	KeepTunables(file)
	defer KeepTunables("")
	var rows []Tuned
	if err := Tune(t.Context(), Options{Index: index}, func(r Tuned) { rows = append(rows, r) }); err != nil {
		t.Fatal(err)
	}
	all, err := List()
	if err != nil {
		t.Fatal(err)
	}
	f := &all[index]
	best := rows[len(rows)-1]
	if len(rows) < 2 || !best.Kept || best.I32 <= 0 || best.F32 <= 0 {
		t.Fatalf("%+v", rows)
	}
	wants := func(what, text string) {
		t.Helper()
		if got, err := kept.of(f); err != nil || got.text() != text {
			t.Errorf("%s: %s, %v; want %s", what, got.text(), err, text)
		}
	}
	wants("kept", best.Tunables)
	tries, err := candidates(f)
	if err != nil {
		t.Fatal(err)
	}
	last := tries[len(tries)-1].text()
	if err := kept.keep(f, last); err != nil {
		t.Fatal(err)
	}
	wants("kept again", last)
	for _, foreign := range []string{"", "{", "[]", "null", `{"` + keptName(f) + `": "rows=7"}`} {
		if err := os.WriteFile(file, []byte(foreign), 0o600); err != nil {
			t.Fatal(err)
		}
		wants(foreign, tries[0].text())
	}
}

// TestErrors wants what the driver's compiler says, and memory that the driver does not have, to be told.
func TestErrors(t *testing.T) {
	d, err := Open(Options{Index: testedDevice(t), piece: 1 << 45, Memory: 1 << 50})
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := d.Close(); err != nil {
			t.Error(err)
		}
	}()
	var e *clError
	if _, err := d.compile("kernel void broken() { nonsense; }", ""); !errors.As(err, &e) || e.Code != buildFailed ||
		!strings.Contains(err.Error(), "nonsense") {
		t.Errorf("a source that does not compile: %v", err)
	}
	if _, err := d.Alloc(1 << 44); !errors.Is(err, kernels.ErrNoMemory) {
		t.Errorf("16 TiB: %v", err)
	}
	b, err := d.Alloc(1 << 12)
	if err != nil {
		t.Fatalf("after that: %v", err)
	}
	if err := b.Free(); err != nil {
		t.Error(err)
	}
}

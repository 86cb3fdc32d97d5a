package opencl

import (
	"testing"

	"ooc/kernels/entry"
)

// TestSignals wants the handlers of signals to be Go's, after a driver was loaded and has compiled.
func TestSignals(t *testing.T) {
	index := testedDevice(t)
	handlers := func() (all [lastSignal + 1]action) {
		for signal := 1; signal <= lastSignal; signal++ {
			sigaction(signal, nil, &all[signal])
		}
		return all
	}
	d, err := Open(Options{Index: index})
	if err != nil {
		t.Fatal(err)
	}
	before := handlers()
	if d.Ceiling(entry.I32) == 0 { // compiles and runs
		t.Error("nothing was measured")
	}
	if err := d.Close(); err != nil {
		t.Error(err)
	}
	if handlers() != before {
		t.Error("compiling replaced handlers of signals")
	}
	defer func() {
		if recover() == nil {
			t.Error("a nil pointer did not panic")
		}
	}()
	var p *int
	*p = 1
}

// TestKeepingSignals wants a handler that a driver replaces to be put back.
func TestKeepingSignals(t *testing.T) {
	const signal, ignore = 10, 1 // SIGUSR1, SIG_IGN
	var before, during, after action
	sigaction(signal, nil, &before)
	err := keepingSignals(func() error {
		sigaction(signal, &action{handler: ignore}, nil)
		sigaction(signal, nil, &during)
		return nil
	})
	sigaction(signal, nil, &after)
	if err != nil || during == before || after != before {
		t.Errorf("%v: before %+v, during %+v, after %+v", err, before, during, after)
	}
}

package engine_test

import (
	"context"
	"fmt"
	"log"
	"os"
	"path/filepath"

	"ooc/engine"
	"ooc/engine/device/registry"
	"ooc/engine/graph"
)

// Build a graph in memory, solve it into a store, and ask for distances.
func Example() {
	dir, err := os.MkdirTemp("", "ooc")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)

	// Four vertices; 0 → 1 → 2 is shorter than 0 → 2, and nothing leads to 3.
	g, err := graph.New(4, graph.Directed).
		Add(0, 1, 4).Add(1, 2, 3).Add(0, 2, 9).Add(3, 0, 1).Build()
	if err != nil {
		log.Fatal(err)
	}

	ctx := context.Background()
	problem, err := engine.Create(ctx, filepath.Join(dir, "four.ooc"), g, engine.CreateOptions{})
	if err != nil {
		log.Fatal(err)
	}
	defer problem.Close()

	device, _, err := registry.Open("auto", 0) // or by name, with a limit in bytes
	if err != nil {
		log.Fatal(err)
	}
	defer device.Close()

	// Solve resumes what was interrupted; ending the context takes a checkpoint.
	if _, err := problem.Solve(ctx, engine.Options{Device: device}); err != nil {
		log.Fatal(err)
	}

	for v := range 4 {
		d, err := problem.Distance(0, v)
		if err != nil {
			log.Fatal(err)
		}
		fmt.Printf("0 → %d: %v\n", v, d)
	}
	// Output:
	// 0 → 0: 0
	// 0 → 1: 4
	// 0 → 2: 7
	// 0 → 3: +Inf
}

// Command gen writes the assembly of package cpu for one SIMD path:
//
//	go run ./gen -path avx512 -pkg cpu -out avx512_amd64.s -stubs avx512_stubs_amd64.go
//
// The output depends on nothing but this source and the version of avo in go.mod.
package main

import (
	"flag"
	"fmt"
	"log"
	"maps"
	"slices"

	. "github.com/mmcloughlin/avo/build"
)

func main() {
	name := flag.String("path", "", "a name in paths")
	flag.Parse()
	p, ok := paths[*name]
	if !ok {
		log.Fatalf("gen: -path %q: want one of %q", *name, slices.Sorted(maps.Keys(paths)))
	}
	ConstraintExpr("amd64")
	tiles(p)
	pairs(p)
	lanes(p)
	for _, a := range append(slices.Clone(kinds), shorts) {
		pushLanes(p, a)
	}
	if !p.is512() { // whose path takes these
		pullBits(p)
		tight(p)
		turn(p)
		for _, size := range []int{1, 2, 4} {
			levels(p, size)
		}
	} else {
		pushCounts(p)
		pullCounts(p)
	}
	Generate()
}

// begin opens the function of a path, and done ends it. doc goes on after the name.
func (p path) begin(name, signature, doc string, about ...any) {
	name += p.suffix
	TEXT(name, NOSPLIT, signature)
	Doc(name + " " + fmt.Sprintf(doc, about...))
	Pragma("noescape")
}

func done() {
	VZEROUPPER()
	RET()
}

// tiles generates what products and closures of tiles need.
func tiles(p path) {
	each(p, all, strip)
	each(p, all, base)
	for _, a := range all {
		if !a.reset() { // it is outside the inner loop: the add and min are those of I32
			ceiling(p, a)
		}
	}
}

// each generates a function for each of some arithmetics.
func each(p path, list []arithmetic, generate func(path, arithmetic)) {
	for _, a := range list {
		generate(p, a)
	}
}

// lanes generates what kernels.HostLaneOps needs.
func lanes(p path) {
	for _, a := range all {
		for _, lines := range []int{1, 4} {
			sweep(p, a, lines)
			climb(p, a, lines)
		}
		cross(p, a)
	}
	for _, a := range kinds {
		laneSums(p, a, false)
		laneSums(p, a, true)
		if !p.is512() {
			sums(p, a, false)
			sums(p, a, true)
		}
	}
	for _, a := range weights {
		lowerRow(p, a)
		lowerLines(p, a)
		leastSum(p, a)
	}
	for _, past := range []bool{false, true} {
		transpose(p, 4, past)
		if !p.is512() { // whose path takes these for other sizes: memory limits them
			transpose(p, 2, past)
			transpose(p, 8, past)
		}
	}
}

// Command gen writes the assembly of package cpu for one SIMD path:
//
//	go run ./gen -path avx512 -pkg cpu -out avx512_amd64.s -stubs avx512_amd64.go
//	go run ./gen -set sweep -path avx512 -pkg cpu -out sweep_avx512_amd64.s -stubs sweep_avx512_amd64.go
//
// The first set is what products and closures of tiles need, the second what sweeps do, and pairs what the
// first does where entries are pairs of a distance and a predecessor.
//
// The output depends on nothing but this source and the version of avo in go.mod.
package main

import (
	"flag"
	"log"

	. "github.com/mmcloughlin/avo/build"
)

func main() {
	name := flag.String("path", "", "avx512 or avx2")
	set := flag.String("set", "tiles", "tiles, sweep or pairs")
	flag.Parse()
	p, ok := paths[*name]
	if !ok {
		log.Fatalf("gen: -path %q: want avx512 or avx2", *name)
	}
	ConstraintExpr("amd64")
	switch *set {
	case "tiles":
		tiles(p)
	case "sweep":
		sweeps(p)
	case "pairs":
		pairs(p)
	default:
		log.Fatalf("gen: -set %q: want tiles, sweep or pairs", *set)
	}
	Generate()
}

func tiles(p path) {
	for _, a := range arithmetics {
		strip(p, a)
	}
	for _, a := range arithmetics {
		base(p, a)
	}
	for _, a := range arithmetics {
		if a.reset() {
			continue // the reset is outside the inner loop: the add and min are those of I32
		}
		ceiling(p, a)
	}
}

func sweeps(p path) {
	for _, a := range arithmetics {
		for _, lines := range []int{1, wideLines} {
			sweep(p, a, lines)
			climb(p, a, lines)
		}
		cross(p, a)
	}
	transpose(p, false)
	transpose(p, true)
}

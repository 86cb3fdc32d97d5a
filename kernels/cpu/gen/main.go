// Command gen writes the assembly of package cpu for one SIMD path:
//
//	go run ./gen -path avx512 -pkg cpu -out avx512_amd64.s -stubs avx512_amd64.go
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
	flag.Parse()
	p, ok := paths[*name]
	if !ok {
		log.Fatalf("gen: -path %q: want avx512 or avx2", *name)
	}
	ConstraintExpr("amd64")
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
	Generate()
}

package ooc

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"strings"
	"testing"
)

// TestAddresses looks for addresses that packages turn into numbers before they call a C library. Go moves stacks,
// and does not change such a number: the library then reads or writes what is no longer there. Only where the address
// is turned into a number among the arguments of the call does Go keep the variable off the stack.
func TestAddresses(t *testing.T) {
	arguments := 0
	for _, dir := range []string{"kernels/cuda", "kernels/opencl", "engine/mpi"} {
		files, err := filepath.Glob(filepath.Join(dir, "*.go"))
		if err != nil || len(files) == 0 {
			t.Fatal(dir, err)
		}
		for _, path := range files {
			if !strings.HasSuffix(path, "_test.go") {
				arguments += addresses(t, path)
			}
		}
	}
	if arguments < 30 {
		t.Errorf("%d addresses among arguments; it looks for what is not there", arguments)
	}
}

// addresses counts the addresses that are arguments of calls in a file, and reports those that are not. What is
// calculated with is no address any more.
func addresses(t *testing.T, path string) (arguments int) {
	files := token.NewFileSet()
	f, err := parser.ParseFile(files, path, nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	var above []ast.Node
	ast.Inspect(f, func(n ast.Node) bool {
		if n == nil {
			above = above[:len(above)-1]
			return true
		}
		if isAddress(n) {
			switch parent := above[len(above)-1].(type) {
			case *ast.BinaryExpr, *ast.UnaryExpr:
			case *ast.CallExpr:
				arguments++
			default:
				t.Errorf("%s: an address becomes a number outside the arguments of a call (%T)",
					files.Position(n.Pos()), parent)
			}
		}
		above = append(above, n)
		return true
	})
	return arguments
}

// isAddress reports whether an expression is uintptr(unsafe.Pointer(…)).
func isAddress(n ast.Node) bool {
	outer, ok := n.(*ast.CallExpr)
	if !ok || len(outer.Args) != 1 {
		return false
	}
	name, ok := outer.Fun.(*ast.Ident)
	inner, call := outer.Args[0].(*ast.CallExpr)
	if !ok || !call || name.Name != "uintptr" {
		return false
	}
	of, ok := inner.Fun.(*ast.SelectorExpr)
	return ok && of.Sel.Name == "Pointer"
}

//go:build amd64 || arm64

package mpi

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"sync/atomic"
	"unsafe"

	"github.com/ebitengine/purego"
)

// library is a loaded MPI library. Handles are pointers in some ABIs, and a C int in MPICH's, which is passed in the
// low half.
type library struct {
	name, version string
	funneled      int32 // the level of threads by which one thread makes all calls

	world, bytes, errorsReturn uintptr // handles
	statusIgnore               uintptr

	fn map[string]uintptr
}

// loaded says that C's exit has to be called at the end.
var loaded atomic.Bool

var (
	errAbandoned = errors.New("what was sent or received over MPI was given up")
	errClosed    = errors.New("MPI has ended here")
)

var names = strings.Fields(`MPI_Init_thread MPI_Finalize MPI_Abort MPI_Comm_rank MPI_Comm_size MPI_Comm_set_errhandler
	MPI_Isend MPI_Irecv MPI_Test MPI_Get_library_version MPI_Error_string`)

// mpichLike is what libraries call themselves whose ABI is that of MPICH.
var mpichLike = []string{"MPICH", "Intel(R) MPI", "MVAPICH"}

// candidates are the names of libraries, first those of what seems to have started this process.
func candidates() []string {
	if name := os.Getenv(Variable); name != "" {
		return []string{name}
	}
	openMPI := []string{"libmpi.so.80", "libmpi.so.40"}
	mpich := []string{"libmpi_abi.so.0", "libmpi_abi.so.1", "libmpich.so.12", "libmpi.so.12"}
	if os.Getenv("OMPI_COMM_WORLD_SIZE") == "" && os.Getenv("PMI_RANK") != "" {
		return append(mpich, openMPI...)
	}
	return append(openMPI, mpich...)
}

// load loads the first library that is there.
func load() (*library, error) {
	tried := candidates()
	var broken []error
	for _, name := range tried {
		// Components that the library loads itself look for its symbols.
		h, err := purego.Dlopen(name, purego.RTLD_NOW|purego.RTLD_GLOBAL)
		if err != nil {
			if !strings.Contains(err.Error(), name+": cannot open shared object file: No such file") {
				broken = append(broken, err)
			}
			continue
		}
		return bind(h, name)
	}
	err := fmt.Errorf("%w (tried %s): load the cluster's MPI module, or name the library with %s", ErrAbsent,
		strings.Join(tried, ", "), Variable)
	return nil, errors.Join(append([]error{err}, broken...)...)
}

// bind finds the functions and the handles of a library that is loaded.
func bind(h uintptr, name string) (*library, error) {
	l := &library{name: name, fn: map[string]uintptr{}}
	var err error
	for _, n := range names {
		if l.fn[n], err = purego.Dlsym(h, n); err != nil {
			return nil, fmt.Errorf("%w: %s has no %s; name another with %s", errUnknown, name, n, Variable)
		}
	}
	text, length := make([]byte, 8192+1), new(int32) // longer than MPI_MAX_LIBRARY_VERSION_STRING of any
	if err := l.call("MPI_Get_library_version", uintptr(unsafe.Pointer(&text[0])),
		uintptr(unsafe.Pointer(length))); err != nil {
		return nil, err
	}
	l.version = firstLine(text)
	symbol := func(name string) uintptr {
		at, _ := purego.Dlsym(h, name)
		return at
	}
	switch {
	case symbol("ompi_mpi_comm_world") != 0: // its handles are addresses
		l.funneled = 1
		l.world, l.bytes, l.errorsReturn = symbol("ompi_mpi_comm_world"), symbol("ompi_mpi_byte"),
			symbol("ompi_mpi_errors_return")
		if l.bytes == 0 || l.errorsReturn == 0 {
			return nil, fmt.Errorf("%w: %s (%s); name another with %s", errUnknown, name, l.version, Variable)
		}
	case strings.Contains(name, "mpi_abi") && symbol("MPI_Abi_get_version") != 0: // MPI 5.0, appendix A: small numbers
		l.funneled = 1024
		l.world, l.bytes, l.errorsReturn = 0x101, 0x247, 0x143
	// The ABI that MPICH, Intel MPI, MVAPICH and Cray MPICH agreed on in 2013.
	case slices.ContainsFunc(mpichLike, func(name string) bool { return strings.Contains(string(text), name) }):
		l.funneled = 1
		l.world, l.bytes, l.errorsReturn, l.statusIgnore = 0x44000000, 0x4c00010d, 0x54000001, 1
	default:
		return nil, fmt.Errorf("%w: %s (%s); name another with %s", errUnknown, name, l.version, Variable)
	}
	return l, nil
}

//go:uintptrescapes
func (l *library) call(name string, args ...uintptr) error {
	r, _, _ := purego.SyscallN(l.fn[name], args...)
	code := int32(r)
	if code == 0 {
		return nil
	}
	text, n := make([]byte, 8192+1), new(int32)
	purego.SyscallN(l.fn["MPI_Error_string"], uintptr(code), uintptr(unsafe.Pointer(&text[0])),
		uintptr(unsafe.Pointer(n)))
	return fmt.Errorf("%s: %s", name, firstLine(text))
}

// leave ends the process as C does, where a library wants to know of that.
func leave(code int) {
	if !loaded.Load() {
		return
	}
	if h, err := purego.Dlopen("libc.so.6", purego.RTLD_NOW); err == nil {
		if exit, err := purego.Dlsym(h, "exit"); err == nil {
			purego.SyscallN(exit, uintptr(code))
		}
	}
}

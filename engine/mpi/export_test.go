package mpi

// ShortMessages has what is longer than a prime number of bytes be sent in pieces, as is done with what MPI cannot
// count.
func ShortMessages() { longest = 299_993 }

// What tests ask for beside what callers do.
var (
	ErrUnknown = errUnknown
	ErrAlone   = errAlone
)

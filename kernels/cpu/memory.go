package cpu

// mapping is memory outside Go's heap where the system allows it.
type mapping struct {
	data []byte // what was asked for, aligned to 64 bytes or more
	raw  []byte // what is to be unmapped, where that differs from Go memory
}

// unknownMemory stands for the RAM of a machine that does not tell.
const unknownMemory = 8 << 30

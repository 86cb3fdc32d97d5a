package ledger

// Memory is memory of the host, outside Go's heap where Mapped says so.
type Memory struct {
	Data []byte // what was asked for, aligned to 64 bytes or more
	raw  []byte // what is to be unmapped
}

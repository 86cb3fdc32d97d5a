//go:build linux && (amd64 || arm64)

package syscalls

import "golang.org/x/sys/unix"

// kind is a call that changes files or folders.
type kind struct {
	name  string
	flags int // the argument that has to have O_CREAT or O_TRUNC; -1: none has
	paths []path
}

// path says where a call names what it is about: an argument that is a descriptor, one that is text, from that
// descriptor on or from the folder that the process works in, or both; -1: none. Without both, the first argument is
// an address in a mapping of it.
type path struct{ fd, text int }

// watched are the calls by which files change or become durable.
var watched = map[int]kind{
	unix.SYS_WRITE:           {"write", -1, []path{{0, -1}}},
	unix.SYS_WRITEV:          {"writev", -1, []path{{0, -1}}},
	unix.SYS_PWRITE64:        {"pwrite64", -1, []path{{0, -1}}},
	unix.SYS_PWRITEV:         {"pwritev", -1, []path{{0, -1}}},
	unix.SYS_PWRITEV2:        {"pwritev2", -1, []path{{0, -1}}},
	unix.SYS_SENDFILE:        {"sendfile", -1, []path{{0, -1}}},
	unix.SYS_SPLICE:          {"splice", -1, []path{{2, -1}}},
	unix.SYS_COPY_FILE_RANGE: {"copy_file_range", -1, []path{{2, -1}}},
	unix.SYS_FTRUNCATE:       {"ftruncate", -1, []path{{0, -1}}},
	unix.SYS_TRUNCATE:        {"truncate", -1, []path{{-1, 0}}},
	unix.SYS_FALLOCATE:       {"fallocate", -1, []path{{0, -1}}},
	unix.SYS_FSYNC:           {"fsync", -1, []path{{0, -1}}},
	unix.SYS_FDATASYNC:       {"fdatasync", -1, []path{{0, -1}}},
	unix.SYS_MSYNC:           {"msync", -1, []path{{-1, -1}}},
	unix.SYS_SYNC_FILE_RANGE: {"sync_file_range", -1, []path{{0, -1}}},
	unix.SYS_OPENAT:          {"openat", 2, []path{{0, 1}}},
	unix.SYS_MKDIRAT:         {"mkdirat", -1, []path{{0, 1}}},
	unix.SYS_MKNODAT:         {"mknodat", -1, []path{{0, 1}}},
	unix.SYS_UNLINKAT:        {"unlinkat", -1, []path{{0, 1}}},
	unix.SYS_RENAMEAT:        {"renameat", -1, []path{{0, 1}, {2, 3}}},
	unix.SYS_RENAMEAT2:       {"renameat2", -1, []path{{0, 1}, {2, 3}}},
	unix.SYS_LINKAT:          {"linkat", -1, []path{{0, 1}, {2, 3}}},
	unix.SYS_SYMLINKAT:       {"symlinkat", -1, []path{{1, 2}}},
	unix.SYS_FCHMOD:          {"fchmod", -1, []path{{0, -1}}},
	unix.SYS_FCHMODAT:        {"fchmodat", -1, []path{{0, 1}}},
	unix.SYS_FCHOWN:          {"fchown", -1, []path{{0, -1}}},
	unix.SYS_FCHOWNAT:        {"fchownat", -1, []path{{0, 1}}},
	unix.SYS_UTIMENSAT:       {"utimensat", -1, []path{{0, 1}}},
}

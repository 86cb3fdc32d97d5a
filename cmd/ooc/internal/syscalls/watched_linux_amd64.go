package syscalls

import "golang.org/x/sys/unix"

// Calls that only older processors still have.
func init() {
	watched[unix.SYS_OPEN] = kind{"open", 1, []path{{-1, 0}}}
	watched[unix.SYS_CREAT] = kind{"creat", -1, []path{{-1, 0}}}
	watched[unix.SYS_MKDIR] = kind{"mkdir", -1, []path{{-1, 0}}}
	watched[unix.SYS_RMDIR] = kind{"rmdir", -1, []path{{-1, 0}}}
	watched[unix.SYS_UNLINK] = kind{"unlink", -1, []path{{-1, 0}}}
	watched[unix.SYS_RENAME] = kind{"rename", -1, []path{{-1, 0}, {-1, 1}}}
	watched[unix.SYS_LINK] = kind{"link", -1, []path{{-1, 0}, {-1, 1}}}
	watched[unix.SYS_SYMLINK] = kind{"symlink", -1, []path{{-1, 1}}}
	watched[unix.SYS_CHMOD] = kind{"chmod", -1, []path{{-1, 0}}}
	watched[unix.SYS_CHOWN] = kind{"chown", -1, []path{{-1, 0}}}
}

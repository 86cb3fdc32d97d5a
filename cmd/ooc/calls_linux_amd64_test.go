package main

import "golang.org/x/sys/unix"

// Calls that only older processors still have.
func init() {
	watched[unix.SYS_OPEN] = watchedCall{"open", 1, []callPath{{-1, 0}}}
	watched[unix.SYS_CREAT] = watchedCall{"creat", -1, []callPath{{-1, 0}}}
	watched[unix.SYS_MKDIR] = watchedCall{"mkdir", -1, []callPath{{-1, 0}}}
	watched[unix.SYS_RMDIR] = watchedCall{"rmdir", -1, []callPath{{-1, 0}}}
	watched[unix.SYS_UNLINK] = watchedCall{"unlink", -1, []callPath{{-1, 0}}}
	watched[unix.SYS_RENAME] = watchedCall{"rename", -1, []callPath{{-1, 0}, {-1, 1}}}
	watched[unix.SYS_LINK] = watchedCall{"link", -1, []callPath{{-1, 0}, {-1, 1}}}
	watched[unix.SYS_SYMLINK] = watchedCall{"symlink", -1, []callPath{{-1, 1}}}
	watched[unix.SYS_CHMOD] = watchedCall{"chmod", -1, []callPath{{-1, 0}}}
	watched[unix.SYS_CHOWN] = watchedCall{"chown", -1, []callPath{{-1, 0}}}
}

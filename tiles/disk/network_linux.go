package disk

import (
	"fmt"
	"os"
	"strings"

	"golang.org/x/sys/unix"
)

// networks are file systems that several hosts may have mounted, by the magic
// numbers of statfs(2); those without a constant are from their own headers.
var networks = map[uint32]string{
	unix.NFS_SUPER_MAGIC:  "nfs",
	unix.SMB_SUPER_MAGIC:  "smb",
	unix.CIFS_SUPER_MAGIC: "cifs",
	unix.SMB2_SUPER_MAGIC: "smb",
	unix.V9FS_MAGIC:       "9p",
	unix.AFS_FS_MAGIC:     "afs",
	unix.CEPH_SUPER_MAGIC: "ceph",
	unix.FUSE_SUPER_MAGIC: "fuse",
	0x0bd00bd0:            "lustre",
	0x47504653:            "gpfs",
	0x19830326:            "beegfs",
}

func network(dir string) string {
	var st unix.Statfs_t
	if err := unix.Statfs(dir, &st); err != nil {
		return ""
	}
	return networks[uint32(st.Type)]
}

// source is what was mounted where dir is.
func source(dir string) string {
	var st unix.Stat_t
	mounts, err := os.ReadFile("/proc/self/mountinfo")
	if err != nil || unix.Stat(dir, &st) != nil {
		return ""
	}
	return sourceOf(string(mounts), fmt.Sprintf("%d:%d", unix.Major(uint64(st.Dev)), unix.Minor(uint64(st.Dev))))
}

// sourceOf finds a device in the text of mountinfo, see proc_pid_mountinfo(5).
func sourceOf(mounts, device string) string {
	for line := range strings.Lines(mounts) {
		mount, volume, _ := strings.Cut(line, " - ")
		if f, v := strings.Fields(mount), strings.Fields(volume); len(f) > 2 && f[2] == device && len(v) > 1 {
			return v[1]
		}
	}
	return ""
}

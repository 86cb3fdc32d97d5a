package disk

import "golang.org/x/sys/unix"

// Boot is the system's id of its current boot, which changes with each; "" if it does not say.
func Boot() string {
	id, err := unix.Sysctl("kern.bootsessionuuid") // macOS' id of a boot
	if err != nil {
		return ""
	}
	return id
}

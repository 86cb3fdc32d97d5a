package disk

import "testing"

func TestSourceOf(t *testing.T) {
	const mounts = `22 1 8:1 / / rw,relatime shared:1 - ext4 /dev/sda1 rw
101 22 0:51 /jobs /scratch\040of\040all rw shared:7 master:2 - nfs4 server:/export rw,vers=4.2
102 22 0:5 / /dev rw - devtmpfs
`
	for device, want := range map[string]string{"8:1": "/dev/sda1", "0:51": "server:/export", "0:5": "", "9:9": ""} {
		if got := sourceOf(mounts, device); got != want {
			t.Errorf("%s: %q, want %q", device, got, want)
		}
	}
}

package device

import (
	"os"
	"path/filepath"
	"testing"
)

// TestCgroupRoom reads made-up hierarchies of both versions of cgroups.
func TestCgroupRoom(t *testing.T) {
	const none = "9223372036854771712\n" // what version 1 says without a limit
	for name, c := range map[string]struct {
		list  string
		files map[string]string
		room  int64
		ok    bool
	}{
		"version 2": {"0::/user/job\n", map[string]string{
			"user/job/memory.max": "1000\n", "user/job/memory.current": "700\n",
			"user/job/memory.stat": "anon 300\ninactive_file 250\nactive_file 50\n"}, 600, true},
		"the one above is tighter": {"0::/user/job\n", map[string]string{
			"user/job/memory.max": "1000\n", "user/job/memory.current": "100\n", "user/memory.max": "500\n",
			"user/memory.current": "450\n"}, 50, true},
		"without a limit": {"0::/job\n", map[string]string{"job/memory.max": "max\n", "job/memory.current": "100\n"}, 0,
			false},
		"in a container": {"0::/\n", map[string]string{"memory.max": "1000\n", "memory.current": "1000\n"}, 0, true},
		"version 1": {"4:memory,hugetlb:/job\n3:cpu:/job\n", map[string]string{
			"memory/job/memory.limit_in_bytes": "1000\n", "memory/job/memory.usage_in_bytes": "900\n",
			"memory/job/memory.stat":       "inactive_file 1\ntotal_inactive_file 400\ntotal_active_file 100\n",
			"memory/memory.limit_in_bytes": none, "memory/memory.usage_in_bytes": "5000\n"}, 600, true},
		"version 1, the host's path": {"4:memory:/docker/abc\n", map[string]string{
			"memory/memory.limit_in_bytes": "1000\n", "memory/memory.usage_in_bytes": "400\n"}, 600, true},
		"none at all": {"0::/job\n", nil, 0, false},
	} {
		root := t.TempDir()
		list := filepath.Join(root, "list")
		if err := os.WriteFile(list, []byte(c.list), 0o666); err != nil {
			t.Fatal(err)
		}
		for file, text := range c.files {
			path := filepath.Join(root, file)
			if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
				t.Fatal(err)
			}
		}
		if room, ok := cgroupRoom(list, root); room != c.room || ok != c.ok {
			t.Errorf("%s: %d, %v; want %d, %v", name, room, ok, c.room, c.ok)
		}
	}
}

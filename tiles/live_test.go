package tiles

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io/fs"
	"os"
	"sync"
	"testing"

	"ooc/tiles/crashtest"
	"ooc/tiles/disk"
)

func TestLive(t *testing.T) {
	s := newStore(t, 64, 64)
	if _, _, err := ReadLive(s.Dir()); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("before anything was said: %v", err)
	}
	for _, want := range [][]byte{[]byte(`{"round":1}`), {}, bytes.Repeat([]byte("x"), MaxLive), []byte("y")} {
		must(t, s.SetLive(want))
		if got, _, err := ReadLive(s.Dir()); !bytes.Equal(got, want) || err != nil {
			t.Errorf("said %d bytes, read %d, %v", len(want), len(got), err)
		}
	}
	must(t, s.Close())
	s, _, _ = reopen(t, s.Dir())
	if got, _, err := ReadLive(s.Dir()); string(got) != "y" || err != nil {
		t.Errorf("the last words of the last run: %q, %v", got, err)
	}
	must(t, s.SetLive([]byte("z")))
	if got, _, err := ReadLive(s.Dir()); string(got) != "z" || err != nil {
		t.Errorf("the next run says: %q, %v", got, err)
	}
	must(t, os.Remove(s.path(nameLive)))
	if _, _, err := ReadLive(s.Dir()); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("without the file: %v", err)
	}
}

// TestLiveIsNeverTorn: readers see whole updates while a writer writes.
func TestLiveIsNeverTorn(t *testing.T) {
	crashtest.Slow(t)
	s := newStore(t, 64, 64)
	must(t, s.SetLive([]byte("a")))
	stop := make(chan struct{})
	var readers, writer sync.WaitGroup
	writer.Go(func() {
		for k := 0; ; k++ {
			select {
			case <-stop:
				return
			default:
			}
			if err := s.SetLive(bytes.Repeat([]byte{'a' + byte(k%26)}, 1+k%MaxLive)); err != nil {
				t.Error(err)
				return
			}
		}
	})
	seen := make([]int, 2)
	for r := range seen {
		readers.Go(func() {
			for range crashtest.Repeats(1500, 5000) {
				b, _, err := ReadLive(s.Dir())
				if errors.Is(err, errTorn) {
					continue // said to be torn, not passed off as whole
				}
				if err != nil {
					t.Error(err)
					return
				}
				if len(b) == 0 || len(bytes.Trim(b, string(b[:1]))) != 0 {
					t.Errorf("torn: %.40q", b)
					return
				}
				seen[r]++
			}
		})
	}
	readers.Wait()
	close(stop)
	writer.Wait()
	if seen[0] == 0 || seen[1] == 0 {
		t.Errorf("a reader never got through: %v", seen)
	}
}

// TestLiveAfterKilledWriter: a writer that died within an update leaves no status, and
// the next one speaks again.
func TestLiveAfterKilledWriter(t *testing.T) {
	s := newStore(t, 64, 64)
	must(t, s.SetLive([]byte("hello")))
	must(t, s.Close())
	good, err := os.ReadFile(s.path(nameLive))
	must(t, err)
	for at := range liveHeader + 5 {
		if at > 8 && at < 16 {
			continue // any even number will do
		}
		b := bytes.Clone(good)
		b[at] ^= 1
		must(t, os.WriteFile(s.path(nameLive), b, 0o666))
		if got, _, err := ReadLive(s.Dir()); err == nil {
			t.Errorf("byte %d damaged: read %q", at, got)
		}
	}
	s, _, _ = reopen(t, s.Dir())
	must(t, s.SetLive([]byte("again")))
	if got, _, err := ReadLive(s.Dir()); string(got) != "again" || err != nil {
		t.Errorf("read %q, %v", got, err)
	}
}

// FuzzLive decodes what a file might hold: an error, or bytes with their sum.
func FuzzLive(f *testing.F) {
	m := &Meta{Version: formatVersion, ID: ID{15: 1}}
	whole := append([]byte(liveMagic), 2, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0)
	whole = append(append(whole, m.ID[:]...), 'x')
	binary.LittleEndian.PutUint32(whole[20:], disk.Checksum([]byte("x")))
	if got, err := decodeLive(nameLive, whole, whole[8:16], m); string(got) != "x" || err != nil {
		f.Fatalf("%q, %v", got, err)
	}
	f.Add(whole, uint64(2))
	f.Add(whole[:20], uint64(2))
	f.Add(bytes.Repeat([]byte{255}, liveBytes), uint64(0))
	f.Fuzz(func(t *testing.T, b []byte, again uint64) {
		got, err := decodeLive(nameLive, b, binary.LittleEndian.AppendUint64(nil, again), m)
		if err == nil && (len(b) < liveHeader+len(got) || disk.Checksum(got) != binary.LittleEndian.Uint32(b[20:]) ||
			again%2 == 1) {
			t.Errorf("%q of %q", got, b)
		}
	})
}

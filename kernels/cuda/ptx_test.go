package cuda

import (
	"fmt"
	"io/fs"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unsafe"
)

// TestMirrors compares the sizes of parameters with those in the PTX.
func TestMirrors(t *testing.T) {
	for name, size := range map[string]uintptr{
		"product_f32": unsafe.Sizeof(productParam{}), "diagonal_f32": unsafe.Sizeof(pivotParam{}),
		"panels_f32": unsafe.Sizeof(pivotParam{}), "upload_list": unsafe.Sizeof(uploadParam{}),
		"pairs_product_f32": unsafe.Sizeof(productParam{}), "pairs_diagonal_f32": unsafe.Sizeof(pivotParam{}),
		"pairs_panels_f32": unsafe.Sizeof(pivotParam{}), "clock_rate": unsafe.Sizeof(clockParam{}),
		"ceiling_f32": unsafe.Sizeof(ceilingParam{}),
		"pull_f32":    unsafe.Sizeof(pullParam{}), "pull_large_f32": unsafe.Sizeof(pullParam{}),
		"link_f32":     unsafe.Sizeof(linkParam{}),
		"rank_one_f32": unsafe.Sizeof(rankParam{}), "differ_bytes": unsafe.Sizeof(differParam{}),
		"least_of":  unsafe.Sizeof(leastParam{}),
		"grow_take": unsafe.Sizeof(growParam{}), "grow_steps": unsafe.Sizeof(growParam{}),
		"level_f32":  unsafe.Sizeof(levelParam{}),
		"blocks_f32": unsafe.Sizeof(laneBlocksParam{}), "sums_f32": unsafe.Sizeof(laneSumsParam{}),
		"transpose_f32": unsafe.Sizeof(laneTransposeParam{}), "sum_tiles": unsafe.Sizeof(sumsParam{}),
		"below_f32": unsafe.Sizeof(laneEdgesParam{}), "bins_f32": unsafe.Sizeof(laneEdgesParam{}),
		"nearest_f32":        unsafe.Sizeof(laneNearestParam{}),
		"nearest_of_all_f32": unsafe.Sizeof(laneNearestParam{}),
		"bits_clear":         unsafe.Sizeof(bitParam{}), "bits_count": unsafe.Sizeof(bitParam{}),
		"search_lower_f32": unsafe.Sizeof(searchParam{}), "search_pick_f64": unsafe.Sizeof(searchParam{}),
		"bits_rows_1": unsafe.Sizeof(bitRowsParam{}), "paths_count": unsafe.Sizeof(pathParam{}),
	} {
		for _, arch := range architectures {
			if got := paramBytes(imageOf(t, arch, name), name); got != int(size) {
				t.Errorf("sm_%d: the parameter of %s has %d bytes, its mirror %d", arch, name, got, size)
			}
		}
	}
}

// paramBytes returns the size of the one parameter of a kernel in PTX, or -1.
func paramBytes(image, kernel string) int {
	found := regexp.MustCompile(`\.entry ` + kernel +
		`\(\s*\.param \.align \d+ \.b8 \w+\[(\d+)\]\s*\)`).FindStringSubmatch(image)
	if found == nil {
		return -1
	}
	n, err := strconv.Atoi(found[1])
	if err != nil {
		return -1
	}
	return n
}

// imageNames returns the image of each kernel, and threads how many threads its blocks have, by its name in PTX.
func imageNames() (images map[string]string, threads map[string]int) {
	images, threads = map[string]string{}, map[string]int{}
	for k, info := range kernelInfo {
		for _, v := range kernel(k).variants() {
			image, name := kernel(k).of(v)
			images[name], threads[name] = image, info.threads
		}
	}
	return images, threads
}

// imageOf returns the PTX that a kernel is in.
func imageOf(t *testing.T, arch int, kernel string) string {
	t.Helper()
	images, _ := imageNames()
	text, err := image(arch, images[kernel])
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// TestPTX wants every kernel in the image that a chip loads, with the threads that it is launched with.
func TestPTX(t *testing.T) {
	_, threads := imageNames()
	for _, arch := range architectures {
		for kernel, n := range threads {
			text := imageOf(t, arch, kernel)
			_, after, found := strings.Cut(text, ".entry "+kernel+"(")
			head, _, _ := strings.Cut(after, "{")
			if want := ".maxntid " + strconv.Itoa(n); !found || !strings.Contains(head, want) {
				t.Errorf("sm_%d: %s: want %s in %q", arch, kernel, want, head)
			}
			if strings.Contains(kernel, "product_") && !strings.HasSuffix(kernel, "product_f64") &&
				strings.Contains(text, "cp.async") != (arch >= 80) {
				t.Errorf("sm_%d: %s: asynchronous copies, or none", arch, kernel)
			}
		}
	}
	for capability, want := range map[int]int{75: 75, 80: 80, 89: 80, 90: 90, 100: 90, 120: 90} {
		if got, err := architectureFor(capability); err != nil || got != want {
			t.Errorf("capability %d: %d, %v; want %d", capability, got, err, want)
		}
	}
}

// TestStoredPTX wants what is stored to be of the version that the drivers of CUDA 12.0 read, compiled for the chip
// that it is named for, and unlike what the next older chip loads in more than that.
func TestStoredPTX(t *testing.T) {
	files := must(fs.ReadDir(must(ptx()), "."))
	for _, file := range files {
		var arch int
		var name string
		if _, err := fmt.Sscanf(file.Name(), "sm_%d_%s", &arch, &name); err != nil ||
			!slices.Contains(architectures, arch) {
			t.Errorf("%s: nobody loads that: %v", file.Name(), err)
			continue
		}
		name = strings.TrimSuffix(name, ".ptx")
		text := string(must(image(arch, name)))
		target := fmt.Sprintf("\n.target sm_%d\n", arch)
		for _, want := range []string{"\n.version 8.0\n", target} {
			if !strings.Contains(text, want) {
				t.Errorf("%s: no %q", file.Name(), want)
			}
		}
		older, err := imageFile(arch-1, name)
		if err != nil {
			continue // of the oldest there is none
		}
		before := string(must(fs.ReadFile(must(ptx()), older)))
		if _, last, _ := strings.Cut(older, "sm_"); strings.Replace(before,
			"\n.target sm_"+last[:strings.Index(last, "_")]+"\n", target, 1) == text {
			t.Errorf("%s is %s but for its target", file.Name(), older)
		}
	}
}

// TestCheckKernels wants a kernel without an image, a name or threads to be an error when a GPU is opened, with its
// name.
func TestCheckKernels(t *testing.T) {
	whole := kernelInfo
	defer func() { kernelInfo = whole }()
	for want, spoil := range map[string]func(){
		"kernel levels_i32: no image nowhere_i32 for sm_90 or older": func() {
			kernelInfo[levelRows].image,
				kernelInfo[levelRows].name = "nowhere_", "levels_"
		},
		"has no name or no threads":           func() { kernelInfo[links].name = "" },
		`("link_") has no name or no threads`: func() { kernelInfo[links].threads = 0 },
	} {
		kernelInfo = whole
		spoil()
		if _, err := open(newFake(), Options{}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
}

//go:build !linux

package cuda

// mapHuge returns nothing: CUDA allocates all host memory here.
func mapHuge(int64) (raw, data []byte) { return nil, nil }

func unmapHuge([]byte) error { return nil }

package kernels

// PeerOps are copies between devices of one process that pass no host memory.
type PeerOps interface {
	// Reaches reports whether CopyPeer copies from a buffer of this kind of device. Where that is another device's,
	// it opens the way.
	Reaches(Buffer) bool
	// CopyPeer copies so many bytes of a tile, which may be another device's, into a tile of this one. No stream
	// orders it after what the other device does: the source is finished when this is called, and stays until an
	// event recorded after the copy has passed.
	CopyPeer(s Stream, dst, src Tile, bytes int64) error
}

package opencl

import (
	"fmt"

	"ooc/kernels"
)

// place is where an operand of a kernel lies, in one memory object.
type place struct {
	memory handle
	off    int64
}

// places finds the tiles of one operation. Those that lie across pieces are copied to the stream's own memory.
type places struct {
	stream *stream
	staged map[kernels.Tile]*staged
	used   int // of the stream's staging
	err    error
}

// operand keeps the first error of tile, or of find where no alignment is wanted, and says what the tile is.
func (p *places) operand(what string, t kernels.Tile, bytes int64, input, output, aligned bool) (at place) {
	find := p.find
	if aligned {
		find = p.tile
	}
	if p.err == nil {
		if at, p.err = find(t, bytes, input, output); p.err != nil {
			p.err = fmt.Errorf("%s: %w", what, p.err)
		}
	}
	return at
}

// staged is a tile that was copied.
type staged struct {
	at     place
	spans  []span
	output bool
}

// align is what the offsets of tiles are multiples of: four entries, as kernels load them, of 8 bytes at most.
const align = 32

// tile returns where a tile of products is.
func (p *places) tile(t kernels.Tile, bytes int64, input, output bool) (place, error) {
	if t.Off%align != 0 {
		return place{}, fmt.Errorf("tile at offset %d: want a multiple of %d", t.Off, align)
	}
	return p.find(t, bytes, input, output)
}

// tiles is tile for tiles of so many bytes each.
func (p *places) tiles(bytes int64) func(t kernels.Tile, input, output bool) (place, error) {
	return func(t kernels.Tile, input, output bool) (place, error) { return p.tile(t, bytes, input, output) }
}

// find returns where a tile of so many bytes is. input says that it is read, output that it is written.
func (p *places) find(t kernels.Tile, bytes int64, input, output bool) (place, error) {
	spans, err := p.stream.device.spans(t, bytes)
	if err != nil {
		return place{}, err
	}
	if len(spans) == 1 {
		return place{spans[0].memory, spans[0].off}, nil
	}
	if s, ok := p.staged[t]; ok {
		s.output = s.output || output
		return s.at, nil
	}
	at, err := p.stage(bytes)
	if err != nil {
		return place{}, err
	}
	if p.staged == nil {
		p.staged = map[kernels.Tile]*staged{}
	}
	s := &staged{at, spans, output}
	p.staged[t] = s
	if input {
		err = p.copy(s, func(own, piece span) error { return p.stream.copyInside(own, piece) })
	}
	return at, err
}

// stage takes memory of the stream's own.
func (p *places) stage(bytes int64) (place, error) {
	s := p.stream
	if p.used == len(s.staging) {
		s.staging = append(s.staging, own{})
	}
	o := &s.staging[p.used]
	p.used++
	err := s.need(o, bytes)
	return place{memory: objectOf(*o)}, err
}

// copy calls do for the parts of a staged tile.
func (p *places) copy(s *staged, do func(own, piece span) error) error {
	off := int64(0)
	for _, piece := range s.spans {
		if err := do(span{s.at.memory, off, piece.bytes}, piece); err != nil {
			return err
		}
		off += piece.bytes
	}
	return nil
}

// putBack copies results to where they belong.
func (p *places) putBack() error {
	for _, s := range p.staged {
		if !s.output {
			continue
		}
		if err := p.copy(s, func(own, piece span) error { return p.stream.copyInside(piece, own) }); err != nil {
			return err
		}
	}
	return nil
}

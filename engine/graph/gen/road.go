package gen

// roads are a perturbed grid: in each cell of a grid, roadCell long and wide, a vertex stands at a
// uniformly drawn place, and has roads to the vertices of the four cells beside it. Weights are straight
// lengths, rounded down, but 1 at least. A third of the arcs (undirected: edges) is removed, each set of
// them equally likely: from there on, some roads are one-way and some places cut off.
//
// Arcs are kept by selection sampling (D. E. Knuth, The Art of Computer Programming, volume 2, algorithm
// 3.4.2 S), which knows their number before the first is drawn.
func roads(o Options, d dice, out *output) {
	s := &roadSurvey{o: o, out: out, d: d, width: gridWidth(o.N), left: gridArcs(o.N, o.Undirected), wanted: o.M}
	s.here, s.below = make([]place, s.width), make([]place, s.width)
	s.draw(s.below)
	for first := int64(0); first < o.N && out.err == nil; first += s.width {
		s.here, s.below = s.below, s.here
		s.draw(s.below)
		s.row(first)
	}
}

const roadCell = 1000

// place is where in its cell a vertex stands.
type place struct{ x, y int64 }

type roadSurvey struct {
	o            Options
	out          *output
	d            dice
	width        int64
	here, below  []place // of the row at hand, and of the next
	left, wanted int64   // arcs not yet looked at, and how many of them are to be kept
}

func (s *roadSurvey) draw(places []place) {
	for i := range places {
		places[i] = place{s.d.below(roadCell), s.d.below(roadCell)}
	}
}

// row emits the roads from each vertex of a row to the next in it and to the one below.
func (s *roadSurvey) row(first int64) {
	for i := range min(s.width, s.o.N-first) {
		u := first + i
		if i+1 < s.width && u+1 < s.o.N {
			dx, dy := roadCell+s.here[i+1].x-s.here[i].x, s.here[i+1].y-s.here[i].y
			s.road(u, u+1, dx, dy)
		}
		if u+s.width < s.o.N {
			dx, dy := s.below[i].x-s.here[i].x, roadCell+s.below[i].y-s.here[i].y
			s.road(u, u+s.width, dx, dy)
		}
	}
}

func (s *roadSurvey) road(u, v, dx, dy int64) {
	length := max(1, floorRoot(dx*dx+dy*dy))
	for range ways(s.o.Undirected) {
		if s.d.below(s.left) < s.wanted {
			s.wanted--
			s.out.emit(u, v, s.o.length(length))
		}
		s.left--
		u, v = v, u
	}
}

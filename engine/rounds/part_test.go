package rounds

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"

	"golang.org/x/sync/errgroup"

	"ooc/tiles"
	"ooc/tiles/crashtest"
)

// post is an exchange of numbers between schedules that run in goroutines of their own.
type post struct {
	mu    sync.Mutex
	news  *sync.Cond
	held  map[string]int
	first map[int]bool // by round: whether it is opened, as the first one who asked was told
	ended error
}

func newPost() *post {
	p := &post{held: map[string]int{}, first: map[int]bool{}}
	p.news = sync.NewCond(&p.mu)
	return p
}

func letter(s step, from, to int) string { return fmt.Sprint(s.tile, s.done, from, to) }

// apply is scalar.apply for a part.
func (p *post) apply(m *scalar, me int, s step) error {
	switch s.kind {
	case stepSend:
		p.mu.Lock()
		defer p.mu.Unlock()
		for _, to := range s.to {
			l := letter(s, me, to)
			if _, twice := p.held[l]; twice || to == me {
				return fmt.Errorf("letter %s is sent twice, or to oneself", l)
			}
			p.held[l] = m.pages[s.page]
		}
		p.news.Broadcast()
		for _, to := range s.to { // nothing is held between the parts
			for {
				if _, held := p.held[letter(s, me, to)]; !held {
					break
				}
				if p.ended != nil {
					return p.ended
				}
				p.news.Wait()
			}
		}
	case stepReceive:
		p.mu.Lock()
		defer p.mu.Unlock()
		l := letter(s, s.from, me)
		for {
			if v, ok := p.held[l]; ok {
				m.pages[s.page] = v
				delete(p.held, l)
				p.news.Broadcast()
				return nil
			}
			if p.ended != nil {
				return p.ended
			}
			p.news.Wait()
		}
	case stepRead, stepWrite:
		p.mu.Lock() // the parts share the disk
		defer p.mu.Unlock()
		return m.apply(s)
	default:
		return m.apply(s)
	}
	return nil
}

// opens gives all parts one answer.
func (p *post) opens(done int, mine bool) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if _, asked := p.first[done]; !asked {
		p.first[done] = mine
	}
	return p.first[done]
}

func (p *post) end(err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.ended = err
	p.news.Broadcast()
}

// runParts runs a schedule for each part of a grid over one disk, and returns the iterations that all of them have
// made durable. stop is asked by each part at each visit.
func runParts(t *testing.T, r *rand.Rand, geom tiles.Geometry, g []int, disk []int, written []bool, rows, cols, width,
	done int, stop func() bool) int {
	t.Helper()
	post := newPost()
	var group errgroup.Group
	models := make([]*scalar, rows*cols)
	var mu sync.Mutex
	opened := make([]int, len(models)) // rounds
	for me := range models {
		look := r.IntN(2) == 0
		p := whole(geom, width)
		p.rows, p.cols, p.first = rows, cols, done
		e := p.largest(geom)
		slots := p.minSlots(geom, e)
		if look {
			slots = p.lookAheadSlots(geom, e)
		}
		m := &scalar{geom: geom, side: geom.Side(), graph: g, disk: disk, written: written}
		pages := minPages + r.IntN(3)
		m.boot(slots, pages)
		models[me] = m
		s, d := scheduled(geom, width, slots, pages, 1+r.IntN(3), look, done,
			func(st step) error { return post.apply(m, me, st) })
		s.part.rows, s.part.cols, s.part.index, s.part.first = rows, cols, me, done
		s.early = r.IntN(2) == 0
		if done > 0 {
			s.resume()
		}
		own := rand.New(rand.NewPCG(r.Uint64(), 0))
		interrupt(own, d)
		d.stop = func() bool { // not before this part has opened what another has
			mu.Lock()
			defer mu.Unlock()
			return opened[me] == slices.Max(opened) && stop()
		}
		d.opened = func(k int) bool {
			mu.Lock()
			defer mu.Unlock()
			yes := post.opens(k, !stop())
			if yes {
				opened[me]++
			}
			return yes
		}
		group.Go(func() error {
			err := s.run()
			if err != nil {
				post.end(err)
			}
			return err
		})
	}
	if err := group.Wait(); err != nil {
		t.Fatalf("%+v, %d by %d parts, width %d, from %d: %v", geom, rows, cols, width, done, err)
	}
	if len(post.held) > 0 {
		t.Fatalf("%+v, %d by %d parts: %d letters were never received", geom, rows, cols, len(post.held))
	}
	least := geom.N
	for _, m := range models {
		least = min(least, m.checkpoint)
	}
	return least
}

// TestParts has the parts of a grid solve a matrix together, which the test stops again and again, to go on from what
// all of them have made durable with another grid.
func TestParts(t *testing.T) {
	r := seeded(t)
	for range crashtest.Repeats(30, 300) {
		geom, _, _, _, _ := randomShape(r)
		g := randomScalarGraph(r, geom)
		disk, written := make([]int, geom.Tiles()), make([]bool, geom.Tiles())
		var mu sync.Mutex
		left := r.IntN(4 * geom.Tiles())
		stops := func() bool {
			mu.Lock()
			defer mu.Unlock()
			left--
			return left < 0
		}
		done := 0
		for runs := 0; done < geom.N; runs++ {
			if runs > 3 {
				stops = func() bool { return false }
			}
			if done == 0 {
				clear(written)
			}
			width := min(1+r.IntN(3), geom.N-done)
			done = runParts(t, r, geom, g, disk, written, 1+r.IntN(3), 1+r.IntN(3), width, done, stops)
			mu.Lock()
			left = r.IntN(6 * geom.Tiles())
			mu.Unlock()
		}
		m := &scalar{geom: geom, side: geom.N, disk: disk}
		if want := floydWarshall(g, geom.N); !slices.Equal(m.matrix(), want) {
			t.Fatalf("%+v: wrong distances", geom)
		}
	}
}

// TestExtents compares what plans say of the parts of a grid with each part.
func TestExtents(t *testing.T) {
	r := seeded(t)
	for range 200 {
		geom := tiles.Geometry{N: 1 + r.IntN(30), T: 1, Upper: r.IntN(2) == 0}
		p := whole(geom, 1+r.IntN(4))
		perNode := 1 << r.IntN(3)
		p.rows, p.cols, _ = GridFor(perNode*(1+r.IntN(6)), [2]int{})
		p.first = r.IntN(geom.N)
		var most extent
		for p.index = range p.rows * p.cols {
			rows, cols, own := 0, 0, 0
			for i := range geom.N {
				if p.usesCol(i) {
					rows++
				}
				if p.usesRow(i) {
					cols++
				}
				for j := range geom.N {
					if geom.Holds(i, j) && p.owns(i, j) {
						own++
					}
				}
			}
			most = extent{max(most.rows, rows), max(most.cols, cols), max(most.own, own)}
		}
		if got := p.largest(geom); got != most {
			t.Fatalf("%+v, %d by %d parts: %+v, and not %+v", geom, p.rows, p.cols, got, most)
		}
		if geom.Upper || p.width > geom.N {
			continue
		}
		taken, far := 0, 0
		take := func(owner int, users []int) {
			for _, q := range users {
				taken++
				if q/perNode != owner/perNode {
					far++
				}
			}
		}
		const k = 0 // rounds that begin elsewhere have other owners, and as many users
		for range p.width * p.width {
			take(p.owner(k, k), p.pivotUsers(k))
		}
		for x := p.width; x < geom.N; x++ {
			for range p.width {
				take(p.owner(k, x), p.stripUsers(k, x, true))
				take(p.owner(x, k), p.stripUsers(x, k, false))
			}
		}
		if got := p.taken(geom.N); got != taken {
			t.Fatalf("%+v, %d by %d parts, width %d: %d tiles are taken, and not %d", geom, p.rows, p.cols, p.width,
				got, taken)
		}
		// Nodes that begin in the middle of a row of the grid have other neighbours than those that do not.
		if whole := p.cols%perNode == 0 || perNode%p.cols == 0; whole && taken > 0 {
			if got := float64(taken) * (1 - p.near(perNode)); got < float64(far)-0.5 || got > float64(far)+0.5 {
				t.Fatalf("%+v, %d by %d parts, %d a node: %g tiles come from other nodes, and not %d", geom, p.rows,
					p.cols, perNode, got, far)
			}
		}
	}
}

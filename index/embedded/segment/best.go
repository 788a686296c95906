package segment

import (
	"cmp"
	"slices"
)

// candidate is a passage of a view with its score.
type candidate struct {
	score   float32
	view    int32
	passage int32
	id      int64
}

// before orders by falling score and then by passage.
func (c candidate) before(o candidate) bool {
	return c.score > o.score || c.score == o.score && c.id < o.id
}

// best keeps the best of many candidates in a heap whose root is the worst of
// them.
type best struct {
	heap  []candidate
	limit int
}

// floor returns the score below which candidates are ignored.
func (b *best) floor(lowest float32) float32 {
	if len(b.heap) < b.limit {
		return lowest
	}
	return b.heap[0].score
}

func (b *best) add(c candidate) {
	if len(b.heap) < b.limit {
		b.heap = append(b.heap, c)
		for i := len(b.heap) - 1; i > 0; {
			parent := (i - 1) / 2
			if b.heap[i].before(b.heap[parent]) {
				return
			}
			b.heap[i], b.heap[parent] = b.heap[parent], b.heap[i]
			i = parent
		}
		return
	}
	if !c.before(b.heap[0]) {
		return
	}
	b.heap[0] = c
	b.sink()
}

func (b *best) sink() {
	for i := 0; ; {
		child := 2*i + 1
		if child >= len(b.heap) {
			return
		}
		if child+1 < len(b.heap) && b.heap[child].before(b.heap[child+1]) {
			child++
		}
		if b.heap[child].before(b.heap[i]) {
			return
		}
		b.heap[i], b.heap[child] = b.heap[child], b.heap[i]
		i = child
	}
}

// sorted ends the use of the heap.
func (b *best) sorted() []candidate {
	slices.SortFunc(b.heap, func(x, y candidate) int {
		switch {
		case x.score > y.score:
			return -1
		case x.score < y.score:
			return 1
		}
		return cmp.Compare(x.id, y.id)
	})
	return b.heap
}

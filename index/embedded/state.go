package embedded

import "parley/index/embedded/segment"

// state is a scope at one generation. It never changes.
type state struct {
	generation int64
	pieces     []piece
	// views are the views of the pieces.
	views []segment.View
}

// piece is a segment with its row.
type piece struct {
	id, first, last, bytes, passages, dead, gone int64
	view                                         segment.View
}

// stateSize is roughly what a state needs besides its segments, in bytes.
const stateSize = 2 << 10

// size is the memory that the state holds, in bytes.
func (s *state) size() int64 {
	total := int64(stateSize)
	for _, v := range s.views {
		total += v.Size() + v.Dead.Size()
	}
	return total
}

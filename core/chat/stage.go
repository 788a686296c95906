package chat

import (
	"parley/core/retrieval"
)

// stage stands between a model and the reader of its answer. It may hold text
// back until it knows what to do with it, and may change or drop it.
type stage interface {
	// write takes a piece and returns what may go on, which may be nothing.
	write(piece string) string
	// end returns what is left to go on when the model has said all.
	end() string
	// add tells it of passages that the model was given in addition. They are
	// counted on from those before.
	add(found []retrieval.Result)
}

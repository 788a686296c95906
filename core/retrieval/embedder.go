package retrieval

import (
	"context"

	"parley/internal/id"
	"parley/text/lexical"
)

// Embedder is the port to an embedding model. Its vectors have length one, or
// are all zeros for a text that means nothing to the model.
type Embedder interface {
	// Name names the model and the dimension. Vectors of different names
	// cannot be compared.
	Name() string
	// Passages returns the vectors of passages, in order.
	Passages(ctx context.Context, texts []string) ([][]float32, error)
	// Questions returns the vectors of questions, in order.
	Questions(ctx context.Context, texts []string) ([][]float32, error)
	// Costly reports whether vectors are worth keeping for the next time.
	Costly() bool
	// Centered reports whether texts that have nothing in common have a cosine
	// of about zero. The cosines of most models are high, and close together.
	Centered() bool
}

// IndexVersion names what an index must have been built with to fit this
// program: the analysis of words, and the embedding model if there is one.
func IndexVersion(embedder Embedder) string {
	if embedder == nil {
		return lexical.Version
	}
	return lexical.Version + "+" + embedder.Name()
}

// GoesByWords reports whether a workspace has no vectors: a throw-away one does not ask a model
// that costs something.
func GoesByWords(workspaceID string, embedder Embedder) bool {
	return embedder.Costly() && id.IsThrowAway(workspaceID)
}

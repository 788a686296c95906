package harness

import (
	"context"
	"time"

	"parley/app"
	"parley/core/knowledge/encoding"
	"parley/llm/llmtest"
)

// WithEmbeddings lets a server make the vectors.
func WithEmbeddings(server *llmtest.Embeddings) func(*app.Config) {
	return func(c *app.Config) { c.EmbedBaseURL, c.EmbedAPIKey, c.EmbedModel = server.BaseURL(), "key", "double" }
}

// What the embedding server of the tests is asked about.
const (
	VectorSize = 64
	// SevenText is the passage that the opening hours become, as an embedder
	// sees it but for its title.
	SevenText = "Opening hours\n\nThe bakery opens at seven in the morning and closes at noon."
	// Foreign shares no word with any document.
	Foreign = "Quand ouvre la boulangerie?"
)

// Searching waits until questions get vectors.
func (w *Instance) Searching() {
	w.Helper()
	w.Prepared()
	w.Must(w.Server.Searcher.Check(w.Context()))
}

// Misleading are pairs of documents: the first has the question's words where they count
// most, and the second its answer.
var Misleading = map[string][2]string{
	"Are dogs allowed?": {
		"# Hot dogs\n\nHot dogs with mustard cost 4 dollars, with onions 5.",
		"# Pets\n\nOn the terrace you may have your dog with you, on a leash.",
	},
	"Do you repair bikes?": {
		"# Bikes for rent\n\nBikes cost 20 dollars a day, and electric ones 40.",
		"# Workshop\n\nWe fix what is broken, also your bike, on the same day.",
	},
	"When will my parcel arrive?": {
		"# Parcels of more than 20 kg\n\nParcels that are so heavy take two people to carry.",
		"# Delivery\n\nThree days after you ordered, the post brings your parcel.",
	},
}

// EncodeAll has all passages encoded.
func (w *Instance) EncodeAll(work *encoding.Service) {
	w.Helper()
	ctx, stop := context.WithCancel(w.Context())
	w.Must(work.Work(ctx, time.Now().Add(time.Hour), func(left int) {
		if left == 0 {
			stop()
		}
	}))
}

// Package trial is the knowledge of one chatbot without states of documents and without a
// database: documents are split, indexed and found as the product does, for what measures.
// Two modules do, bench and lab, and neither imports the other.
//
// It does not own what is measured, nor whether what was found is right.
package trial

import (
	"context"
	"log/slog"
	"sync/atomic"

	"parley/core/chatbot"
	"parley/core/knowledge"
	"parley/core/knowledge/embedding"
	"parley/core/retrieval"
	"parley/text/encode"
	"parley/text/split"
)

// Trial is the knowledge of one chatbot, in an index alone.
type Trial struct {
	tokens   func(text string) int
	entries  *embedding.Maker
	searcher *retrieval.Searcher
	scope    retrieval.Scope
	version  string
	// passages counts the passages that Add has split documents into, to number them.
	passages atomic.Int64
	// kept is nil unless the passages are kept.
	kept *kept
	// encoded is nil unless passages are encoded.
	encoded *encoded
}

// Encoder encodes passages and questions.
type Encoder interface {
	retrieval.Encoder
	retrieval.QuestionEncoder
}

// Ports are what a [Trial] works with.
type Ports struct {
	Index retrieval.Index
	// Embedder is nil when retrieval goes by words alone.
	Embedder retrieval.Embedder
	// Tokens counts the tokens of a text.
	Tokens func(text string) int
	// Keep keeps the passages in memory, for [Trial.Passages].
	Keep bool
	// Encoder is nil when passages are not encoded.
	Encoder Encoder
}

// New returns an empty trial on an index, in a scope of its own.
func New(ports Ports, scope retrieval.Scope) *Trial {
	t := &Trial{
		tokens: ports.Tokens, entries: embedding.NewMaker(ports.Embedder, nil, nil),
		scope: scope, version: retrieval.IndexVersion(ports.Embedder),
	}
	var passages retrieval.Passages
	if ports.Keep {
		t.kept = newKept()
		passages = t.kept
	}
	t.searcher = retrieval.NewSearcher(ports.Index, passages, ports.Embedder, slog.New(slog.DiscardHandler))
	t.searcher.Serve(t.version)
	if ports.Encoder != nil {
		t.encoded = &encoded{by: ports.Encoder, passages: map[int64]retrieval.Passage{}, byID: map[int64]encode.Encoding{}}
		t.searcher.EncodeWith(t.encoded, ports.Encoder)
	}
	return t
}

// Tune makes the trial rank by other constants than those in use.
func (t *Trial) Tune(tuning retrieval.Tuning) { t.searcher.Tune(tuning) }

// Version is what the index of the trial is built for.
func (t *Trial) Version() string { return t.version }

// Ranked is a document that was found.
type Ranked struct {
	DocumentID string
	Score      float64
}

// Replacer is an index that documents are put into.
type Replacer interface {
	// Replace does what [retrieval.Index.Replace] does.
	Replace(ctx context.Context, scope retrieval.Scope, documentID string, entries []retrieval.Entry) error
}

// Add splits a document and puts it into an index, which is the trial's or is
// about to become so. A whole one is a single passage. It returns the number
// of passages, and is safe for concurrent use; passages of equal score are then
// in any order.
func (t *Trial) Add(ctx context.Context, into Replacer, d split.Document, whole bool) (int, error) {
	passages := t.split(d, whole)
	n := int64(len(passages))
	return t.put(ctx, into, d, passages, t.passages.Add(n)-n)
}

// passagesEach is more passages than a document has.
const passagesEach = 1 << 32

// AddAt is Add for the document at a place in the corpus, from zero. Passages of
// equal score are in the order of the corpus, whoever was faster.
func (t *Trial) AddAt(ctx context.Context, into Replacer, place int, d split.Document, whole bool) (int, error) {
	return t.put(ctx, into, d, t.split(d, whole), int64(place)*passagesEach)
}

func (t *Trial) split(d split.Document, whole bool) []retrieval.Passage {
	if whole {
		return []retrieval.Passage{{DocumentID: d.ID, Title: d.Title, Text: d.Content}}
	}
	return knowledge.Split(d, chatbot.Chatbot{}, t.tokens)
}

// put puts passages into an index, whose IDs are the next ones after before.
func (t *Trial) put(ctx context.Context, into Replacer, d split.Document, passages []retrieval.Passage, before int64) (int, error) {
	for i := range passages {
		passages[i].ID = before + int64(i) + 1
	}
	entries, err := t.entries.Entries(ctx, embedding.Owner{DocumentID: d.ID}, passages)
	if err != nil || len(entries) == 0 {
		return 0, err
	}
	if t.kept != nil {
		t.kept.add(passages)
	}
	if t.encoded != nil {
		t.encoded.add(passages)
	}
	return len(entries), into.Replace(ctx, t.scope, d.ID, entries)
}

// Search returns the documents of the best passages for a query, best first,
// each once. Of query.Limit passages there may be fewer documents.
func (t *Trial) Search(ctx context.Context, query retrieval.Query) ([]Ranked, error) {
	hits, err := t.searcher.Rank(ctx, t.scope, query)
	if err != nil {
		return nil, err
	}
	seen := map[string]bool{}
	var ranked []Ranked
	for _, hit := range hits[:min(len(hits), query.Limit)] {
		if !seen[hit.DocumentID] {
			seen[hit.DocumentID] = true
			ranked = append(ranked, Ranked{hit.DocumentID, hit.Score})
		}
	}
	return ranked, nil
}

// Passages returns the passages that answer a query, as a chatbot's model gets them. The
// trial must keep its passages.
func (t *Trial) Passages(ctx context.Context, query retrieval.Query) ([]retrieval.Result, error) {
	return t.searcher.Search(ctx, t.scope, query)
}

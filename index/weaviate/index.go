// Package weaviate keeps the retrieval index in a Weaviate server or cluster,
// which any number of processes share.
//
// It owns the collections, their rebuilding, and what Weaviate lacks: it
// replaces a document in one step, and its scores are those of the formula in
// [retrieval.Hits]. It does not own how words become terms, nor passages'
// texts: the server holds terms, vectors and identifiers only.
//
// # Collections
//
// Passages are objects of the collection Passage_x, in a native tenant for
// each chatbot of a workspace. The alias Passage names the collection that
// serves. A rebuild fills another and moves the alias, which all processes
// follow at once, as searches name the alias and every change asks for it.
// Document_x, the collection beside it, is shared by all chatbots and has one
// small object a document, its head, without anything a person wrote.
//
// # Replacing in one step
//
// Weaviate has no transactions. So each Replace writes its passages under a
// new revision, then writes the revision into the document's head, and then
// deletes the passages of other revisions. A search drops the hits whose
// revision is not their document's head's, which it reads afterwards. That
// alone is not enough: a search that ran while passages were written may have
// seen half of them, with the head following before it was read. So a search
// is repeated unless each head is the one that was read before it, or older
// than a minute. The minute is how far the clocks of two processes may be
// apart.
//
// Two processes must not change one document at the same time; the jobs'
// leases see to it. If they do, one of them may fail, and the next comparison
// with the database brings back what is missing.
//
// # Scores
//
// The server counts the length of a passage in distinct terms, where the
// formula counts all. So each repetition of a term adds a filler, a term that
// no question has; see [encode]. All else that the server counts (passages,
// those with a term, the average length) it counts for each tenant and keeps
// right through deletions, if its searchable index is not the block-max one:
// it must run with USE_INVERTED_SEARCHABLE=false, which [Index.Check]
// verifies.
package weaviate

import (
	"context"
	"sync"

	"parley/core/retrieval"
)

// Index is a [retrieval.Index] in Weaviate. Close it after use.
type Index struct {
	server *server
	names  names
	counts *counts

	// changing has a place for each of many documents that may be changed at
	// the same time.
	changing [256]chan struct{}
	// rebuilding has a place for the one rebuild of this process.
	rebuilding chan struct{}

	mutex sync.Mutex
	// used holds the tenants that this process has used since it last said so;
	// see Rest.
	used map[string]struct{}
	// dimensions holds the length of the vectors of a collection.
	dimensions map[string]int
}

var _ retrieval.Index = (*Index)(nil)

// Open prepares an index on the server that config names. It fails if config
// cannot be right. It does not wait for the server, which may come later; ask
// [Index.Check].
func Open(_ context.Context, config Config) (*Index, error) {
	config, err := config.checked()
	if err != nil {
		return nil, err
	}
	server, err := dial(config)
	if err != nil {
		return nil, err
	}
	x := &Index{
		server:     server,
		names:      names{prefix: config.Prefix, replicas: config.Replicas},
		counts:     newCounts(),
		rebuilding: make(chan struct{}, 1),
		used:       map[string]struct{}{},
		dimensions: map[string]int{},
	}
	for i := range x.changing {
		x.changing[i] = make(chan struct{}, 1)
	}
	return x, nil
}

// Close ends the connections to the server.
func (x *Index) Close() error { return x.server.close() }

// take waits for a place in a channel of places. The place must be given back.
func take(ctx context.Context, places chan struct{}) (giveBack func(), err error) {
	if err := ctx.Err(); err != nil {
		return nil, failed(ctx, err)
	}
	select {
	case places <- struct{}{}:
		return func() { <-places }, nil
	case <-ctx.Done():
		return nil, failed(ctx, ctx.Err())
	}
}

// Package weaviate keeps the retrieval index in a Weaviate server or cluster,
// which any number of processes share.
//
// It owns the collections, their rebuilding, and two things that Weaviate lacks: it
// replaces a document in one step, and it scores by the formula in [retrieval.Hits]. It
// does not own how words become terms, nor the texts of passages: the server holds terms,
// vectors and identifiers only.
//
// # Collections
//
// Passages are objects of the collection Passage_x, in a native tenant for
// each chatbot of a workspace. The alias Passage names the serving collection,
// the one that searches use. A rebuild fills another collection and moves the
// alias. All processes follow at once, because searches name the alias and
// every change looks it up. All chatbots share the collection Document_x. It has
// one small object a document, its head, which holds nothing that a person wrote.
//
// # Replacing in one step
//
// Weaviate has no transactions. So each Replace writes its passages under a
// new revision, then writes the revision into the document's head, and then
// deletes the passages of other revisions. A search reads the heads after it has
// its hits, or believes those that it has read before (see known.go), and drops
// each hit whose revision is not its document's current one. That alone is not
// enough: while another process writes passages, a search may see half of them,
// and that process may write the head before the search reads it. So a search
// starts again unless each head is the same as before the search, or older than
// a minute. The minute is how far the clocks of two processes may be apart.
//
// Two processes must not change one document at the same time; the leases of
// jobs prevent it. If two processes do, one of them may fail, and the next
// comparison with the database restores what is missing.
//
// In a cluster, all replicas confirm a change, and a search asks one of them.
// A change that fails may leave passages on some replicas only, which the next
// change of the document deletes. Package nodes chooses the node of a call.
//
// # Scores
//
// The server counts the length of a passage in distinct terms, while the formula
// counts all terms. So each repetition of a term adds a filler, a term that no
// question has; see package terms. The server counts everything else (passages,
// passages with a term, the average length) for each tenant, and its counts stay
// right after deletions, unless its searchable index is the block-max one: it
// must run with USE_INVERTED_SEARCHABLE=false, which [Index.Check] verifies.
package weaviate

import (
	"context"
	"time"

	"parley/core/retrieval"
	"parley/index/weaviate/idf"
)

// Index is a [retrieval.Index] in Weaviate. Close it after use.
type Index struct {
	server      *server
	names       names
	collections *collections
	tenants     *tenants
	documents   *documents
	counts      *idf.Counts
	known       *knownHeads

	// changing has the locks of documents. Two documents may share a lock.
	changing [256]chan struct{}
	// rebuilding is the lock of the one rebuild that this process may run.
	rebuilding chan struct{}
}

var _ retrieval.Index = (*Index)(nil)

// Open prepares an index on the server that config names. It fails if config is
// invalid. It does not wait for the server, which may start later: call
// [Index.Check] to ask it.
func Open(_ context.Context, config Config) (*Index, error) {
	config, err := config.checked()
	if err != nil {
		return nil, err
	}
	server, err := dial(config)
	if err != nil {
		return nil, err
	}
	names := names{prefix: config.Prefix, replicas: config.Replicas}
	x := &Index{
		server:      server,
		names:       names,
		collections: &collections{server: server, names: names},
		tenants:     &tenants{server: server, names: names, used: map[string]struct{}{}},
		documents:   &documents{server: server, names: names, dimensions: dimensions{server: server, names: names, known: map[string]int{}}},
		counts:      idf.NewCounts(),
		known:       newKnownHeads(),
		rebuilding:  make(chan struct{}, 1),
	}
	for i := range x.changing {
		x.changing[i] = make(chan struct{}, 1)
	}
	return x, nil
}

// Deactivate deactivates the tenants that no process has used for a while, which
// frees their memory and files on the server, and returns how many. Any call
// activates a tenant again. Every process calls Deactivate from time to time,
// at least twice in idle: it also tells the others which tenants this process
// has used since its last call. The server may lose a change that comes at the
// very moment; the change then counts its passages, and fails.
func (x *Index) Deactivate(ctx context.Context, idle time.Duration) (int, error) {
	count := 0
	err := x.collections.inServing(ctx, func(collection string) error {
		deactivated, err := x.tenants.deactivate(ctx, collection, idle)
		count += deactivated
		return err
	})
	return count, failed(ctx, err)
}

// Close ends the connections to the server.
func (x *Index) Close() error { return x.server.close() }

// lock waits for a lock, a channel with a capacity of one. The caller must release it.
func lock(ctx context.Context, one chan struct{}) (release func(), err error) {
	if err := ctx.Err(); err != nil {
		return nil, failed(ctx, err)
	}
	select {
	case one <- struct{}{}:
		return func() { <-one }, nil
	case <-ctx.Done():
		return nil, failed(ctx, ctx.Err())
	}
}

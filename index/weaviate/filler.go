package weaviate

import (
	"context"
	"crypto/rand"
	"net/http"
	"sync"
	"time"

	"parley/core/retrieval"
)

// complete is the time that the heads of a rebuild carry. It is before any
// search, because the rebuild writes everything before the first search begins.
var complete = time.UnixMilli(0)

// filler fills a collection that nobody searches yet. So it need not write in
// the order in which [Index.Replace] does, nor wait for each vector: it writes
// a document in one call, and verifies all at the end.
type filler struct {
	documents  *documents
	collection string

	mutex sync.Mutex
	// held has what the filler wrote, by tenant and document's key.
	held map[place]written
	// groups has the groups of each tenant. The last one is open.
	groups map[string][]*group
}

// group is a set of documents of a tenant that share a revision, so that the
// filler can count their vectors together.
type group struct {
	revision string
	// vectors is the number of vectors, and vector is one of them.
	vectors int
	vector  []float32
}

// groupSize is the number of vectors from which on a group takes no more
// documents. One search must be able to find them all, and then compares them
// one by one.
const groupSize = 4000

// written describes a document that the filler wrote.
type written struct {
	passages, vectors int
	group             *group
}

func newFiller(documents *documents, collection string) *filler {
	return &filler{documents: documents, collection: collection, held: map[place]written{}, groups: map[string][]*group{}}
}

// Replace implements [retrieval.Filler].
func (f *filler) Replace(ctx context.Context, scope retrieval.Scope, documentID string, entries []retrieval.Entry) error {
	if err := checkEntries(documentID, entries); err != nil {
		return err
	}
	owner := tenant(scope)
	now, again := f.note(place{owner, key(owner, documentID)}, entries)
	if again {
		return failed(ctx, f.rewrite(ctx, owner, documentID, entries))
	}
	if len(entries) == 0 {
		return nil
	}
	if err := f.documents.dimensions.check(ctx, f.collection, entries); err != nil {
		return failed(ctx, err)
	}
	revision := now.group.revision
	objects := append(passages(f.collection, owner, documentID, revision, entries),
		headOf(f.documents.names.heads(f.collection), owner, documentID, revision, complete))
	return failed(ctx, f.documents.put(ctx, f.collection, owner, objects))
}

// note remembers a document that the filler writes, and reports whether it had
// written the document before. A document that is written again is in no group.
func (f *filler) note(at place, entries []retrieval.Entry) (now written, again bool) {
	f.mutex.Lock()
	defer f.mutex.Unlock()
	vectors, vector := vectorsOf(entries)
	before, again := f.held[at]
	now = written{passages: len(entries), vectors: vectors}
	if again {
		if before.group != nil {
			before.group.vectors -= before.vectors
		}
		f.held[at] = now
		return now, true
	}
	now.group = f.open(at.collection)
	now.group.vectors += vectors
	if vectors > 0 {
		now.group.vector = vector
	}
	f.held[at] = now
	return now, false
}

// open returns the group that a tenant's next document belongs to.
func (f *filler) open(owner string) *group {
	groups := f.groups[owner]
	if n := len(groups); n > 0 && groups[n-1].vectors < groupSize {
		return groups[n-1]
	}
	next := &group{revision: rand.Text()}
	f.groups[owner] = append(groups, next)
	return next
}

// rewrite writes a document that the filler has written before.
func (f *filler) rewrite(ctx context.Context, owner, documentID string, entries []retrieval.Entry) error {
	if len(entries) == 0 {
		return f.documents.remove(ctx, f.collection, owner, documentID)
	}
	return f.documents.replace(ctx, f.collection, owner, documentID, entries)
}

// verify fails unless the server counts the passages that the filler wrote, and
// waits until the server finds all vectors.
func (f *filler) verify(ctx context.Context) error {
	f.mutex.Lock()
	defer f.mutex.Unlock()
	want := map[string]int{}
	for at, of := range f.held {
		want[at.collection] += of.passages
	}
	for owner, n := range want {
		held, err := f.documents.server.count(ctx, f.collection, owner, nil)
		if err != nil {
			return err
		}
		if held != n {
			return wrongCount(held, owner, n)
		}
	}
	for owner, groups := range f.groups {
		if err := f.awaitVectors(ctx, owner, groups); err != nil {
			return err
		}
	}
	return nil
}

// awaitVectors waits until the server finds all vectors of a tenant's groups. An
// empty queue is not enough: the server may have stored passages whose vectors
// it has not queued yet.
func (f *filler) awaitVectors(ctx context.Context, owner string, groups []*group) error {
	if err := f.awaitQueue(ctx, owner); err != nil {
		return err
	}
	for _, g := range groups {
		if err := f.documents.awaitVectors(ctx, f.collection, owner, g.revision, g.vectors, g.vector); err != nil {
			return err
		}
	}
	return nil
}

// awaitQueue waits until no vector of a tenant waits to be indexed.
func (f *filler) awaitQueue(ctx context.Context, owner string) error {
	path := "/schema/" + f.collection + "/shards?tenant=" + owner
	for pause := 5 * time.Millisecond; ; pause = min(2*pause, time.Second) {
		var shards []struct {
			Name            string
			VectorQueueSize int
		}
		if err := f.documents.server.ask(ctx, http.MethodGet, path, nil, &shards); err != nil {
			return err
		}
		waiting := 0
		for _, shard := range shards {
			if shard.Name == owner {
				waiting += shard.VectorQueueSize
			}
		}
		if waiting == 0 {
			return nil
		}
		if err := sleep(ctx, pause); err != nil {
			return err
		}
	}
}

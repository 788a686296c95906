package weaviate

import (
	"context"
	"crypto/rand"
	"fmt"
	"net/http"
	"sync"
	"time"

	"parley/core/retrieval"
)

// complete is when the heads of a rebuild say that they were written: before
// any search, since all is written when the first begins.
var complete = time.UnixMilli(0)

// filler fills a collection that nobody searches yet. So it need not write in
// the order in which [Index.Replace] does, nor wait for each vector: it writes
// a document in one call, and verifies all at the end.
type filler struct {
	index      *Index
	collection string

	mutex sync.Mutex
	// held says what was written, by tenant and document's key.
	held map[place]written
	// groups holds the groups of each tenant, the one that is open last.
	groups map[string][]*group
}

// group is documents of a tenant that share a revision, so that their vectors
// can be counted together.
type group struct {
	revision string
	// vectors is how many there are, and vector one of them.
	vectors int
	vector  []float32
}

// groupSize is from how many vectors on a group takes no more documents. One
// search must be able to find them all, and then compares them one by one.
const groupSize = 4000

// written is what was written of a document.
type written struct {
	passages, vectors int
	group             *group
}

func newFiller(index *Index, collection string) *filler {
	return &filler{index: index, collection: collection, held: map[place]written{}, groups: map[string][]*group{}}
}

// Replace is that of [retrieval.Filler].
func (f *filler) Replace(ctx context.Context, scope retrieval.Scope, documentID string, entries []retrieval.Entry) error {
	if err := checkEntries(documentID, entries); err != nil {
		return err
	}
	owner := tenant(scope)
	now, again := f.note(place{owner, key(owner, documentID)}, entries)
	if again {
		return failed(ctx, f.again(ctx, owner, documentID, entries))
	}
	if len(entries) == 0 {
		return nil
	}
	if err := f.index.checkDimension(ctx, f.collection, entries); err != nil {
		return failed(ctx, err)
	}
	revision := now.group.revision
	objects := append(passages(f.collection, owner, documentID, revision, entries),
		headOf(f.index.names.heads(f.collection), owner, documentID, revision, complete))
	return failed(ctx, f.index.putIn(ctx, f.collection, owner, objects))
}

// note remembers what is written of a document, and reports whether some of it
// was before. What is written again is of no group.
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

// again writes a document that was written before.
func (f *filler) again(ctx context.Context, owner, documentID string, entries []retrieval.Entry) error {
	if len(entries) == 0 {
		return f.index.removeIn(ctx, f.collection, owner, documentID)
	}
	return f.index.replaceIn(ctx, f.collection, owner, documentID, entries)
}

// verify fails unless the server counts what was written, and waits until it
// finds all vectors.
func (f *filler) verify(ctx context.Context) error {
	f.mutex.Lock()
	defer f.mutex.Unlock()
	want := map[string]int{}
	for at, of := range f.held {
		want[at.collection] += of.passages
	}
	for owner, n := range want {
		held, err := f.index.server.count(ctx, f.collection, owner, nil)
		if err != nil {
			return err
		}
		if held != n {
			return fmt.Errorf("weaviate: it counts %d passages of tenant %s, not %d", held, owner, n)
		}
	}
	for owner, groups := range f.groups {
		if err := f.awaitVectors(ctx, owner, groups); err != nil {
			return err
		}
	}
	return nil
}

// awaitVectors waits until all vectors of a tenant's groups are found. That
// none waits in the queue is not enough: the server may have stored passages
// whose vectors it has not queued yet.
func (f *filler) awaitVectors(ctx context.Context, owner string, groups []*group) error {
	if err := f.awaitQueue(ctx, owner); err != nil {
		return err
	}
	for _, g := range groups {
		if err := f.index.awaitVectors(ctx, f.collection, owner, g.revision, g.vectors, g.vector); err != nil {
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
		if err := f.index.server.ask(ctx, http.MethodGet, path, nil, &shards); err != nil {
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

package weaviate

import (
	"context"
	"crypto/rand"
	"fmt"
	"net/http"
	"sync"
	"time"

	"parley/core/knowledge"
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
	// held counts the passages written, by tenant and document's key.
	held map[place]int
	// vectors holds the tenants that have vectors.
	vectors map[string]bool
}

// Replace is that of [knowledge.Filler].
func (f *filler) Replace(ctx context.Context, scope knowledge.Scope, documentID string, entries []knowledge.Entry) error {
	if err := checkEntries(documentID, entries); err != nil {
		return err
	}
	owner := tenant(scope)
	at := place{owner, key(owner, documentID)}
	if known := f.note(at, entries); known {
		return failed(ctx, f.again(ctx, owner, documentID, entries))
	}
	if len(entries) == 0 {
		return nil
	}
	if err := f.index.checkDimension(ctx, f.collection, entries); err != nil {
		return failed(ctx, err)
	}
	revision := rand.Text()
	objects := append(passages(f.collection, owner, documentID, revision, entries),
		headOf(f.index.names.heads(f.collection), owner, documentID, revision, complete))
	return failed(ctx, f.index.putIn(ctx, f.collection, owner, objects))
}

// note remembers how much of a document is written, and reports whether some
// of it was before.
func (f *filler) note(at place, entries []knowledge.Entry) (known bool) {
	f.mutex.Lock()
	defer f.mutex.Unlock()
	_, known = f.held[at]
	f.held[at] = len(entries)
	for _, e := range entries {
		if len(e.Vector) > 0 {
			f.vectors[at.collection] = true
			break
		}
	}
	return known
}

// again writes a document that was written before.
func (f *filler) again(ctx context.Context, owner, documentID string, entries []knowledge.Entry) error {
	if len(entries) == 0 {
		return f.index.removeIn(ctx, f.collection, owner, documentID)
	}
	return f.index.replaceIn(ctx, f.collection, owner, documentID, entries)
}

// verify fails unless the server counts what was written, and waits until it
// has indexed all vectors.
func (f *filler) verify(ctx context.Context) error {
	f.mutex.Lock()
	defer f.mutex.Unlock()
	want := map[string]int{}
	for at, n := range f.held {
		want[at.collection] += n
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
	for owner := range f.vectors {
		if err := f.awaitQueue(ctx, owner); err != nil {
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

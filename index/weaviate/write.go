package weaviate

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"hash/maphash"
	"time"

	pb "github.com/weaviate/weaviate/grpc/generated/protocol/v1"

	"parley/core/retrieval"
)

// vectorTime bounds the wait for the server to index a document's vectors,
// which it does behind those that came before.
const vectorTime = 5 * time.Minute

// Replace is that of [retrieval.Index].
func (x *Index) Replace(ctx context.Context, scope retrieval.Scope, documentID string, entries []retrieval.Entry) error {
	if err := checkEntries(documentID, entries); err != nil {
		return err
	}
	if len(entries) == 0 {
		return x.Remove(ctx, scope, documentID)
	}
	return x.change(ctx, scope, documentID, func(collection, tenant string) error {
		return x.replaceIn(ctx, collection, tenant, documentID, entries)
	})
}

// Remove is that of [retrieval.Index].
func (x *Index) Remove(ctx context.Context, scope retrieval.Scope, documentID string) error {
	return x.change(ctx, scope, documentID, func(collection, tenant string) error {
		return x.removeIn(ctx, collection, tenant, documentID)
	})
}

// Drop is that of [retrieval.Index].
func (x *Index) Drop(ctx context.Context, scope retrieval.Scope) error {
	return x.change(ctx, scope, "", func(collection, tenant string) error {
		if err := x.server.deleteWhere(ctx, x.names.heads(collection), "", is(propScope, tenant)); err != nil {
			return err
		}
		return x.server.deleteTenant(ctx, collection, tenant)
	})
}

// Count is that of [retrieval.Index].
func (x *Index) Count(ctx context.Context, scope retrieval.Scope, documentID string) (int, error) {
	count := 0
	err := x.inServing(ctx, func(collection string) (err error) {
		owner := tenant(scope)
		count, err = x.server.count(ctx, collection, owner, is(propKey, key(owner, documentID)))
		return err
	})
	return count, failed(ctx, err)
}

// change does one change of a document at a time.
func (x *Index) change(ctx context.Context, scope retrieval.Scope, documentID string, do func(collection, tenant string) error) error {
	owner := tenant(scope)
	place := maphash.String(seed, owner+"\x00"+documentID) % uint64(len(x.changing))
	giveBack, err := take(ctx, x.changing[place])
	if err != nil {
		return err
	}
	defer giveBack()
	x.touch(owner)
	defer x.counts.forget(owner)
	return failed(ctx, x.inServing(ctx, func(collection string) error { return do(collection, owner) }))
}

var seed = maphash.MakeSeed()

// inServing does something with the collection that serves, and once more if
// that was replaced meanwhile.
func (x *Index) inServing(ctx context.Context, do func(collection string) error) error {
	for attempt := 0; ; attempt++ {
		if err := ctx.Err(); err != nil {
			return err
		}
		collection, err := x.serving(ctx)
		if err != nil {
			return err
		}
		if err = do(collection); !errors.Is(err, errNoCollection) || attempt == 3 {
			return err
		}
	}
}

// replaceIn replaces a document in one collection. What the package comment
// says of it depends on this order.
func (x *Index) replaceIn(ctx context.Context, collection, tenant, documentID string, entries []retrieval.Entry) error {
	if err := x.checkDimension(ctx, collection, entries); err != nil {
		return err
	}
	documentKey, revision := key(tenant, documentID), rand.Text()
	err := x.putIn(ctx, collection, tenant, passages(collection, tenant, documentID, revision, entries))
	if err == nil {
		vectors, vector := vectorsOf(entries)
		err = x.awaitVectors(ctx, collection, tenant, revision, vectors, vector)
	}
	if err != nil {
		x.undo(ctx, collection, tenant, revision)
		return err
	}
	head := headOf(x.names.heads(collection), tenant, documentID, revision, time.Now())
	if err := x.server.put(ctx, []*pb.BatchObject{head}); err != nil {
		return err
	}
	held, err := x.server.count(ctx, collection, tenant, is(propKey, documentKey))
	if err != nil || held == len(entries) {
		return err
	}
	others := both(is(propKey, documentKey), isNot(propRevision, revision))
	if err := x.server.deleteWhere(ctx, collection, tenant, others); err != nil {
		return err
	}
	return x.verify(ctx, collection, tenant, documentKey, len(entries))
}

// removeIn removes a document from one collection.
func (x *Index) removeIn(ctx context.Context, collection, tenant, documentID string) error {
	documentKey := key(tenant, documentID)
	// Without its head, nothing of the document is found.
	if err := x.server.deleteWhere(ctx, x.names.heads(collection), "", is(propID, documentKey)); err != nil {
		return err
	}
	if err := x.server.deleteWhere(ctx, collection, tenant, is(propKey, documentKey)); err != nil {
		return err
	}
	return x.verify(ctx, collection, tenant, documentKey, 0)
}

// putIn writes objects of a tenant, which it creates if need be.
func (x *Index) putIn(ctx context.Context, collection, tenant string, objects []*pb.BatchObject) error {
	err := x.server.put(ctx, objects)
	if !errors.Is(err, errNoTenant) {
		return err
	}
	if err := x.server.createTenant(ctx, collection, tenant); err != nil {
		return err
	}
	return x.server.put(ctx, objects)
}

// undo deletes a revision that was not finished. If that fails as well, the
// next change of the document does it: until then it is counted in the
// scores, and found by no search.
func (x *Index) undo(ctx context.Context, collection, tenant, revision string) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), readTime)
	defer cancel()
	_ = x.server.deleteWhere(ctx, collection, tenant, is(propRevision, revision))
}

// verify fails unless the server counts as many passages of the document as
// there should be.
func (x *Index) verify(ctx context.Context, collection, tenant, documentKey string, want int) error {
	held, err := x.server.count(ctx, collection, tenant, is(propKey, documentKey))
	if err == nil && held != want {
		err = fmt.Errorf("weaviate: it counts %d passages of document %s, not %d", held, documentKey, want)
	}
	return err
}

// vectorsOf returns how many vectors entries have, and one of them.
func vectorsOf(entries []retrieval.Entry) (n int, vector []float32) {
	for _, e := range entries {
		if len(e.Vector) > 0 {
			n, vector = n+1, e.Vector
		}
	}
	return n, vector
}

// awaitVectors waits until the server, which indexes vectors some time after
// it stored them, finds those of a revision. One of them is given.
func (x *Index) awaitVectors(ctx context.Context, collection, tenant, revision string, want int, vector []float32) error {
	if want == 0 {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, vectorTime)
	defer cancel()
	want = min(want, maxResults)
	request := &pb.SearchRequest{
		Collection: collection, Tenant: tenant, Limit: uint32(want),
		Filters: is(propRevision, revision), NearVector: &pb.NearVector{VectorBytes: packed(vector)},
		Properties: returning(), Metadata: &pb.MetadataRequest{Uuid: true},
	}
	for pause := 5 * time.Millisecond; ; pause = min(2*pause, 200*time.Millisecond) {
		found, err := x.server.search(ctx, request)
		if err != nil || len(found) >= want {
			return err
		}
		if err := sleep(ctx, pause); err != nil {
			return fmt.Errorf("weaviate: it has indexed %d of %d vectors: %w", len(found), want, err)
		}
	}
}

package weaviate

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"time"

	pb "github.com/weaviate/weaviate/grpc/generated/protocol/v1"

	"parley/core/retrieval"
	"parley/index/weaviate/nodes"
)

// vectorTime bounds the wait for the server to index a document's vectors,
// which it does behind those that came before.
const vectorTime = 5 * time.Minute

// documents writes the documents of a collection.
type documents struct {
	server     *server
	names      names
	dimensions dimensions
}

// replace replaces a document in one collection. The package comment says why
// the order of its steps matters.
func (d *documents) replace(ctx context.Context, collection, tenant, documentID string, entries []retrieval.Entry) error {
	if err := d.dimensions.check(ctx, collection, entries); err != nil {
		return err
	}
	documentKey, revision := key(tenant, documentID), rand.Text()
	err := d.put(ctx, collection, tenant, passages(collection, tenant, documentID, revision, entries))
	if err == nil {
		vectors, vector := vectorsOf(entries)
		err = d.awaitVectors(ctx, collection, tenant, revision, vectors, vector)
	}
	if err != nil {
		d.undo(ctx, collection, tenant, revision)
		return err
	}
	head := headOf(d.names.heads(collection), tenant, documentID, revision, time.Now())
	if err := d.server.put(ctx, []*pb.BatchObject{head}); err != nil {
		return err
	}
	if err := d.writeStamp(ctx, collection, tenant); err != nil {
		return err
	}
	whole, err := d.whole(ctx, collection, tenant, documentKey, len(entries))
	if err != nil || whole {
		return err
	}
	others := both(is(propKey, documentKey), isNot(propRevision, revision))
	if err := d.server.deleteWhere(ctx, collection, tenant, others); err != nil {
		return err
	}
	return d.verify(ctx, collection, tenant, documentKey, len(entries))
}

// remove removes a document from one collection.
func (d *documents) remove(ctx context.Context, collection, tenant, documentID string) error {
	documentKey := key(tenant, documentID)
	// Without its head, nothing of the document is found.
	if err := d.server.deleteWhere(ctx, d.names.heads(collection), "", is(propID, documentKey)); err != nil {
		return err
	}
	if err := d.writeStamp(ctx, collection, tenant); err != nil {
		return err
	}
	if err := d.server.deleteWhere(ctx, collection, tenant, is(propKey, documentKey)); err != nil {
		return err
	}
	return d.verify(ctx, collection, tenant, documentKey, 0)
}

// put writes objects of a tenant, and creates the tenant if there is none.
func (d *documents) put(ctx context.Context, collection, tenant string, objects []*pb.BatchObject) error {
	err := d.server.put(ctx, objects)
	if !errors.Is(err, errNoTenant) {
		return err
	}
	if err := d.server.createTenant(ctx, collection, tenant); err != nil {
		return err
	}
	return d.server.put(ctx, objects)
}

// undo deletes an unfinished revision. If that fails as well, the next change
// of the document deletes it: until then the server counts it in the scores,
// and no search finds it.
func (d *documents) undo(ctx context.Context, collection, tenant, revision string) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), readTime)
	defer cancel()
	_ = d.server.deleteWhere(ctx, collection, tenant, is(propRevision, revision))
}

// whole reports whether the server holds a document's passages and no others of it. In a
// cluster it always reports false: a single replica counts there, which does not show what
// a failed write of another revision left on a second one.
func (d *documents) whole(ctx context.Context, collection, tenant, documentKey string, want int) (bool, error) {
	if d.server.replicated {
		return false, nil
	}
	held, err := d.server.count(ctx, collection, tenant, is(propKey, documentKey))
	return held == want, err
}

// verify fails unless the server counts as many passages of the document as
// there should be.
func (d *documents) verify(ctx context.Context, collection, tenant, documentKey string, want int) error {
	held, err := d.server.count(ctx, collection, tenant, is(propKey, documentKey))
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

// awaitVectors waits until the server finds the vectors of a revision, which it
// indexes some time after it stored them. vector is one of them. In a cluster
// every node that this program knows must find them: any may answer the next
// question.
func (d *documents) awaitVectors(ctx context.Context, collection, tenant, revision string, want int, vector []float32) error {
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
	if !d.server.replicated {
		return d.awaitFound(ctx, request)
	}
	for node := range d.server.nodes.Len() {
		if err := d.awaitFound(nodes.PinTo(ctx, node), request); err != nil {
			return err
		}
	}
	return nil
}

// awaitFound waits until a search finds as many objects as its limit.
func (d *documents) awaitFound(ctx context.Context, request *pb.SearchRequest) error {
	for pause := 5 * time.Millisecond; ; pause = min(2*pause, 200*time.Millisecond) {
		found, err := d.server.search(ctx, request)
		if err != nil || len(found) >= int(request.GetLimit()) {
			return err
		}
		if err := sleep(ctx, pause); err != nil {
			return fmt.Errorf("weaviate: it has indexed %d of %d vectors: %w", len(found), request.GetLimit(), err)
		}
	}
}

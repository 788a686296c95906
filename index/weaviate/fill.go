package weaviate

import (
	"context"
	"crypto/rand"
	"hash/maphash"
	"slices"
	"time"

	pb "github.com/weaviate/weaviate/grpc/generated/protocol/v1"

	"parley/core/retrieval"
)

// Fill implements [retrieval.Index]. All documents share a revision, so that the server is
// asked once for all of them whether it has indexed their vectors.
func (x *Index) Fill(ctx context.Context, scope retrieval.Scope, contents []retrieval.Content) error {
	owner := tenant(scope)
	var present []retrieval.Content
	for _, c := range contents {
		if err := checkEntries(c.DocumentID, c.Entries); err != nil {
			return err
		}
		if len(c.Entries) > 0 {
			present = append(present, c)
		} else if err := x.Remove(ctx, scope, c.DocumentID); err != nil {
			return err
		}
	}
	if len(present) == 0 {
		return nil
	}
	release, err := x.lockAll(ctx, owner, present)
	if err != nil {
		return err
	}
	defer release()
	x.tenants.touch(owner)
	defer x.counts.Forget(owner)
	return failed(ctx, x.collections.inServing(ctx, func(collection string) error {
		return x.documents.fill(ctx, collection, owner, present)
	}))
}

// lockAll takes the locks of documents, in their order.
func (x *Index) lockAll(ctx context.Context, owner string, contents []retrieval.Content) (release func(), err error) {
	var places []uint64
	for _, c := range contents {
		places = append(places, maphash.String(seed, owner+"\x00"+c.DocumentID)%uint64(len(x.changing)))
	}
	slices.Sort(places)
	var held []func()
	release = func() {
		for _, one := range held {
			one()
		}
	}
	for _, i := range slices.Compact(places) {
		one, err := lock(ctx, x.changing[i])
		if err != nil {
			release()
			return nil, err
		}
		held = append(held, one)
	}
	return release, nil
}

// fill replaces documents in one collection. It takes its steps in the order of replace, each
// for all documents.
func (d *documents) fill(ctx context.Context, collection, tenant string, contents []retrieval.Content) error {
	revision, now := rand.Text(), time.Now()
	var all []retrieval.Entry
	var objects, heads []*pb.BatchObject
	keys := make([]string, len(contents))
	for i, c := range contents {
		keys[i] = key(tenant, c.DocumentID)
		all = append(all, c.Entries...)
		objects = append(objects, passages(collection, tenant, c.DocumentID, revision, c.Entries)...)
		heads = append(heads, headOf(d.names.heads(collection), tenant, c.DocumentID, revision, now))
	}
	if err := d.dimensions.check(ctx, collection, all); err != nil {
		return err
	}
	err := d.put(ctx, collection, tenant, objects)
	if err == nil {
		vectors, vector := vectorsOf(all)
		err = d.awaitVectors(ctx, collection, tenant, revision, vectors, vector)
	}
	if err != nil {
		d.undo(ctx, collection, tenant, revision)
		return err
	}
	if err := d.server.put(ctx, heads); err != nil {
		return err
	}
	if err := d.writeStamp(ctx, collection, tenant); err != nil {
		return err
	}
	of := isOneOf(propKey, keys)
	if held, err := d.server.count(ctx, collection, tenant, of); err != nil || held == len(all) && !d.server.replicated {
		return err
	}
	if err := d.server.deleteWhere(ctx, collection, tenant, both(of, isNot(propRevision, revision))); err != nil {
		return err
	}
	held, err := d.server.count(ctx, collection, tenant, of)
	if err == nil && held != len(all) {
		err = wrongCount(held, tenant, len(all))
	}
	return err
}

// Fill implements [retrieval.Filler].
func (f *filler) Fill(ctx context.Context, scope retrieval.Scope, contents []retrieval.Content) error {
	owner := tenant(scope)
	var all []retrieval.Entry
	var objects []*pb.BatchObject
	for _, c := range contents {
		if err := checkEntries(c.DocumentID, c.Entries); err != nil {
			return err
		}
		now, again := f.note(place{owner, key(owner, c.DocumentID)}, c.Entries)
		if again {
			if err := f.rewrite(ctx, owner, c.DocumentID, c.Entries); err != nil {
				return failed(ctx, err)
			}
			continue
		}
		if len(c.Entries) == 0 {
			continue
		}
		all = append(all, c.Entries...)
		objects = append(objects, passages(f.collection, owner, c.DocumentID, now.group.revision, c.Entries)...)
		objects = append(objects, headOf(f.documents.names.heads(f.collection), owner, c.DocumentID, now.group.revision, complete))
	}
	if err := f.documents.dimensions.check(ctx, f.collection, all); err != nil {
		return failed(ctx, err)
	}
	return failed(ctx, f.documents.put(ctx, f.collection, owner, objects))
}

package weaviate

import (
	"context"
	"hash/maphash"

	"parley/core/retrieval"
)

// Replace is that of [retrieval.Index].
func (x *Index) Replace(ctx context.Context, scope retrieval.Scope, documentID string, entries []retrieval.Entry) error {
	if err := checkEntries(documentID, entries); err != nil {
		return err
	}
	if len(entries) == 0 {
		return x.Remove(ctx, scope, documentID)
	}
	return x.change(ctx, scope, documentID, func(collection, tenant string) error {
		return x.documents.replace(ctx, collection, tenant, documentID, entries)
	})
}

// Remove is that of [retrieval.Index].
func (x *Index) Remove(ctx context.Context, scope retrieval.Scope, documentID string) error {
	return x.change(ctx, scope, documentID, func(collection, tenant string) error {
		return x.documents.remove(ctx, collection, tenant, documentID)
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
	err := x.collections.inServing(ctx, func(collection string) (err error) {
		owner := tenant(scope)
		count, err = x.server.count(ctx, collection, owner, is(propKey, key(owner, documentID)))
		return err
	})
	return count, failed(ctx, err)
}

// change runs do for one change of a document at a time.
func (x *Index) change(ctx context.Context, scope retrieval.Scope, documentID string, do func(collection, tenant string) error) error {
	owner := tenant(scope)
	i := maphash.String(seed, owner+"\x00"+documentID) % uint64(len(x.changing))
	release, err := lock(ctx, x.changing[i])
	if err != nil {
		return err
	}
	defer release()
	x.tenants.touch(owner)
	defer x.counts.Forget(owner)
	return failed(ctx, x.collections.inServing(ctx, func(collection string) error { return do(collection, owner) }))
}

var seed = maphash.MakeSeed()

package weaviate

import (
	"context"
	"errors"
	"hash/maphash"
	"iter"

	"parley/core/retrieval"
)

// Replace implements [retrieval.Index].
func (x *Index) Replace(ctx context.Context, scope retrieval.Scope, documentID string, entries []retrieval.Entry) error {
	if err := checkEntries(documentID, entries); err != nil {
		return err
	}
	if len(entries) == 0 {
		return x.Remove(ctx, scope, documentID)
	}
	return x.change(ctx, tenant(scope), documentID, func(collection, tenant string) error {
		return x.documents.replace(ctx, collection, tenant, documentID, entries)
	})
}

// Remove implements [retrieval.Index].
func (x *Index) Remove(ctx context.Context, scope retrieval.Scope, documentID string) error {
	return x.change(ctx, tenant(scope), documentID, func(collection, tenant string) error {
		return x.documents.remove(ctx, collection, tenant, documentID)
	})
}

// Drop implements [retrieval.Index].
func (x *Index) Drop(ctx context.Context, scope retrieval.Scope) error {
	return x.change(ctx, tenant(scope), "", x.tenants.drop(ctx))
}

// DropOthers implements [retrieval.Index]. A tenant's name does not tell its scope, so
// DropOthers computes the tenant names of the kept scopes and drops all other tenants.
func (x *Index) DropOthers(ctx context.Context, kept iter.Seq2[retrieval.Scope, error]) (dropped int, err error) {
	var owners []string
	err = x.collections.inServing(ctx, func(collection string) (err error) {
		owners, err = x.tenants.list(ctx, collection, false)
		return err
	})
	names := map[string]bool{}
	for scope, broken := range kept {
		err = errors.Join(err, broken)
		names[tenant(scope)] = true
	}
	for _, owner := range owners {
		if err != nil || names[owner] {
			continue
		}
		if err = x.change(ctx, owner, "", x.tenants.drop(ctx)); err == nil {
			dropped++
		}
	}
	return dropped, failed(ctx, err)
}

// Count implements [retrieval.Index].
func (x *Index) Count(ctx context.Context, scope retrieval.Scope, documentID string) (int, error) {
	count := 0
	err := x.collections.inServing(ctx, func(collection string) (err error) {
		owner := tenant(scope)
		count, err = x.server.count(ctx, collection, owner, is(propKey, key(owner, documentID)))
		return err
	})
	return count, failed(ctx, err)
}

// change runs do for one change of a document at a time. The owner is the tenant of its
// scope.
func (x *Index) change(ctx context.Context, owner, documentID string, do func(collection, tenant string) error) error {
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

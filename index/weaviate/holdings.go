package weaviate

import (
	"context"
	"fmt"
	"slices"
	"sync"

	pb "github.com/weaviate/weaviate/grpc/generated/protocol/v1"
	"golang.org/x/sync/errgroup"

	"parley/core/retrieval"
)

// holdingsAtOnce bounds how many scopes or documents are counted at the same time.
const holdingsAtOnce = 8

// Lacking implements [retrieval.Index]. Of a tenant that is not active it counts only the heads
// of the documents, because counting the passages would activate it.
func (x *Index) Lacking(ctx context.Context, expected []retrieval.Holding) ([]retrieval.Scope, error) {
	if err := ctx.Err(); err != nil {
		return nil, failed(ctx, err)
	}
	collection, err := x.collections.aliased(ctx)
	if err != nil {
		return nil, failed(ctx, err)
	}
	if collection == "" {
		return scopesOf(expected), nil
	}
	active, err := x.tenants.active(ctx, collection)
	if err != nil {
		return nil, failed(ctx, err)
	}
	var mu sync.Mutex
	var lacking []retrieval.Scope
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(holdingsAtOnce)
	for _, want := range expected {
		group.Go(func() error {
			lacks, err := x.lacks(ctx, collection, active, want)
			if lacks && err == nil {
				mu.Lock()
				defer mu.Unlock()
				lacking = append(lacking, want.Scope)
			}
			return err
		})
	}
	if err := group.Wait(); err != nil {
		return nil, failed(ctx, err)
	}
	return lacking, nil
}

// lacks reports whether the server holds less of a scope than expected, or more passages. Among
// the heads are up to two objects that say when the tenant was changed and used.
func (x *Index) lacks(ctx context.Context, collection string, active map[string]bool, want retrieval.Holding) (bool, error) {
	owner := tenant(want.Scope)
	isActive, exists := active[owner]
	if !exists {
		return want.Passages > 0, nil
	}
	heads, err := x.server.count(ctx, x.names.heads(collection), "", is(propScope, owner))
	if err != nil || heads < want.Documents || !isActive {
		return heads < want.Documents, err
	}
	passages, err := x.server.count(ctx, collection, owner, nil)
	return passages != want.Passages, err
}

func scopesOf(expected []retrieval.Holding) []retrieval.Scope {
	var scopes []retrieval.Scope
	for _, want := range expected {
		if want.Passages > 0 {
			scopes = append(scopes, want.Scope)
		}
	}
	return scopes
}

// Missing implements [retrieval.Index]. It counts the passages of many documents together, and
// those of each only if the sum is wrong.
func (x *Index) Missing(ctx context.Context, scope retrieval.Scope, expected map[string]int) ([]string, error) {
	if err := ctx.Err(); err != nil {
		return nil, failed(ctx, err)
	}
	ids := make([]string, 0, len(expected))
	for id := range expected {
		ids = append(ids, id)
	}
	slices.Sort(ids)
	collection, err := x.collections.aliased(ctx)
	if err != nil {
		return nil, failed(ctx, err)
	}
	var missing []string
	for chunk := range slices.Chunk(ids, headsAtOnce/2) {
		found, err := x.missingOf(ctx, collection, tenant(scope), chunk, expected)
		if err != nil {
			return nil, failed(ctx, err)
		}
		missing = append(missing, found...)
	}
	return missing, nil
}

func (x *Index) missingOf(ctx context.Context, collection, owner string, ids []string, expected map[string]int) (missing []string, err error) {
	headed := map[string]bool{}
	if collection != "" {
		if headed, err = x.headed(ctx, collection, owner, ids); err != nil {
			return nil, err
		}
	}
	sum, keys := 0, []string{}
	var there []string
	for _, id := range ids {
		switch {
		case headed[id]:
			sum += expected[id]
			there, keys = append(there, id), append(keys, key(owner, id))
		case expected[id] > 0:
			missing = append(missing, id)
		}
	}
	if len(there) == 0 {
		return missing, nil
	}
	held, err := x.server.count(ctx, collection, owner, isOneOf(propKey, keys))
	if err != nil || held == sum {
		return missing, err
	}
	wrong, err := x.wrong(ctx, collection, owner, there, expected)
	return append(missing, wrong...), err
}

// headed returns which documents have a head.
func (x *Index) headed(ctx context.Context, collection, owner string, ids []string) (map[string]bool, error) {
	of := make(map[string]string, len(ids))
	for _, id := range ids {
		of[key(owner, id)] = id
	}
	found, err := x.server.search(ctx, &pb.SearchRequest{
		Collection: x.names.heads(collection), Limit: uint32(len(ids)), Filters: isOneOf(propID, keys(ids, func(id string) string { return key(owner, id) })),
		Properties: returning(), Metadata: &pb.MetadataRequest{Uuid: true},
	})
	headed := make(map[string]bool, len(found))
	for _, result := range found {
		headed[of[result.GetMetadata().GetId()]] = true
	}
	return headed, err
}

// wrong counts the passages of each document, and returns those with another number than
// expected.
func (x *Index) wrong(ctx context.Context, collection, owner string, ids []string, expected map[string]int) ([]string, error) {
	var mu sync.Mutex
	var wrong []string
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(holdingsAtOnce)
	for _, id := range ids {
		group.Go(func() error {
			held, err := x.server.count(ctx, collection, owner, is(propKey, key(owner, id)))
			if err == nil && held != expected[id] {
				mu.Lock()
				defer mu.Unlock()
				wrong = append(wrong, id)
			}
			return err
		})
	}
	return wrong, group.Wait()
}

func wrongCount(held int, tenant string, want int) error {
	return fmt.Errorf("weaviate: it counts %d passages of tenant %s, not %d", held, tenant, want)
}

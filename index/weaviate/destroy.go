package weaviate

import (
	"context"
	"net/http"

	"parley/core/fault"
)

// Destroy deletes the index and everything in it. It is for the indexes of tests
// and benchmarks, which have a prefix. The production index has none: Destroy
// refuses it with a fault of kind Invalid.
func (x *Index) Destroy(ctx context.Context) error {
	if x.names.prefix == "" {
		return fault.New(fault.Invalid, "An index without a prefix cannot be destroyed. Give it its own prefix.")
	}
	err := x.server.ask(ctx, http.MethodDelete, "/aliases/"+x.names.alias(), nil, nil)
	if err != nil && !isStatus(err, http.StatusNotFound) {
		return failed(ctx, err)
	}
	// Not leftovers, which looks up the serving collection and so creates one.
	own, err := x.collections.own(ctx)
	if err == nil {
		err = x.collections.delete(ctx, own...)
	}
	return failed(ctx, err)
}

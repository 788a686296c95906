package weaviate

import (
	"context"
	"net/http"

	"parley/core/fault"
)

// Destroy deletes the index with all that it holds. It is for the index of a
// test or a benchmark, which has a prefix. The index without a prefix is the
// one of production: Destroy refuses it with a fault of kind Invalid.
func (x *Index) Destroy(ctx context.Context) error {
	if x.names.prefix == "" {
		return fault.New(fault.Invalid, "An index without a prefix is never destroyed. Give it a prefix of its own.")
	}
	err := x.server.ask(ctx, http.MethodDelete, "/aliases/"+x.names.alias(), nil, nil)
	if err != nil && !isStatus(err, http.StatusNotFound) {
		return failed(ctx, err)
	}
	// Not leftovers: that asks for the serving collection, and so creates one.
	own, err := x.collections.own(ctx)
	if err == nil {
		err = x.collections.delete(ctx, own...)
	}
	return failed(ctx, err)
}

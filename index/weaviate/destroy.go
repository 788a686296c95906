package weaviate

import (
	"context"
	"net/http"

	"parley/core/fault"
)

// Destroy deletes the index with all that it holds. It is for an index that
// was made to be measured or tested, which has a prefix: the one without is
// the one that serves, and is refused with a fault of kind Invalid.
func (x *Index) Destroy(ctx context.Context) error {
	if x.names.prefix == "" {
		return fault.New(fault.Invalid, "An index without a prefix is never destroyed. Give it a prefix of its own.")
	}
	err := x.server.ask(ctx, http.MethodDelete, "/aliases/"+x.names.alias(), nil, nil)
	if err != nil && !isStatus(err, http.StatusNotFound) {
		return failed(ctx, err)
	}
	// Not leftovers: that asks which collection serves, and so makes one.
	own, err := x.own(ctx)
	if err == nil {
		err = x.delete(ctx, own...)
	}
	return failed(ctx, err)
}

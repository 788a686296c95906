package weaviate

import (
	"context"
	"net/http"
)

// Destroy deletes the index with all that it holds. It is for an index that
// was made to be measured or tested.
func (x *Index) Destroy(ctx context.Context) error {
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

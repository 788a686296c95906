package weaviate

import (
	"context"
	"errors"
	"net/http"
	"strconv"
	"time"

	"parley/core/retrieval"
)

// cleanTime bounds the deletion of what a failed rebuild leaves behind.
const cleanTime = time.Minute

// Version is that of [retrieval.Index].
func (x *Index) Version(ctx context.Context) (string, error) {
	if err := ctx.Err(); err != nil {
		return "", failed(ctx, err)
	}
	found, err := x.served(ctx)
	if err != nil {
		return "", failed(ctx, err)
	}
	return found.version(), nil
}

// Rebuild is that of [retrieval.Index]. Two rebuilds at the same time, in two
// processes, are not for this package to prevent: the second deletes what the
// first has made, which then fails.
func (x *Index) Rebuild(ctx context.Context, version string, fill func(context.Context, retrieval.Filler) error) error {
	giveBack, err := take(ctx, x.rebuilding)
	if err != nil {
		return err
	}
	defer giveBack()

	left, err := x.leftovers(ctx)
	if err == nil {
		err = x.delete(ctx, left...)
	}
	if err != nil {
		return failed(ctx, err)
	}
	suffix := strconv.FormatInt(time.Now().UnixMilli(), 36)
	if err := x.prepare(ctx, suffix, version, fill); err != nil {
		clean, cancel := context.WithTimeout(context.WithoutCancel(ctx), cleanTime)
		defer cancel()
		return errors.Join(err, x.delete(clean, x.names.passages(suffix), x.names.documents(suffix)))
	}
	// The old collections are no more in use, but by searches that have
	// begun, which begin again.
	if left, err = x.leftovers(ctx); err == nil {
		err = x.delete(ctx, left...)
	}
	return failed(ctx, err)
}

// prepare makes collections, lets fill fill them, and switches to them.
func (x *Index) prepare(ctx context.Context, suffix, version string, fill func(context.Context, retrieval.Filler) error) error {
	if err := x.create(ctx, suffix, version); err != nil {
		return failed(ctx, err)
	}
	into := newFiller(x, x.names.passages(suffix))
	if err := fill(ctx, into); err != nil {
		return err
	}
	if err := into.verify(ctx); err != nil {
		return failed(ctx, err)
	}
	defer x.counts.forgetAll()
	body := map[string]string{"class": into.collection}
	return failed(ctx, x.server.ask(ctx, http.MethodPut, "/aliases/"+x.names.alias(), body, nil))
}

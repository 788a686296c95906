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

// Version implements [retrieval.Index].
func (x *Index) Version(ctx context.Context) (string, error) {
	if err := ctx.Err(); err != nil {
		return "", failed(ctx, err)
	}
	found, err := x.collections.served(ctx)
	if err != nil {
		return "", failed(ctx, err)
	}
	return found.version(), nil
}

// Rebuild implements [retrieval.Index]. This package does not prevent two rebuilds
// at the same time in two processes: the second deletes the collections of the
// first, which then fails.
func (x *Index) Rebuild(ctx context.Context, version string, fill func(context.Context, retrieval.Filler) error) error {
	release, err := lock(ctx, x.rebuilding)
	if err != nil {
		return err
	}
	defer release()

	left, err := x.collections.leftovers(ctx)
	if err == nil {
		err = x.collections.delete(ctx, left...)
	}
	if err != nil {
		return failed(ctx, err)
	}
	suffix := strconv.FormatInt(time.Now().UnixMilli(), 36)
	if err := x.prepare(ctx, suffix, version, fill); err != nil {
		clean, cancel := context.WithTimeout(context.WithoutCancel(ctx), cleanTime)
		defer cancel()
		return errors.Join(err, x.collections.delete(clean, x.names.passages(suffix), x.names.documents(suffix)))
	}
	// Only searches that have begun still use the old collections, and they
	// begin again.
	if left, err = x.collections.leftovers(ctx); err == nil {
		err = x.collections.delete(ctx, left...)
	}
	return failed(ctx, err)
}

// prepare makes collections, lets fill fill them, and switches to them.
func (x *Index) prepare(ctx context.Context, suffix, version string, fill func(context.Context, retrieval.Filler) error) error {
	if err := x.collections.create(ctx, suffix, version); err != nil {
		return failed(ctx, err)
	}
	into := newFiller(x.documents, x.names.passages(suffix))
	if err := fill(ctx, into); err != nil {
		return err
	}
	if err := into.verify(ctx); err != nil {
		return failed(ctx, err)
	}
	defer x.counts.ForgetAll()
	body := map[string]string{"class": into.collection}
	return failed(ctx, x.server.ask(ctx, http.MethodPut, "/aliases/"+x.names.alias(), body, nil))
}

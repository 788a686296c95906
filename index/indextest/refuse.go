package indextest

import (
	"context"
	"errors"
	"iter"

	"parley/core/retrieval"
	"parley/internal/intx"
)

// ErrInTx is the error of [RefuseInTx].
var ErrInTx = errors.New("the index was called inside a database transaction; call it before or after")

// RefuseInTx returns an index that fails with [ErrInTx] whenever a method is called
// with a context inside a database transaction, where no network call belongs.
// Other calls go to index.
func RefuseInTx(index retrieval.Index) retrieval.Index { return refuser{index} }

type refuser struct{ index retrieval.Index }

func refuse(ctx context.Context) error {
	if intx.Inside(ctx) {
		return ErrInTx
	}
	return nil
}

func (r refuser) Replace(ctx context.Context, scope retrieval.Scope, documentID string, entries []retrieval.Entry) error {
	if err := refuse(ctx); err != nil {
		return err
	}
	return r.index.Replace(ctx, scope, documentID, entries)
}

func (r refuser) Remove(ctx context.Context, scope retrieval.Scope, documentID string) error {
	if err := refuse(ctx); err != nil {
		return err
	}
	return r.index.Remove(ctx, scope, documentID)
}

func (r refuser) Drop(ctx context.Context, scope retrieval.Scope) error {
	if err := refuse(ctx); err != nil {
		return err
	}
	return r.index.Drop(ctx, scope)
}

func (r refuser) Search(ctx context.Context, scope retrieval.Scope, query retrieval.IndexQuery) (retrieval.Hits, error) {
	if err := refuse(ctx); err != nil {
		return retrieval.Hits{}, err
	}
	return r.index.Search(ctx, scope, query)
}

func (r refuser) Count(ctx context.Context, scope retrieval.Scope, documentID string) (int, error) {
	if err := refuse(ctx); err != nil {
		return 0, err
	}
	return r.index.Count(ctx, scope, documentID)
}

func (r refuser) Lacking(ctx context.Context, expected []retrieval.Holding) ([]retrieval.Scope, error) {
	if err := refuse(ctx); err != nil {
		return nil, err
	}
	return r.index.Lacking(ctx, expected)
}

func (r refuser) Missing(ctx context.Context, scope retrieval.Scope, expected map[string]int) ([]string, error) {
	if err := refuse(ctx); err != nil {
		return nil, err
	}
	return r.index.Missing(ctx, scope, expected)
}

func (r refuser) Fill(ctx context.Context, scope retrieval.Scope, contents []retrieval.Content) error {
	if err := refuse(ctx); err != nil {
		return err
	}
	return r.index.Fill(ctx, scope, contents)
}

func (r refuser) Check(ctx context.Context) error {
	if err := refuse(ctx); err != nil {
		return err
	}
	return r.index.Check(ctx)
}

func (r refuser) Version(ctx context.Context) (string, error) {
	if err := refuse(ctx); err != nil {
		return "", err
	}
	return r.index.Version(ctx)
}

func (r refuser) DropOthers(ctx context.Context, kept iter.Seq2[retrieval.Scope, error]) (int, error) {
	if err := refuse(ctx); err != nil {
		return 0, err
	}
	return r.index.DropOthers(ctx, kept)
}

func (r refuser) Rebuild(ctx context.Context, version string, fill func(ctx context.Context, into retrieval.Filler) error) error {
	if err := refuse(ctx); err != nil {
		return err
	}
	return r.index.Rebuild(ctx, version, func(ctx context.Context, into retrieval.Filler) error {
		return fill(ctx, refusingFiller{into})
	})
}

type refusingFiller struct{ filler retrieval.Filler }

func (r refusingFiller) Replace(ctx context.Context, scope retrieval.Scope, documentID string, entries []retrieval.Entry) error {
	if err := refuse(ctx); err != nil {
		return err
	}
	return r.filler.Replace(ctx, scope, documentID, entries)
}

func (r refusingFiller) Fill(ctx context.Context, scope retrieval.Scope, contents []retrieval.Content) error {
	if err := refuse(ctx); err != nil {
		return err
	}
	return r.filler.Fill(ctx, scope, contents)
}

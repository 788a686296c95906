package embedded

import (
	"context"
	"fmt"

	"parley/core/retrieval"
)

// Version returns the version that the last rebuild was given.
func (x *Index) Version(ctx context.Context) (string, error) {
	var name string
	err := x.read.QueryRowContext(ctx, "SELECT name FROM version WHERE id = (SELECT version FROM serving)").Scan(&name)
	return name, x.explain(ctx, err)
}

// Rebuild fills a new version of the index, and then lets searches use it. If
// two rebuilds run at once, the one that began first fails.
func (x *Index) Rebuild(ctx context.Context, version string, fill func(ctx context.Context, into retrieval.Filler) error) error {
	id, err := x.beginVersion(ctx, version)
	if err != nil {
		return err
	}
	if err := fill(ctx, filler{x, id}); err != nil {
		x.abandon(id)
		return fmt.Errorf("fill the new index: %w", err)
	}
	err = x.write.change(ctx, func() error {
		if found, err := x.write.get([]any{new(int64)}, "SELECT id FROM version WHERE id = ?", id); err != nil || !found {
			return orReplaced(err)
		}
		if err := x.write.exec("UPDATE serving SET version = ?", id); err != nil {
			return err
		}
		return x.write.discard(id)
	})
	if err != nil {
		x.abandon(id)
		return err
	}
	x.states.cache.clear()
	x.compactor.dropped()
	return nil
}

func orReplaced(err error) error {
	if err == nil {
		return errReplaced
	}
	return err
}

// beginVersion creates an empty version, and discards those that an unfinished
// rebuild left.
func (x *Index) beginVersion(ctx context.Context, name string) (id int64, err error) {
	err = x.write.change(ctx, func() error {
		var current int64
		if _, err := x.write.get([]any{&current}, "SELECT version FROM serving"); err != nil {
			return err
		}
		if err := x.write.discard(current); err != nil {
			return err
		}
		_, err := x.write.get([]any{&id}, "INSERT INTO version (name) VALUES (?) RETURNING id", name)
		return err
	})
	x.compactor.dropped()
	return id, err
}

// abandon discards a version that searches do not use. If that fails, the next
// rebuild discards it.
func (x *Index) abandon(id int64) {
	_ = x.write.change(background, func() error {
		if err := x.write.exec("INSERT INTO dropped SELECT id FROM scope WHERE version = ?", id); err != nil {
			return err
		}
		if err := x.write.exec("DELETE FROM scope WHERE version = ?", id); err != nil {
			return err
		}
		return x.write.exec("DELETE FROM version WHERE id = ?", id)
	})
	x.compactor.dropped()
}

// discard discards all versions but one.
func (w *writer) discard(kept int64) error {
	for _, statement := range []string{
		"INSERT INTO dropped SELECT id FROM scope WHERE version <> ?",
		"DELETE FROM scope WHERE version <> ?",
		"DELETE FROM version WHERE id <> ?",
	} {
		if err := w.exec(statement, kept); err != nil {
			return err
		}
	}
	return nil
}

// filler fills one version.
type filler struct {
	index   *Index
	version int64
}

// Replace makes entries the only ones of the document in the new index.
func (f filler) Replace(ctx context.Context, scope retrieval.Scope, documentID string, entries []retrieval.Entry) error {
	return f.index.replace(ctx, f.version, scope, documentID, entries)
}

package embedded

import (
	"context"
	"errors"
	"fmt"

	"parley/core/retrieval"
	"parley/index/embedded/segment"
)

// Replace makes entries the only ones of the document, in one transaction.
func (x *Index) Replace(ctx context.Context, scope retrieval.Scope, documentID string, entries []retrieval.Entry) error {
	return x.replace(ctx, serving, scope, documentID, entries)
}

// serving stands for the version that searches use.
const serving = 0

func (x *Index) replace(ctx context.Context, version int64, scope retrieval.Scope, documentID string, entries []retrieval.Entry) error {
	if len(entries) == 0 {
		return x.remove(ctx, version, scope, documentID)
	}
	if entries[0].DocumentID != documentID {
		return fmt.Errorf("passage %d belongs to document %q, not to %q", entries[0].PassageID, entries[0].DocumentID, documentID)
	}
	built, err := segment.Build(entries)
	if err != nil {
		return err
	}
	var id, segments int64
	err = x.write.change(ctx, func() error {
		c, err := x.write.enter(version, scope)
		if err != nil {
			return err
		}
		if err := c.fits(segment.Dimension(entries)); err != nil {
			return err
		}
		if err := c.raise(1); err != nil {
			return err
		}
		if _, err := c.bury(documentID); err != nil {
			return err
		}
		id = c.scope
		segments, err = c.insert(documentID, len(entries), built)
		return err
	})
	if err != nil {
		return err
	}
	x.compactor.wrote(ctx, id, segments)
	return nil
}

// Remove removes the document's passages.
func (x *Index) Remove(ctx context.Context, scope retrieval.Scope, documentID string) error {
	return x.remove(ctx, serving, scope, documentID)
}

func (x *Index) remove(ctx context.Context, version int64, scope retrieval.Scope, documentID string) error {
	var id int64
	err := x.write.change(ctx, func() error {
		c, err := x.write.enter(version, scope)
		if err != nil || c.scope == 0 {
			return err
		}
		found, err := c.bury(documentID)
		if err != nil || !found {
			return err
		}
		id = c.scope
		return c.raise(1)
	})
	if err != nil || id == 0 {
		return err
	}
	x.compactor.wrote(ctx, id, 0)
	return nil
}

// Drop removes everything in the scope. The compactor deletes its rows soon
// after.
func (x *Index) Drop(ctx context.Context, scope retrieval.Scope) error {
	var id int64
	err := x.write.change(ctx, func() error {
		c, err := x.write.enter(serving, scope)
		if err != nil || c.scope == 0 {
			return err
		}
		id = c.scope
		if err := x.write.exec("INSERT INTO dropped (scope) VALUES (?)", id); err != nil {
			return err
		}
		return x.write.exec("DELETE FROM scope WHERE id = ?", id)
	})
	if err != nil || id == 0 {
		return err
	}
	x.states.cache.forget(id)
	x.compactor.dropped()
	return nil
}

// changing is a scope within a change.
type changing struct {
	*writer
	name    retrieval.Scope
	version int64
	// scope is zero if the scope does not exist yet.
	scope, generation int64
	// dimension is the length of the version's vectors, or zero.
	dimension int
}

var errReplaced = errors.New("another rebuild of the index replaced this one: wait for it to end, then try again")

// enter reads the scope's and the version's rows, within a change.
func (w *writer) enter(version int64, scope retrieval.Scope) (*changing, error) {
	c := &changing{writer: w, name: scope, version: version}
	if version == serving {
		if _, err := c.get([]any{&c.version}, "SELECT version FROM serving"); err != nil {
			return nil, err
		}
	}
	found, err := c.get([]any{&c.dimension}, "SELECT dimension FROM version WHERE id = ?", c.version)
	if err != nil {
		return nil, err
	}
	if !found {
		return nil, errReplaced
	}
	_, err = c.get([]any{&c.scope, &c.generation}, "SELECT id, generation FROM scope WHERE version = ? AND workspace = ? AND chatbot = ?",
		c.version, scope.WorkspaceID, scope.ChatbotID)
	return c, err
}

// fits refuses vectors whose dimension is not the version's. The first vectors
// of a version set it.
func (c *changing) fits(dimension int) error {
	if dimension == 0 || dimension == c.dimension {
		return nil
	}
	if c.dimension > 0 {
		return retrieval.OtherDimension(dimension, c.dimension)
	}
	c.dimension = dimension
	return c.exec("UPDATE version SET dimension = ? WHERE id = ?", dimension, c.version)
}

// raise raises the generation, and creates the scope if there is none.
func (c *changing) raise(by int) error {
	c.generation += int64(by)
	if c.scope > 0 {
		return c.exec("UPDATE scope SET generation = ? WHERE id = ?", c.generation, c.scope)
	}
	_, err := c.get([]any{&c.scope}, "INSERT INTO scope (version, workspace, chatbot, generation) VALUES (?, ?, ?, ?) RETURNING id",
		c.version, c.name.WorkspaceID, c.name.ChatbotID, c.generation)
	return err
}

// bury removes the passages of a document, and reports whether it had any.
func (c *changing) bury(documentID string) (bool, error) {
	var sequence, passages int64
	found, err := c.get([]any{&sequence, &passages}, "SELECT sequence, passages FROM document WHERE scope = ? AND id = ?", c.scope, documentID)
	if err != nil || !found {
		return false, err
	}
	if err := c.exec("DELETE FROM document WHERE scope = ? AND id = ?", c.scope, documentID); err != nil {
		return false, err
	}
	alone, err := c.numbers("SELECT id FROM segment WHERE scope = ? AND first = ? AND last = first", c.scope, sequence)
	if err != nil {
		return false, err
	}
	for _, id := range alone {
		if err := c.deleteSegment(id); err != nil {
			return false, err
		}
	}
	shared, err := c.numbers("SELECT id FROM segment WHERE scope = ?1 AND first <= ?2 AND last >= ?2", c.scope, sequence)
	if err != nil {
		return false, err
	}
	for _, id := range shared {
		if err := c.exec("INSERT INTO dead (segment, sequence) VALUES (?, ?)", id, sequence); err != nil {
			return false, err
		}
		if err := c.exec("UPDATE segment SET dead = dead + 1, gone = gone + ? WHERE id = ?", passages, id); err != nil {
			return false, err
		}
	}
	return true, nil
}

const (
	insertDocument = "INSERT INTO document (scope, id, sequence, passages) VALUES (?, ?, ?, ?)"
	countSegments  = "SELECT count(*) FROM segment WHERE scope = ?"
)

// insert adds the segments of a document, and returns how many segments the
// scope has.
func (c *changing) insert(documentID string, passages int, built [][]byte) (segments int64, err error) {
	err = c.exec(insertDocument, c.scope, documentID, c.generation, passages)
	if err != nil {
		return 0, err
	}
	for _, data := range built {
		if _, err := c.insertSegment(c.scope, c.generation, c.generation, passages, data); err != nil {
			return 0, err
		}
	}
	_, err = c.get([]any{&segments}, countSegments, c.scope)
	return segments, err
}

func (w *writer) insertSegment(scope, first, last int64, passages int, data []byte) (id int64, err error) {
	_, err = w.get([]any{&id}, "INSERT INTO segment (scope, first, last, bytes, passages) VALUES (?, ?, ?, ?, ?) RETURNING id",
		scope, first, last, len(data), passages)
	if err != nil {
		return 0, err
	}
	return id, w.exec("INSERT INTO content (segment, data) VALUES (?, ?)", id, data)
}

func (w *writer) deleteSegment(id int64) error {
	for _, statement := range []string{
		"DELETE FROM content WHERE segment = ?", "DELETE FROM dead WHERE segment = ?", "DELETE FROM segment WHERE id = ?",
	} {
		if err := w.exec(statement, id); err != nil {
			return err
		}
	}
	return nil
}

package embedded

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"parley/core/retrieval"
	"parley/index/embedded/segment"
)

// lookupScope is the only query of a search, unless something changed.
const lookupScope = `SELECT id, generation FROM scope
	WHERE version = (SELECT version FROM serving) AND workspace = ? AND chatbot = ?`

// states loads the states of scopes, and keeps the states of the scopes searched last.
type states struct {
	read   *sql.DB
	lookup *sql.Stmt
	cache  *cache
}

func newStates(read *sql.DB, memory int64) (*states, error) {
	lookup, err := read.Prepare(lookupScope)
	if err != nil {
		return nil, err
	}
	return &states{read: read, lookup: lookup, cache: newCache(memory)}, nil
}

func (s *states) close() error { return s.lookup.Close() }

// current returns what all processes have committed to a scope, or nil if the
// scope is empty.
func (s *states) current(ctx context.Context, scope retrieval.Scope) (*state, error) {
	for {
		var id, generation int64
		// A context that can end would cost more than the query.
		err := s.lookup.QueryRowContext(background, scope.WorkspaceID, scope.ChatbotID).Scan(&id, &generation)
		if errors.Is(err, sql.ErrNoRows) {
			return nil, nil
		}
		if err != nil {
			return nil, err
		}
		found, err := s.load(ctx, id, generation)
		if err != nil || found != nil {
			return found, err
		}
		// The scope was dropped, or another version serves by now.
	}
}

// load returns the scope's state at a generation or a later one, from memory
// if the cache has it. It returns nil if the scope is gone.
func (s *states) load(ctx context.Context, scope, generation int64) (*state, error) {
	kept := s.cache.entry(scope)
	if loaded := kept.state.Load(); loaded != nil && loaded.generation >= generation {
		return loaded, nil
	}
	kept.loading.Lock()
	defer kept.loading.Unlock()
	if loaded := kept.state.Load(); loaded != nil && loaded.generation >= generation {
		return loaded, nil
	}
	return s.refresh(ctx, kept)
}

// refresh reads the changes of a scope, except for the known pieces. The caller
// holds kept.loading.
func (s *states) refresh(ctx context.Context, kept *entry, known ...piece) (*state, error) {
	if before := kept.state.Load(); before != nil {
		known = append(known, before.pieces...)
	}
	loaded, err := s.readScope(ctx, kept.scope, known)
	if err != nil {
		return nil, err
	}
	if loaded == nil {
		s.cache.forget(kept.scope)
		return nil, nil
	}
	kept.state.Store(loaded)
	s.cache.resize(kept, loaded.size())
	return loaded, nil
}

// readScope reads a scope in one read transaction, except for the known pieces.
func (s *states) readScope(ctx context.Context, scope int64, known []piece) (*state, error) {
	tx, err := s.read.BeginTx(ctx, nil)
	if err != nil {
		return nil, err
	}
	defer func() { _ = tx.Rollback() }()
	loaded := &state{}
	err = tx.QueryRowContext(ctx, "SELECT generation FROM scope WHERE id = ?", scope).Scan(&loaded.generation)
	if errors.Is(err, sql.ErrNoRows) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	if loaded.pieces, err = rowsOf(ctx, tx, scope); err != nil {
		return nil, err
	}
	for i := range loaded.pieces {
		if err := complete(ctx, tx, &loaded.pieces[i], known); err != nil {
			return nil, err
		}
		loaded.views = append(loaded.views, loaded.pieces[i].view)
	}
	return loaded, nil
}

// querier is a transaction or a pool.
type querier interface {
	QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error)
}

// rowsOf reads the rows of a scope's segments, in the order of their sequences.
func rowsOf(ctx context.Context, from querier, scope int64) ([]piece, error) {
	rows, err := from.QueryContext(ctx, "SELECT id, first, last, bytes, passages, dead, gone FROM segment WHERE scope = ? ORDER BY first, id", scope)
	if err != nil {
		return nil, err
	}
	defer func() { _ = rows.Close() }()
	var pieces []piece
	for rows.Next() {
		var p piece
		if err := rows.Scan(&p.id, &p.first, &p.last, &p.bytes, &p.passages, &p.dead, &p.gone); err != nil {
			return nil, err
		}
		pieces = append(pieces, p)
	}
	return pieces, rows.Err()
}

// complete gives a piece its view. It uses known pieces and reads the rest.
func complete(ctx context.Context, tx *sql.Tx, p *piece, known []piece) error {
	var before int64
	for _, k := range known {
		if k.id == p.id {
			p.view, before = k.view, k.dead
		}
	}
	if p.view.Segment == nil {
		decoded, err := readContent(ctx, tx, p.id)
		if err != nil {
			return err
		}
		p.view.Segment = decoded
	}
	// Dead documents stay dead: an equal number means the same documents.
	if p.dead == before {
		return nil
	}
	sequences, err := column[int64](tx.QueryContext(ctx, "SELECT sequence FROM dead WHERE segment = ?", p.id))
	if err != nil {
		return err
	}
	p.view.Dead = p.view.Bury(p.view.Dead, relative(sequences, p.first))
	return nil
}

// relative converts sequences to a segment's own count.
func relative(sequences []int64, first int64) []uint64 {
	list := make([]uint64, len(sequences))
	for i, sequence := range sequences {
		list[i] = uint64(sequence - first)
	}
	return list
}

func readContent(ctx context.Context, tx querier, id int64) (*segment.Segment, error) {
	rows, err := tx.QueryContext(ctx, "SELECT data FROM content WHERE segment = ?", id)
	if err != nil {
		return nil, err
	}
	defer func() { _ = rows.Close() }()
	// The driver copies each row, and leaves the copy to us: scanning into a
	// []byte would copy it once more. TestContentIsOurs checks that.
	var data sql.RawBytes
	if rows.Next() {
		if err := rows.Scan(&data); err != nil {
			return nil, err
		}
	}
	if err := rows.Err(); err != nil {
		return nil, err
	}
	decoded, err := segment.Decode(data)
	if err != nil {
		return nil, fmt.Errorf("segment %d: %w: run `parley reindex`", id, err)
	}
	return decoded, nil
}

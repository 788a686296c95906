package embedded

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"parley/index/embedded/segment"
)

// state is a scope as it was at a generation. It is never changed.
type state struct {
	generation int64
	pieces     []piece
	// views are those of the pieces.
	views []segment.View
}

// piece is a segment with its row.
type piece struct {
	id, first, last, bytes, passages, dead, gone int64
	view                                         segment.View
}

// stateSize is about what a state needs beside its segments, in bytes.
const stateSize = 2 << 10

// size is the memory that the state holds, in bytes.
func (s *state) size() int64 {
	total := int64(stateSize)
	for _, v := range s.views {
		total += v.Size() + v.Dead.Size()
	}
	return total
}

// load returns the scope's state at a generation or a later one, from memory
// if it is there, and nil if the scope is gone.
func (x *Index) load(ctx context.Context, scope, generation int64) (*state, error) {
	kept := x.cache.entry(scope)
	if s := kept.state.Load(); s != nil && s.generation >= generation {
		return s, nil
	}
	kept.loading.Lock()
	defer kept.loading.Unlock()
	if s := kept.state.Load(); s != nil && s.generation >= generation {
		return s, nil
	}
	return x.refresh(ctx, kept)
}

// refresh reads what changed of a scope, other than what is known of it. The
// caller holds kept.loading.
func (x *Index) refresh(ctx context.Context, kept *entry, known ...piece) (*state, error) {
	if before := kept.state.Load(); before != nil {
		known = append(known, before.pieces...)
	}
	loaded, err := x.readScope(ctx, kept.scope, known)
	if err != nil {
		return nil, err
	}
	if loaded == nil {
		x.cache.forget(kept.scope)
		return nil, nil
	}
	kept.state.Store(loaded)
	x.cache.resize(kept, loaded.size())
	return loaded, nil
}

// readScope reads a scope in one read transaction. What is known is not read again.
func (x *Index) readScope(ctx context.Context, scope int64, known []piece) (*state, error) {
	tx, err := x.read.BeginTx(ctx, nil)
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

// complete gives a piece its view: what is known of it, and what is missing
// from that.
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
	// What is dead stays dead, so as many are the same.
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

// relative returns sequences as a segment counts them.
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
	// The driver makes a copy for each row, which is ours: scanning into a
	// []byte would copy it once more. TestContentIsOurs watches over that.
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

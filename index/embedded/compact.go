package embedded

import (
	"context"
	"errors"
	"sync"

	"parley/index/embedded/segment"
)

// merger merges segments of a scope.
type merger struct {
	write  *writer
	states *states
	// lock admits one merge at a time.
	lock sync.Mutex
}

// compact merges segments of a scope until the plan has no more.
func (m *merger) compact(ctx context.Context, scope int64, run int) error {
	m.lock.Lock()
	defer m.lock.Unlock()
	for {
		pieces, err := rowsOf(ctx, m.states.read, scope)
		if err != nil {
			return err
		}
		group := plan(pieces, run)
		if len(group) == 0 {
			return nil
		}
		next, err := m.prepare(ctx, scope, group)
		if err != nil {
			return err
		}
		if err := m.finish(ctx, next); err != nil {
			return err
		}
	}
}

var errChanged = errors.New("the segments to be merged are no longer there")

// merge is the replacement of a group of neighbors by one segment.
type merge struct {
	scope  int64
	group  []piece
	merged piece
	// data is the merged segment. It is empty if all documents are dead.
	data []byte
}

// prepare reads and merges a group. Writers go on meanwhile.
func (m *merger) prepare(ctx context.Context, scope int64, group []piece) (*merge, error) {
	if err := m.view(ctx, scope, group); err != nil {
		return nil, err
	}
	parts, passages := make([]segment.Part, len(group)), 0
	for i, p := range group {
		parts[i] = segment.Part{View: p.view, First: uint64(p.first)}
		passages += p.view.Live()
	}
	data := segment.Merge(parts)
	return &merge{scope: scope, group: group, data: data, merged: piece{
		first: group[0].first, last: group[len(group)-1].last, bytes: int64(len(data)), passages: int64(passages),
	}}, nil
}

// finish puts the merged segment in the place of the group, in the file and in
// memory.
func (m *merger) finish(ctx context.Context, made *merge) error {
	err := m.write.change(ctx, func() error { return m.write.swap(made.scope, made.group, &made.merged, made.data) })
	if err != nil {
		return err
	}
	return m.states.warm(ctx, made)
}

// view reads the contents and the dead documents of the group's segments.
func (m *merger) view(ctx context.Context, scope int64, group []piece) error {
	var known []piece
	if kept := m.states.cache.peek(scope); kept != nil {
		if s := kept.state.Load(); s != nil {
			known = s.pieces
		}
	}
	tx, err := m.states.read.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer func() { _ = tx.Rollback() }()
	rows, err := rowsOf(ctx, tx, scope)
	if err != nil {
		return err
	}
	for i := range group {
		at := find(rows, group[i].id)
		if at < 0 {
			return errChanged
		}
		group[i] = rows[at]
		if err := complete(ctx, tx, &group[i], known); err != nil {
			return err
		}
	}
	return nil
}

func find(pieces []piece, id int64) int {
	for i, p := range pieces {
		if p.id == id {
			return i
		}
	}
	return -1
}

// swap puts merged in the place of the group. Documents of the group that died
// since the merger read it are dead in merged.
func (w *writer) swap(scope int64, group []piece, merged *piece, data []byte) error {
	found, err := w.get([]any{new(int64)}, "SELECT generation FROM scope WHERE id = ?", scope)
	if err != nil {
		return err
	}
	if !found {
		return errChanged
	}
	var late []int64
	for _, p := range group {
		died, err := w.diedSince(scope, p, merged)
		if err != nil {
			return err
		}
		late = append(late, died...)
		if err := w.deleteSegment(p.id); err != nil {
			return err
		}
	}
	if len(data) > 0 {
		if err := w.insertMerged(scope, merged, data, late); err != nil {
			return err
		}
	}
	return w.exec("UPDATE scope SET generation = generation + 1 WHERE id = ?", scope)
}

// diedSince returns the documents of a piece that died since the merger read
// it, and counts them in merged.
func (w *writer) diedSince(scope int64, p piece, merged *piece) ([]int64, error) {
	var dead, gone int64
	found, err := w.get([]any{&dead, &gone}, "SELECT dead, gone FROM segment WHERE id = ?", p.id)
	if err != nil {
		return nil, err
	}
	if !found {
		// Its only document died, or another process has merged it.
		others, err := w.numbers("SELECT id FROM segment WHERE scope = ?1 AND first <= ?2 AND last >= ?2", scope, p.first)
		if err != nil {
			return nil, err
		}
		if p.first != p.last || len(others) > 0 {
			return nil, errChanged
		}
		merged.dead++
		merged.gone += p.passages
		return p.late([]int64{p.first}), nil
	}
	if dead == p.dead {
		return nil, nil
	}
	sequences, err := w.numbers("SELECT sequence FROM dead WHERE segment = ?", p.id)
	if err != nil {
		return nil, err
	}
	merged.dead += dead - p.dead
	merged.gone += gone - p.gone
	return p.late(sequences), nil
}

func (w *writer) insertMerged(scope int64, merged *piece, data []byte, late []int64) (err error) {
	if merged.id, err = w.insertSegment(scope, merged.first, merged.last, int(merged.passages), data); err != nil {
		return err
	}
	for _, sequence := range late {
		if err := w.exec("INSERT OR IGNORE INTO dead (segment, sequence) VALUES (?, ?)", merged.id, sequence); err != nil {
			return err
		}
	}
	return w.exec("UPDATE segment SET dead = ?, gone = ? WHERE id = ?", merged.dead, merged.gone, merged.id)
}

// late returns the sequences of the dead documents that were still alive when the merger
// read the piece.
func (p piece) late(sequences []int64) []int64 {
	var late []int64
	for i, sequence := range relative(sequences, p.first) {
		if p.view.Lives(sequence) {
			late = append(late, sequences[i])
		}
	}
	return late
}

// warm adds a merged segment to a scope in the cache, so that no search has to
// read it from the file.
func (s *states) warm(ctx context.Context, m *merge) error {
	kept := s.cache.peek(m.scope)
	if kept == nil || len(m.data) == 0 {
		return nil
	}
	decoded, err := segment.Decode(m.data)
	if err != nil {
		return err
	}
	merged := m.merged
	merged.view.Segment, merged.dead = decoded, 0
	kept.loading.Lock()
	defer kept.loading.Unlock()
	_, err = s.refresh(ctx, kept, merged)
	return err
}

package embedded

import (
	"context"
	"time"
)

// The limits of one step of a sweep, so that writers can run between two steps.
const (
	sweepSegments  = 100
	sweepBytes     = 16 << 20
	sweepDocuments = 2000
	sweepPause     = time.Millisecond
)

// deleteDropped deletes the rows of dropped scopes.
func (w *writer) deleteDropped(ctx context.Context) error {
	for {
		more := false
		err := w.change(ctx, func() (err error) {
			more, err = w.sweepStep()
			return err
		})
		if err != nil || !more {
			return err
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(sweepPause):
		}
	}
}

// sweepStep deletes some rows, and reports whether there may be more.
func (w *writer) sweepStep() (more bool, err error) {
	var scope int64
	found, err := w.get([]any{&scope}, "SELECT scope FROM dropped LIMIT 1")
	if err != nil || !found {
		return false, err
	}
	segments, err := w.numbers(`SELECT id FROM (SELECT id, sum(bytes) OVER (ORDER BY id) - bytes AS before FROM segment WHERE scope = ?)
		WHERE before < ? LIMIT ?`, scope, sweepBytes, sweepSegments)
	if err != nil {
		return false, err
	}
	for _, id := range segments {
		if err := w.deleteSegment(id); err != nil {
			return false, err
		}
	}
	err = w.exec(`DELETE FROM document WHERE scope = ?1 AND id IN
		(SELECT id FROM document WHERE scope = ?1 LIMIT ?2)`, scope, sweepDocuments)
	if err != nil {
		return false, err
	}
	return true, w.exec(`DELETE FROM dropped WHERE scope = ?1
		AND NOT EXISTS (SELECT 1 FROM segment WHERE scope = ?1) AND NOT EXISTS (SELECT 1 FROM document WHERE scope = ?1)`, scope)
}

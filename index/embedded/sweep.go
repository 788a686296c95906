package embedded

import (
	"context"
	"time"
)

// What one step of a sweep deletes, so that writers can come between.
const (
	sweepSegments  = 100
	sweepBytes     = 16 << 20
	sweepDocuments = 2000
	sweepPause     = time.Millisecond
)

// sweep deletes the rows of scopes that were dropped.
func (x *Index) sweep(ctx context.Context) error {
	for {
		more := false
		err := x.write.change(ctx, func() (err error) {
			more, err = x.sweepStep()
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

// sweepStep reports whether there may be more to delete.
func (x *Index) sweepStep() (more bool, err error) {
	var scope int64
	found, err := x.write.get([]any{&scope}, "SELECT scope FROM dropped LIMIT 1")
	if err != nil || !found {
		return false, err
	}
	segments, err := x.write.numbers(`SELECT id FROM (SELECT id, sum(bytes) OVER (ORDER BY id) - bytes AS before FROM segment WHERE scope = ?)
		WHERE before < ? LIMIT ?`, scope, sweepBytes, sweepSegments)
	if err != nil {
		return false, err
	}
	for _, id := range segments {
		if err := x.write.deleteSegment(id); err != nil {
			return false, err
		}
	}
	err = x.write.exec(`DELETE FROM document WHERE scope = ?1 AND id IN
		(SELECT id FROM document WHERE scope = ?1 LIMIT ?2)`, scope, sweepDocuments)
	if err != nil {
		return false, err
	}
	return true, x.write.exec(`DELETE FROM dropped WHERE scope = ?1
		AND NOT EXISTS (SELECT 1 FROM segment WHERE scope = ?1) AND NOT EXISTS (SELECT 1 FROM document WHERE scope = ?1)`, scope)
}

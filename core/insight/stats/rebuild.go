package stats

import (
	"context"
	"errors"
	"time"

	"parley/core/system"
)

// RebuildStore is the port to what [Rebuilder] takes back.
type RebuildStore interface {
	RollStore
	// RecordedMonths returns the months, such as 2026-11, in which any chatbot of
	// any workspace has usage records, sums or feedback since a day, in order.
	RecordedMonths(ctx context.Context, access system.Access, since time.Time) ([]ChatbotMonth, error)
	// ForgetMonth deletes the sums of a chatbot's month, and makes its records and
	// its feedback such as are not counted.
	ForgetMonth(ctx context.Context, workspaceID, chatbotID string, from, to time.Time) error
}

// ChatbotMonth is a month of a chatbot.
type ChatbotMonth struct {
	WorkspaceID, ChatbotID string
	// From is its first day.
	From time.Time
}

// Rebuild makes the sums again from the rows, month by month, from the month of a
// day on. A month is taken back in one transaction and counted in others: whatever
// dies, the roller goes on where it was. What retention has deleted since is not
// in the new sums: users, topics and documents of conversations that are gone.
func (r *Roller) Rebuild(ctx context.Context, store RebuildStore, since time.Time) (months int, err error) {
	found, err := store.RecordedMonths(ctx, r.system, since)
	if err != nil {
		return 0, err
	}
	for _, m := range found {
		err := r.waitForLock(ctx, func(ctx context.Context) error {
			return store.ForgetMonth(ctx, m.WorkspaceID, m.ChatbotID, m.From, m.From.AddDate(0, 1, 0))
		})
		if err != nil {
			return months, err
		}
		months++
	}
	return months, r.drain(ctx)
}

// retryAfter is the pause after another process was found rolling.
const retryAfter = 50 * time.Millisecond

// waitForLock does what locked does, and waits for the lock.
func (r *Roller) waitForLock(ctx context.Context, fn func(context.Context) error) error {
	for {
		err := r.locked(ctx, nil, fn)
		if !errors.Is(err, errOthers) {
			return err
		}
		if err := pause(ctx); err != nil {
			return err
		}
	}
}

// drain rolls until nothing is left, whoever rolls too.
func (r *Roller) drain(ctx context.Context) error {
	for {
		if err := r.Roll(ctx); err != nil {
			return err
		}
		left, err := r.uncounted(ctx, 1)
		if err != nil || len(left) == 0 {
			return err
		}
		if err := pause(ctx); err != nil {
			return err
		}
	}
}

func pause(ctx context.Context) error {
	select {
	case <-time.After(retryAfter):
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

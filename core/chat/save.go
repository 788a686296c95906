package chat

import (
	"context"
	"time"

	"parley/core/fault"
)

// saveEvery is how often an answer that lasts is stored while it grows.
const saveEvery = 50 * time.Millisecond

var errTakenOver = fault.New(fault.Conflict, "Another server has taken the answer over. Read it from its beginning.")

// save stores an answer as it grows, and lets what is stored be read, until
// unsaved is closed.
func (r *run) save(ctx context.Context) {
	for range r.unsaved {
		text := r.soFar()
		if err := r.saveText(ctx, text); err != nil {
			if fault.Is(err, fault.NotFound) {
				err = errTakenOver
			}
			r.end(err)
			return
		}
		r.show(len(text))
		sleep(ctx, saveEvery)
	}
}

// saveText tries for a while where the database is away.
func (r *run) saveText(ctx context.Context, text string) error {
	ctx, cancel := storing(ctx)
	defer cancel()
	for {
		err := r.service.store.SaveProgress(ctx, r.bot.WorkspaceID, r.answerID, r.attempt, text)
		if !fault.Is(err, fault.Unavailable) || !sleep(ctx, storeAgain) {
			return inTime(err)
		}
	}
}

package turn

import (
	"context"
	"time"

	"parley/core/chat"
	"parley/core/fault"
)

// saveEvery is how often a durable answer is stored while it grows.
const saveEvery = 50 * time.Millisecond

var errTakenOver = fault.New(fault.Conflict, "Another server has taken the answer over. Read it from its beginning.").Named(fault.AnswerRestarted)

// save stores an answer as it grows, and then shows it to subscribers, until
// unsaved is closed.
func (a *attempt) save(ctx context.Context) {
	for range a.unsaved {
		text := a.published.all()
		if a.discards { // subscribers of this process read it all the same
			a.published.show(len(text))
			continue
		}
		if err := a.saveText(ctx, text); err != nil {
			if fault.Is(err, fault.NotFound) {
				err = errTakenOver
			}
			a.end(err)
			return
		}
		a.published.show(len(text))
		sleep(ctx, saveEvery)
	}
}

// saveText retries for a while when the database is away.
func (a *attempt) saveText(ctx context.Context, text string) error {
	ctx, cancel := chat.Storing(ctx)
	defer cancel()
	for {
		err := a.service.Turns.SaveProgress(ctx, a.workspaceID, a.answerID, a.number, text)
		if !fault.Is(err, fault.Unavailable) || !sleep(ctx, storeAgain) {
			return chat.TimedOut(err)
		}
	}
}

package store_test

import (
	"errors"
	"fmt"
	"sync"
	"testing"

	"parley/core/chat"
	"parley/store"
)

// TestThousandsOfAnswersThatEndAtOnce ends more answers at the same moment than may wait
// for a statement elsewhere: the answers are there, so none is refused.
func TestThousandsOfAnswersThatEndAtOnce(t *testing.T) {
	onBothDatabases(t, func(b *bundle) {
		const ends = store.MaxWaiting + 1000
		a := b.fill("a")
		ids := make([]int64, ends)
		errs := make([]error, ends)
		places := make(chan int, ends)
		for i := range ends {
			places <- i
		}
		close(places)
		var askers sync.WaitGroup
		for range 200 {
			askers.Go(func() {
				for i := range places {
					_, ids[i], errs[i] = b.BeginConversation(b.Context(), a.id, chat.Conversation{ChatbotID: a.chatbot, Status: chat.Active, Origin: chat.API, CreatedAt: epoch}, a.newTurn())
				}
			})
		}
		askers.Wait()
		b.must(errors.Join(errs...))
		before := b.count("SELECT count(*) FROM usage_records")

		var all sync.WaitGroup
		for i := range ends {
			all.Go(func() { errs[i] = b.FinishTurn(b.Context(), a.id, a.newAnswer(ids[i])) })
		}
		all.Wait()
		b.Run(fmt.Sprintf("each of %d is stored, with its usage record", ends), func(t *testing.T) {
			b.must(errors.Join(errs...))
			if n := b.count("SELECT count(*) FROM usage_records") - before; n != ends {
				t.Errorf("%d have one", n)
			}
			if n := b.count("SELECT count(*) FROM messages WHERE status = 'generating'"); n != 1 { // of the fixture
				t.Errorf("%d are being generated", n)
			}
		})
	})
}

package store_test

import (
	"context"
	"sync"
	"testing"
	"time"

	"parley/core/chat"
	"parley/core/chat/turn"
	"parley/core/fault"
)

// wantMessages checks how many questions of a workspace count in a month.
func (b *bundle) wantMessages(workspaceID, month string, want int) {
	b.Helper()
	if got, err := b.MessagesOf(b.Context(), workspaceID, month); err != nil || got != want {
		b.Errorf("in %s %d questions of %s count, want %d: %v", month, got, workspaceID, want, err)
	}
}

func TestMessagesOf(t *testing.T) {
	onBothDatabases(t, func(b *bundle) {
		a, other := b.fill("a"), b.fill("b") // with two questions each
		ctx := b.Context()
		april := a.newTurn()
		april.At, april.Month = time.Date(2026, 4, 1, 1, 0, 0, 0, time.FixedZone("east", -3600)), "2026-04"
		conversation := chat.Conversation{ChatbotID: a.chatbot, Status: chat.Active, Origin: chat.API, CreatedAt: epoch}
		begin := func(opening turn.Opening) int64 {
			_, answer, err := b.BeginConversation(ctx, a.id, conversation, opening)
			b.must(err)
			return answer
		}
		finish := func(answer int64, status chat.Status) error {
			return b.FinishTurn(ctx, a.id, turn.Answer{MessageID: answer, Attempt: 1, Status: status})
		}

		b.Run("questions count for their workspace, in their month", func(t *testing.T) {
			begin(april)
			b.wantMessages(a.id, thisMonth, 2)
			b.wantMessages(a.id, "2026-04", 1)
			b.wantMessages(other.id, "2026-04", 0)
			b.wantMessages("ws_nobody", thisMonth, 0)
		})
		b.Run("one that is refused does not", func(t *testing.T) {
			_, _, err := b.BeginTurn(ctx, a.id, a.newTurn()) // another is generated
			b.wantKind(err, fault.Conflict)
			nowhere := a.newTurn()
			nowhere.ConversationID = -1
			_, _, err = b.BeginTurn(ctx, a.id, nowhere)
			b.wantKind(err, fault.NotFound)
			_, _, err = b.BeginTurn(ctx, other.id, a.newTurn())
			b.wantKind(err, fault.NotFound)
			lost := conversation
			lost.ChatbotID = "cb_nobody"
			_, _, err = b.BeginConversation(ctx, a.id, lost, a.newTurn())
			b.wantKind(err, fault.Conflict)
			b.wantMessages(a.id, thisMonth, 2)
			b.wantMessages(other.id, thisMonth, 2)
		})
		b.Run("an answer that failed gives its question back, once, in the month of the question", func(t *testing.T) {
			answer := begin(april)
			b.wantMessages(a.id, "2026-04", 2)
			b.must(finish(answer, chat.Failed))
			b.wantKind(finish(answer, chat.Failed), fault.NotFound)
			b.wantMessages(a.id, "2026-04", 1)
			b.wantMessages(a.id, thisMonth, 2)
		})
		b.Run("one that is complete or was broken off does not", func(t *testing.T) {
			for _, status := range []chat.Status{chat.Complete, chat.Interrupted} {
				answer := begin(april)
				b.must(finish(answer, status))
			}
			b.wantMessages(a.id, "2026-04", 3)
		})
		b.Run("one that failed after its lease lapsed does", func(t *testing.T) {
			answer := begin(april)
			_, err := b.InterruptLapsed(ctx, everywhere, epoch.Add(time.Second), epoch, runes)
			b.must(err)
			b.must(finish(answer, chat.Failed))
			b.wantMessages(a.id, "2026-04", 3)
		})
		b.Run("giving back what was never counted does not go below zero", func(t *testing.T) {
			may := april
			may.At = may.At.AddDate(0, 1, 0)
			b.must(finish(begin(may), chat.Failed)) // counted in April
			b.wantMessages(a.id, "2026-05", 0)
		})
	})
}

func TestManyQuestionsAtOnceAllCount(t *testing.T) {
	onBothDatabases(t, func(b *bundle) {
		a := b.fill("a") // with two
		conversation := chat.Conversation{ChatbotID: a.chatbot, Status: chat.Active, Origin: chat.API, CreatedAt: epoch}
		var all sync.WaitGroup
		for i := range 20 {
			all.Go(func() {
				for range 10 {
					_, answer, err := b.BeginConversation(b.Context(), a.id, conversation, a.newTurn())
					if err != nil {
						b.Error(err)
						return
					}
					status := chat.Complete
					if i%2 == 0 {
						status = chat.Failed
					}
					if err := b.FinishTurn(b.Context(), a.id, turn.Answer{MessageID: answer, Attempt: 1, Status: status}); err != nil {
						b.Error(err)
					}
				}
			})
		}
		all.Wait()
		b.wantMessages(a.id, thisMonth, 2+100)
	})
}

func TestATurnDoesNotWaitForALockedWorkspace(t *testing.T) {
	b := openBundle(t, migratedPostgres.New(t))
	a := b.fill("a")
	opening := a.newTurn()
	opening.Month = "2026-04" // of which there is no row yet
	b.must(b.InTx(t.Context(), func(ctx context.Context) error {
		if _, err := b.LockWorkspace(ctx, a.id); err != nil {
			return err
		}
		beside, cancel := context.WithTimeout(t.Context(), patience)
		defer cancel()
		_, answer, err := b.BeginConversation(beside, a.id, chat.Conversation{ChatbotID: a.chatbot, Status: chat.Active, Origin: chat.API, CreatedAt: epoch}, opening)
		if err != nil {
			return err
		}
		return b.FinishTurn(beside, a.id, turn.Answer{MessageID: answer, Attempt: 1, Status: chat.Complete})
	}))
	b.wantMessages(a.id, opening.Month, 1)
}

package store_test

import (
	"fmt"
	"testing"
	"time"

	"parley/core/chat"
	"parley/core/chat/turn"
)

// TestWhereAnAnswerWasAsked is about the columns by which answers are analyzed.
func TestWhereAnAnswerWasAsked(t *testing.T) {
	onBothDatabases(t, func(b *bundle) {
		a := b.fill("a")
		ctx := b.Context()
		tried := chat.Conversation{ChatbotID: a.chatbot, Status: chat.Active, Origin: chat.Playground, BegunBy: a.user, Title: "Why?", CreatedAt: epoch}
		opening := a.newTurn()
		opening.Month = "2026-03-playground"
		begin := func() (chat.Conversation, int64) {
			made, answered, err := b.BeginConversation(ctx, a.id, tried, opening)
			b.must(err)
			return made, answered
		}
		ended := func(c chat.Conversation, answered int64, status chat.Status, outcome chat.Outcome) turn.Answer {
			whole := a.wholeAnswer(answered, 1)
			whole.Status, whole.Outcome, whole.ConversationID, whole.Opens, whole.Origin = status, outcome, c.ID, true, chat.Playground
			return whole
		}
		wantUsageRecord := func(t *testing.T, answered int64, want string) {
			t.Helper()
			n := b.count(fmt.Sprintf(`SELECT COUNT(*) FROM usage_records r JOIN messages m ON m.id = r.message_id AND m.outcome = r.outcome
				WHERE r.message_id = %d AND r.conversation_id = m.conversation_id AND r.origin = 'playground' AND r.opens AND r.outcome = '%s'`, answered, want))
			if n != 1 {
				t.Errorf("%d usage records of the answer %d are %s", n, answered, want)
			}
		}

		b.Run("a conversation keeps its origin, who began it and its title", func(t *testing.T) {
			made, _ := begin()
			if got, err := b.Conversation(ctx, a.id, a.chatbot, made.ID); err != nil || got.Origin != chat.Playground || got.BegunBy != a.user || got.Title != "Why?" {
				t.Errorf("it is %+v: %v", got, err)
			}
		})
		b.Run("an answer and its usage record say what became of it", func(t *testing.T) {
			made, answered := begin()
			b.must(b.FinishTurn(ctx, a.id, ended(made, answered, chat.Complete, chat.NoAnswer)))
			wantUsageRecord(t, answered, "no_answer")
			if got, err := b.Turn(ctx, a.id, made.ID, answered); err != nil || got.Answer.Outcome != chat.NoAnswer {
				t.Errorf("it is %+v: %v", got, err)
			}
		})
		b.Run("so does one whose process has died, until it ends after all", func(t *testing.T) {
			made, answered := begin()
			_, err := b.InterruptLapsed(ctx, everywhere, epoch.Add(time.Second), epoch, runes)
			b.must(err)
			wantUsageRecord(t, answered, "interrupted")
			b.must(b.FinishTurn(ctx, a.id, ended(made, answered, chat.Complete, chat.Answered)))
			wantUsageRecord(t, answered, "answered")
		})
		b.Run("one that is begun again has none", func(t *testing.T) {
			made, answered := begin()
			b.must(b.FinishTurn(ctx, a.id, ended(made, answered, chat.Interrupted, chat.OutcomeInterrupted)))
			_, err := b.BeginAgain(ctx, a.id, turn.Retry{ConversationID: made.ID, AnswerID: answered, LeaseUntil: epoch, Month: opening.Month})
			b.must(err)
			if got, err := b.Turn(ctx, a.id, made.ID, answered); err != nil || got.Answer.Outcome != "" {
				t.Errorf("it is %+v: %v", got, err)
			}
		})
		b.Run("one that fails gives its question back to the month of the playground", func(t *testing.T) {
			before, err := b.MessagesOf(ctx, a.id, opening.Month)
			b.must(err)
			made, answered := begin()
			b.must(b.FinishTurn(ctx, a.id, ended(made, answered, chat.Failed, chat.OutcomeFailed)))
			wantUsageRecord(t, answered, "failed")
			b.wantMessages(a.id, opening.Month, before)
		})
		b.Run("the first question of a conversation without a title gives it one", func(t *testing.T) {
			empty, err := b.CreateConversation(ctx, a.id, chat.Conversation{ChatbotID: a.chatbot, Status: chat.Active, Origin: chat.API, BegunBy: a.token, CreatedAt: epoch})
			b.must(err)
			for _, title := range []string{"One?", "Two?"} {
				next := a.newTurn()
				next.ConversationID, next.Title = empty.ID, title
				answered, _, err := b.BeginTurn(ctx, a.id, next)
				b.must(err)
				b.must(b.FinishTurn(ctx, a.id, turn.Answer{MessageID: answered, Attempt: 1, Status: chat.Complete}))
			}
			if got, err := b.Conversation(ctx, a.id, a.chatbot, empty.ID); err != nil || got.Title != "One?" || got.BegunBy != a.token {
				t.Errorf("it is %+v: %v", got, err)
			}
		})
	})
}

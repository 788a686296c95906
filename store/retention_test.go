package store_test

import (
	"context"
	"fmt"
	"maps"
	"testing"
	"time"

	"parley/core/chat"
	"parley/core/chat/turn"
	"parley/core/plan"
	"parley/core/tenant"
)

func TestRetentions(t *testing.T) {
	onBothDatabases(t, func(b *bundle) {
		ctx := b.Context()
		for id, name := range map[string]plan.Name{"ws_a": plan.Starter, "ws_b": plan.Premium, "ws_c": plan.Enterprise} {
			b.must(b.CreateWorkspace(ctx, tenant.Workspace{ID: id, Plan: name, Granted: plan.Starter, CreatedAt: epoch}))
		}
		retentions := func() (map[string]chat.Retention, error) {
			all, err := collected(b.Retentions(ctx, everywhere))
			kept := map[string]chat.Retention{}
			for _, w := range all {
				kept[w.WorkspaceID] = w.Retention
			}
			return kept, err
		}
		got, err := retentions()
		want := map[string]chat.Retention{"ws_a": {Days: 30}, "ws_b": {Days: 730}}
		if err != nil || !maps.Equal(got, want) {
			b.Errorf("got %v, %v", got, err)
		}

		b.must(b.KeepConversations(ctx, "ws_a", epoch, 365))
		b.must(b.KeepConversations(ctx, "ws_a", epoch.AddDate(0, 0, 1), 90)) // not less than before
		b.must(b.KeepConversations(ctx, "ws_b", epoch, plan.Unlimited))
		b.must(b.KeepConversations(ctx, "ws_b", epoch, 90))
		got, err = retentions()
		a, z := got["ws_a"], got["ws_b"]
		if err != nil || a.KeptDays != 365 || !a.KeptBefore.Equal(epoch.AddDate(0, 0, 1)) || z.KeptDays != plan.Unlimited {
			b.Errorf("then got %v, %v", got, err)
		}
	})
}

func TestDeleteOldConversations(t *testing.T) {
	onBothDatabases(t, func(b *bundle) {
		a, other := b.fill("a"), b.fill("b")
		ctx := b.Context()
		b.must(b.FinishTurn(ctx, a.id, turn.Answer{MessageID: a.answer, Attempt: 1, Status: chat.Complete}))
		day := func(n int) time.Time { return epoch.AddDate(0, 0, n) }
		turn := func(id int64, at time.Time, status chat.Status) {
			next := a.newTurn()
			next.ConversationID, next.At, next.LeaseUntil = id, at, day(1000)
			answer, _, err := b.BeginTurn(ctx, a.id, next)
			b.must(err)
			if status != chat.Generating {
				b.must(b.FinishTurn(ctx, a.id, turn.Answer{MessageID: answer, Attempt: 1, Status: status}))
			}
		}
		begin := func(began time.Time) int64 {
			made, err := b.CreateConversation(ctx, a.id, chat.Conversation{ChatbotID: a.chatbot, Status: chat.Active, Origin: chat.API, CreatedAt: began})
			b.must(err)
			return made.ID
		}
		remove := func(before time.Time, limit, want int) {
			b.Helper()
			if n, err := b.DeleteOldConversations(ctx, a.id, time.Time{}, before, limit); err != nil || n != want {
				b.Errorf("%d were deleted, want %d: %v", n, want, err)
			}
		}
		left := func(id int64) bool {
			n := b.count(fmt.Sprint("SELECT count(*) FROM conversations WHERE id = ", id))
			if n == 0 && b.count(fmt.Sprint("SELECT count(*) FROM messages WHERE conversation_id = ", id)) != 0 {
				b.Errorf("messages of %d are left", id)
			}
			return n == 1
		}
		remove(day(1), 10, 2) // those of fill

		b.Run("the last message decides", func(t *testing.T) {
			old, alive, empty := begin(day(0)), begin(day(0)), begin(day(0))
			turn(old, day(1), chat.Complete)
			turn(old, day(2), chat.Failed)
			turn(alive, day(1), chat.Complete)
			turn(alive, day(10), chat.Complete)
			remove(day(2), 10, 1)
			if !left(old) || !left(alive) || left(empty) {
				t.Error("another than the one without a message went")
			}
			remove(day(10), 10, 1)
			if left(old) || !left(alive) {
				t.Error("another than the old one went")
			}
			remove(day(11), 10, 1)
			if left(alive) {
				t.Error("the last is left")
			}
		})
		b.Run("one in which an answer is being generated stays", func(t *testing.T) {
			busy := begin(day(0))
			turn(busy, day(1), chat.Generating)
			remove(day(100), 10, 0)
			_, err := b.InterruptLapsed(ctx, everywhere, day(1001), day(1001), runes)
			b.must(err)
			remove(day(100), 10, 1)
			if left(busy) {
				t.Error("it is left when nothing is generated any more")
			}
		})
		b.Run("the oldest go first, and no more than are wanted", func(t *testing.T) {
			third, first, second := begin(day(3)), begin(day(1)), begin(day(2))
			remove(day(10), 2, 2)
			if left(first) || left(second) || !left(third) {
				t.Error("the oldest are left")
			}
			remove(day(10), 2, 1)
			remove(day(10), 2, 0)
		})
		b.Run("what others have stays", func(t *testing.T) {
			if n := b.count("SELECT count(*) FROM conversations WHERE workspace_id = '" + other.id + "'"); n != 2 {
				t.Errorf("%d are left", n)
			}
		})
	})
}

func TestAQuestionBesideTheDeletionOfItsConversation(t *testing.T) {
	onBothDatabases(t, func(b *bundle) {
		a := b.fill("a")
		ctx := b.Context()
		b.must(b.FinishTurn(ctx, a.id, turn.Answer{MessageID: a.answer, Attempt: 1, Status: chat.Complete}))
		later := epoch.AddDate(0, 0, 10)

		// The question is asked, and not committed, when the deletion looks.
		asked, looked := make(chan struct{}), make(chan struct{})
		ended := make(chan error, 1)
		go func() {
			ended <- b.InTx(ctx, func(ctx context.Context) error {
				turn := a.newTurn()
				turn.At, turn.LeaseUntil = later, later
				if _, _, err := b.BeginTurn(ctx, a.id, turn); err != nil {
					return err
				}
				close(asked)
				if !b.IsSQLite() { // has one writer
					<-looked
				}
				return nil
			})
		}()
		receive(b.T, "the question is asked", asked)
		n, err := b.DeleteOldConversations(ctx, a.id, time.Time{}, later, 10)
		close(looked)
		if err != nil || n != 1 { // the other one of fill
			b.Errorf("%d were deleted: %v", n, err)
		}
		b.must(receive(b.T, "the question is stored", ended))
		if n := b.count(fmt.Sprint("SELECT count(*) FROM messages WHERE conversation_id = ", a.conversation)); n != 4 {
			b.Errorf("the conversation has %d messages", n)
		}
	})
}

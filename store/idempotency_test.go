package store_test

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"time"

	"parley/core/chat"
	"parley/core/fault"
)

func TestClaims(t *testing.T) {
	onBothDatabases(t, func(b *bundle) {
		a, other := b.fill("a"), b.fill("b") // with a key each, of epoch
		ctx := b.Context()
		key := a.newKey()
		later := epoch.Add(24 * time.Hour)
		claim := chat.Claim{ConversationID: a.conversation, AnswerID: a.answer, At: later}
		claimed := func(t *testing.T, key chat.Key, since time.Time, want chat.Claim) {
			t.Helper()
			if got, err := b.Claimed(ctx, a.id, key, since); err != nil || got != want {
				t.Errorf("it is tied to %+v, want %+v: %v", got, want, err)
			}
		}

		b.Run("a key is taken until it has expired", func(t *testing.T) {
			before := b.rows(a.id)
			b.wantKind(b.Claim(ctx, a.id, key, claim, epoch.Add(-time.Microsecond)), fault.Conflict)
			if b.rows(a.id) != before {
				t.Error("the refused claim changed something")
			}
			_, err := b.Claimed(ctx, a.id, key, epoch)
			b.wantKind(err, fault.NotFound)
		})
		b.Run("an expired one is replaced, whole", func(t *testing.T) {
			next := key
			next.BodyHash = "another body"
			b.must(b.Claim(ctx, a.id, next, claim, epoch))
			claimed(t, key, epoch, chat.Claim{BodyHash: next.BodyHash, ConversationID: a.conversation, AnswerID: a.answer, At: later})
		})
		b.Run("the same text of another token or for another route is another key", func(t *testing.T) {
			for _, another := range []chat.Key{
				{TokenID: "tok_other", Route: key.Route, Value: key.Value, BodyHash: "1"},
				{TokenID: key.TokenID, Route: "POST /chat/stream", Value: key.Value, BodyHash: "2"},
				{TokenID: key.TokenID, Route: key.Route, Value: key.Value + " ", BodyHash: "3"},
			} {
				b.must(b.Claim(ctx, a.id, another, chat.Claim{ConversationID: a.conversation, At: later}, epoch))
				claimed(t, another, epoch, chat.Claim{BodyHash: another.BodyHash, ConversationID: a.conversation, At: later})
			}
		})
		b.Run("an expired key of another workspace is not replaced", func(t *testing.T) {
			before := b.rows(other.id)
			b.wantKind(b.Claim(ctx, a.id, other.newKey(), claim, later), fault.Conflict)
			if b.rows(other.id) != before {
				t.Error("it changed something there")
			}
		})
		b.Run("a key goes with its conversation", func(t *testing.T) {
			made, err := b.CreateConversation(ctx, a.id, chat.Conversation{ChatbotID: a.chatbot, Status: chat.Active, Origin: chat.API, CreatedAt: epoch})
			b.must(err)
			key := chat.Key{TokenID: a.token, Route: "POST /conversations", Value: "gone", BodyHash: "body"}
			b.must(b.Claim(ctx, a.id, key, chat.Claim{ConversationID: made.ID, At: later}, epoch))
			n, err := b.DeleteOldConversations(ctx, a.id, time.Time{}, epoch.Add(time.Hour), 10)
			if err != nil || n == 0 {
				t.Fatalf("%d conversations were deleted: %v", n, err)
			}
			_, err = b.Claimed(ctx, a.id, key, epoch)
			b.wantKind(err, fault.NotFound)
		})
		b.Run("those from before a time are deleted in every workspace", func(t *testing.T) {
			b.must(b.DeleteKeys(ctx, everywhere, later))
			if n := b.count("SELECT count(*) FROM idempotency_keys WHERE workspace_id = 'ws_b'"); n != 0 {
				t.Errorf("%d are left", n)
			}
			claimed(t, key, epoch, chat.Claim{BodyHash: "another body", ConversationID: a.conversation, AnswerID: a.answer, At: later})
		})
	})
}

func TestARefusedClaimLeavesItsTransactionUsable(t *testing.T) {
	onBothDatabases(t, func(b *bundle) {
		a := b.fill("a")
		err := b.InTx(b.Context(), func(ctx context.Context) error {
			b.wantKind(b.Claim(ctx, a.id, a.newKey(), chat.Claim{ConversationID: a.conversation, At: epoch}, time.Time{}), fault.Conflict)
			if _, err := b.Claimed(ctx, a.id, a.newKey(), time.Time{}); err != nil {
				b.Errorf("the transaction is broken: %v", err)
			}
			return errTest
		})
		contains(b.T, err, errTest.Error())
	})
}

func TestOfManyClaimsAtOnceOneWins(t *testing.T) {
	onBothDatabases(t, func(b *bundle) {
		a := b.fill("a") // with two questions
		key := chat.Key{TokenID: a.token, Route: "POST /chat", Value: "once", BodyHash: "body"}
		before := b.count("SELECT count(*) FROM conversations")
		won := make(chan int64, 20)
		var all sync.WaitGroup
		for range cap(won) {
			all.Go(func() {
				opening := a.newTurn()
				opening.Key = &chat.Claiming{Key: key, Since: epoch.Add(-time.Hour)}
				_, answer, err := b.BeginConversation(b.Context(), a.id, chat.Conversation{ChatbotID: a.chatbot, Status: chat.Active, Origin: chat.API, CreatedAt: epoch}, opening)
				switch {
				case err == nil:
					won <- answer
				default:
					b.wantKind(err, fault.Conflict)
				}
			})
		}
		all.Wait()
		if len(won) != 1 {
			b.Fatalf("%d won", len(won))
		}
		answer := <-won
		claimed, err := b.Claimed(b.Context(), a.id, key, epoch.Add(-time.Hour))
		if err != nil || claimed.AnswerID != answer {
			b.Errorf("the key is tied to %+v, want the answer %d: %v", claimed, answer, err)
		}
		if n := b.count("SELECT count(*) FROM conversations"); n != before+1 {
			b.Errorf("there are %d conversations more", n-before)
		}
		if n := b.count(fmt.Sprint("SELECT count(*) FROM messages WHERE conversation_id = ", claimed.ConversationID)); n != 2 {
			b.Errorf("it has %d messages", n)
		}
		b.wantMessages(a.id, thisMonth, 3)
	})
}

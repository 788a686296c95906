package store_test

import (
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"
	"unicode/utf8"

	"parley/core/answer"
	"parley/core/chat"
	"parley/core/chat/turn"
	"parley/core/fault"
)

// runes is a count of tokens that a test can foretell.
func runes(text string) int { return utf8.RuneCountInString(text) }

func TestTurns(t *testing.T) {
	onBothDatabases(t, func(b *bundle) {
		a := b.fill("a") // with an answer that is being generated
		ctx := b.Context()
		finish := func(answered int64, text string, status chat.Status) error {
			return b.FinishTurn(ctx, a.id, turn.Answer{MessageID: answered, Attempt: 1, Status: status, Answer: answer.Answer{Text: text}})
		}
		status := func(answered int64) string {
			var got string
			b.must(b.beside().QueryRowContext(ctx, fmt.Sprint("SELECT status FROM messages WHERE id = ", answered)).Scan(&got))
			return got
		}

		b.Run("a conversation begins with its first turn, or not at all", func(t *testing.T) {
			c := chat.Conversation{ChatbotID: a.chatbot, Status: chat.Active, Origin: chat.API, CreatedAt: epoch}
			made, answered, err := b.BeginConversation(ctx, a.id, c, a.newTurn())
			b.must(err)
			if got := status(answered); got != string(chat.Generating) {
				t.Errorf("its answer is %s", got)
			}
			messages, err := b.Messages(ctx, a.id, made.ID, 0, 0)
			b.must(err)
			if len(messages) != 1 || messages[0].Content != a.secret || messages[0].ID >= answered {
				t.Errorf("it has %+v before the answer %d", messages, answered)
			}
			before := b.rows(a.id)
			c.ChatbotID = "cb_nobody"
			_, _, err = b.BeginConversation(ctx, a.id, c, a.newTurn())
			b.wantKind(err, fault.Conflict)
			if b.rows(a.id) != before {
				t.Error("the refused conversation left something")
			}
			b.must(finish(answered, "", chat.Failed))
		})

		b.Run("a second turn while one is being generated is a conflict and adds nothing", func(t *testing.T) {
			before := b.rows(a.id)
			_, _, err := b.BeginTurn(ctx, a.id, a.newTurn())
			b.wantKind(err, fault.Conflict)
			if b.rows(a.id) != before {
				t.Error("the refused turn left something")
			}
		})

		b.Run("a finished turn lets the next one begin", func(t *testing.T) {
			b.must(finish(a.answer, "the answer", chat.Complete))
			next, _, err := b.BeginTurn(ctx, a.id, a.newTurn())
			b.must(err)
			a.answer = next
		})

		b.Run("a turn begins in a conversation only as it was seen", func(t *testing.T) {
			b.must(finish(a.answer, "the answer", chat.Complete))
			row, err := b.Conversation(ctx, a.id, a.chatbot, a.conversation)
			b.must(err)
			before, opening, other := b.rows(a.id), a.newTurn(), row.ExternalUserID+" and another"
			opening.Seen = &other
			if _, _, err := b.BeginTurn(ctx, a.id, opening); !errors.Is(err, turn.ErrNotAsSeen) {
				t.Errorf("one of another end user is %v", err)
			}
			opening.ConversationID, opening.Seen = 1<<40, &row.ExternalUserID
			if _, _, err := b.BeginTurn(ctx, a.id, opening); !errors.Is(err, turn.ErrNotAsSeen) {
				t.Errorf("one that is gone is %v", err)
			}
			if b.rows(a.id) != before {
				t.Error("a refused turn left something")
			}
			opening.ConversationID = a.conversation
			a.answer, _, err = b.BeginTurn(ctx, a.id, opening)
			b.must(err)
		})

		b.Run("a turn is finished once", func(t *testing.T) {
			b.must(finish(a.answer, "first", chat.Complete))
			b.wantKind(finish(a.answer, "second", chat.Complete), fault.NotFound)
		})

		b.Run("of many turns that begin at once, one does", func(t *testing.T) {
			begun := make(chan int64, 20)
			var all sync.WaitGroup
			for range cap(begun) {
				all.Go(func() {
					switch id, _, err := b.BeginTurn(ctx, a.id, a.newTurn()); {
					case err == nil:
						begun <- id
					default:
						b.wantKind(err, fault.Conflict)
					}
				})
			}
			all.Wait()
			if len(begun) != 1 {
				t.Fatalf("%d began", len(begun))
			}
			a.answer = <-begun
		})

		b.Run("a lease that was renewed has not lapsed, one that was not has", func(t *testing.T) {
			later := epoch.Add(time.Minute)
			b.must(b.RenewLeases(ctx, everywhere, []int64{a.answer}, later))
			if n, err := b.InterruptLapsed(ctx, everywhere, later, later, runes); err != nil || n != 0 {
				t.Errorf("%d interrupted at the lease's end: %v", n, err)
			}
			if n, err := b.InterruptLapsed(ctx, everywhere, later.Add(time.Microsecond), later, runes); err != nil || n != 1 {
				t.Errorf("%d interrupted after the lease's end: %v", n, err)
			}
			if got := status(a.answer); got != string(chat.Interrupted) {
				t.Errorf("the answer is %s", got)
			}
		})

		b.Run("an answer that ends after its lease lapsed is not lost", func(t *testing.T) {
			b.must(finish(a.answer, "late but whole", chat.Complete))
			last, err := b.LastMessages(ctx, a.id, a.conversation, 0, 1)
			b.must(err)
			if len(last) != 1 || last[0].Content != "late but whole" || last[0].Status != chat.Complete {
				t.Errorf("the last message is %+v", last)
			}
		})

		b.Run("nor is it when another turn has begun meanwhile", func(t *testing.T) {
			first, _, err := b.BeginTurn(ctx, a.id, a.newTurn())
			b.must(err)
			_, err = b.InterruptLapsed(ctx, everywhere, epoch.Add(time.Second), epoch, runes)
			b.must(err)
			second, _, err := b.BeginTurn(ctx, a.id, a.newTurn())
			b.must(err)
			b.must(finish(first, "first", chat.Complete))
			b.must(finish(second, "second", chat.Complete))
		})
	})
}

func TestMessages(t *testing.T) {
	onBothDatabases(t, func(b *bundle) {
		a := b.fill("a")
		ctx := b.Context()
		for i := range 5 {
			status, text := chat.Complete, fmt.Sprint("answer ", i)
			if i == 3 { // nothing of it was generated
				status, text = chat.Failed, ""
			}
			b.must(b.FinishTurn(ctx, a.id, turn.Answer{MessageID: a.answer, Attempt: 1, Status: status, Answer: answer.Answer{Text: text}}))
			turn := a.newTurn()
			turn.Question = fmt.Sprint("question ", i+1)
			answered, _, err := b.BeginTurn(ctx, a.id, turn)
			b.must(err)
			a.answer = answered
		}
		all, err := b.Messages(ctx, a.id, a.conversation, 0, 0)
		b.must(err)
		texts := func(messages []chat.Message) (got []string) {
			for _, m := range messages {
				got = append(got, m.Content)
			}
			return got
		}
		want := []string{
			a.secret, "answer 0", "question 1", "answer 1", "question 2", "answer 2", "question 3", "question 4",
			"answer 4", "question 5",
		}
		same := func(t *testing.T, got []chat.Message, err error, want []string) {
			t.Helper()
			if err != nil || fmt.Sprint(texts(got)) != fmt.Sprint(want) {
				t.Errorf("got %v, %v, want %v", texts(got), err, want)
			}
		}

		b.Run("all settled messages come oldest first; empty and unfinished answers do not", func(t *testing.T) {
			same(t, all, nil, want)
		})
		b.Run("the last messages come oldest first", func(t *testing.T) {
			got, err := b.LastMessages(ctx, a.id, a.conversation, 0, 3)
			same(t, got, err, want[7:])
		})
		b.Run("a page begins after an identifier and is no longer than its limit", func(t *testing.T) {
			got, err := b.Messages(ctx, a.id, a.conversation, all[1].ID, 3)
			same(t, got, err, want[2:5])
			got, err = b.Messages(ctx, a.id, a.conversation, all[len(all)-1].ID, 3)
			same(t, got, err, nil)
		})
		b.Run("times come back as they were stored", func(t *testing.T) {
			if got := all[0].CreatedAt; got != epoch {
				t.Errorf("got %v, want %v", got, epoch)
			}
		})
	})
}

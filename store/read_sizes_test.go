package store_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"parley/core/answer"
	"parley/core/chat"
	"parley/core/chat/turn"
	"parley/core/insight"
	"parley/core/insight/history"
	"parley/core/privacy"
	"parley/store"
)

// said adds turns with answers of some lengths to a conversation of its own, and returns it.
func (b *bundle) said(a tenancy, lengths ...int) (conversationID int64) {
	b.Helper()
	finish := func(answered int64, length int) {
		b.must(b.FinishTurn(b.Context(), a.id, turn.Answer{MessageID: answered, Attempt: 1, Status: chat.Complete, Outcome: chat.Answered, Answer: answer.Answer{Text: strings.Repeat("x", length)}}))
	}
	for i, length := range lengths {
		opening := a.newTurn()
		opening.Question, opening.LeaseUntil = "?", epoch.Add(time.Minute)
		if i == 0 {
			made, answered, err := b.BeginConversation(b.Context(), a.id, chat.Conversation{ChatbotID: a.chatbot, Status: chat.Active, Origin: chat.API, CreatedAt: epoch}, opening)
			b.must(err)
			conversationID = made.ID
			finish(answered, length)
			continue
		}
		opening.ConversationID = conversationID
		answered, _, err := b.BeginTurn(b.Context(), a.id, opening)
		b.must(err)
		finish(answered, length)
	}
	return conversationID
}

func TestLongRowsAreReadFewAtATime(t *testing.T) {
	onBothDatabases(t, func(b *bundle) {
		a := b.fill("a")
		ctx := b.Context()
		conversation := b.said(a, 100, 100, 100, 1000, 100)
		lengths := func(messages []history.Message) (all []int) {
			for _, m := range messages {
				all = append(all, len(m.Content))
			}
			return all
		}
		b.Run("messages are read from the first on, as many as fit, and always one", func(t *testing.T) {
			var pages [][]int
			for after, more := int64(0), true; more; {
				var page []history.Message
				var err error
				page, more, err = b.ThreadMessagesAfter(ctx, a.id, conversation, after, history.Most{Messages: 5, Bytes: 220})
				b.must(err)
				pages, after = append(pages, lengths(page)), page[len(page)-1].ID
			}
			if want := "[[1 100 1 100 1] [100 1] [1000] [1 100]]"; fmt.Sprint(pages) != want {
				t.Errorf("got %v, want %s", pages, want)
			}
		})
		b.Run("and from the last on", func(t *testing.T) {
			var pages [][]int
			for before, more := int64(0), true; more; {
				var page []history.Message
				var err error
				page, more, err = b.ThreadMessages(ctx, a.id, conversation, before, history.Most{Messages: 5, Bytes: 220})
				b.must(err)
				pages, before = append(pages, lengths(page)), page[0].ID
			}
			if want := "[[1 100] [1000] [1 100 1 100 1] [1 100]]"; fmt.Sprint(pages) != want {
				t.Errorf("got %v, want %s", pages, want)
			}
		})
		b.Run("turns are read from the last on, as many as fit, and always one", func(t *testing.T) {
			for bytes, want := range map[int][]int{1: {100}, 250: {100}, 1200: {1000, 100}, 1 << 20: {100, 100, 100, 1000, 100}} {
				turns, err := b.TurnsOf(ctx, a.id, conversation, 10, bytes)
				b.must(err)
				var got []int
				for _, turn := range turns {
					got = append(got, len(turn.Answer.Text))
				}
				if !slices.Equal(got, want) {
					t.Errorf("within %d bytes: %v, want %v", bytes, got, want)
				}
			}
		})
		b.Run("the beginnings of long questions are listed", func(t *testing.T) {
			gap := insight.Gap{
				ChatbotID: a.chatbot, ConversationID: conversation, MessageID: 1 << 40, Question: strings.Repeat("é", 3*insight.ListedChars),
				Reason: insight.Unknown, State: insight.Open, CreatedAt: epoch,
			}
			b.must(b.InTx(ctx, func(ctx context.Context) error { return b.AddGap(ctx, a.id, gap) }))
			gaps, err := b.ofGaps.Gaps(ctx, a.id, a.chatbot, insight.Open, 1)
			b.must(err)
			if len(gaps) != 1 || gaps[0].Question != strings.Repeat("é", insight.ListedChars) || !gaps[0].CreatedAt.Equal(epoch) || gaps[0].Reason != insight.Unknown {
				t.Errorf("got %+v", gaps)
			}
		})
		b.Run("a copy has every row, and is read a portion of the bytes after the other", func(t *testing.T) {
			large := b.said(a, store.PortionBytes, 10, store.PortionBytes/2, store.PortionBytes/2, store.PortionBytes*2, 10)
			statements, rows := 0, 0
			store.HearStatements(b.Store, func(statement string, _ []any) {
				if strings.Contains(statement, "messages") && strings.Contains(statement, "content") && !strings.Contains(statement, "octet_length") {
					statements++
				}
			})
			for row, err := range b.WorkspaceRows(context.WithoutCancel(ctx), a.id, tableOf("messages"), privacy.Selection{}) {
				b.must(err)
				if row != nil {
					rows++
				}
			}
			counted, err := b.CountRows(ctx, a.id, tableOf("messages"))
			b.must(err)
			if rows != int(counted) || statements < 6 {
				t.Errorf("%d of %d rows in %d portions, with the conversation %d", rows, counted, statements, large)
			}
		})
	})
}

package store_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"parley/core/answer"
	"parley/core/chat"
	"parley/core/chat/turn"
	"parley/core/fault"
	"parley/core/knowledge"
)

func TestRemovals(t *testing.T) {
	onBothDatabases(t, func(b *bundle) {
		a := b.fill("a") // with an open receipt of doc_gone_ws_a
		ctx := b.Context()
		later := epoch.Add(time.Hour)
		receipts := func() []knowledge.Removal {
			all, err := b.Removals(ctx, a.id, a.chatbot, 10)
			b.must(err)
			return all
		}
		since := func(at time.Time) int {
			all, err := collected(b.RemovalsSince(ctx, everywhere, at))
			b.must(err)
			return len(all)
		}

		b.Run("an open usage record says what was asked for", func(t *testing.T) {
			want := a.newRemoval("doc_gone_" + a.id)
			want.WorkspaceID, want.MessageIDs = a.id, []int64{}
			if got := receipts(); len(got) != 1 || fmt.Sprint(got[0]) != fmt.Sprint(want) {
				t.Errorf("got %+v, want %+v", got, want)
			}
			if since(epoch) != 1 || since(later) != 0 {
				t.Errorf("%d and %d since", since(epoch), since(later))
			}
		})
		b.Run("there is one for a document", func(t *testing.T) {
			again := a.newRemoval("doc_gone_" + a.id)
			again.ID = "rm_again"
			b.wantKind(b.CreateRemoval(ctx, a.id, again), fault.Conflict)
		})
		b.Run("it is confirmed once, with its answers", func(t *testing.T) {
			b.must(b.ConfirmRemoval(ctx, a.id, "doc_gone_"+a.id, later, 2, []int64{4, 6}))
			b.must(b.ConfirmRemoval(ctx, a.id, "doc_gone_"+a.id, later.Add(time.Hour), 0, nil))
			got := receipts()[0]
			if got.ConfirmedAt == nil || !got.ConfirmedAt.Equal(later) || got.Answers != 2 || !slices.Equal(got.MessageIDs, []int64{4, 6}) {
				t.Errorf("got %+v", got)
			}
			if since(later) != 1 {
				t.Error("it is not among those since it was confirmed")
			}
		})
		b.Run("a confirmed one is counted for good once, the earliest first", func(t *testing.T) {
			second := a.newRemoval("doc_second")
			b.must(b.CreateRemoval(ctx, a.id, second))
			toCount := func(before time.Time, limit int) (ids []string) {
				due, err := b.RemovalsToCount(ctx, everywhere, before, limit)
				b.must(err)
				for _, r := range due {
					ids = append(ids, r.DocumentID)
				}
				return ids
			}
			first := "doc_gone_" + a.id
			if got := toCount(later.Add(time.Hour), 10); !slices.Equal(got, []string{first}) {
				t.Errorf("the confirmed are %v", got)
			}
			b.must(b.ConfirmRemoval(ctx, a.id, second.DocumentID, later.Add(time.Minute), 0, nil))
			if got := toCount(later, 10); got != nil {
				t.Errorf("before the time there are %v", got)
			}
			if got := toCount(later.Add(time.Hour), 1); !slices.Equal(got, []string{first}) {
				t.Errorf("the first is %v", got)
			}
			b.must(b.CountRemoval(ctx, a.id, "rm_"+first, 3, []int64{4, 6, 8}, later.Add(time.Hour)))
			b.must(b.CountRemoval(ctx, a.id, second.ID, 0, nil, later.Add(time.Hour)))
			b.must(b.CountRemoval(ctx, a.id, "rm_nobody", 0, nil, later.Add(time.Hour)))
			if got := toCount(later.Add(time.Hour), 10); got != nil {
				t.Errorf("left to count are %v", got)
			}
			for _, r := range receipts() {
				if r.DocumentID == first && (r.Answers != 3 || !slices.Equal(r.MessageIDs, []int64{4, 6, 8})) {
					t.Errorf("got %+v", r)
				}
			}
		})
		b.Run("the latest come first, and no more than were asked for", func(t *testing.T) {
			for i := range 3 {
				r := a.newRemoval(fmt.Sprint("doc_", i))
				r.RequestedAt = later.Add(time.Duration(i) * time.Minute)
				b.must(b.CreateRemoval(ctx, a.id, r))
			}
			got, err := b.Removals(ctx, a.id, a.chatbot, 2)
			if err != nil || len(got) != 2 || got[0].DocumentID != "doc_2" || got[1].DocumentID != "doc_1" {
				t.Errorf("got %+v, %v", got, err)
			}
		})
		b.Run("a receipt outlives its document, and goes with its chatbot", func(t *testing.T) {
			r := a.newRemoval(a.document)
			b.must(b.CreateRemoval(ctx, a.id, r))
			b.must(b.DeleteDocument(ctx, a.id, a.document))
			if n := len(receipts()); n != 6 {
				t.Errorf("%d receipts are left", n)
			}
			b.must(b.DeleteChatbot(ctx, a.id, a.chatbot))
			if n := b.count("SELECT count(*) FROM removals"); n != 0 {
				t.Errorf("%d receipts are left", n)
			}
		})
	})
}

func TestAnswersFrom(t *testing.T) {
	onBothDatabases(t, func(b *bundle) {
		a := b.fill("a")
		ctx := b.Context()
		var answers []int64
		for _, documents := range [][]string{{"doc_x", "doc_y"}, {"doc_y"}, nil, {"doc_xx"}, {"doc-x"}, {"doc_z", "doc_x"}, {"doc_x"}} {
			var sources []answer.Citation
			for _, document := range documents {
				sources = append(sources, answer.Citation{DocumentID: document}, answer.Citation{DocumentID: document})
			}
			b.must(b.FinishTurn(ctx, a.id, turn.Answer{MessageID: a.answer, Attempt: 1, Status: chat.Complete, Answer: answer.Answer{Text: "an answer", Citations: sources}}))
			answers = append(answers, a.answer)
			next, _, err := b.BeginTurn(ctx, a.id, a.newTurn())
			b.must(err)
			a.answer = next
		}
		check := func(t *testing.T, chatbotID, document string, limit, want int, wantIDs ...int64) {
			t.Helper()
			n, ids, err := b.AnswersFrom(ctx, a.id, chatbotID, document, limit)
			if err != nil || n != want || !slices.Equal(ids, wantIDs) {
				t.Errorf("%s: %d answers %v, want %d %v: %v", document, n, ids, want, wantIDs, err)
			}
		}
		b.Run("answers that were given a document are counted, the first are named", func(t *testing.T) {
			check(t, a.chatbot, "doc_x", 10, 3, answers[0], answers[5], answers[6])
			check(t, a.chatbot, "doc_x", 2, 3, answers[0], answers[5])
			check(t, a.chatbot, "doc_y", 10, 2, answers[0], answers[1])
		})
		b.Run("a part of an identifier does not match", func(t *testing.T) {
			check(t, a.chatbot, "doc", 10, 0)
			check(t, a.chatbot, "doc%", 10, 0)
			check(t, a.chatbot, "", 10, 0)
			check(t, "cb_other", "doc_x", 10, 0)
		})
	})
}

package knowledge_test

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
	"parley/core/system/grant"
	chatstore "parley/store/chat"
)

// receipt is the receipt of a document.
func (l *library) receipt(id string) knowledge.Removal {
	l.Helper()
	all, err := l.Removals.List(l.Context(), home, bot)
	l.must(err)
	for _, r := range all {
		if r.DocumentID == id {
			return r
		}
	}
	l.Fatalf("there is no receipt of %s", id)
	panic("unreachable")
}

func (l *library) wantReceipt(id string, answers int) {
	l.Helper()
	if r := l.receipt(id); r.ConfirmedAt == nil || r.Answers != answers || len(r.MessageIDs) != answers {
		l.Errorf("the receipt is %+v", r)
	}
}

// answerFrom stores an answer that was given documents.
func (l *library) answerFrom(documents ...string) int64 {
	l.Helper()
	id := l.beginAnswer()
	l.finishAnswer(id, documents...)
	return id
}

func (l *library) finishAnswer(id int64, documents ...string) {
	l.Helper()
	stored := turn.Answer{MessageID: id, Attempt: 1, Status: chat.Complete, Answer: answer.Answer{Text: "At midnight."}}
	for i, document := range documents {
		stored.Citations = append(stored.Citations, answer.Citation{Number: i + 1, DocumentID: document})
	}
	l.must(chatstore.NewTurns(l.db.Store).FinishTurn(l.Context(), home, stored))
}

// beginAnswer begins an answer, which is stored when it ends.
func (l *library) beginAnswer() int64 {
	l.Helper()
	now := l.clock.Now()
	_, id, err := chatstore.NewTurns(l.db.Store).BeginConversation(l.Context(), home, chat.Conversation{ChatbotID: bot, Status: chat.Active, Origin: chat.API, CreatedAt: now},
		turn.Opening{Question: "When?", At: now, LeaseUntil: now})
	l.must(err)
	return id
}

func TestRemove(t *testing.T) {
	t.Run("a receipt says what was removed, when, and which answers had been given it", func(t *testing.T) {
		l := newLibrary(t)
		d, rest := l.add("Bread", bread), l.add("Cakes", cakes)
		first := l.answerFrom(d.ID, rest.ID)
		l.answerFrom(rest.ID)
		second := l.answerFrom(d.ID)
		l.clock.advance(time.Hour)
		requested := l.clock.Now()
		l.must(l.Documents.Remove(t.Context(), home, bot, d.ID))
		l.wantGone(d.ID)
		r := l.receipt(d.ID)
		if r.Title != "Bread" || r.Passages != d.Passages || r.ContentHash != d.ContentHash || !r.RequestedAt.Equal(requested) ||
			r.ConfirmedAt == nil || !r.ConfirmedAt.Equal(requested) || r.Answers != 2 || !slices.Equal(r.MessageIDs, []int64{first, second}) {
			t.Errorf("it is %+v", r)
		}
		l.wantWhole(rest.ID)
	})

	t.Run("an answer that had begun before the removal and ended after it is on the receipt a quarter of an hour later", func(t *testing.T) {
		l := newLibrary(t)
		d := l.add("Bread", bread)
		before, during := l.answerFrom(d.ID), l.beginAnswer()
		l.must(l.Documents.Remove(t.Context(), home, bot, d.ID))
		l.finishAnswer(during, d.ID)
		l.clock.advance(15 * time.Minute)
		l.must(l.Worker.Sweep(t.Context()))
		l.wantReceipt(d.ID, 1)
		l.clock.advance(time.Second)
		l.must(l.Worker.Sweep(t.Context()))
		l.wantReceipt(d.ID, 2)
		if ids := l.receipt(d.ID).MessageIDs; !slices.Equal(ids, []int64{before, during}) {
			t.Errorf("the answers are %v", ids)
		}
		if left, err := l.db.RemovalsToCount(t.Context(), grant.Because("a test"), l.clock.Now().Add(day), 10); err != nil || len(left) != 0 {
			t.Errorf("still to count: %v, %v", left, err)
		}
	})

	t.Run("answers that are deleted before they are counted again stay on the receipt", func(t *testing.T) {
		l := newLibrary(t)
		d := l.add("Bread", bread)
		l.answerFrom(d.ID)
		l.must(l.Documents.Remove(t.Context(), home, bot, d.ID))
		l.clock.advance(day)
		if n, err := chatstore.NewRetentions(l.db.Store).DeleteOldConversations(t.Context(), home, time.Time{}, l.clock.Now(), 10); err != nil || n != 1 {
			t.Fatalf("%d conversations were deleted: %v", n, err)
		}
		l.must(l.Worker.Sweep(t.Context()))
		l.wantReceipt(d.ID, 1)
	})

	t.Run("it is out of every answer at once, and confirmed when the index says so", func(t *testing.T) {
		l := newLibrary(t)
		d := l.add("Bread", bread)
		l.index.away = true
		l.must(l.Documents.Remove(t.Context(), home, bot, d.ID))
		l.wantStates(knowledge.Removing)
		l.wantAnswered("When is rye baked?", "midnight", false)
		if l.receipt(d.ID).ConfirmedAt != nil {
			t.Error("it is confirmed")
		}
		l.work()
		l.wantStates(knowledge.Removing)
		l.index.away = false
		l.work() // it waits for its time
		l.wantStates(knowledge.Removing)
		l.clock.advance(time.Minute)
		l.work()
		l.wantGone(d.ID)
		if at := l.receipt(d.ID).ConfirmedAt; at == nil || !at.Equal(l.clock.Now()) {
			t.Errorf("it is confirmed at %v", at)
		}
	})

	t.Run("an index that says it removed a document and did not keeps it removing, for as long as that takes", func(t *testing.T) {
		l := newLibrary(t)
		d := l.add("Bread", bread)
		l.index.lie = true
		l.must(l.Documents.Remove(t.Context(), home, bot, d.ID))
		for range 20 {
			l.wantStates(knowledge.Removing)
			l.wantAnswered("When is rye baked?", "midnight", false)
			l.clock.advance(2 * time.Hour)
			l.work()
		}
		if l.receipt(d.ID).ConfirmedAt != nil {
			t.Error("it is confirmed")
		}
		l.index.lie = false
		l.clock.advance(2 * time.Hour)
		l.work()
		l.wantGone(d.ID)
		l.wantReceipt(d.ID, 0)
	})

	t.Run("removing twice is no failure, and gives one receipt", func(t *testing.T) {
		l := newLibrary(t)
		d := l.add("Bread", bread)
		l.index.away = true
		for range 2 {
			l.must(l.Documents.Remove(t.Context(), home, bot, d.ID))
		}
		l.index.away = false
		l.must(l.Documents.Remove(t.Context(), home, bot, d.ID))
		l.wantKind(l.Documents.Remove(t.Context(), home, bot, d.ID), fault.NotFound)
		if all, err := l.Removals.List(t.Context(), home, bot); err != nil || len(all) != 1 {
			t.Errorf("the receipts are %+v, %v", all, err)
		}
	})

	for name, hook := range map[string]func(l *library, remove func()){
		"while it is extracted":         func(l *library, remove func()) { l.world.extracting = remove },
		"before it goes into the index": func(l *library, remove func()) { l.index.before = remove },
		"after it went into the index":  func(l *library, remove func()) { l.index.after = remove },
	} {
		t.Run("a document that is removed "+name+" leaves nothing there", func(t *testing.T) {
			l := newLibrary(t)
			d := l.addFile("a.pdf", bread)
			hook(l, func() { l.must(l.Documents.Remove(t.Context(), home, bot, d.ID)) })
			l.work()
			l.wantGone(d.ID)
			l.wantReceipt(d.ID, 0)
			l.wantAnswered("When is rye baked?", "midnight", false)
		})
		t.Run("so does a page that was answered from, removed "+name, func(t *testing.T) {
			l := newLibrary(t)
			l.world.set("https://site/", page{text: bread})
			source := l.pageAt("https://site/", knowledge.Never)
			l.work()
			d := l.at("https://site/")
			l.world.set("https://site/", page{text: cakes})
			l.must(l.Sources.Sync(t.Context(), home, bot, source.ID))
			hook(l, func() { l.must(l.Documents.Remove(t.Context(), home, bot, d.ID)) })
			l.work()
			l.wantGone(d.ID)
			l.wantReceipt(d.ID, 0)
		})
	}

	t.Run("the removal of what is being indexed is not confirmed before that has ended", func(t *testing.T) {
		l := newLibrary(t)
		d := l.addFile("a.pdf", bread)
		l.index.before = func() {
			l.must(l.Documents.Remove(t.Context(), home, bot, d.ID))
			if r := l.receipt(d.ID); r.ConfirmedAt != nil {
				t.Errorf("it is %+v", r)
			}
		}
		l.work()
		l.wantReceipt(d.ID, 0)
	})

	t.Run("removals come before all that is to be indexed", func(t *testing.T) {
		l := newLibrary(t)
		d := l.add("Bread", bread)
		for i := range 3 {
			l.addFile(fmt.Sprintf("%d.pdf", i), cakes)
		}
		l.index.away = true
		l.must(l.Documents.Remove(t.Context(), home, bot, d.ID))
		l.index.away = false
		l.index.before = func() { l.wantGone(d.ID) }
		l.work()
		if l.index.before != nil {
			t.Error("nothing was indexed")
		}
	})

	t.Run("a chatbot that is forgotten is forgotten by the index", func(t *testing.T) {
		l := newLibrary(t)
		d := l.add("Bread", bread)
		l.must(l.Removals.Forget(t.Context(), home, bot))
		if n, err := l.index.Count(t.Context(), homeScope, d.ID); n != 0 || err != nil {
			t.Errorf("%d passages are left: %v", n, err)
		}
	})
}

package store_test

import (
	"fmt"
	"testing"
	"time"

	"parley/core/chatbot"
	"parley/core/knowledge/rebuild"
)

func TestIndexChanges(t *testing.T) {
	t.Parallel()
	b := openBundle(t, migratedPostgres.New(t))
	ctx := b.Context()
	a := b.fill("a")
	at := rebuild.Position{}
	seen := map[int64]bool{}
	// next are the changes since the last call, such as "doc_a:2". A change is read again
	// as long as an older transaction is open, be it another test's.
	next := func() (changes []string) {
		t.Helper()
		page, err := b.ChangesAfter(ctx, everywhere, at, 100)
		b.must(err)
		for _, c := range page.Changes {
			if !seen[c.At.Change] {
				changes = append(changes, fmt.Sprint(c.DocumentID, ":", c.Held))
			}
			seen[c.At.Change] = true
			if c.WorkspaceID != a.id || c.ChatbotID != a.chatbot && c.ChatbotID != "cb_quick" {
				t.Errorf("%s is of %s and %s", c.DocumentID, c.WorkspaceID, c.ChatbotID)
			}
			if c.At.Transaction < page.Horizon {
				at = c.At
			}
		}
		return changes
	}
	want := func(t *testing.T, changes ...string) {
		t.Helper()
		if got := next(); fmt.Sprint(got) != fmt.Sprint(changes) {
			t.Errorf("the feed has %v, want %v", got, changes)
		}
	}
	want(t, "doc_a:1") // the fixture's
	d := a.newDocument("doc_fed")
	b.must(b.CreateDocument(ctx, a.id, d))

	t.Run("a document that is not ready is no change", func(t *testing.T) { want(t) })
	t.Run("one that becomes ready is, and so is its next version", func(t *testing.T) {
		b.goLive(d, a.newPassages(1))
		want(t, "doc_fed:1")
		now, err := b.Document(ctx, a.id, a.chatbot, d.ID)
		b.must(err)
		b.goLive(now, a.newPassages(2))
		want(t, "doc_fed:2")
	})
	t.Run("while its removal can be undone, an index keeps it", func(t *testing.T) {
		until := epoch.Add(time.Hour)
		_, err := b.Withdraw(ctx, a.id, a.chatbot, []string{d.ID}, epoch, until)
		b.must(err)
		want(t)
		b.must(b.EndUndo(ctx, a.id, d.ID, until))
		want(t, "doc_fed:0")
	})
	t.Run("a transaction that ends late is not passed over by one that began later", func(t *testing.T) {
		b.must(b.CreateChatbot(ctx, a.id, chatbot.Chatbot{ID: "cb_quick", Name: "Quick", CreatedAt: epoch})) // documents of one wait for each other
		for id, of := range map[string]string{"doc_slow": a.chatbot, "doc_quick": "cb_quick"} {
			fresh := a.newDocument(id)
			fresh.ChatbotID, fresh.SourceID = of, ""
			b.must(b.CreateDocument(ctx, a.id, fresh))
			b.goLive(fresh, a.newPassages(1))
		}
		if changes := next(); len(changes) != 2 {
			t.Errorf("the feed has %v", changes)
		}
		slow, err := b.beside().BeginTx(ctx, nil)
		b.must(err)
		_, err = slow.ExecContext(ctx, "UPDATE documents SET live = 7 WHERE id = 'doc_slow'")
		b.must(err)
		_, err = b.beside().ExecContext(ctx, "UPDATE documents SET live = 8 WHERE id = 'doc_quick'")
		b.must(err)
		want(t, "doc_quick:8")
		b.must(slow.Commit())
		want(t, "doc_slow:7")
		want(t)
	})
	t.Run("a chatbot that is deleted takes its documents out of every index", func(t *testing.T) {
		b.must(b.DeleteChatbot(ctx, a.id, a.chatbot))
		if changes := next(); len(changes) != 2 { // the fixture's, and the slow one
			t.Errorf("the feed has %v", changes)
		}
	})
	t.Run("what is old is deleted", func(t *testing.T) {
		b.must(b.DeleteChanges(ctx, everywhere, time.Now().Add(time.Hour)))
		if n := b.count("SELECT count(*) FROM index_changes"); n != 0 {
			t.Errorf("%d changes are left", n)
		}
	})
}

package knowledge_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"parley/core/audit"
	"parley/core/knowledge"
	"parley/core/system/grant"
	auditstore "parley/store/audit"
)

// recorded is what the audit log says was done, the first first.
func (l *library) recorded() []string {
	l.Helper()
	found, err := auditstore.NewAuditLog(l.db.Store).AuditEntries(l.Context(), grant.Because("a test"), audit.Query{Limit: 1000})
	l.must(err)
	var acts []string
	for _, e := range slices.Backward(found) {
		acts = append(acts, string(e.Action)+" "+e.Object.Kind)
	}
	return acts
}

func TestKnowledgeIsRecorded(t *testing.T) {
	l := newLibrary(t)
	file := func(i int) knowledge.NewDocument {
		return knowledge.NewDocument{Title: fmt.Sprint("Text ", i), Content: fmt.Sprint("It costs ", i, " euros.")}
	}
	t.Run("each document that is given, if something becomes of it", func(t *testing.T) {
		d := l.addFile("a.pdf", bread)
		l.must(l.Documents.Cancel(t.Context(), home, bot, d.ID))
		l.add("Cakes", cakes)
		l.add("Cakes", cakes) // which is there
		for _, content := range []string{bread, bread, cakes} {
			_, _, err := l.Catalog.Put(t.Context(), home, bot, knowledge.PutRequest{NewDocument: knowledge.NewDocument{Title: "Named", Content: content, ExternalID: "named"}})
			l.must(err)
		}
		want := []string{"document.added document", "document.canceled document", "document.added document", "document.added document", "document.replaced document"}
		if got := l.recorded(); !slices.Equal(got, want) {
			t.Errorf("recorded %q", got)
		}
	})
	t.Run("many files of one request once, with how many there were", func(t *testing.T) {
		before := len(l.recorded())
		ctx := knowledge.Batch(t.Context(), 300)
		for i := range 300 {
			_, err := l.Documents.Add(ctx, home, bot, file(i))
			l.must(err)
		}
		got := l.recorded()[before:]
		if !slices.Equal(got, []string{"document.added documents"}) {
			t.Errorf("recorded %q", got)
		}
		last, err := auditstore.NewAuditLog(l.db.Store).AuditEntries(t.Context(), grant.Because("a test"), audit.Query{Limit: 1})
		if err != nil || !strings.HasPrefix(last[0].Detail, "The first of 300 files of one request.") {
			t.Errorf("it says %+v, %v", last, err)
		}
	})
	t.Run("a site once, however many pages it has, and each time that it is read again by hand", func(t *testing.T) {
		before := len(l.recorded())
		l.world.set("https://site/", page{text: bread})
		source := l.pageAt("https://site/", knowledge.Never)
		l.work()
		l.must(l.Sources.Sync(t.Context(), home, bot, source.ID))
		l.work()
		_, err := l.Selections.ReadAgain(t.Context(), home, bot, []string{l.at("https://site/").ID})
		l.must(err)
		l.must(l.Documents.MarkReindex(t.Context(), home, bot))
		l.must(l.Sources.Remove(t.Context(), home, bot, source.ID))
		want := []string{"source.added source", "source.synced source", "document.read_again document", "knowledge.reindexed chatbot", "source.removed source"}
		if got := l.recorded()[before:]; !slices.Equal(got, want) {
			t.Errorf("recorded %q", got)
		}
	})
}

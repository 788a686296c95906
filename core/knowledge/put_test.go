package knowledge_test

import (
	"strings"
	"testing"
	"time"

	"parley/core/fault"
	"parley/core/knowledge"
	"parley/core/plan"
	billingstore "parley/store/billing"
)

// put gives a text with an external ID.
func (l *library) put(externalID, text string) (knowledge.Document, knowledge.Result) {
	l.Helper()
	d, result, err := l.Catalog.Put(l.Context(), home, bot, knowledge.PutRequest{
		NewDocument: knowledge.NewDocument{ExternalID: externalID, Content: text},
	})
	l.must(err)
	return d, result
}

// putFile gives a file with an external ID.
func (l *library) putFile(externalID, name, text string) (knowledge.Document, knowledge.Result) {
	l.Helper()
	d, result, err := l.Catalog.Put(l.Context(), home, bot, knowledge.PutRequest{NewDocument: knowledge.NewDocument{
		ExternalID: externalID, File: &knowledge.Upload{Name: name, Body: []byte(text)},
	}})
	l.must(err)
	return d, result
}

// putAt gives an address with an external ID, which may be empty.
func (l *library) putAt(externalID, url string) (knowledge.Document, knowledge.Result, error) {
	l.Helper()
	return l.Catalog.Put(l.Context(), home, bot, knowledge.PutRequest{NewDocument: knowledge.NewDocument{ExternalID: externalID}, URL: url})
}

func (l *library) wantResult(got, want knowledge.Result) {
	l.Helper()
	if got != want {
		l.Errorf("it is %s, want %s", got, want)
	}
}

func TestPut(t *testing.T) {
	t.Run("a text with an external ID is created, left alone, and replaced", func(t *testing.T) {
		l := newLibrary(t)
		first, result := l.put("hours", bread)
		l.wantResult(result, knowledge.Created)
		if first.State != knowledge.Ready || first.Title != "Bread" || first.ExternalID != "hours" {
			t.Errorf("it is %+v", first)
		}
		l.index.changes()
		same, result := l.put("hours", bread)
		l.wantResult(result, knowledge.Unchanged)
		if same.ID != first.ID || same.Version != first.Version || l.index.changes() != 0 {
			t.Errorf("it is %+v", same)
		}
		next, result := l.put("hours", cakes)
		l.wantResult(result, knowledge.Replaced)
		if next.ID != first.ID || next.State != knowledge.Ready || next.Title != "Cakes" || !next.CreatedAt.Equal(first.CreatedAt) {
			t.Errorf("it is %+v", next)
		}
		l.wantWhole(first.ID)
		l.wantAnswered("When is rye baked?", "midnight", false)
		l.wantAnswered("When is plum cake baked?", "Sundays", true)
		_, result = l.put("hours", bread)
		l.wantResult(result, knowledge.Replaced)
		l.wantAnswered("When is rye baked?", "midnight", true)
		l.wantAnswered("When is plum cake baked?", "Sundays", false)
		l.wantStates(knowledge.Ready)
	})

	t.Run("one text under two external IDs, and under none, is three documents", func(t *testing.T) {
		l := newLibrary(t)
		a, _ := l.put("a", bread)
		b, result := l.put("b", bread)
		l.wantResult(result, knowledge.Created)
		if c := l.add("Bread", bread); a.ID == b.ID || c.ID == a.ID || c.ID == b.ID {
			t.Errorf("they are %s, %s and %s", a.ID, b.ID, c.ID)
		}
		again, result := l.put("", bread)
		l.wantResult(result, knowledge.Unchanged)
		if again.ExternalID != "" {
			t.Errorf("without an external ID it finds %+v", again)
		}
	})

	t.Run("until the new file is read, and if it cannot be, the old text is answered from", func(t *testing.T) {
		l := newLibrary(t)
		d, _ := l.put("menu", bread)
		next, result := l.putFile("menu", "menu.pdf", cakes)
		l.wantResult(result, knowledge.Replaced)
		if next.ID != d.ID || next.State != knowledge.Pending || next.Live == 0 {
			t.Errorf("it is %+v", next)
		}
		l.wantAnswered("When is rye baked?", "midnight", true)
		l.work()
		l.wantWhole(d.ID)
		l.wantAnswered("When is rye baked?", "midnight", false)
		l.wantAnswered("When is plum cake baked?", "Sundays", true)

		l.world.files["scan.pdf"] = page{err: errScan}
		l.putFile("menu", "scan.pdf", "a scan")
		l.work()
		if now := l.get(d.ID); now.State != knowledge.Failed || now.Live == 0 || now.Reason == "" {
			t.Errorf("it is %+v", now)
		}
		l.wantAnswered("When is plum cake baked?", "Sundays", true)
		l.must(l.Documents.MarkReindex(t.Context(), home, bot))
		l.work()
		l.wantAnswered("When is plum cake baked?", "Sundays", true)

		l.world.files["scan.pdf"] = page{}
		_, result = l.putFile("menu", "scan.pdf", "a scan")
		l.wantResult(result, knowledge.ReadAgain)
		l.work()
		l.wantWhole(d.ID)
		l.wantAnswered("scan", "a scan", true)
	})

	t.Run("a file that was given and deleted is given again", func(t *testing.T) {
		l := newLibrary(t)
		d, _ := l.putFile("menu", "menu.pdf", cakes)
		l.must(l.Documents.Cancel(t.Context(), home, bot, d.ID))
		_, result := l.putFile("menu", "menu.pdf", cakes)
		l.wantResult(result, knowledge.ReadAgain)
		l.work()
		l.wantWhole(d.ID)
	})

	t.Run("the external ID of a removed document can be given again at once, and undo does not bring two of them", func(t *testing.T) {
		l := newLibrary(t)
		removed, _ := l.put("hours", bread)
		l.index.away = true
		receipt, err := l.Catalog.Remove(t.Context(), home, bot, removed.ID)
		if err != nil || receipt.DocumentID != removed.ID || receipt.ConfirmedAt != nil {
			t.Errorf("the receipt is %+v, %v", receipt, err)
		}
		l.index.away = false
		withdrawn, result := l.put("hours", bread)
		l.wantResult(result, knowledge.Created)
		until := l.withdraw(1, withdrawn.ID)
		d, result := l.put("hours", cakes)
		l.wantResult(result, knowledge.Created)
		l.wantKind(l.undo(until), fault.Conflict)
		l.clock.advance(time.Minute)
		l.work()
		l.wantGone(removed.ID)
		l.wantGone(withdrawn.ID)
		l.wantWhole(d.ID)
		again, err := l.Catalog.Remove(t.Context(), home, bot, removed.ID)
		if err != nil || again.ID != receipt.ID || again.ConfirmedAt == nil {
			t.Errorf("removed again it has %+v, %v", again, err)
		}
	})

	t.Run("a withdrawn document comes back with its external ID", func(t *testing.T) {
		l := newLibrary(t)
		d, _ := l.put("hours", bread)
		l.must(l.undo(l.withdraw(1, d.ID)))
		back, err := l.Catalog.Named(t.Context(), home, bot, "hours")
		if err != nil || back.ID != d.ID {
			t.Errorf("it is %+v, %v", back, err)
		}
	})

	t.Run("what the plan has no room for leaves the document as it was", func(t *testing.T) {
		l := newLibrary(t)
		d, _ := l.put("hours", bread)
		l.limited(l.stored() + 100)
		_, _, err := l.Catalog.Put(t.Context(), home, bot, knowledge.PutRequest{NewDocument: knowledge.NewDocument{ExternalID: "hours", Content: bread + strings.Repeat("x", 200)}})
		l.wantKind(err, fault.Forbidden)
		_, _, err = l.putAt("page", "https://site/")
		l.wantKind(err, fault.Forbidden)
		l.wantWhole(d.ID)
		if _, result := l.put("hours", bread); result != knowledge.Unchanged {
			t.Errorf("it is %s", result)
		}
	})

	t.Run("the characters of a document that is replaced do not count beside the new ones", func(t *testing.T) {
		l := newLibrary(t)
		d, _ := l.put("hours", strings.Repeat("bread ", 100))
		p, err := l.db.Plan(t.Context(), plan.Standard)
		l.must(err)
		p.Limits.KnowledgeChars = 700
		l.must(billingstore.NewPlans(l.db.Store).UpdatePlan(t.Context(), p))
		_, result := l.put("hours", strings.Repeat("cakes ", 110))
		l.wantResult(result, knowledge.Replaced)
		_, _, err = l.Catalog.Put(t.Context(), home, bot, knowledge.PutRequest{NewDocument: knowledge.NewDocument{ExternalID: "hours", Content: strings.Repeat("rolls ", 120)}})
		l.wantKind(err, fault.Forbidden)
		l.wantWhole(d.ID)

		l.putFile("hours", "a.pdf", strings.Repeat("rolls ", 120)) // how long it is will be seen
		_, _, err = l.Catalog.Put(t.Context(), home, bot, knowledge.PutRequest{NewDocument: knowledge.NewDocument{ExternalID: "more", Content: strings.Repeat("more ", 20)}})
		l.wantKind(err, fault.Forbidden) // as long as the old text is answered from, it counts
		l.work()
		if now := l.get(d.ID); now.State != knowledge.Failed || now.Live == 0 {
			t.Errorf("it is %+v", now)
		}
		l.wantAnswered("cakes", "cakes", true)
	})

	t.Run("what cannot be an external ID is refused", func(t *testing.T) {
		l := newLibrary(t)
		for _, wrong := range []string{" ", " a", "a\n", "a\x00", "a\u202eb", "\xff", strings.Repeat("ä", 256)} {
			_, _, err := l.Catalog.Put(t.Context(), home, bot, knowledge.PutRequest{NewDocument: knowledge.NewDocument{ExternalID: wrong, Content: bread}})
			if f := fault.As(err); f.Kind != fault.Invalid || f.Code() != fault.BadExternalID || f.Field != "external_id" {
				t.Errorf("%q gives %v", wrong, err)
			}
			_, err = l.Catalog.Named(t.Context(), home, bot, wrong)
			l.wantKind(err, fault.NotFound)
		}
		for _, right := range []string{"a", "CMS/page 7?#%", "'; --", strings.Repeat("ä", 255), "日本"} {
			if _, result := l.put(right, bread); result != knowledge.Created {
				t.Errorf("%q is %s", right, result)
			}
		}
	})

	t.Run("a text without a title is called by its heading or its first words", func(t *testing.T) {
		l := newLibrary(t)
		for text, want := range map[string]string{
			"\n\n# Bread\n\nRye.": "Bread", "\n Rye is baked\u202e at dawn.\nAnd then.": "Rye is baked at dawn.", strings.Repeat("ä", 100): strings.Repeat("ä", 80),
		} {
			if d, _ := l.put("", text); d.Title != want {
				t.Errorf("%q is %q, want %q", text, d.Title, want)
			}
		}
	})
}

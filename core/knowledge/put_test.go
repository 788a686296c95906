package knowledge_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"parley/core/fault"
	"parley/core/knowledge"
	"parley/core/plan"
	"parley/store"
)

// put gives a text with an external ID.
func (l *library) put(externalID, text string) (knowledge.Document, knowledge.Result) {
	l.Helper()
	d, result, err := l.Catalog.Put(l.Context(), home, bot, knowledge.Given{
		NewDocument: knowledge.NewDocument{ExternalID: externalID, Content: text},
	})
	l.must(err)
	return d, result
}

// putFile gives a file with an external ID.
func (l *library) putFile(externalID, name, text string) (knowledge.Document, knowledge.Result) {
	l.Helper()
	d, result, err := l.Catalog.Put(l.Context(), home, bot, knowledge.Given{NewDocument: knowledge.NewDocument{
		ExternalID: externalID, File: &knowledge.Upload{Name: name, Body: []byte(text)},
	}})
	l.must(err)
	return d, result
}

// putAt gives an address with an external ID, which may be empty.
func (l *library) putAt(externalID, url string) (knowledge.Document, knowledge.Result, error) {
	l.Helper()
	return l.Catalog.Put(l.Context(), home, bot, knowledge.Given{NewDocument: knowledge.NewDocument{ExternalID: externalID}, URL: url})
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
		_, _, err := l.Catalog.Put(t.Context(), home, bot, knowledge.Given{NewDocument: knowledge.NewDocument{ExternalID: "hours", Content: bread + strings.Repeat("x", 200)}})
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
		l.must(store.NewPlans(l.db.Store).UpdatePlan(t.Context(), p))
		_, result := l.put("hours", strings.Repeat("cakes ", 110))
		l.wantResult(result, knowledge.Replaced)
		_, _, err = l.Catalog.Put(t.Context(), home, bot, knowledge.Given{NewDocument: knowledge.NewDocument{ExternalID: "hours", Content: strings.Repeat("rolls ", 120)}})
		l.wantKind(err, fault.Forbidden)
		l.wantWhole(d.ID)

		l.putFile("hours", "a.pdf", strings.Repeat("rolls ", 120)) // how long it is will be seen
		_, _, err = l.Catalog.Put(t.Context(), home, bot, knowledge.Given{NewDocument: knowledge.NewDocument{ExternalID: "more", Content: strings.Repeat("more ", 20)}})
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
			_, _, err := l.Catalog.Put(t.Context(), home, bot, knowledge.Given{NewDocument: knowledge.NewDocument{ExternalID: wrong, Content: bread}})
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

func TestPutAddress(t *testing.T) {
	const url = "https://site/"
	t.Run("a page is a document at once, and read again when it is given again", func(t *testing.T) {
		l := newLibrary(t)
		l.world.set(url, page{text: bread, title: "The bakery", etag: "1"})
		d, result, err := l.putAt("home", url)
		l.must(err)
		l.wantResult(result, knowledge.Created)
		l.wantState(d.ID, knowledge.Pending, "")
		if _, result, err = l.putAt("home", url); err != nil || result != knowledge.Unchanged {
			t.Errorf("while it waits it is %s, %v", result, err)
		}
		l.work()
		l.wantWhole(d.ID)
		l.wantAnswered("When is rye baked?", "midnight", true)

		l.world.set(url, page{text: cakes, etag: "2"})
		_, result, err = l.putAt("home", url)
		l.must(err)
		l.wantResult(result, knowledge.ReadAgain)
		l.wantAnswered("When is rye baked?", "midnight", true)
		l.work()
		l.wantWhole(d.ID)
		l.wantAnswered("When is rye baked?", "midnight", false)
		l.wantAnswered("When is plum cake baked?", "Sundays", true)
		l.wantStates(knowledge.Ready)
	})

	t.Run("a page that moves is read from its new address", func(t *testing.T) {
		l := newLibrary(t)
		const moved = "https://site/moved"
		l.world.set(url, page{text: bread, etag: "1"})
		l.world.set(moved, page{text: cakes, etag: "1"})
		d, _, err := l.putAt("home", url)
		l.must(err)
		l.work()
		next, result, err := l.putAt("home", moved)
		l.must(err)
		l.wantResult(result, knowledge.Replaced)
		if next.ID != d.ID || next.URL != moved || l.source(d.SourceID).URL != moved {
			t.Errorf("it is %+v of %+v", next, l.source(d.SourceID))
		}
		l.wantAnswered("When is rye baked?", "midnight", true)
		l.work()
		l.wantWhole(d.ID)
		l.wantAnswered("When is rye baked?", "midnight", false)
		l.wantAnswered("When is plum cake baked?", "Sundays", true)
	})

	t.Run("an address that is there is not added twice", func(t *testing.T) {
		l := newLibrary(t)
		l.world.set(url, page{text: bread})
		d, _, err := l.putAt("", url)
		l.must(err)
		again, result, err := l.putAt("", url)
		l.must(err)
		l.wantResult(result, knowledge.Unchanged)
		if again.ID != d.ID {
			t.Errorf("it is %+v", again)
		}
		_, _, err = l.putAt("home", url)
		if f := fault.As(err); f.Kind != fault.Conflict || f.Code() != fault.AddressExists {
			t.Errorf("under a name it is %v", err)
		}
		_, _, err = l.putAt("other", "https://site/other")
		l.must(err)
		_, _, err = l.putAt("other", url)
		l.wantKind(err, fault.Conflict)
	})

	t.Run("a page whose address has gone is added anew", func(t *testing.T) {
		l := newLibrary(t)
		l.world.set(url, page{text: bread})
		d, _, err := l.putAt("home", url)
		l.must(err)
		l.work()
		l.world.set(url, page{gone: true})
		_, _, err = l.putAt("home", url)
		l.must(err)
		l.work()
		l.wantGone(d.ID)
		l.world.set(url, page{text: cakes})
		back, result, err := l.putAt("home", url)
		l.must(err)
		l.wantResult(result, knowledge.Created)
		l.work()
		l.wantWhole(back.ID)
	})

	t.Run("a page that was added alone is removed with its address, a page of a site alone", func(t *testing.T) {
		l := newLibrary(t)
		l.world.set(url, page{text: bread})
		d, _, err := l.putAt("home", url)
		l.must(err)
		l.work()
		receipt, err := l.Catalog.Remove(t.Context(), home, bot, d.ID)
		if err != nil || receipt.DocumentID != d.ID || receipt.URL != url {
			t.Errorf("the receipt is %+v, %v", receipt, err)
		}
		l.wantAnswered("When is rye baked?", "midnight", false)
		l.work()
		l.clock.advance(time.Minute)
		l.work()
		l.wantGone(d.ID)
		if all, err := l.Sources.List(t.Context(), home, bot); err != nil || len(all) != 0 {
			t.Errorf("left are %+v, %v", all, err)
		}
		source := l.site(knowledge.Rules{}, knowledge.Never)
		l.work()
		_, err = l.Catalog.Remove(t.Context(), home, bot, l.at(url).ID)
		l.must(err)
		if s := l.source(source.ID); s.State != knowledge.SourceReady {
			t.Errorf("the site is %+v", s)
		}
	})

	t.Run("a text does not replace a page, nor a page a text", func(t *testing.T) {
		l := newLibrary(t)
		l.put("text", bread)
		_, _, err := l.putAt("text", url)
		if f := fault.As(err); f.Kind != fault.Conflict || f.Code() != fault.KindDiffers {
			t.Errorf("it is %v", err)
		}
		_, _, err = l.putAt("page", url)
		l.must(err)
		_, _, err = l.Catalog.Put(t.Context(), home, bot, knowledge.Given{NewDocument: knowledge.NewDocument{ExternalID: "page", Content: bread}})
		if f := fault.As(err); f.Kind != fault.Conflict || f.Code() != fault.KindDiffers {
			t.Errorf("it is %v", err)
		}
	})

	t.Run("an address that is none, or comes with more, is refused", func(t *testing.T) {
		l := newLibrary(t)
		_, _, err := l.putAt("", "ftp://site/")
		l.wantKind(err, fault.Invalid)
		for _, more := range []knowledge.NewDocument{{Content: bread}, {Title: "Bread"}, {Kind: knowledge.Text}, {File: &knowledge.Upload{Body: []byte(bread)}}} {
			_, _, err := l.Catalog.Put(t.Context(), home, bot, knowledge.Given{NewDocument: more, URL: url})
			l.wantKind(err, fault.Invalid)
		}
	})
}

func TestPutAtOnce(t *testing.T) {
	version := func(i int) string {
		return fmt.Sprintf("# Bread\n\nThe rye loaf costs %d crowns in version%d.\n", i, i)
	}

	t.Run("many programs that give one external ID at once make one document with one of their texts", func(t *testing.T) {
		l := newLibrary(t)
		var giving sync.WaitGroup
		for i := range 12 {
			giving.Go(func() {
				if _, _, err := l.Catalog.Put(t.Context(), home, bot, knowledge.Given{
					NewDocument: knowledge.NewDocument{ExternalID: "price", Content: version(i)},
				}); err != nil {
					t.Error(err)
				}
			})
		}
		giving.Wait()
		l.work()
		all := l.list()
		if len(all) != 1 {
			t.Fatalf("there are %d documents", len(all))
		}
		l.clock.advance(time.Minute) // the rest is left to whoever was at it, if they died
		l.work()
		l.wantWhole(all[0].ID)
		d := l.get(all[0].ID)
		if got := l.found(homeScope, "What does the rye loaf cost?"); got == "" || !strings.Contains(d.Content, strings.TrimSpace(got[strings.LastIndex(got, "The rye"):])) {
			t.Errorf("answers come from %q of %q", got, d.Content)
		}
	})

	t.Run("what replaces a text while that is being indexed follows without a pause", func(t *testing.T) {
		l := newLibrary(t)
		l.index.before = func() {
			d, result := l.put("price", version(2))
			l.wantResult(result, knowledge.Replaced)
			if d.State != knowledge.Pending {
				t.Errorf("it is %s", d.State)
			}
		}
		d, _ := l.put("price", version(1))
		if d.State != knowledge.Ready || !strings.Contains(d.Content, "version2") {
			t.Errorf("it is %+v", d)
		}
		l.wantWhole(d.ID)
		l.wantAnswered("What does the rye loaf cost?", "version1.", false)
		l.wantAnswered("What does the rye loaf cost?", "version2.", true)
	})
}

func TestPutCrash(t *testing.T) {
	for name, give := range map[string]func(*library, context.Context) error{
		"a text": func(l *library, ctx context.Context) error {
			_, _, err := l.Catalog.Put(ctx, home, bot, knowledge.Given{NewDocument: knowledge.NewDocument{ExternalID: "x", Content: cakes}})
			return err
		},
		"a file": func(l *library, ctx context.Context) error {
			_, _, err := l.Catalog.Put(ctx, home, bot, knowledge.Given{NewDocument: knowledge.NewDocument{ExternalID: "x", File: &knowledge.Upload{Name: "a.pdf", Body: []byte(cakes)}}})
			return err
		},
	} {
		t.Run("wherever the replacing of a text by "+name+" breaks off, what was acknowledged is not lost", func(t *testing.T) {
			t.Parallel()
			for call, died := 1, true; died; call++ {
				l := newLibrary(t)
				d, _ := l.put("x", bread)
				acknowledged := false
				died = l.dyingIn(call, func(ctx context.Context) error {
					err := give(l, ctx)
					acknowledged = err == nil
					if err == nil && context.Cause(ctx) != nil { // it died after that
						return errDead
					}
					return err
				})
				answers := l.found(homeScope, "When is rye or plum cake baked?")
				if old, now := strings.Contains(answers, "midnight"), strings.Contains(answers, "Sundays"); old == now {
					t.Errorf("dead at call %d, the answers come from %q", call, answers)
				}
				l.clock.advance(time.Minute)
				l.work()
				l.wantWhole(d.ID)
				if acknowledged {
					l.wantAnswered("When is rye baked?", "midnight", false)
					l.wantAnswered("When is plum cake baked?", "Sundays", true)
				}
				if !died && !acknowledged {
					t.Error("it was not given at all")
				}
				l.must(errors.Join(give(l, t.Context()))) // as the program does that got no answer
				l.work()
				l.wantWhole(d.ID)
				l.wantAnswered("When is plum cake baked?", "Sundays", true)
				l.wantStates(knowledge.Ready)
				if t.Failed() {
					t.Fatalf("dead at call %d", call)
				}
			}
		})
	}
}

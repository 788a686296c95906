package knowledge_test

import (
	"testing"
	"time"

	"parley/core/fault"
	"parley/core/knowledge"
)

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
		_, _, err = l.Catalog.Put(t.Context(), home, bot, knowledge.PutRequest{NewDocument: knowledge.NewDocument{ExternalID: "page", Content: bread}})
		if f := fault.As(err); f.Kind != fault.Conflict || f.Code() != fault.KindDiffers {
			t.Errorf("it is %v", err)
		}
	})

	t.Run("an address that is none, or comes with more, is refused", func(t *testing.T) {
		l := newLibrary(t)
		_, _, err := l.putAt("", "ftp://site/")
		l.wantKind(err, fault.Invalid)
		for _, more := range []knowledge.NewDocument{{Content: bread}, {Title: "Bread"}, {Kind: knowledge.Text}, {File: &knowledge.Upload{Body: []byte(bread)}}} {
			_, _, err := l.Catalog.Put(t.Context(), home, bot, knowledge.PutRequest{NewDocument: more, URL: url})
			l.wantKind(err, fault.Invalid)
		}
	})
}

package knowledge_test

import (
	"fmt"
	"strings"
	"sync"
	"testing"

	"parley/core/fault"
	"parley/core/knowledge"
	"parley/core/plan"
	"parley/core/retrieval"
	"parley/text/split"
)

func TestAdd(t *testing.T) {
	t.Run("a short text is ready when it returns", func(t *testing.T) {
		l := newLibrary(t)
		d := l.add("Bread", bread)
		if d.State != knowledge.Ready || d.Passages == 0 {
			t.Errorf("it is %+v", d)
		}
		l.wantWhole(d.ID)
		l.wantAnswered("When is rye baked?", "midnight", true)
	})

	t.Run("a long text is ready after work", func(t *testing.T) {
		l := newLibrary(t)
		d := l.add("Long", long("lang", 120))
		if len(d.Content) <= 256<<10 {
			t.Fatalf("%d bytes are not long", len(d.Content))
		}
		l.wantState(d.ID, knowledge.Pending, "")
		if got := l.queue.take(); fmt.Sprint(got) != "[ws_home]" {
			t.Errorf("enqueued is %v", got)
		}
		l.work()
		l.wantWhole(d.ID)
		l.wantAnswered("lang77", "lang77", true)
	})

	t.Run("a file is ready after work, with its title and places, and its bytes are not kept", func(t *testing.T) {
		l := newLibrary(t)
		text := long("eins", 1) + long("zwei", 1)
		l.world.files["a.pdf"] = page{title: " The  bakery\n", places: []split.Place{
			{Offset: 0, Name: "page 1"}, {Offset: len(text) / 2, Name: "page " + strings.Repeat("2", 5000)},
		}}
		d := l.addFile(" a.pdf\n", text)
		l.wantState(d.ID, knowledge.Pending, "")
		if got := l.queue.take(); fmt.Sprint(got) != "[ws_home]" {
			t.Errorf("enqueued is %v", got)
		}
		l.work()
		l.wantWhole(d.ID)
		if d = l.get(d.ID); d.Title != "The bakery" || d.Kind != knowledge.PDF || d.Content != text {
			t.Errorf("it is %+v", d)
		}
		found, err := l.Search(t.Context(), homeScope, retrieval.Query{Text: "zwei0", Limit: 1})
		if err != nil || len(found) != 1 || !strings.HasPrefix(found[0].Place, "page 2") || found[0].Title != "The bakery" {
			t.Errorf("found is %+v, %v", found, err)
		}
		_, err = l.db.Upload(t.Context(), home, d.ID)
		l.wantKind(err, fault.NotFound)
	})

	t.Run("an owner's title stays", func(t *testing.T) {
		l := newLibrary(t)
		l.world.files["a.pdf"] = page{title: "The file's"}
		d, err := l.Documents.Add(t.Context(), home, bot, knowledge.NewDocument{Title: "Mine", File: &knowledge.Upload{Name: "a.pdf", Body: []byte(bread)}})
		l.must(err)
		l.work()
		if got := l.get(d.ID).Title; got != "Mine" {
			t.Errorf("it is %q", got)
		}
	})

	t.Run("a file whose name and type are too long is taken", func(t *testing.T) {
		l := newLibrary(t)
		huge := strings.Repeat("ä", 5000)
		d, err := l.Documents.Add(t.Context(), home, bot, knowledge.NewDocument{File: &knowledge.Upload{Name: huge, ContentType: huge, Body: []byte(bread)}})
		l.must(err)
		l.work()
		l.wantWhole(d.ID)
	})

	t.Run("questions with answers are read as a file of them", func(t *testing.T) {
		l := newLibrary(t)
		d, err := l.Documents.Add(t.Context(), home, bot, knowledge.NewDocument{Title: "FAQ", Kind: knowledge.Pairs, Content: "Q: Why?\nA: Because."})
		l.must(err)
		l.work()
		l.wantWhole(d.ID)
		if got := l.world.extracted; len(got) != 1 || got[0].Kind != knowledge.Pairs || l.get(d.ID).Title != "FAQ" {
			t.Errorf("extracted were %+v", got)
		}
	})
}

func TestAddTwice(t *testing.T) {
	t.Run("equal content under the same title is not added twice", func(t *testing.T) {
		l := newLibrary(t)
		first := l.add("Bread", bread)
		if again := l.add(" Bread ", bread); again.ID != first.ID {
			t.Errorf("it became %s beside %s", again.ID, first.ID)
		}
		l.add("Other bread", bread)
		l.add("Bread", bread+"More.")
		l.wantStates(knowledge.Ready, knowledge.Ready, knowledge.Ready)
		file := l.addFile("a.pdf", bread)
		l.work()
		if again := l.addFile("a.pdf", bread); again.ID != file.ID {
			t.Errorf("the file became %s beside %s", again.ID, file.ID)
		}
	})

	t.Run("nor when it is added many times at once", func(t *testing.T) {
		l := newLibrary(t)
		var all sync.WaitGroup
		for range 20 {
			all.Go(func() { l.add("Bread", bread) })
		}
		all.Wait()
		l.wantStates(knowledge.Ready)
		l.wantWhole(l.list()[0].ID)
	})

	t.Run("what is being removed can be added again", func(t *testing.T) {
		l := newLibrary(t)
		first := l.add("Bread", bread)
		l.index.away = true
		l.must(l.Documents.Remove(t.Context(), home, bot, first.ID))
		l.index.away = false
		if again := l.add("Bread", bread); again.ID == first.ID {
			t.Error("the document that is being removed came back")
		}
		l.wantAnswered("When is rye baked?", "midnight", true)
	})
}

func TestAddRefused(t *testing.T) {
	t.Run("the plan's limit counts the whole workspace, also when it is reached at once", func(t *testing.T) {
		l := newLibrary(t)
		l.setPlan(plan.Starter) // 400,000 characters
		big := strings.Repeat("ä ", 50_000)
		refused, mu := 0, sync.Mutex{}
		var all sync.WaitGroup
		for i := range 8 {
			all.Go(func() {
				_, err := l.Documents.Add(t.Context(), home, bot, knowledge.NewDocument{Title: string(rune('a' + i)), Kind: knowledge.Text, Content: big})
				mu.Lock()
				defer mu.Unlock()
				if fault.Is(err, fault.Forbidden) {
					refused++
				} else if err != nil {
					t.Error(err)
				}
			})
		}
		all.Wait()
		if refused != 4 || len(l.list()) != 4 {
			t.Errorf("%d were refused and %d are there", refused, len(l.list()))
		}
		_, err := l.Documents.Add(t.Context(), foreign, other, knowledge.NewDocument{Title: "mine", Content: bread})
		l.must(err)
	})

	t.Run("a title is one line without what nobody sees", func(t *testing.T) {
		l := newLibrary(t)
		typed, err := l.Documents.Add(t.Context(), home, bot, knowledge.NewDocument{Title: " Price\u202e\nlist\u200b\a ", Content: bread})
		l.must(err)
		l.world.files["b.pdf"] = page{}
		named, err := l.Documents.Add(t.Context(), home, bot, knowledge.NewDocument{File: &knowledge.Upload{Name: "b\u202e\u200b.pdf", Body: []byte(bread)}})
		l.must(err)
		if typed.Title != "Price list" || named.Title != "b.pdf" {
			t.Errorf("they are %q and %q", typed.Title, named.Title)
		}
	})

	t.Run("a wrong document is refused at its field", func(t *testing.T) {
		l := newLibrary(t)
		file := func(name, body string) *knowledge.Upload { return &knowledge.Upload{Name: name, Body: []byte(body)} }
		for _, c := range []struct {
			field   string
			kind    fault.Kind
			request knowledge.NewDocument
		}{
			{"kind", fault.Invalid, knowledge.NewDocument{Title: "a", Kind: "pdf", Content: "x"}},
			{"title", fault.Invalid, knowledge.NewDocument{Title: " ", Content: "x"}},
			{"title", fault.Invalid, knowledge.NewDocument{Title: "\u200b\u202e\n", Content: "x"}},
			{"title", fault.Invalid, knowledge.NewDocument{Title: "a\x00", Content: "x"}},
			{"title", fault.Invalid, knowledge.NewDocument{Title: "a\xff", Content: "x"}},
			{"title", fault.Invalid, knowledge.NewDocument{Title: strings.Repeat("ä", 201), Content: "x"}},
			{"content", fault.Invalid, knowledge.NewDocument{Title: "a", Content: " \n"}},
			{"content", fault.Invalid, knowledge.NewDocument{Title: "a", Content: "x\xff"}},
			{"content", fault.Invalid, knowledge.NewDocument{Title: "a", Content: "x\x00"}},
			{"content", fault.TooLarge, knowledge.NewDocument{Title: "a", Content: strings.Repeat("x", knowledge.MaxContent+1)}},
			{"file", fault.Invalid, knowledge.NewDocument{Content: "x", File: file("a.pdf", "x")}},
			{"file", fault.Invalid, knowledge.NewDocument{File: file("a.pdf", "")}},
			{"file", fault.TooLarge, knowledge.NewDocument{File: file("a.pdf", strings.Repeat("x", knowledge.MaxUpload+1))}},
			{"title", fault.Invalid, knowledge.NewDocument{File: file(" \xff", "x")}},
		} {
			_, err := l.Documents.Add(t.Context(), home, bot, c.request)
			if !fault.Is(err, c.kind) || fault.As(err).Field != c.field {
				t.Errorf("%.20q, %.20q gives %v at %q", c.request.Title, c.request.Content, err, fault.As(err).Field)
			}
		}
		l.wantStates()
	})

	t.Run("another workspace's call on a chatbot or document is not found and changes nothing", func(t *testing.T) {
		l := newLibrary(t)
		document, source := l.add("Bread", bread), l.pageAt("https://site/", knowledge.Never)
		ctx := t.Context()
		_, add := l.Documents.Add(ctx, foreign, bot, knowledge.NewDocument{Title: "x", Content: "x"})
		_, list := l.Documents.List(ctx, foreign, bot)
		_, get := l.Documents.Get(ctx, foreign, bot, document.ID)
		_, reindex := l.Documents.Reindex(ctx, foreign, bot)
		_, sources := l.Sources.List(ctx, foreign, bot)
		_, addSource := l.Sources.Add(ctx, foreign, bot, knowledge.NewSource{URL: "https://site/b"})
		_, removals := l.Removals.List(ctx, foreign, bot)
		for what, err := range map[string]error{
			"add": add, "list": list, "get": get, "reindex": reindex, "sources": sources, "add source": addSource, "removals": removals,
			"mark":                               l.Documents.MarkReindex(ctx, foreign, bot),
			"retry":                              l.Documents.Retry(ctx, foreign, bot, document.ID),
			"cancel":                             l.Documents.Cancel(ctx, foreign, bot, document.ID),
			"sync":                               l.Sources.Sync(ctx, foreign, bot, source.ID),
			"sync by another chatbot":            l.Sources.Sync(ctx, foreign, other, source.ID),
			"remove source":                      l.Sources.Remove(ctx, foreign, bot, source.ID),
			"remove source by another chatbot":   l.Sources.Remove(ctx, foreign, other, source.ID),
			"remove":                             l.Documents.Remove(ctx, foreign, bot, document.ID),
			"remove by another chatbot":          l.Documents.Remove(ctx, foreign, other, document.ID),
			"remove by a chatbot that is not it": l.Documents.Remove(ctx, home, other, document.ID),
		} {
			if !fault.Is(err, fault.NotFound) {
				t.Errorf("%s gives %v", what, err)
			}
		}
		l.wantStates(knowledge.Ready)
		l.wantAnswered("When is rye baked?", "midnight", true)
		for _, scope := range []retrieval.Scope{{WorkspaceID: foreign, ChatbotID: other}, {WorkspaceID: foreign, ChatbotID: bot}, {WorkspaceID: home, ChatbotID: other}} {
			if got := l.found(scope, "When is rye baked?"); got != "" {
				t.Errorf("%v finds %q", scope, got)
			}
		}
	})
}

func TestTitleOf(t *testing.T) {
	for sentence, c := range map[string]struct{ name, text, want string }{
		"the first heading is the title":                     {"a.md", "Intro\n# Opening hours \n# More", "Opening hours"},
		"a text without one has the name of its file":        {"help/opening.hours.md", "## Not the first level", "opening.hours"},
		"an empty heading and a very long one are no titles": {"a.md", "# \n# " + strings.Repeat("long ", 50) + "\n# Hours", "Hours"},
		"a hash that begins no heading is no title":          {"tags.txt", "#tag\n #indented", "tags"},
		"a name without an ending is a title as it stands":   {"README", "", "README"},
	} {
		if got := knowledge.TitleOf(c.name, c.text); got != c.want {
			t.Errorf("%s: got %q", sentence, got)
		}
	}
}

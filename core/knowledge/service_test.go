package knowledge_test

import (
	"context"
	"crypto/rand"
	"errors"
	"log/slog"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"parley/core/chatbot"
	"parley/core/fault"
	"parley/core/knowledge"
	"parley/core/plan"
	"parley/core/tenant"
	"parley/index/embedded"
	"parley/index/indextest"
	"parley/store"
)

const (
	home, foreign = "ws_home", "ws_foreign"
	bot, other    = "cb_home", "cb_foreign"
	bread         = "# Bread\n\nThe rye loaf is baked at midnight.\n\n## Rolls\n\nRolls are baked at dawn.\n"
)

var errAway = errors.New("the index is away")

// failing is an index whose changes fail on demand. With lie, a removal is
// said to be done and isn't.
type failing struct {
	knowledge.Index
	away, lie bool
}

func (f *failing) Replace(ctx context.Context, scope knowledge.Scope, id string, passages []knowledge.Passage) error {
	if f.away {
		return errAway
	}
	return f.Index.Replace(ctx, scope, id, passages)
}

func (f *failing) Remove(ctx context.Context, scope knowledge.Scope, id string) error {
	if f.away {
		return errAway
	}
	if f.lie {
		return nil
	}
	return f.Index.Remove(ctx, scope, id)
}

func (f *failing) Drop(ctx context.Context, scope knowledge.Scope) error {
	if f.away {
		return errAway
	}
	return f.Index.Drop(ctx, scope)
}

// library is the service over a real database and a real index that can fail.
type library struct {
	*testing.T
	*knowledge.Service
	db    *store.Store
	index *failing
	now   time.Time
}

func newLibrary(t *testing.T) *library {
	t.Helper()
	folder := t.TempDir()
	db, err := store.Open(t.Context(), "sqlite:"+filepath.Join(folder, "parley.db"))
	if err != nil {
		t.Fatal(err)
	}
	index, err := embedded.Open(filepath.Join(folder, "index.db"))
	if err != nil {
		t.Fatal(errors.Join(err, db.Close()))
	}
	t.Cleanup(func() {
		if err := errors.Join(index.Close(), db.Close()); err != nil {
			t.Error(err)
		}
	})
	l := &library{
		T: t, db: db, index: &failing{Index: indextest.RefuseInTx(index)},
		now: time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC),
	}
	l.Service = knowledge.New(db, l.index, func() time.Time { return l.now }, rand.Reader, slog.New(slog.DiscardHandler))
	for workspace, chatbotID := range map[string]string{home: bot, foreign: other} {
		l.must(db.CreateWorkspace(t.Context(), tenant.Workspace{ID: workspace, Plan: plan.Starter, CreatedAt: l.now}))
		l.must(db.CreateChatbot(t.Context(), workspace, chatbot.Chatbot{ID: chatbotID, CreatedAt: l.now}))
	}
	return l
}

func (l *library) must(err error) {
	l.Helper()
	if err != nil {
		l.Fatal(err)
	}
}

func (l *library) add(title, content string) knowledge.Document {
	l.Helper()
	document, err := l.Add(l.Context(), home, bot, knowledge.NewDocument{Title: title, Content: content})
	l.must(err)
	return document
}

// addWhileAway adds a document that stays pending.
func (l *library) addWhileAway(title, content string) knowledge.Document {
	l.Helper()
	l.index.away = true
	_, err := l.Add(l.Context(), home, bot, knowledge.NewDocument{Title: title, Content: content})
	l.index.away = false
	if !errors.Is(err, errAway) {
		l.Fatalf("the index was away, and adding gives %v", err)
	}
	all := l.list()
	return all[len(all)-1]
}

func (l *library) list() []knowledge.Document {
	l.Helper()
	all, err := l.List(l.Context(), home, bot)
	l.must(err)
	return all
}

// wantStates fails unless the documents have these states, oldest first.
func (l *library) wantStates(want ...knowledge.State) {
	l.Helper()
	var got []knowledge.State
	for _, d := range l.list() {
		got = append(got, d.State)
	}
	if !slices.Equal(got, want) {
		l.Errorf("the documents are %v, want %v", got, want)
	}
}

// found are the texts that answer a question, joined.
func (l *library) found(workspaceID, chatbotID, question string) string {
	l.Helper()
	found, err := l.Search(l.Context(), knowledge.Scope{WorkspaceID: workspaceID, ChatbotID: chatbotID}, knowledge.Query{Text: question, Limit: 10})
	l.must(err)
	var texts []string
	for _, f := range found {
		texts = append(texts, f.Text)
	}
	return strings.Join(texts, "\n")
}

func (l *library) wantAnswered(question, text string, want bool) {
	l.Helper()
	if got := l.found(home, bot, question); strings.Contains(got, text) != want {
		l.Errorf("%q finds %q; with %q: want %v", question, got, text, want)
	}
}

func TestAdd(t *testing.T) {
	t.Run("when it returns, questions find the document", func(t *testing.T) {
		l := newLibrary(t)
		document := l.add("Bread", bread)
		if document.State != knowledge.Ready || document.Passages == 0 {
			t.Errorf("it is %+v", document)
		}
		l.wantAnswered("When is rye baked?", "midnight", true)
	})

	t.Run("equal content under the same title is not added twice", func(t *testing.T) {
		l := newLibrary(t)
		first := l.add("Bread", bread)
		if again := l.add(" Bread ", bread); again.ID != first.ID {
			t.Errorf("it became %s beside %s", again.ID, first.ID)
		}
		l.add("Other bread", bread)
		l.add("Bread", bread+"More.")
		l.wantStates(knowledge.Ready, knowledge.Ready, knowledge.Ready)
	})

	t.Run("nor when it is added many times at once", func(t *testing.T) {
		l := newLibrary(t)
		var all sync.WaitGroup
		for range 20 {
			all.Go(func() { l.add("Bread", bread) })
		}
		all.Wait()
		l.wantStates(knowledge.Ready)
	})

	t.Run("what is being removed can be added again", func(t *testing.T) {
		l := newLibrary(t)
		first := l.add("Bread", bread)
		l.index.away = true
		if err := l.Remove(t.Context(), home, bot, first.ID); !errors.Is(err, errAway) {
			t.Errorf("removing gives %v", err)
		}
		l.index.away = false
		if again := l.add("Bread", bread); again.ID == first.ID {
			t.Error("the document that is being removed came back")
		}
		l.wantAnswered("When is rye baked?", "midnight", true)
	})

	t.Run("the plan's limit counts the whole workspace, also when it is reached at once", func(t *testing.T) {
		l := newLibrary(t) // Starter: 400,000 characters
		big := strings.Repeat("ä ", 50_000)
		refused, mu := 0, sync.Mutex{}
		var all sync.WaitGroup
		for i := range 8 {
			all.Go(func() {
				_, err := l.Add(t.Context(), home, bot, knowledge.NewDocument{Title: string(rune('a' + i)), Kind: knowledge.Text, Content: big})
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
		_, err := l.Add(t.Context(), foreign, other, knowledge.NewDocument{Title: "mine", Content: bread})
		l.must(err)
	})

	t.Run("a wrong document is refused at its field", func(t *testing.T) {
		l := newLibrary(t)
		for _, c := range []struct {
			field   string
			kind    fault.Kind
			request knowledge.NewDocument
		}{
			{"kind", fault.Invalid, knowledge.NewDocument{Title: "a", Kind: "pdf", Content: "x"}},
			{"title", fault.Invalid, knowledge.NewDocument{Title: " ", Content: "x"}},
			{"title", fault.Invalid, knowledge.NewDocument{Title: "a\nb", Content: "x"}},
			{"title", fault.Invalid, knowledge.NewDocument{Title: strings.Repeat("ä", 201), Content: "x"}},
			{"content", fault.Invalid, knowledge.NewDocument{Title: "a", Content: " \n"}},
			{"content", fault.Invalid, knowledge.NewDocument{Title: "a", Content: "x\xff"}},
			{"content", fault.Invalid, knowledge.NewDocument{Title: "a", Content: "x\x00"}},
			{"content", fault.TooLarge, knowledge.NewDocument{Title: "a", Content: strings.Repeat("x", knowledge.MaxContent+1)}},
		} {
			_, err := l.Add(t.Context(), home, bot, c.request)
			if !fault.Is(err, c.kind) || fault.As(err).Field != c.field {
				t.Errorf("%.20q, %.20q gives %v at %q", c.request.Title, c.request.Content, err, fault.As(err).Field)
			}
		}
		l.wantStates()
	})
}

func TestAwayIndex(t *testing.T) {
	t.Run("a document that was added meanwhile is indexed later", func(t *testing.T) {
		l := newLibrary(t)
		l.addWhileAway("Bread", bread)
		l.wantStates(knowledge.Pending)
		l.wantAnswered("When is rye baked?", "midnight", false)
		l.must(l.Resume(t.Context(), 0))
		l.wantStates(knowledge.Ready)
		l.wantAnswered("When is rye baked?", "midnight", true)
	})

	t.Run("what is young may still be indexed by another process, and is left alone", func(t *testing.T) {
		l := newLibrary(t)
		l.addWhileAway("Bread", bread)
		l.must(l.Resume(t.Context(), time.Minute))
		l.wantStates(knowledge.Pending)
		l.now = l.now.Add(time.Minute)
		l.must(l.Resume(t.Context(), time.Minute))
		l.wantStates(knowledge.Ready)
	})

	t.Run("one document that cannot be settled does not hold up the others", func(t *testing.T) {
		l := newLibrary(t)
		l.addWhileAway("Bread", bread)
		l.index.away = true
		l.must(l.Resume(t.Context(), 0))
		l.wantStates(knowledge.Pending)
	})

	t.Run("a removed document is out of every answer at once, and gone later", func(t *testing.T) {
		l := newLibrary(t)
		document := l.add("Bread", bread)
		l.index.away = true
		if err := l.Remove(t.Context(), home, bot, document.ID); !errors.Is(err, errAway) {
			t.Errorf("removing gives %v", err)
		}
		l.wantStates(knowledge.Removing)
		l.wantAnswered("When is rye baked?", "midnight", false)
		l.index.away = false
		l.must(l.Resume(t.Context(), 0))
		l.wantStates()
		l.wantCount(document, 0)
	})

	t.Run("re-indexing brings the text back from the database", func(t *testing.T) {
		l := newLibrary(t)
		l.add("Bread", bread)
		pending := l.addWhileAway("Cakes", "# Cakes\n\nThe plum cake is baked on Sundays.\n")
		if n, err := l.Reindex(t.Context(), home, bot); err != nil || n != 2 {
			t.Errorf("%d are indexed again: %v", n, err)
		}
		l.wantStates(knowledge.Ready, knowledge.Ready)
		l.wantAnswered("When is plum cake baked?", "Sundays", true)
		l.wantAnswered("When is rye baked?", "midnight", true)
		l.wantCount(pending, pending.Passages)
	})

	t.Run("re-indexing that breaks off can be done again", func(t *testing.T) {
		l := newLibrary(t)
		l.add("Bread", bread)
		l.index.away = true
		if _, err := l.Reindex(t.Context(), home, bot); !errors.Is(err, errAway) {
			t.Errorf("the error is %v", err)
		}
		l.index.away = false
		_, err := l.Reindex(t.Context(), home, bot)
		l.must(err)
		l.wantAnswered("When is rye baked?", "midnight", true)
	})
}

func (l *library) wantCount(d knowledge.Document, want int) {
	l.Helper()
	if n, err := l.index.Count(l.Context(), knowledge.Scope{WorkspaceID: home, ChatbotID: bot}, d.ID); err != nil || n != want {
		l.Errorf("the index holds %d passages, want %d: %v", n, want, err)
	}
}

func TestRepair(t *testing.T) {
	t.Run("an index that lost everything is filled again, an index that holds all is left alone", func(t *testing.T) {
		l := newLibrary(t)
		l.add("Bread", bread)
		l.add("Cakes", "# Cakes\n\nThe plum cake is baked on Sundays.\n")
		l.wantRepaired(0)
		l.must(l.Forget(t.Context(), home, bot))
		l.wantAnswered("When is rye baked?", "midnight", false)
		l.wantRepaired(2)
		l.wantAnswered("When is rye baked?", "midnight", true)
		l.wantRepaired(0)
	})

	t.Run("documents that are on their way in or out arrive", func(t *testing.T) {
		l := newLibrary(t)
		gone := l.add("Bread", bread)
		l.index.away = true
		_ = l.Remove(t.Context(), home, bot, gone.ID) // fails: the index is away
		l.index.away = false
		l.addWhileAway("Cakes", "# Cakes\n\nThe plum cake is baked on Sundays.\n")
		l.wantRepaired(2)
		l.wantStates(knowledge.Ready)
		l.wantCount(gone, 0)
	})
}

func (l *library) wantRepaired(want int) {
	l.Helper()
	if n, err := l.Repair(l.Context()); err != nil || n != want {
		l.Errorf("%d documents were brought back, want %d: %v", n, want, err)
	}
}

func TestSearch(t *testing.T) {
	t.Run("what the index still holds of a removed document is not found", func(t *testing.T) {
		l := newLibrary(t)
		document := l.add("Bread", bread)
		l.index.lie = true
		l.must(l.Remove(t.Context(), home, bot, document.ID))
		l.wantStates()
		l.wantCount(document, document.Passages)
		l.wantAnswered("When is rye baked?", "midnight", false)
	})

	t.Run("another workspace finds nothing, whichever half of its scope is wrong", func(t *testing.T) {
		l := newLibrary(t)
		l.add("Bread", bread)
		for _, scope := range [][2]string{{foreign, other}, {foreign, bot}, {home, other}} {
			if got := l.found(scope[0], scope[1], "When is rye baked?"); got != "" {
				t.Errorf("%v finds %q", scope, got)
			}
		}
	})

	t.Run("another workspace's call on a chatbot or document is not found and changes nothing", func(t *testing.T) {
		l := newLibrary(t)
		document := l.add("Bread", bread)
		ctx := t.Context()
		_, add := l.Add(ctx, foreign, bot, knowledge.NewDocument{Title: "x", Content: "x"})
		_, list := l.List(ctx, foreign, bot)
		_, get := l.Get(ctx, foreign, bot, document.ID)
		_, reindex := l.Reindex(ctx, foreign, bot)
		for what, err := range map[string]error{
			"add": add, "list": list, "get": get, "reindex": reindex,
			"remove":                             l.Remove(ctx, foreign, bot, document.ID),
			"remove by another chatbot":          l.Remove(ctx, foreign, other, document.ID),
			"remove by a chatbot that is not it": l.Remove(ctx, home, other, document.ID),
		} {
			if !fault.Is(err, fault.NotFound) {
				t.Errorf("%s gives %v", what, err)
			}
		}
		l.wantStates(knowledge.Ready)
		l.wantAnswered("When is rye baked?", "midnight", true)
	})
}

package e2e

import (
	"context"
	"net/http"
	"slices"
	"strings"
	"testing"

	"parley/app"
	"parley/core/answer"
	"parley/core/answer/prompt"
	"parley/core/chat"
	"parley/core/plan"
	"parley/core/retrieval"
	"parley/store/storetest"
	"parley/text/lexical"
)

// panicsWhenAsked is a model with a defect that some questions bring out.
type panicsWhenAsked struct{ answer.Model }

func (m panicsWhenAsked) Generate(ctx context.Context, asked prompt.Prompt, emit func(string) error) (answer.Generated, error) {
	if asked.Question != "panic in the model" {
		return m.Model.Generate(ctx, asked, emit)
	}
	if err := emit("Some words"); err != nil {
		return answer.Generated{}, err
	}
	panic("secret of the model")
}

// panicsWhenSearched is an index with such a defect.
type panicsWhenSearched struct{ retrieval.Index }

func (x panicsWhenSearched) Search(ctx context.Context, scope retrieval.Scope, query retrieval.IndexQuery) (retrieval.Hits, error) {
	asks := func(term retrieval.Term) bool { // in the question itself, not in one before
		return strings.HasPrefix(term.Text, "quicksand") && term.Weight >= lexical.Unit
	}
	if slices.ContainsFunc(query.Terms, asks) {
		panic("secret of the index")
	}
	return x.Index.Search(ctx, scope, query)
}

func TestPanicsInMidTurn(t *testing.T) {
	for name, database := range map[string]func(*testing.T) string{
		"sqlite":   func(*testing.T) string { return "" },
		"postgres": func(t *testing.T) string { return storetest.Postgres(t) },
	} {
		t.Run(name, func(t *testing.T) {
			url := database(t)
			outer := startWith(t, app.Options{
				Model: func(m answer.Model) answer.Model { return panicsWhenAsked{m} },
				Index: func(x retrieval.Index) retrieval.Index { return panicsWhenSearched{x} },
			}, func(c *app.Config) { c.DatabaseURL = url })
			tn := outer.newTenant("baker", plan.Standard, opening)

			for _, conversation := range []string{"a new conversation", "a conversation that goes on"} {
				body := func(message string) string { return `{"message":"` + message + `"}` }
				if conversation != "a new conversation" {
					id := written(outer.newConversation(tn.token, ""))
					body = func(message string) string { return `{"message":"` + message + `","conversation_id":` + id + `}` }
				}
				goesOn := func(w *instance) {
					w.Helper()
					if r := w.call("POST", chatPath, body("When does the bakery open?"), bearer(tn.token)); r.StatusCode != http.StatusOK {
						w.Fatalf("the next question is answered with %s", r.body)
					}
				}
				t.Run("a panic of the model in "+conversation+" ends that stream alone, with one terminal event", func(t *testing.T) {
					w := outer.within(t)
					s := w.story(w.stream(body("panic in the model"), bearer(tn.token)))
					if s.kinds != "conversation waiting delta error [DONE] " || s.text != "Some words" || s.failures[0].Error != 5 {
						t.Fatalf("the stream was %s %v", s.kinds, s.failures)
					}
					if got := w.answered(tn, s.conversation); got.Status != chat.Failed || got.Content != "Some words" {
						t.Fatalf("stored is %v", got)
					}
					goesOn(w)
				})
				t.Run("a panic of the model in "+conversation+" fails that answer alone", func(t *testing.T) {
					w := outer.within(t)
					w.checkAnswer(w.call("POST", chatPath, body("panic in the model"), bearer(tn.token)), 500, 5)
					goesOn(w)
				})
				for _, path := range []string{chatPath, streamPath} {
					t.Run("a panic of the index in "+conversation+" is an ordinary failure of "+path, func(t *testing.T) {
						w := outer.within(t)
						w.checkAnswer(w.call("POST", path, body("quicksand in the index"), bearer(tn.token)), 500, 5)
						goesOn(w)
					})
				}
			}

			t.Run("nothing is left over, and only the log knows why", func(t *testing.T) {
				w := outer.within(t)
				w.end()
				w.noneGenerating()
				for _, secret := range []string{"secret of the model", "secret of the index"} {
					if !strings.Contains(w.log.String(), secret) {
						t.Errorf("the log does not have %q", secret)
					}
				}
			})
		})
	}
}

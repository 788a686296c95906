package turns

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
	"parley/e2e/harness"
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
			outer := harness.StartWith(t, app.Options{
				Model: func(m answer.Model) answer.Model { return panicsWhenAsked{m} },
				Index: func(x retrieval.Index) retrieval.Index { return panicsWhenSearched{x} },
			}, func(c *app.Config) { c.DatabaseURL = url })
			tn := outer.NewTenant("baker", plan.Standard, harness.Opening)

			for _, conversation := range []string{"a new conversation", "a conversation that goes on"} {
				body := func(message string) string { return `{"message":"` + message + `"}` }
				if conversation != "a new conversation" {
					id := harness.Written(outer.NewConversation(tn.Token, ""))
					body = func(message string) string { return `{"message":"` + message + `","conversation_id":` + id + `}` }
				}
				goesOn := func(w *harness.Instance) {
					w.Helper()
					if r := w.Call("POST", harness.ChatPath, body("When does the bakery open?"), harness.Bearer(tn.Token)); r.StatusCode != http.StatusOK {
						w.Fatalf("the next question is answered with %s", r.Text)
					}
				}
				t.Run("a panic of the model in "+conversation+" ends that stream alone, with one terminal event", func(t *testing.T) {
					w := outer.Within(t)
					s := w.Story(w.Stream(body("panic in the model"), harness.Bearer(tn.Token)))
					if s.Kinds != "conversation waiting delta error [DONE] " || s.Text != "Some words" || s.Failures[0].Error != 5 {
						t.Fatalf("the stream was %s %v", s.Kinds, s.Failures)
					}
					if got := waitForAnswer(w, tn, s.Conversation); got.Status != chat.Failed || got.Content != "Some words" {
						t.Fatalf("stored is %v", got)
					}
					goesOn(w)
				})
				t.Run("a panic of the model in "+conversation+" fails that answer alone", func(t *testing.T) {
					w := outer.Within(t)
					w.CheckAnswer(w.Call("POST", harness.ChatPath, body("panic in the model"), harness.Bearer(tn.Token)), 500, 5)
					goesOn(w)
				})
				for _, path := range []string{harness.ChatPath, harness.StreamPath} {
					t.Run("a panic of the index in "+conversation+" is an ordinary failure of "+path, func(t *testing.T) {
						w := outer.Within(t)
						w.CheckAnswer(w.Call("POST", path, body("quicksand in the index"), harness.Bearer(tn.Token)), 500, 5)
						goesOn(w)
					})
				}
			}

			t.Run("nothing is left over, and only the log knows why", func(t *testing.T) {
				w := outer.Within(t)
				w.End()
				w.NoneGenerating()
				for _, secret := range []string{"secret of the model", "secret of the index"} {
					if !strings.Contains(w.ServerLog.String(), secret) {
						t.Errorf("the log does not have %q", secret)
					}
				}
			})
		})
	}
}

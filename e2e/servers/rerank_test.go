package servers

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	"parley/app"
	"parley/core/chatbot"
	"parley/core/plan"
	"parley/e2e/harness"
	"parley/llm/llmtest"
)

// sourceOf is how a prompt introduces a passage by its number.
func sourceOf(t *testing.T, request *llmtest.Request, number int) string {
	t.Helper()
	found := regexp.MustCompile(fmt.Sprintf(`passage id=\\"%d\\" source=\\"([^"\\]*)`, number)).FindSubmatch(request.Body())
	if found == nil {
		t.Fatalf("there is no passage %d in %s", number, request.Body())
	}
	return string(found[1])
}

func TestRerank(t *testing.T) {
	t.Parallel()
	var loaves []string
	for n := range 12 { // about equally good
		loaves = append(loaves, fmt.Sprintf("# Bread %d\n\nThis bread is a loaf that we bake at seven.\n", n+1))
	}
	const asked = `{"message":"Which bread do you bake at seven?"}`
	harness.OnAnyDatabase(t, func(t *testing.T, start func(...func(*app.Config)) *harness.Instance) {
		harness.OnBothIndexes(t, func(t *testing.T, index func(*app.Config)) {
			upstream := llmtest.NewServer(t, llmtest.Reply{Pieces: []string{"That one. [1]"}, Usage: &llmtest.Usage{PromptTokens: 100, CompletionTokens: 10}})
			w := start(index, harness.WithModel(upstream)).Within(t)
			w.Prepared()
			baker := w.NewTenant("baker", plan.Standard, loaves...)
			w.Settled(baker)
			choose := func(w *harness.Instance, when chatbot.Rerank) {
				w.Helper()
				bot, err := w.Server.Chatbots.Get(w.Context(), baker.Workspace, baker.Chatbot)
				w.Must(err)
				settings := bot.Settings()
				settings.Rerank = when
				w.Must(w.Server.Chatbots.Update(w.Context(), baker.Workspace, baker.Chatbot, settings))
			}
			// ask returns what the model was asked, one request after the other.
			ask := func(w *harness.Instance) (harness.Reply, []*llmtest.Request) {
				w.Helper()
				before := upstream.Arrived()
				r := w.Call("POST", harness.ChatPath, asked, harness.Bearer(baker.Token))
				w.CheckAnswer(r, 200, 0)
				var requests []*llmtest.Request
				for n := before; n < upstream.Arrived(); n++ {
					requests = append(requests, upstream.Request(n))
				}
				return r, requests
			}
			total := func(r harness.Reply) float64 {
				usage, _ := r.Data["usage"].(map[string]any)
				n, _ := usage["total_tokens"].(float64)
				return n
			}

			w.Run("a new chatbot's model only answers", func(t *testing.T) {
				if _, requests := ask(w.Within(t)); len(requests) != 1 {
					t.Errorf("it was asked %d times", len(requests))
				}
			})
			w.Run("where it is on, the model chooses the passages, and its tokens count", func(t *testing.T) {
				w := w.Within(t)
				choose(w, chatbot.RerankOn)
				upstream.Next(llmtest.Reply{Pieces: []string{"12, 7"}, Usage: &llmtest.Usage{PromptTokens: 1_000, CompletionTokens: 5}})
				r, requests := ask(w)
				if len(requests) != 2 {
					t.Fatalf("it was asked %d times", len(requests))
				}
				for number, from := range map[int]int{1: 12, 2: 7, 3: 1, 4: 2, 5: 3} {
					if got, want := sourceOf(t, requests[1], number), sourceOf(t, requests[0], from); got != want {
						t.Errorf("passage %d is of %q, want %q", number, got, want)
					}
				}
				if strings.Contains(string(requests[1].Body()), `passage id=\"6\"`) {
					t.Error("the answer is made from more passages than before")
				}
				if total(r) != 1_115 {
					t.Errorf("the usage is %v", r.Data["usage"])
				}
			})
			w.Run("where the order is in doubt, automatic is as on", func(t *testing.T) {
				w := w.Within(t)
				choose(w, chatbot.RerankAuto)
				upstream.Next(llmtest.Reply{Pieces: []string{"9"}})
				_, requests := ask(w)
				if len(requests) != 2 || sourceOf(t, requests[1], 1) != sourceOf(t, requests[0], 9) {
					t.Errorf("it was asked %d times", len(requests))
				}
			})
			w.Run("a provider that refuses costs the order and not the answer", func(t *testing.T) {
				w := w.Within(t)
				upstream.Next(llmtest.Reply{Status: 400})
				r, requests := ask(w)
				if len(requests) != 2 || r.Data["message"] != "That one. [1]" || sourceOf(t, requests[1], 1) != sourceOf(t, requests[0], 1) {
					t.Errorf("it was asked %d times, and answers %v", len(requests), r.Data["message"])
				}
			})
			w.Run("off again, the model only answers", func(t *testing.T) {
				w := w.Within(t)
				choose(w, chatbot.RerankOff)
				if _, requests := ask(w); len(requests) != 1 {
					t.Errorf("it was asked %d times", len(requests))
				}
			})
		})
	})
}

package e2e

import (
	"bytes"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"parley/app"
	"parley/core/chatbot"
	"parley/core/fault"
	"parley/core/plan"
	"parley/core/seal"
	"parley/llm/llmtest"
)

const providerCanary = "sk-canary-0123456789abcdef"

// withLoopback lets workspaces use models on this machine, as an operator
// does with a network of theirs.
func withLoopback(c *app.Config) { c.ProviderAllow = []string{"127.0.0.1:*"} }

// choose gives a tenant's chatbot a model of a provider of its own.
func (w *instance) choose(tn tenantOf, upstream *llmtest.Server, fallback chatbot.ModelChoice) chatbot.Provider {
	w.Helper()
	provider, err := w.server.Chatbots.Providers.Create(w.Context(), tn.workspace, chatbot.ProviderSettings{
		Name: "Ours", Kind: chatbot.OpenAI, BaseURL: upstream.BaseURL(), Key: providerCanary,
	})
	w.must(err)
	w.must(w.server.Chatbots.Update(w.Context(), tn.workspace, tn.chatbot, chatbot.Settings{
		Name: "Guide", Answering: chatbot.Answering{Model: chatbot.ModelChoice{ProviderID: provider.ID, Name: "their-model"}, Fallback: fallback},
	}))
	return provider
}

func TestProvider(t *testing.T) {
	t.Parallel()
	onBothDatabases(t, func(t *testing.T, start func(...func(*app.Config)) *instance) {
		own := llmtest.NewServer(t, llmtest.Reply{Pieces: []string{"By the house."}})
		theirs := llmtest.NewServer(t, llmtest.Reply{Pieces: []string{"By ", "their model."}})
		secret := seal.ServerKey{1, 2, 3}
		w := start(withModel(own), withLoopback, func(c *app.Config) { c.SecretKey = secret.Text() })
		baker, rival := w.newTenant("baker", plan.Standard, opening), w.newTenant("rival", plan.Standard, rivalOpening)
		provider := w.choose(baker, theirs, chatbot.ModelChoice{})

		t.Run("a chatbot's own model answers, whole and streamed, asked with its key", func(t *testing.T) {
			w := w.within(t)
			r := w.call("POST", chatPath, openingQuestion, bearer(baker.token))
			w.checkAnswer(r, 200, 0)
			if r.Data["message"] != "By their model." {
				t.Errorf("the answer is %v", r.Data["message"])
			}
			w.stream(openingQuestion, bearer(baker.token)).rest()
			request := theirs.Request(1)
			if request.Header().Get("Authorization") != "Bearer "+providerCanary || !strings.Contains(string(request.Body()), "their-model") {
				t.Errorf("it was asked with %v: %s", request.Header(), request.Body())
			}
		})
		t.Run("other chatbots are answered by the server's own", func(t *testing.T) {
			w := w.within(t)
			r := w.call("POST", chatPath, openingQuestion, bearer(rival.token))
			if r.Data["message"] != "By the house." || theirs.Arrived() != 2 {
				t.Errorf("the answer is %v", r.Data["message"])
			}
		})
		t.Run("a provider that refuses the key is neither quoted nor named", func(t *testing.T) {
			w := w.within(t)
			theirs.Next(llmtest.Reply{Status: 401, ErrorBody: `{"error":{"message":"wrong key ` + providerCanary + `"}}`})
			r := w.call("POST", chatPath, openingQuestion, bearer(baker.token))
			w.checkAnswer(r, 500, 5)
			if strings.Contains(r.body, "canary") || strings.Contains(r.body, "127.0.0.1") {
				t.Errorf("the answer is %s", r.body)
			}
		})
		t.Run("another workspace cannot choose it", func(t *testing.T) {
			err := w.server.Chatbots.Update(t.Context(), rival.workspace, rival.chatbot, chatbot.Settings{
				Name: "Thief", Answering: chatbot.Answering{Model: chatbot.ModelChoice{ProviderID: provider.ID, Name: "their-model"}},
			})
			if !fault.Is(err, fault.Invalid) {
				t.Errorf("the error is %v", err)
			}
		})
		t.Run("the server's own model answers where theirs fails", func(t *testing.T) {
			w := w.within(t)
			w.must(w.server.Chatbots.Update(t.Context(), baker.workspace, baker.chatbot, chatbot.Settings{
				Name: "Guide", Answering: chatbot.Answering{
					Model: chatbot.ModelChoice{ProviderID: provider.ID, Name: "their-model"}, Fallback: chatbot.ModelChoice{Name: "double"},
				},
			}))
			theirs.Next(llmtest.Reply{Status: 401})
			r := w.call("POST", chatPath, openingQuestion, bearer(baker.token))
			if w.checkAnswer(r, 200, 0); r.Data["message"] != "By the house." {
				t.Errorf("the answer is %v", r.Data["message"])
			}
		})
		t.Run("the key is in no log and no file of the data folder", func(t *testing.T) {
			w := w.within(t)
			w.notLogged("canary", providerCanary, secret.Text())
			w.notInFiles("canary", secret.Text())
		})
	})
}

// notInFiles looks for secrets in all that the server keeps on this machine.
func (w *instance) notInFiles(secrets ...string) {
	w.Helper()
	w.must(filepath.WalkDir(w.server.Config.DataDir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || !entry.Type().IsRegular() {
			return err
		}
		content, err := os.ReadFile(path)
		for _, secret := range secrets {
			if bytes.Contains(content, []byte(secret)) {
				w.Errorf("%s has %q", path, secret)
			}
		}
		return err
	}))
}

func TestPrivateProvider(t *testing.T) {
	t.Parallel()
	upstream := llmtest.NewServer(t, llmtest.Reply{Pieces: []string{"secret"}})
	w := start(t)
	baker := w.newTenant("baker", plan.Standard, opening)

	t.Run("an http address is not saved where no private network is allowed", func(t *testing.T) {
		_, err := w.server.Chatbots.Providers.Create(t.Context(), baker.workspace, chatbot.ProviderSettings{Name: "a", Kind: chatbot.OpenAI, BaseURL: upstream.BaseURL()})
		if fault.As(err).Field != "base_url" {
			t.Errorf("the error is %v", err)
		}
	})
	t.Run("a private address behind https is not reached", func(t *testing.T) {
		w := w.within(t)
		provider, err := w.server.Chatbots.Providers.Create(t.Context(), baker.workspace, chatbot.ProviderSettings{
			Name: "a", Kind: chatbot.OpenAI, BaseURL: strings.Replace(upstream.BaseURL(), "http://127.0.0.1", "https://localhost", 1), Key: providerCanary,
		})
		w.must(err)
		w.must(w.server.Chatbots.Update(t.Context(), baker.workspace, baker.chatbot, chatbot.Settings{
			Name: "Guide", Answering: chatbot.Answering{Model: chatbot.ModelChoice{ProviderID: provider.ID, Name: "m"}},
		}))
		r := w.call("POST", chatPath, openingQuestion, bearer(baker.token))
		w.checkAnswer(r, 500, 5)
		if strings.Contains(r.body, "localhost") || upstream.Arrived() != 0 {
			t.Errorf("the answer is %s", r.body)
		}
		w.notLogged("canary")
	})
}

func TestAnthropicProvider(t *testing.T) {
	t.Parallel()
	theirs := llmtest.NewAnthropic(t, llmtest.Reply{Pieces: []string{"By ", "Claude."}})
	broken := llmtest.NewServer(t, llmtest.Reply{Status: 404})
	w := start(t, withLoopback)
	baker := w.newTenant("baker", plan.Standard, opening)
	claude, err := w.server.Chatbots.Providers.Create(t.Context(), baker.workspace, chatbot.ProviderSettings{
		Name: "Claude", Kind: chatbot.Anthropic, BaseURL: theirs.BaseURL(), Key: providerCanary, Tools: true,
	})
	w.must(err)
	w.choose(baker, broken, chatbot.ModelChoice{ProviderID: claude.ID, Name: "claude-haiku-4-5"})

	t.Run("a provider of one kind is the fallback of another", func(t *testing.T) {
		w := w.within(t)
		r := w.call("POST", chatPath, openingQuestion, bearer(baker.token))
		if w.checkAnswer(r, 200, 0); r.Data["message"] != "By Claude." || broken.Arrived() == 0 {
			t.Errorf("the answer is %v", r.Data["message"])
		}
		if key := theirs.Request(0).Header().Get("X-Api-Key"); key != providerCanary {
			t.Errorf("it was asked with %q", key)
		}
		w.notLogged("canary")
		w.notInFiles("canary")
	})
}

package api

import (
	"strings"
	"testing"

	"parley/app"
	"parley/core/chatbot"
	"parley/core/fault"
	"parley/core/plan"
	"parley/core/seal"
	"parley/e2e/harness"
	"parley/llm/llmtest"
)

// chooseModel gives a tenant's chatbot a model of a provider of its own.
func chooseModel(w *harness.Instance, tn harness.Tenant, upstream *llmtest.Server, fallback chatbot.ModelChoice) chatbot.Provider {
	w.Helper()
	provider, err := w.Server.Chatbots.Providers.Create(w.Context(), tn.Workspace, chatbot.ProviderSettings{
		Name: "Ours", Kind: chatbot.OpenAI, BaseURL: upstream.BaseURL(), Key: harness.ProviderCanary,
	})
	w.Must(err)
	w.Must(w.Server.Chatbots.Update(w.Context(), tn.Workspace, tn.Chatbot, chatbot.Settings{
		Name: "Guide", Answering: chatbot.Answering{Model: chatbot.ModelChoice{ProviderID: provider.ID, Name: "their-model"}, Fallback: fallback},
	}))
	return provider
}

func TestProvider(t *testing.T) {
	t.Parallel()
	harness.OnAnyDatabase(t, func(t *testing.T, start func(...func(*app.Config)) *harness.Instance) {
		own := llmtest.NewServer(t, llmtest.Reply{Pieces: []string{"By the house."}})
		theirs := llmtest.NewServer(t, llmtest.Reply{Pieces: []string{"By ", "their model."}})
		secret := seal.ServerKey{1, 2, 3}
		w := start(harness.WithModel(own), harness.WithLoopback, func(c *app.Config) { c.SecretKey = secret.Text() })
		baker, rival := w.NewTenant("baker", plan.Standard, harness.Opening), w.NewTenant("rival", plan.Standard, harness.RivalOpening)
		provider := chooseModel(w, baker, theirs, chatbot.ModelChoice{})

		t.Run("a chatbot's own model answers, whole and streamed, asked with its key", func(t *testing.T) {
			w := w.Within(t)
			r := w.Call("POST", harness.ChatPath, harness.OpeningQuestion, harness.Bearer(baker.Token))
			w.CheckAnswer(r, 200, 0)
			if r.Data["message"] != "By their model." {
				t.Errorf("the answer is %v", r.Data["message"])
			}
			w.Stream(harness.OpeningQuestion, harness.Bearer(baker.Token)).Rest()
			request := theirs.Request(1)
			if request.Header().Get("Authorization") != "Bearer "+harness.ProviderCanary || !strings.Contains(string(request.Body()), "their-model") {
				t.Errorf("it was asked with %v: %s", request.Header(), request.Body())
			}
		})
		t.Run("other chatbots are answered by the server's own", func(t *testing.T) {
			w := w.Within(t)
			r := w.Call("POST", harness.ChatPath, harness.OpeningQuestion, harness.Bearer(rival.Token))
			if r.Data["message"] != "By the house." || theirs.Arrived() != 2 {
				t.Errorf("the answer is %v", r.Data["message"])
			}
		})
		t.Run("a provider that refuses the key is neither quoted nor named", func(t *testing.T) {
			w := w.Within(t)
			theirs.Next(llmtest.Reply{Status: 401, ErrorBody: `{"error":{"message":"wrong key ` + harness.ProviderCanary + `"}}`})
			r := w.Call("POST", harness.ChatPath, harness.OpeningQuestion, harness.Bearer(baker.Token))
			w.CheckAnswer(r, 500, 5)
			if strings.Contains(r.Text, "canary") || strings.Contains(r.Text, "127.0.0.1") {
				t.Errorf("the answer is %s", r.Text)
			}
		})
		t.Run("another workspace cannot choose it", func(t *testing.T) {
			err := w.Server.Chatbots.Update(t.Context(), rival.Workspace, rival.Chatbot, chatbot.Settings{
				Name: "Thief", Answering: chatbot.Answering{Model: chatbot.ModelChoice{ProviderID: provider.ID, Name: "their-model"}},
			})
			if !fault.Is(err, fault.Invalid) {
				t.Errorf("the error is %v", err)
			}
		})
		t.Run("the server's own model answers where theirs fails", func(t *testing.T) {
			w := w.Within(t)
			w.Must(w.Server.Chatbots.Update(t.Context(), baker.Workspace, baker.Chatbot, chatbot.Settings{
				Name: "Guide", Answering: chatbot.Answering{
					Model: chatbot.ModelChoice{ProviderID: provider.ID, Name: "their-model"}, Fallback: chatbot.ModelChoice{Name: "double"},
				},
			}))
			theirs.Next(llmtest.Reply{Status: 401})
			r := w.Call("POST", harness.ChatPath, harness.OpeningQuestion, harness.Bearer(baker.Token))
			if w.CheckAnswer(r, 200, 0); r.Data["message"] != "By the house." {
				t.Errorf("the answer is %v", r.Data["message"])
			}
		})
		t.Run("the key is in no log and no file of the data folder", func(t *testing.T) {
			w := w.Within(t)
			w.NotLogged("canary", harness.ProviderCanary, secret.Text())
			w.NotInFiles("canary", secret.Text())
		})
	})
}

func TestPrivateProvider(t *testing.T) {
	t.Parallel()
	upstream := llmtest.NewServer(t, llmtest.Reply{Pieces: []string{"secret"}})
	w := harness.Start(t)
	baker := w.NewTenant("baker", plan.Standard, harness.Opening)

	t.Run("an http address is not saved where no private network is allowed", func(t *testing.T) {
		_, err := w.Server.Chatbots.Providers.Create(t.Context(), baker.Workspace, chatbot.ProviderSettings{Name: "a", Kind: chatbot.OpenAI, BaseURL: upstream.BaseURL()})
		if fault.As(err).Field != "base_url" {
			t.Errorf("the error is %v", err)
		}
	})
	t.Run("a private address behind https is not reached", func(t *testing.T) {
		w := w.Within(t)
		provider, err := w.Server.Chatbots.Providers.Create(t.Context(), baker.Workspace, chatbot.ProviderSettings{
			Name: "a", Kind: chatbot.OpenAI, BaseURL: strings.Replace(upstream.BaseURL(), "http://127.0.0.1", "https://localhost", 1), Key: harness.ProviderCanary,
		})
		w.Must(err)
		w.Must(w.Server.Chatbots.Update(t.Context(), baker.Workspace, baker.Chatbot, chatbot.Settings{
			Name: "Guide", Answering: chatbot.Answering{Model: chatbot.ModelChoice{ProviderID: provider.ID, Name: "m"}},
		}))
		r := w.Call("POST", harness.ChatPath, harness.OpeningQuestion, harness.Bearer(baker.Token))
		w.CheckAnswer(r, 500, 5)
		if strings.Contains(r.Text, "localhost") || upstream.Arrived() != 0 {
			t.Errorf("the answer is %s", r.Text)
		}
		w.NotLogged("canary")
	})
}

func TestAnthropicProvider(t *testing.T) {
	t.Parallel()
	theirs := llmtest.NewAnthropic(t, llmtest.Reply{Pieces: []string{"By ", "Claude."}})
	broken := llmtest.NewServer(t, llmtest.Reply{Status: 404})
	w := harness.Start(t, harness.WithLoopback)
	baker := w.NewTenant("baker", plan.Standard, harness.Opening)
	claude, err := w.Server.Chatbots.Providers.Create(t.Context(), baker.Workspace, chatbot.ProviderSettings{
		Name: "Claude", Kind: chatbot.Anthropic, BaseURL: theirs.BaseURL(), Key: harness.ProviderCanary, Tools: true,
	})
	w.Must(err)
	chooseModel(w, baker, broken, chatbot.ModelChoice{ProviderID: claude.ID, Name: "claude-haiku-4-5"})

	t.Run("a provider of one kind is the fallback of another", func(t *testing.T) {
		w := w.Within(t)
		r := w.Call("POST", harness.ChatPath, harness.OpeningQuestion, harness.Bearer(baker.Token))
		if w.CheckAnswer(r, 200, 0); r.Data["message"] != "By Claude." || broken.Arrived() == 0 {
			t.Errorf("the answer is %v", r.Data["message"])
		}
		if key := theirs.Request(0).Header().Get("X-Api-Key"); key != harness.ProviderCanary {
			t.Errorf("it was asked with %q", key)
		}
		w.NotLogged("canary")
		w.NotInFiles("canary")
	})
}

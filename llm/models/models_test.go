package models_test

import (
	"bytes"
	"context"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"parley/core/answer"
	"parley/core/answer/extractive"
	"parley/core/chatbot"
	"parley/core/fault"
	"parley/llm/llmtest"
	"parley/llm/models"
	"parley/llm/openai"
	"parley/llm/upstream"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// directory is a double of the table of providers.
type directory struct {
	mu    sync.Mutex
	rows  map[string]chatbot.OpenedProvider
	asked int
	fail  error
}

func (d *directory) Open(_ context.Context, workspaceID, providerID string) (chatbot.OpenedProvider, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.asked++
	if d.fail != nil {
		return chatbot.OpenedProvider{}, d.fail
	}
	row, ok := d.rows[workspaceID+"/"+providerID]
	if !ok {
		return row, fault.New(fault.NotFound, "Provider not found.")
	}
	return row, nil
}

func (d *directory) set(workspaceID, providerID, address string, key chatbot.Key, at time.Time) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.rows[workspaceID+"/"+providerID] = chatbot.OpenedProvider{
		Provider: chatbot.Provider{ID: providerID, WorkspaceID: workspaceID, Kind: chatbot.OpenAI, BaseURL: address, UpdatedAt: at}, Key: key,
	}
}

// fixture is models over a directory, with a clock.
type fixture struct {
	*testing.T
	*models.Models
	config    models.Config
	directory *directory
	server    *llmtest.Server
	opened    int
	now       time.Time
	log       bytes.Buffer
}

const canary = "sk-canary-0123456789"

var well = llmtest.Reply{Pieces: []string{"All is ", "well."}}

func newFixture(t *testing.T) *fixture {
	t.Helper()
	h := &fixture{T: t, directory: &directory{rows: map[string]chatbot.OpenedProvider{}}, server: llmtest.NewServer(t, well), now: time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)}
	client := upstream.NewHTTPClient()
	t.Cleanup(client.CloseIdleConnections)
	open := func(p chatbot.OpenedProvider, model string) (answer.Model, error) {
		h.opened++
		return openai.New(openai.Config{BaseURL: p.BaseURL, APIKey: string(p.Key), Model: model, Retries: -1, HTTPClient: client})
	}
	second, err := open(chatbot.OpenedProvider{Provider: chatbot.Provider{BaseURL: h.server.BaseURL()}}, "own-second")
	if err != nil {
		t.Fatal(err)
	}
	h.opened = 0
	h.config = models.Config{
		Own: []answer.Model{extractive.New(), second}, Providers: h.directory, Open: open,
		Log: slog.New(slog.NewTextHandler(&h.log, nil)), Now: func() time.Time { return h.now },
	}
	if h.Models, err = models.New(h.config); err != nil {
		t.Fatal(err)
	}
	h.directory.set("ws_a", "mp_a", h.server.BaseURL(), canary, h.now)
	return h
}

// bot returns a chatbot of a workspace with up to two models.
func bot(workspaceID string, choices ...chatbot.ModelChoice) *chatbot.Chatbot {
	b := &chatbot.Chatbot{ID: "cb_" + workspaceID, WorkspaceID: workspaceID}
	if len(choices) > 0 {
		b.Model = choices[0]
	}
	if len(choices) > 1 {
		b.Fallback = choices[1]
	}
	return b
}

var provided = chatbot.ModelChoice{ProviderID: "mp_a", Name: "their-model"}

func (h *fixture) model(b *chatbot.Chatbot) answer.Model {
	h.Helper()
	model, err := h.For(h.Context(), b)
	if err != nil {
		h.Fatal(err)
	}
	return model
}

func (h *fixture) ask(b *chatbot.Chatbot) (answer.Generated, error) {
	h.Helper()
	return h.model(b).Generate(h.Context(), llmtest.Prompt(), func(string) error { return nil })
}

func (h *fixture) wantUpstream(b *chatbot.Chatbot, sentence string) {
	h.Helper()
	_, err := h.For(h.Context(), b)
	if f := fault.As(err); err == nil || f.Kind != fault.Upstream || !strings.Contains(f.Message, sentence) {
		h.Errorf("the error is %v", err)
	}
}

func TestOwn(t *testing.T) {
	t.Run("a chatbot without a choice gets the server's own model", func(t *testing.T) {
		h := newFixture(t)
		if got := h.model(bot("ws_a")); got != h.Default() || h.directory.asked != 0 {
			t.Errorf("it is %q", got.Name())
		}
	})
	t.Run("another of the server's own models is found by its name", func(t *testing.T) {
		h := newFixture(t)
		if got := h.model(bot("ws_a", chatbot.ModelChoice{Name: "own-second"})); got.Name() != "own-second" {
			t.Errorf("it is %q", got.Name())
		}
	})
	t.Run("a model that the server no longer has is an Upstream fault", func(t *testing.T) {
		h := newFixture(t)
		h.wantUpstream(bot("ws_a", chatbot.ModelChoice{Name: "gone"}), "no longer")
	})
}

func TestOwnSecond(t *testing.T) {
	t.Run("the fallback answers if nothing was chosen and the first fails", func(t *testing.T) {
		h, away := newFixture(t), llmtest.NewServer(t, llmtest.Reply{Status: 500})
		first, err := h.config.Open(chatbot.OpenedProvider{Provider: chatbot.Provider{BaseURL: away.BaseURL()}}, "own-first")
		if err != nil {
			t.Fatal(err)
		}
		h.config.Own, h.config.Fallback = append([]answer.Model{first}, h.config.Own...), "own-second"
		if h.Models, err = models.New(h.config); err != nil {
			t.Fatal(err)
		}
		generated, err := h.ask(bot("ws_a"))
		if err != nil || generated.Model != "own-second" || h.Default().Name() != "own-first" {
			t.Errorf("got %+v, %v", generated, err)
		}
		if _, err := h.ask(bot("ws_a", chatbot.ModelChoice{Name: "own-first"})); !fault.Is(err, fault.Upstream) {
			t.Errorf("a chatbot that chose only the first gets %v", err)
		}
	})
	t.Run("an unknown fallback is an error at the start", func(t *testing.T) {
		config := newFixture(t).config
		config.Fallback = "gone"
		if _, err := models.New(config); err == nil {
			t.Error("New succeeded")
		}
	})
}

func TestProvided(t *testing.T) {
	t.Run("the suite of every model", func(t *testing.T) {
		llmtest.Run(t, func(t *testing.T) answer.Model { return newFixture(t).model(bot("ws_a", provided)) })
	})

	t.Run("a provider is called at its address, with its key and the chosen model", func(t *testing.T) {
		h := newFixture(t)
		if generated, err := h.ask(bot("ws_a", provided)); err != nil || generated.Model != "their-model" {
			t.Fatalf("got %+v, %v", generated, err)
		}
		request := h.server.Request(0)
		if got := request.Header().Get("Authorization"); got != "Bearer "+canary {
			t.Errorf("the key is %q", got)
		}
		if !strings.Contains(string(request.Body()), `"model":"their-model"`) {
			t.Errorf("it was asked %s", request.Body())
		}
	})

	t.Run("a model is opened once, and its provider looked up once in five seconds", func(t *testing.T) {
		h := newFixture(t)
		first := h.model(bot("ws_a", provided))
		h.now = h.now.Add(4_999 * time.Millisecond)
		if second := h.model(bot("ws_a", provided)); second != first || h.directory.asked != 1 {
			t.Errorf("it was looked up %d times", h.directory.asked)
		}
		h.now = h.now.Add(time.Millisecond)
		if third := h.model(bot("ws_a", provided)); third != first || h.opened != 1 || h.directory.asked != 2 {
			t.Errorf("it was looked up %d times and opened %d times", h.directory.asked, h.opened)
		}
	})

	t.Run("a change to the provider takes effect within five seconds", func(t *testing.T) {
		h := newFixture(t)
		h.model(bot("ws_a", provided))
		h.directory.set("ws_a", "mp_a", h.server.BaseURL(), "sk-new", h.now.Add(time.Microsecond))
		h.now = h.now.Add(5 * time.Second)
		if _, err := h.ask(bot("ws_a", provided)); err != nil {
			t.Fatal(err)
		}
		if got := h.server.Request(0).Header().Get("Authorization"); got != "Bearer sk-new" {
			t.Errorf("the key is %q", got)
		}
	})

	t.Run("a deleted provider is an Upstream fault within five seconds, and its key is forgotten", func(t *testing.T) {
		h := newFixture(t)
		h.model(bot("ws_a", provided))
		delete(h.directory.rows, "ws_a/mp_a")
		h.now = h.now.Add(5 * time.Second)
		h.wantUpstream(bot("ws_a", provided), "was deleted. The chatbot's owner must choose another")
	})

	t.Run("a provider of another workspace is not found, even if it is cached", func(t *testing.T) {
		h := newFixture(t)
		h.model(bot("ws_a", provided))
		h.wantUpstream(bot("ws_b", provided), "was deleted")
	})

	t.Run("a model that cannot be opened is an Upstream fault without the key", func(t *testing.T) {
		h := newFixture(t)
		h.directory.set("ws_a", "mp_b", "nonsense", canary, h.now)
		_, err := h.For(t.Context(), bot("ws_a", chatbot.ModelChoice{ProviderID: "mp_b", Name: "m"}))
		if !fault.Is(err, fault.Upstream) || strings.Contains(err.Error(), "canary") {
			t.Errorf("the error is %v", err)
		}
	})

	t.Run("an error of the database is returned unchanged, and the models are kept", func(t *testing.T) {
		h := newFixture(t)
		first := h.model(bot("ws_a", provided))
		h.now = h.now.Add(5 * time.Second)
		h.directory.fail = fault.New(fault.Unavailable, "away")
		if _, err := h.For(t.Context(), bot("ws_a", provided)); !fault.Is(err, fault.Unavailable) {
			t.Errorf("the error is %v", err)
		}
		h.directory.fail = nil
		if h.model(bot("ws_a", provided)) != first {
			t.Error("it was opened again")
		}
	})

	t.Run("concurrent questions get the same model", func(t *testing.T) {
		h := newFixture(t)
		got := make([]answer.Model, 16)
		var all sync.WaitGroup
		for i := range got {
			all.Go(func() { got[i], _ = h.For(t.Context(), bot("ws_a", provided)) })
		}
		all.Wait()
		for _, model := range got {
			if model == nil || model != got[0] {
				t.Fatal("they differ")
			}
		}
	})
}

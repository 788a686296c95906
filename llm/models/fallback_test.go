package models_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"parley/core/answer/extractive"
	"parley/core/chatbot"
	"parley/core/fault"
	"parley/llm/llmtest"
)

func TestBreakers(t *testing.T) {
	t.Run("a breaker pauses one provider of one workspace, and no other", func(t *testing.T) {
		h := newFixture(t)
		h.directory.set("ws_b", "mp_b", h.server.BaseURL(), "sk-b", h.now)
		h.directory.set("ws_a", "mp_c", h.server.BaseURL(), "sk-c", h.now)
		h.server.Always(llmtest.Reply{Status: 500})
		for range 6 {
			if _, err := h.ask(bot("ws_a", provided)); err == nil {
				t.Fatal("it answers")
			}
		}
		if n := h.server.Arrived(); n != 5 {
			t.Fatalf("it was asked %d times", n)
		}
		h.server.Always(well)
		for _, other := range []*chatbot.Chatbot{
			bot("ws_b", chatbot.ModelChoice{ProviderID: "mp_b", Name: "their-model"}), bot("ws_a", chatbot.ModelChoice{ProviderID: "mp_c", Name: "their-model"}),
		} {
			if _, err := h.ask(other); err != nil {
				t.Error(err)
			}
		}
		_, err := h.ask(bot("ws_a", chatbot.ModelChoice{ProviderID: "mp_a", Name: "another-model"}))
		if f := fault.As(err); f.RetryAfter <= 0 {
			t.Errorf("another model of the provider: %v", err)
		}
	})

	t.Run("a changed provider is called at once", func(t *testing.T) {
		h := newFixture(t)
		h.server.Always(llmtest.Reply{Status: 500})
		for range 5 {
			_, _ = h.ask(bot("ws_a", provided))
		}
		h.server.Always(well)
		h.now = h.now.Add(5 * time.Second)
		h.directory.set("ws_a", "mp_a", h.server.BaseURL(), "sk-new", h.now)
		if _, err := h.ask(bot("ws_a", provided)); err != nil {
			t.Error(err)
		}
	})

	t.Run("without a fallback the server's own model is called each time", func(t *testing.T) {
		h := newFixture(t)
		h.server.Always(llmtest.Reply{Status: 500})
		own := bot("ws_a", chatbot.ModelChoice{Name: "own-second"})
		for range 6 {
			_, _ = h.ask(own)
		}
		if n := h.server.Arrived(); n != 6 {
			t.Errorf("it was asked %d times", n)
		}
	})
}

func TestSecond(t *testing.T) {
	second := chatbot.ModelChoice{ProviderID: "mp_2", Name: "second-model"}
	withSecond := func(t *testing.T) (*fixture, *llmtest.Server) {
		h, server := newFixture(t), llmtest.NewServer(t, well)
		h.directory.set("ws_a", "mp_2", server.BaseURL(), "sk-2", h.now)
		return h, server
	}

	t.Run("the fallback answers when the first fails", func(t *testing.T) {
		h, _ := withSecond(t)
		h.server.Always(llmtest.Reply{Status: 500})
		generated, err := h.ask(bot("ws_a", provided, second))
		if err != nil || generated.Model != "second-model" {
			t.Errorf("got %+v, %v", generated, err)
		}
		if logged := h.log.String(); !strings.Contains(logged, "chatbot_id=cb_ws_a") || strings.Contains(logged, "canary") {
			t.Errorf("the log is %s", logged)
		}
	})

	t.Run("the server's own model can be the first or the fallback", func(t *testing.T) {
		h, _ := withSecond(t)
		h.server.Always(llmtest.Reply{Status: 500})
		generated, err := h.ask(bot("ws_a", chatbot.ModelChoice{Name: "own-second"}, second))
		if err != nil || generated.Model != "second-model" {
			t.Errorf("got %+v, %v", generated, err)
		}
		generated, err = h.ask(bot("ws_a", provided, chatbot.ModelChoice{Name: extractive.New().Name()}))
		if err != nil || generated.Model != extractive.New().Name() {
			t.Errorf("got %+v, %v", generated, err)
		}
	})

	t.Run("when the provider of one is deleted, the other answers alone", func(t *testing.T) {
		h, _ := withSecond(t)
		delete(h.directory.rows, "ws_a/mp_a")
		if generated, err := h.ask(bot("ws_a", provided, second)); err != nil || generated.Model != "second-model" {
			t.Errorf("got %+v, %v", generated, err)
		}
		if generated, err := h.ask(bot("ws_a", second, provided)); err != nil || generated.Model != "second-model" {
			t.Errorf("got %+v, %v", generated, err)
		}
		delete(h.directory.rows, "ws_a/mp_2")
		h.now = h.now.Add(5 * time.Second)
		h.wantUpstream(bot("ws_a", second, provided), "was deleted")
	})

	t.Run("a caller who has gone gets the context's error", func(t *testing.T) {
		h, _ := withSecond(t)
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		h.directory.fail = ctx.Err()
		if _, err := h.For(ctx, bot("ws_a", provided, second)); !errors.Is(err, context.Canceled) {
			t.Errorf("the error is %v", err)
		}
	})
}

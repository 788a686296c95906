package chatbot_test

import (
	"bytes"
	"fmt"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"parley/core/chatbot"
	"parley/core/fault"
)

const providerKey = "sk-canary-0123456789abcd"

func (r *rig) provider(name string) chatbot.Provider {
	r.Helper()
	provider, err := r.Providers.Create(r.Context(), home, chatbot.ProviderSettings{
		Name: name, Kind: chatbot.OpenAI, BaseURL: "https://api.example.com/v1", Key: providerKey, Tools: true,
	})
	r.must(err)
	return provider
}

// wantKey fails unless a provider opens with a key.
func (r *rig) wantKey(providerID string, want chatbot.Key) {
	r.Helper()
	opened, err := r.Providers.Open(r.Context(), home, providerID)
	if err != nil || opened.Key != want {
		r.Errorf("the key is %q, %v", string(opened.Key), err)
	}
}

func (r *rig) wantFault(err error, kind fault.Kind, field, sentence string) {
	r.Helper()
	if f := fault.As(err); err == nil || f.Kind != kind || f.Field != field || !strings.Contains(f.Message, sentence) {
		r.Errorf("the error is %v at %q", err, f.Field)
	}
}

func TestProviders(t *testing.T) {
	t.Run("a provider is kept, and its key opens", func(t *testing.T) {
		r := newRig(t)
		made := r.provider("Our account")
		if !strings.HasPrefix(made.ID, "mp_") || made.KeyHint != "…abcd" {
			t.Errorf("it is %+v", made)
		}
		got, err := r.Providers.Get(t.Context(), home, made.ID)
		if err != nil || got != made {
			t.Errorf("it is read as %+v, %v", got, err)
		}
		r.wantKey(made.ID, providerKey)
	})

	t.Run("those of a workspace are listed, oldest first", func(t *testing.T) {
		r := newRig(t)
		for _, name := range []string{"first", "second"} {
			r.provider(name)
			r.now = r.now.Add(time.Second)
		}
		got, err := r.Providers.List(t.Context(), home)
		if err != nil || len(got) != 2 || got[0].Name != "first" || got[1].Name != "second" {
			t.Errorf("they are %+v, %v", got, err)
		}
	})

	t.Run("a change without a key keeps the key", func(t *testing.T) {
		r := newRig(t)
		made := r.provider("a")
		changed, err := r.Providers.Update(t.Context(), home, made.ID, chatbot.ProviderSettings{Name: "b", BaseURL: "https://api.example.com/v2", Kind: chatbot.Anthropic})
		r.must(err)
		if changed.Name != "b" || changed.Tools || changed.Kind != chatbot.OpenAI || !changed.UpdatedAt.After(made.UpdatedAt) {
			t.Errorf("it is %+v", changed)
		}
		r.wantKey(made.ID, providerKey)
	})

	t.Run("a change with a key replaces it", func(t *testing.T) {
		r := newRig(t)
		made := r.provider("a")
		changed, err := r.Providers.Update(t.Context(), home, made.ID, chatbot.ProviderSettings{Name: "a", BaseURL: "https://other.example", Key: "short"})
		r.must(err)
		if changed.KeyHint != "…" {
			t.Errorf("the hint is %q", changed.KeyHint)
		}
		r.wantKey(made.ID, "short")
	})

	t.Run("a key is not sent to another server than it was given for", func(t *testing.T) {
		r := newRig(t)
		made := r.provider("a")
		for _, address := range []string{"https://evil.example/v1", "https://api.example.com:8443/v1", ""} {
			_, err := r.Providers.Update(t.Context(), home, made.ID, chatbot.ProviderSettings{Name: "a", BaseURL: address})
			r.wantFault(err, fault.Invalid, "key", "another server")
		}
		if got, err := r.Providers.Get(t.Context(), home, made.ID); err != nil || got != made {
			t.Errorf("it is %+v, %v", got, err)
		}
	})

	t.Run("a wrong setting is refused at its field", func(t *testing.T) {
		r := newRig(t)
		right := chatbot.ProviderSettings{Name: "a", Kind: chatbot.OpenAI}
		for field, spoil := range map[string]func(*chatbot.ProviderSettings){
			"name":     func(p *chatbot.ProviderSettings) { p.Name = " " },
			"kind":     func(p *chatbot.ProviderSettings) { p.Kind = "other" },
			"base_url": func(p *chatbot.ProviderSettings) { p.BaseURL = "http://a.example" },
			"key":      func(p *chatbot.ProviderSettings) { p.Key = "a b" },
		} {
			wrong := right
			spoil(&wrong)
			_, err := r.Providers.Create(t.Context(), home, wrong)
			r.wantFault(err, fault.Invalid, field, "")
		}
	})

	t.Run("a workspace has 20 at most, also when many are made at once", func(t *testing.T) {
		r := newRig(t)
		var all sync.WaitGroup
		for i := range 25 {
			all.Go(func() {
				_, err := r.Providers.Create(t.Context(), home, chatbot.ProviderSettings{Name: fmt.Sprint(i), Kind: chatbot.Anthropic})
				if err != nil && !fault.Is(err, fault.Conflict) {
					t.Error(err)
				}
			})
		}
		all.Wait()
		if got, err := r.Providers.List(t.Context(), home); err != nil || len(got) != chatbot.MaxProviders {
			t.Errorf("there are %d: %v", len(got), err)
		}
	})

	t.Run("another workspace finds none of it, by any method", func(t *testing.T) {
		r := newRig(t)
		made := r.provider("a")
		ctx := t.Context()
		_, get := r.Providers.Get(ctx, foreign, made.ID)
		_, open := r.Providers.Open(ctx, foreign, made.ID)
		_, update := r.Providers.Update(ctx, foreign, made.ID, chatbot.ProviderSettings{Name: "mine", BaseURL: "https://evil.example", Key: "k"})
		for what, err := range map[string]error{"get": get, "open": open, "update": update, "delete": r.Providers.Delete(ctx, foreign, made.ID)} {
			if !fault.Is(err, fault.NotFound) {
				t.Errorf("%s gives %v", what, err)
			}
		}
		if list, err := r.Providers.List(ctx, foreign); err != nil || len(list) != 0 {
			t.Errorf("it is listed: %v", err)
		}
		_, err := r.Create(ctx, foreign, chatbot.Settings{Name: "thief", Answering: chatbot.Answering{Model: chatbot.ModelChoice{ProviderID: made.ID, Name: "m"}}})
		r.wantFault(err, fault.Invalid, "provider_id", "not there")
		r.wantKey(made.ID, providerKey)
	})

	t.Run("the key is nowhere in the database's files", func(t *testing.T) {
		r := newRig(t)
		made := r.provider("visible-name")
		_, err := r.Providers.Update(t.Context(), home, made.ID, chatbot.ProviderSettings{Name: "visible-name", BaseURL: "https://api.example.com/v1", Key: "sk-other-canary-012345"})
		r.must(err)
		found := false
		for _, suffix := range []string{"", "-wal"} {
			content, err := os.ReadFile(r.file + suffix)
			r.must(err)
			found = found || bytes.Contains(content, []byte("visible-name"))
			if bytes.Contains(content, []byte("canary")) {
				t.Errorf("it is in %s", r.file+suffix)
			}
		}
		if !found {
			t.Error("the provider's name is in no file: the wrong ones were looked into")
		}
	})
}

func TestChosenProviders(t *testing.T) {
	using := func(provider chatbot.Provider) chatbot.Answering {
		return chatbot.Answering{
			Model: chatbot.ModelChoice{Name: "own-model"}, Fallback: chatbot.ModelChoice{ProviderID: provider.ID, Name: "gpt-4o"},
			MaxAnswerTokens: 100, Grounding: chatbot.Strict, CacheAnswers: true, Rerank: chatbot.RerankAuto,
		}
	}

	t.Run("what was chosen is kept and can be changed back", func(t *testing.T) {
		r := newRig(t)
		want := using(r.provider("a"))
		cold := 0.0
		want.Temperature = &cold
		for _, answering := range []chatbot.Answering{want, {Grounding: chatbot.Open, Rerank: chatbot.RerankOff}} {
			r.must(r.Update(t.Context(), home, r.bot.ID, chatbot.Settings{Name: "Guide", Answering: answering}))
			bot, err := r.Get(t.Context(), home, r.bot.ID)
			r.must(err)
			if fmt.Sprintf("%+v", plain(bot.Answering)) != fmt.Sprintf("%+v", plain(answering)) {
				t.Errorf("it is %+v, want %+v", bot.Answering, answering)
			}
		}
		made, err := r.Create(t.Context(), home, chatbot.Settings{Name: "Second", Answering: want})
		r.must(err)
		bot, err := r.Get(t.Context(), home, made.ID)
		if err != nil || fmt.Sprintf("%+v", plain(bot.Answering)) != fmt.Sprintf("%+v", plain(want)) {
			t.Errorf("a new one has %+v, %v", bot.Answering, err)
		}
	})

	t.Run("a provider that is used is not deleted, and the sentence names who uses it", func(t *testing.T) {
		r := newRig(t)
		provider := r.provider("a")
		r.must(r.Update(t.Context(), home, r.bot.ID, chatbot.Settings{Name: "Guide", Answering: using(provider)}))
		r.wantFault(r.Providers.Delete(t.Context(), home, provider.ID), fault.Conflict, "", "used by Guide.")
		for i := range 6 {
			r.now = r.now.Add(time.Second)
			_, err := r.Create(t.Context(), home, chatbot.Settings{Name: fmt.Sprint("Bot ", i), Answering: using(provider)})
			r.must(err)
		}
		r.wantFault(r.Providers.Delete(t.Context(), home, provider.ID), fault.Conflict, "", "used by Guide, Bot 0, Bot 1, Bot 2, Bot 3 and 2 more.")
	})

	t.Run("one that is used no longer is deleted, and cannot be chosen any more", func(t *testing.T) {
		r := newRig(t)
		provider := r.provider("a")
		r.must(r.Update(t.Context(), home, r.bot.ID, chatbot.Settings{Name: "Guide", Answering: using(provider)}))
		r.must(r.Update(t.Context(), home, r.bot.ID, chatbot.Settings{Name: "Guide"}))
		r.must(r.Providers.Delete(t.Context(), home, provider.ID))
		_, err := r.Providers.Open(t.Context(), home, provider.ID)
		r.wantFault(err, fault.NotFound, "", "")
		err = r.Update(t.Context(), home, r.bot.ID, chatbot.Settings{Name: "Guide", Answering: using(provider)})
		r.wantFault(err, fault.Invalid, "fallback_provider_id", "not there")
	})

	t.Run("of deleting it and choosing it at once, one wins", func(t *testing.T) {
		r := newRig(t)
		for range 10 {
			r.must(r.Update(t.Context(), home, r.bot.ID, chatbot.Settings{Name: "Guide"}))
			provider, err := r.Providers.Create(t.Context(), home, chatbot.ProviderSettings{Name: "a", Kind: chatbot.OpenAI})
			r.must(err)
			var chosen, deleted error
			var both sync.WaitGroup
			both.Go(func() {
				chosen = r.Update(t.Context(), home, r.bot.ID, chatbot.Settings{Name: "Guide", Answering: using(provider)})
			})
			both.Go(func() { deleted = r.Providers.Delete(t.Context(), home, provider.ID) })
			both.Wait()
			if (chosen == nil) == (deleted == nil) {
				t.Fatalf("chosen: %v, deleted: %v", chosen, deleted)
			}
		}
	})
}

// plain is what of settings can be compared as text.
func plain(a chatbot.Answering) any {
	temperature := "none"
	if a.Temperature != nil {
		temperature = fmt.Sprint(*a.Temperature)
	}
	a.Temperature = nil
	return []any{a, temperature}
}

package chatbot_test

import (
	"context"
	"crypto/rand"
	"errors"
	"slices"
	"testing"
	"time"

	"parley/core/chatbot"
	"parley/core/fault"
	"parley/core/system/grant"
	"parley/store/ports"
)

// status is an error of a server that answered.
type status int

func (s status) Error() string { return "refused" }
func (s status) Status() int   { return int(s) }

// asking has providers asked by a function of the test.
func (r *rig) asking(ask func(context.Context, chatbot.OpenedProvider) ([]string, error)) {
	r.Services = chatbot.New(ports.ForChatbot(r.db, grant.Because("a test")), r.index, r.tenants.Holdings, func() time.Time { return r.now }, rand.Reader, chatbot.Options{
		Sealer: sealerWith(firstKey), ModelNames: ask,
	})
}

func TestCatalog(t *testing.T) {
	typed := chatbot.ProviderSettings{Name: "Typed", Kind: chatbot.Anthropic, BaseURL: "https://api.example.com/v1", Key: "sk-typed-0123456789"}

	t.Run("a provider is asked by what was typed, and nothing is saved", func(t *testing.T) {
		r := newRig(t)
		var asked chatbot.OpenedProvider
		r.asking(func(ctx context.Context, p chatbot.OpenedProvider) ([]string, error) {
			asked = p
			if end, bounded := ctx.Deadline(); !bounded || time.Until(end) > 10*time.Second {
				t.Error("it may take any time")
			}
			return []string{"one", "two"}, nil
		})
		models, err := r.Catalog.Try(t.Context(), home, "", typed)
		if err != nil || !slices.Equal(models.Names, []string{"one", "two"}) || models.Unlisted {
			t.Errorf("it has %+v: %v", models, err)
		}
		if asked.Kind != chatbot.Anthropic || asked.BaseURL != typed.BaseURL || asked.Key != typed.Key {
			t.Errorf("asked was %+v", asked.Provider)
		}
		if kept, err := r.Providers.List(t.Context(), home); err != nil || len(kept) != 0 {
			t.Errorf("kept are %+v: %v", kept, err)
		}
	})

	t.Run("without a key the kept one is sent, but to its own server only", func(t *testing.T) {
		r := newRig(t)
		sent := chatbot.Key("")
		r.asking(func(_ context.Context, p chatbot.OpenedProvider) ([]string, error) { sent = p.Key; return nil, nil })
		kept := r.provider("Kept")
		same := chatbot.ProviderSettings{Name: "Kept", BaseURL: "https://api.example.com/other"}
		if _, err := r.Catalog.Try(t.Context(), home, kept.ID, same); err != nil || sent != providerKey {
			t.Errorf("the key was sent: %v, %v", sent == providerKey, err)
		}
		sent = ""
		elsewhere := chatbot.ProviderSettings{Name: "Kept", BaseURL: "https://evil.example.com/v1"}
		_, err := r.Catalog.Try(t.Context(), home, kept.ID, elsewhere)
		r.wantFault(err, fault.Invalid, "key", "another server")
		if sent != "" {
			t.Error("the key left for another server")
		}
		if _, err := r.Catalog.Of(t.Context(), home, kept.ID); err != nil || sent != providerKey {
			t.Errorf("a kept provider gives %v", err)
		}
	})

	t.Run("a provider of another workspace is not found", func(t *testing.T) {
		r := newRig(t)
		r.asking(func(context.Context, chatbot.OpenedProvider) ([]string, error) {
			t.Error("it was asked")
			return nil, nil
		})
		kept := r.provider("Kept")
		_, try := r.Catalog.Try(t.Context(), foreign, kept.ID, chatbot.ProviderSettings{Name: "Kept", BaseURL: "https://api.example.com/v1"})
		_, of := r.Catalog.Of(t.Context(), foreign, kept.ID)
		r.wantFault(try, fault.NotFound, "", "")
		r.wantFault(of, fault.NotFound, "", "")
	})

	t.Run("what is wrong is said beside its field", func(t *testing.T) {
		r := newRig(t)
		var answer error
		r.asking(func(context.Context, chatbot.OpenedProvider) ([]string, error) { return nil, answer })
		for _, c := range []struct {
			answer      error
			field, says string
		}{
			{status(401), "key", "refused this key"},
			{status(403), "key", "refused this key"},
			{status(200), "base_url", "not as a model server"},
			{status(429), "base_url", "busy"},
			{status(500), "base_url", "(500)"},
			{errors.New("connection refused by sk-typed-0123456789"), "base_url", "could not connect"},
		} {
			answer = c.answer
			_, err := r.Catalog.Try(t.Context(), home, "", typed)
			r.wantFault(err, fault.Invalid, c.field, c.says)
		}
		answer = status(404)
		if models, err := r.Catalog.Try(t.Context(), home, "", typed); err != nil || !models.Unlisted {
			t.Errorf("without a list it is %+v: %v", models, err)
		}
		_, err := r.Catalog.Try(t.Context(), home, "", chatbot.ProviderSettings{Name: "x", Kind: "other", BaseURL: "https://a.example/"})
		r.wantFault(err, fault.Invalid, "kind", "openai or anthropic")
		_, err = r.Catalog.Try(t.Context(), home, "", chatbot.ProviderSettings{Name: "x", Kind: chatbot.OpenAI, BaseURL: "ftp://a.example/"})
		r.wantFault(err, fault.Invalid, "base_url", "https://")
	})
}

func TestSettingsThatWereSeen(t *testing.T) {
	t.Run("whoever saves over a change that they have not seen is told, and nothing is overwritten", func(t *testing.T) {
		r := newRig(t)
		seen := r.bot.Settings().Fingerprint()
		first, second := r.bot.Settings(), r.bot.Settings()
		first.Instructions, second.Name = "Be brief.", "Other"
		r.must(r.UpdateFrom(t.Context(), home, r.bot.ID, seen, first, nil))
		err := r.UpdateFrom(t.Context(), home, r.bot.ID, seen, second, nil)
		r.wantFault(err, fault.Conflict, "", "nothing of yours is saved")
		now, err := r.Get(t.Context(), home, r.bot.ID)
		if err != nil || now.Name != "Guide" || now.Instructions != "Be brief." {
			t.Errorf("it is %+v: %v", now, err)
		}
		r.must(r.UpdateFrom(t.Context(), home, r.bot.ID, now.Settings().Fingerprint(), second, nil))
	})

	t.Run("of many that save at once one does", func(t *testing.T) {
		r := newRig(t)
		seen := r.bot.Settings().Fingerprint()
		ended := make(chan error)
		for i := range 10 {
			go func() {
				settings := r.bot.Settings()
				settings.NoAnswer = string(rune('a' + i))
				ended <- r.UpdateFrom(context.WithoutCancel(t.Context()), home, r.bot.ID, seen, settings, nil)
			}()
		}
		saved := 0
		for range 10 {
			if err := <-ended; err == nil {
				saved++
			} else if !fault.Is(err, fault.Conflict) {
				t.Error(err)
			}
		}
		if saved != 1 {
			t.Errorf("%d did", saved)
		}
	})

	t.Run("every setting counts, and what is stored reads as it was given", func(t *testing.T) {
		r := newRig(t)
		warm := 0.5
		seen := map[string]string{r.bot.Settings().Fingerprint(): "none"}
		for what, change := range map[string]func(*chatbot.Settings){
			"name":         func(s *chatbot.Settings) { s.Name = "x" },
			"instructions": func(s *chatbot.Settings) { s.Instructions = "x" },
			"no answer":    func(s *chatbot.Settings) { s.NoAnswer = "x" },
			"images":       func(s *chatbot.Settings) { s.ImageHosts = []string{"a.example.com"} },
			"sizes":        func(s *chatbot.Settings) { s.PassageAim, s.PassageLimit = 100, 200 },
			"outage":       func(s *chatbot.Settings) { s.AnswerWithoutKnowledge = true },
			"end users":    func(s *chatbot.Settings) { s.SeparateEndUsers = true },
			"temperature":  func(s *chatbot.Settings) { s.Temperature = &warm },
			"length":       func(s *chatbot.Settings) { s.MaxAnswerTokens = 100 },
			"grounding":    func(s *chatbot.Settings) { s.Grounding = chatbot.Strict },
			"cache":        func(s *chatbot.Settings) { s.CacheAnswers = true },
			"model":        func(s *chatbot.Settings) { s.Model.Name = "own-model" },
		} {
			settings := r.bot.Settings()
			change(&settings)
			r.must(r.Update(t.Context(), home, r.bot.ID, settings))
			now, err := r.Get(t.Context(), home, r.bot.ID)
			r.must(err)
			print := now.Settings().Fingerprint()
			if other, taken := seen[print]; taken {
				t.Errorf("%s and %s have one fingerprint", what, other)
			}
			seen[print] = what
			if what != "sizes" && settings.Fingerprint() != print {
				t.Errorf("%s is stored otherwise: %+v and %+v", what, settings, now.Settings())
			}
		}
	})

	t.Run("a provider that was changed meanwhile is not overwritten", func(t *testing.T) {
		r := newRig(t)
		kept := r.provider("Kept")
		settings := chatbot.ProviderSettings{Name: "First", BaseURL: kept.BaseURL, Seen: kept.Fingerprint()}
		_, err := r.Providers.Update(t.Context(), home, kept.ID, settings)
		r.must(err)
		settings.Name = "Second"
		_, err = r.Providers.Update(t.Context(), home, kept.ID, settings)
		r.wantFault(err, fault.Conflict, "", "nothing of yours is saved")
		now, err := r.Providers.Get(t.Context(), home, kept.ID)
		if err != nil || now.Name != "First" {
			t.Errorf("it is called %q: %v", now.Name, err)
		}
	})
}

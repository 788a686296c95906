package models

import (
	"errors"
	"fmt"
	"log/slog"
	"testing"
	"time"

	"parley/core/answer"
	"parley/core/answer/extractive"
	"parley/core/chatbot"
)

func TestAccounts(t *testing.T) {
	quiet, start := slog.New(slog.DiscardHandler), time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	put := func(a *accounts, id string, updated, at time.Time) *account {
		return a.put(accountKey{"ws", id}, chatbot.OpenedProvider{Provider: chatbot.Provider{ID: id, UpdatedAt: updated}}, at, quiet)
	}

	t.Run("the least recently used account is evicted first", func(t *testing.T) {
		a := newAccounts(2)
		put(a, "one", start, start)
		put(a, "two", start, start)
		if _, ok := a.get(accountKey{"ws", "one"}, start); !ok {
			t.Fatal("an account is missing")
		}
		put(a, "three", start, start)
		for id, want := range map[string]bool{"one": true, "two": false, "three": true} {
			if _, ok := a.get(accountKey{"ws", id}, start); ok != want {
				t.Errorf("%s is kept: %v", id, ok)
			}
		}
		if a.known.Len() != 2 {
			t.Errorf("%d are kept", a.known.Len())
		}
	})

	t.Run("of two concurrent look-ups the newer one is kept", func(t *testing.T) {
		a := newAccounts(2)
		newer := put(a, "one", start.Add(time.Second), start)
		if older := put(a, "one", start, start.Add(-time.Second)); older != newer {
			t.Error("the older one is kept")
		}
	})

	t.Run("the models of a provider are bounded", func(t *testing.T) {
		account := newAccount(chatbot.OpenedProvider{}, quiet)
		open := func(chatbot.OpenedProvider, string) (answer.Model, error) { return extractive.New(), nil }
		for i := range 3 * maxModels {
			if _, err := account.model(fmt.Sprint(i), open); err != nil || account.models.Len() > maxModels {
				t.Fatalf("there are %d: %v", account.models.Len(), err)
			}
		}
	})

	t.Run("a model that could not be opened is tried again", func(t *testing.T) {
		account := newAccount(chatbot.OpenedProvider{}, quiet)
		away := errors.New("away")
		if _, err := account.model("m", func(chatbot.OpenedProvider, string) (answer.Model, error) { return nil, away }); !errors.Is(err, away) {
			t.Errorf("the error is %v", err)
		}
		if _, err := account.model("m", func(chatbot.OpenedProvider, string) (answer.Model, error) { return extractive.New(), nil }); err != nil {
			t.Error(err)
		}
	})
}

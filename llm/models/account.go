package models

import (
	"log/slog"
	"sync"
	"time"

	"github.com/hashicorp/golang-lru/v2/simplelru"

	"parley/core/answer"
	"parley/core/chatbot"
	"parley/llm/fallback"
)

// account is a provider of a workspace with the models in use, and one breaker for
// all of them. After a change to the provider a new account replaces it.
type account struct {
	provider chatbot.OpenedProvider
	breaker  *fallback.Breaker

	mu     sync.Mutex
	models *simplelru.LRU[string, answer.Model]
}

func newAccount(provider chatbot.OpenedProvider, log *slog.Logger) *account {
	breaker := fallback.NewBreaker(log.With("workspace_id", provider.WorkspaceID, "provider_id", provider.ID))
	models, _ := simplelru.NewLRU[string, answer.Model](maxModels, nil) // fails below one
	return &account{provider: provider, breaker: breaker, models: models}
}

// model returns the model with a name. It opens the model on first use.
func (a *account) model(name string, open func(chatbot.OpenedProvider, string) (answer.Model, error)) (answer.Model, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if model, ok := a.models.Get(name); ok {
		return model, nil
	}
	made, err := open(a.provider, name)
	if err != nil {
		return nil, err
	}
	model := fallback.Guard(made, a.breaker)
	a.models.Add(name, model)
	return model, nil
}

// accountKey names a provider. It includes the workspace, so that no workspace ever
// gets another's provider.
type accountKey struct{ workspaceID, providerID string }

// accounts keeps the most recently used accounts.
type accounts struct {
	mu    sync.Mutex
	known *simplelru.LRU[accountKey, *known]
}

type known struct {
	account *account
	seen    time.Time // the time of the last look-up
}

func newAccounts(most int) *accounts {
	kept, _ := simplelru.NewLRU[accountKey, *known](most, nil) // fails below one
	return &accounts{known: kept}
}

// get returns an account that was looked up recently.
func (a *accounts) get(key accountKey, now time.Time) (*account, bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	found, ok := a.known.Get(key)
	if !ok || now.Sub(found.seen) >= believedFor {
		return nil, false
	}
	return found.account, true
}

// put keeps a provider with the time of its look-up. An unchanged provider keeps
// its models and its breaker. Of two concurrent look-ups the newer one wins.
func (a *accounts) put(key accountKey, provider chatbot.OpenedProvider, at time.Time, log *slog.Logger) *account {
	a.mu.Lock()
	defer a.mu.Unlock()
	found, ok := a.known.Get(key)
	if !ok {
		found = &known{account: newAccount(provider, log)}
		a.known.Add(key, found)
	}
	if provider.UpdatedAt.After(found.account.provider.UpdatedAt) {
		found.account = newAccount(provider, log)
	}
	if at.After(found.seen) {
		found.seen = at
	}
	return found.account
}

// drop forgets a deleted provider and its key.
func (a *accounts) drop(key accountKey) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.known.Remove(key)
}

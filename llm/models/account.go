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

// account is a provider of a workspace, with the models of it that were asked
// for, and one breaker for them all. After a change to the provider it is
// another account.
type account struct {
	provider chatbot.OpenedProvider
	breaker  *fallback.Breaker

	mu     sync.Mutex
	models *simplelru.LRU[string, answer.Model]
}

func newAccount(provider chatbot.OpenedProvider, log *slog.Logger) *account {
	breaker := fallback.NewBreaker(log.With("workspace", provider.WorkspaceID, "provider", provider.ID))
	models, _ := simplelru.NewLRU[string, answer.Model](maxModels, nil) // fails below one
	return &account{provider: provider, breaker: breaker, models: models}
}

// model returns the model of a name, which is made when it is first asked for.
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

// accountKey names a provider. The workspace is in it, so that no provider is
// ever found for another one.
type accountKey struct{ workspaceID, providerID string }

// accounts keeps those that were used last.
type accounts struct {
	mu    sync.Mutex
	known *simplelru.LRU[accountKey, *known]
}

type known struct {
	account *account
	seen    time.Time // when it was last looked up
}

func newAccounts(most int) *accounts {
	kept, _ := simplelru.NewLRU[accountKey, *known](most, nil) // fails below one
	return &accounts{known: kept}
}

// get returns an account that was looked up lately.
func (a *accounts) get(key accountKey, now time.Time) (*account, bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	found, ok := a.known.Get(key)
	if !ok || now.Sub(found.seen) >= believedFor {
		return nil, false
	}
	return found.account, true
}

// put keeps a provider as it was looked up at a time. One that has not changed
// keeps its models and its breaker. Of two that were looked up at once the
// newer one is kept.
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

// drop forgets a provider that is not there any more, with its key.
func (a *accounts) drop(key accountKey) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.known.Remove(key)
}

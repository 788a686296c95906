package models

import (
	"container/list"
	"log/slog"
	"sync"
	"time"

	"parley/core/chat"
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
	models map[string]chat.Model
}

func newAccount(provider chatbot.OpenedProvider, log *slog.Logger) *account {
	breaker := fallback.NewBreaker(log.With("workspace", provider.WorkspaceID, "provider", provider.ID))
	return &account{provider: provider, breaker: breaker, models: map[string]chat.Model{}}
}

// model returns the model of a name, which is made when it is first asked for.
func (a *account) model(name string, open func(chatbot.OpenedProvider, string) (chat.Model, error)) (chat.Model, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if model, ok := a.models[name]; ok {
		return model, nil
	}
	made, err := open(a.provider, name)
	if err != nil {
		return nil, err
	}
	if len(a.models) >= maxModels {
		clear(a.models)
	}
	model := fallback.Guard(made, a.breaker)
	a.models[name] = model
	return model, nil
}

// accountKey names a provider. The workspace is in it, so that no provider is
// ever found for another one.
type accountKey struct{ workspaceID, providerID string }

// accounts keeps those that were used last.
type accounts struct {
	most int

	mu     sync.Mutex
	byKey  map[accountKey]*list.Element
	recent *list.List // of *known, the one used last in front
}

type known struct {
	key     accountKey
	account *account
	seen    time.Time // when it was last looked up
}

func newAccounts(most int) *accounts {
	return &accounts{most: most, byKey: map[accountKey]*list.Element{}, recent: list.New()}
}

// get returns an account that was looked up lately.
func (a *accounts) get(key accountKey, now time.Time) (*account, bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	element, ok := a.byKey[key]
	if !ok {
		return nil, false
	}
	found := element.Value.(*known)
	if now.Sub(found.seen) >= believedFor {
		return nil, false
	}
	a.recent.MoveToFront(element)
	return found.account, true
}

// put keeps a provider as it was looked up at a time. One that has not changed
// keeps its models and its breaker. Of two that were looked up at once the
// newer one is kept.
func (a *accounts) put(key accountKey, provider chatbot.OpenedProvider, at time.Time, log *slog.Logger) *account {
	a.mu.Lock()
	defer a.mu.Unlock()
	element, ok := a.byKey[key]
	if !ok {
		element = a.recent.PushFront(&known{key: key, account: newAccount(provider, log)})
		a.byKey[key] = element
		a.shrink()
	}
	found := element.Value.(*known)
	if provider.UpdatedAt.After(found.account.provider.UpdatedAt) {
		found.account = newAccount(provider, log)
	}
	if at.After(found.seen) {
		found.seen = at
	}
	a.recent.MoveToFront(element)
	return found.account
}

// drop forgets a provider that is not there any more, with its key.
func (a *accounts) drop(key accountKey) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if element, ok := a.byKey[key]; ok {
		a.recent.Remove(element)
		delete(a.byKey, key)
	}
}

func (a *accounts) shrink() {
	for a.recent.Len() > a.most {
		oldest := a.recent.Back()
		a.recent.Remove(oldest)
		delete(a.byKey, oldest.Value.(*known).key)
	}
}

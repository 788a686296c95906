// Package models owns which model answers for a chatbot: it looks up the owner's
// choice, makes that model once, and adds the fallback.
//
// It does not own the protocols of models (packages llm/openai and llm/anthropic),
// what happens when one fails (package llm/fallback), nor how a provider's key is
// stored (package core/chatbot).
package models

import (
	"context"
	"log/slog"
	"time"

	"parley/core/answer"
	"parley/core/chatbot"
	"parley/core/fault"
	"parley/llm/fallback"
)

const (
	// believedFor bounds how late a change to a provider is seen.
	believedFor = 5 * time.Second
	// maxAccounts bounds the providers that are kept in memory, with their
	// models.
	maxAccounts = 1000
	// maxModels bounds the models of one provider.
	maxModels = 100
)

// Providers finds providers with their keys; package chatbot is one. A missing
// one is a NotFound fault.
type Providers interface {
	OpenProvider(ctx context.Context, workspaceID, providerID string) (chatbot.OpenedProvider, error)
}

// Config is what [New] needs.
type Config struct {
	// Own are the server's own models, its default first. There is at least
	// one, and their names are different.
	Own []answer.Model
	// Second is the name of the one that stands behind the default where an
	// owner has chosen nothing. Empty means none.
	Second    string
	Providers Providers
	// Open makes a model of a provider. It asks nobody.
	Open func(provider chatbot.OpenedProvider, model string) (answer.Model, error)
	Log  *slog.Logger
	Now  func() time.Time
}

// Models knows which model answers. It is safe for concurrent use.
type Models struct {
	config Config
	own    []answer.Model // guarded, as they are in a pair
	known  *accounts
	// byDefault answers where nothing was chosen.
	byDefault answer.Model
}

var _ answer.Models = (*Models)(nil)

// New returns the models of a server. It fails when there is no model of the
// name of the second one.
func New(config Config) (*Models, error) {
	m := &Models{config: config, known: newAccounts(maxAccounts), byDefault: config.Own[0]}
	for _, model := range config.Own {
		breaker := fallback.NewBreaker(config.Log.With("provider", "own", "model", model.Name()))
		m.own = append(m.own, fallback.Guard(model, breaker))
	}
	if config.Second == "" {
		return m, nil
	}
	at, err := m.ownIndex(config.Second)
	if err != nil {
		return nil, err
	}
	m.byDefault = fallback.New(m.own[0], m.own[at], config.Log)
	return m, nil
}

// Default is the server's own model, with its second one behind it if there is
// one. Without a second it has no breaker, which would only make failures
// quicker and a recovery slower.
func (m *Models) Default() answer.Model { return m.byDefault }

// For is that of [answer.Models]. A change that an owner has made is seen within
// five seconds. Where one of two choices cannot be had any more, the other one
// answers alone.
func (m *Models) For(ctx context.Context, bot *chatbot.Chatbot) (answer.Model, error) {
	if bot.Fallback.IsZero() {
		return m.only(ctx, bot)
	}
	log := m.config.Log.With("workspace", bot.WorkspaceID, "chatbot", bot.ID)
	first, err := m.choice(ctx, bot, bot.Model)
	second, secondErr := m.choice(ctx, bot, bot.Fallback)
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case err != nil && secondErr != nil:
		return nil, err
	case err != nil:
		log.Warn("model cannot be had: the second one is asked", "error", err)
		return second, nil
	case secondErr != nil:
		log.Warn("second model cannot be had", "error", secondErr)
		return first, nil
	}
	return fallback.New(first, second, log), nil
}

// only is the model of a chatbot without a second one.
func (m *Models) only(ctx context.Context, bot *chatbot.Chatbot) (answer.Model, error) {
	if bot.Model.IsZero() {
		return m.Default(), nil
	}
	if bot.Model.ProviderID != "" {
		return m.provided(ctx, bot.WorkspaceID, bot.Model)
	}
	at, err := m.ownIndex(bot.Model.Name)
	if err != nil {
		return nil, err
	}
	return m.config.Own[at], nil
}

// choice is a model of a pair.
func (m *Models) choice(ctx context.Context, bot *chatbot.Chatbot, choice chatbot.ModelChoice) (answer.Model, error) {
	if choice.ProviderID != "" {
		return m.provided(ctx, bot.WorkspaceID, choice)
	}
	at, err := m.ownIndex(choice.Name)
	if err != nil {
		return nil, err
	}
	return m.own[at], nil
}

var errNotOwn = fault.New(fault.Upstream, "This server has the chatbot's model no longer. Choose another in its settings.")

// ownIndex finds one of the server's own models. An empty name is the default.
func (m *Models) ownIndex(name string) (int, error) {
	if name == "" {
		return 0, nil
	}
	for i, model := range m.config.Own {
		if model.Name() == name {
			return i, nil
		}
	}
	return 0, errNotOwn
}

var errDeleted = fault.New(fault.Upstream, "The chatbot's model provider was deleted. Choose another in its settings.")

// provided is a model of a provider.
func (m *Models) provided(ctx context.Context, workspaceID string, choice chatbot.ModelChoice) (answer.Model, error) {
	account, err := m.account(ctx, workspaceID, choice.ProviderID)
	if fault.Is(err, fault.NotFound) {
		return nil, errDeleted
	}
	if err != nil {
		return nil, err
	}
	model, err := account.model(choice.Name, m.config.Open)
	if err != nil {
		return nil, fault.Wrap(fault.Upstream, err, "The chatbot's model cannot be used. Check its provider's settings.")
	}
	return model, nil
}

// account returns a provider as it was at most five seconds ago. Questions that
// come when it has to be looked up again all do so: none waits for another.
func (m *Models) account(ctx context.Context, workspaceID, providerID string) (*account, error) {
	key := accountKey{workspaceID, providerID}
	now := m.config.Now()
	if known, ok := m.known.get(key, now); ok {
		return known, nil
	}
	provider, err := m.config.Providers.OpenProvider(ctx, workspaceID, providerID)
	if fault.Is(err, fault.NotFound) {
		m.known.drop(key)
	}
	if err != nil {
		return nil, err
	}
	return m.known.put(key, provider, now, m.config.Log), nil
}

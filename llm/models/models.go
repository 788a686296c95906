// Package models decides which model answers for a chatbot: it looks up the owner's
// choice, opens that model once, and adds the fallback.
//
// It does not own the protocols of models (packages llm/openai and llm/anthropic),
// what happens when one fails (package llm/fallback), or how a provider's key is
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
	// believedFor bounds how late Models notices a change to a provider.
	believedFor = 5 * time.Second
	// maxAccounts bounds the providers kept in memory with their models.
	maxAccounts = 1000
	// maxModels bounds the models of one provider.
	maxModels = 100
)

// Providers finds providers with their keys; package chatbot implements it. A
// missing provider is a NotFound fault.
type Providers interface {
	Open(ctx context.Context, workspaceID, providerID string) (chatbot.OpenedProvider, error)
}

// Config is what [New] needs.
type Config struct {
	// Own lists the server's own models, the default first. There is at least
	// one, and their names differ.
	Own []answer.Model
	// Fallback names the fallback of the default model, for chatbots whose owners
	// have chosen nothing. Empty means none.
	Fallback  string
	Providers Providers
	// Open makes a model of a provider, without contacting it.
	Open func(provider chatbot.OpenedProvider, model string) (answer.Model, error)
	Log  *slog.Logger
	Now  func() time.Time
}

// Models decides which model answers. It is safe for concurrent use.
type Models struct {
	config Config
	own    []answer.Model // guarded by breakers, for use in pairs
	known  *accounts
	// byDefault answers for chatbots without a choice.
	byDefault answer.Model
}

var _ answer.Models = (*Models)(nil)

// New returns the models of a server. It fails if the fallback is not one of
// them.
func New(config Config) (*Models, error) {
	m := &Models{config: config, known: newAccounts(maxAccounts), byDefault: config.Own[0]}
	for _, model := range config.Own {
		breaker := fallback.NewBreaker(config.Log.With("provider", "own", "model", model.Name())).OfOperator()
		m.own = append(m.own, fallback.Guard(model, breaker))
	}
	if config.Fallback == "" {
		return m, nil
	}
	at, err := m.ownIndex(config.Fallback)
	if err != nil {
		return nil, err
	}
	m.byDefault = fallback.New(m.own[0], m.own[at], config.Log)
	return m, nil
}

// Default is the server's own model, with its fallback if there is one. Without a
// fallback it has no breaker, which would only make failures faster and recovery
// slower.
func (m *Models) Default() answer.Model { return m.byDefault }

// For implements [answer.Models]. It notices an owner's change within five
// seconds. If one of two chosen models is unavailable, the other one answers alone.
func (m *Models) For(ctx context.Context, bot *chatbot.Chatbot) (answer.Model, error) {
	if bot.Fallback.IsZero() {
		return m.only(ctx, bot)
	}
	log := m.config.Log.With("workspace_id", bot.WorkspaceID, "chatbot_id", bot.ID)
	first, err := m.choice(ctx, bot, bot.Model)
	other, otherErr := m.choice(ctx, bot, bot.Fallback)
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case err != nil && otherErr != nil:
		return nil, err
	case err != nil:
		log.Log(ctx, fault.Level(err), "model is unavailable; using the fallback", "error", err)
		return other, nil
	case otherErr != nil:
		log.Log(ctx, fault.Level(otherErr), "fallback model is unavailable", "error", otherErr)
		return first, nil
	}
	return fallback.New(first, other, log), nil
}

// only returns the model of a chatbot without a fallback.
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

// choice returns one model of a pair.
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

var errNotOwn = fault.New(fault.Upstream, "This server no longer offers the chatbot's model. The chatbot's owner must choose another in the dashboard.").Named(fault.ModelUnknown)

// ownIndex finds one of the server's own models. An empty name means the default.
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

var errDeleted = fault.New(fault.Upstream, "The chatbot's model provider was deleted. The chatbot's owner must choose another in the dashboard.").Named(fault.ModelUnknown)

// provided returns a model of a provider.
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
		return nil, fault.Wrap(fault.Upstream, err, "Parley cannot use the chatbot's model. The chatbot's owner must check the settings of its provider.").Named(fault.ModelRefused)
	}
	return model, nil
}

// account returns a provider as of at most five seconds ago. When that has expired,
// each concurrent question looks it up itself instead of waiting for another.
func (m *Models) account(ctx context.Context, workspaceID, providerID string) (*account, error) {
	key := accountKey{workspaceID, providerID}
	now := m.config.Now()
	if known, ok := m.known.get(key, now); ok {
		return known, nil
	}
	provider, err := m.config.Providers.Open(ctx, workspaceID, providerID)
	if fault.Is(err, fault.NotFound) {
		m.known.drop(key)
	}
	if err != nil {
		return nil, err
	}
	return m.known.put(key, provider, now, m.config.Log), nil
}

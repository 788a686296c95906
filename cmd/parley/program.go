package main

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"time"

	"parley/core/chat"
	"parley/core/chatbot"
	"parley/core/knowledge"
	"parley/core/tenant"
	"parley/index/embedded"
	"parley/llm/extractive"
	"parley/llm/openai"
	"parley/store"
)

// program is the rooms with their ports filled: what the server and the
// command line both work on.
type program struct {
	config *Config
	log    *slog.Logger

	store *store.Store
	index *embedded.Index

	tenants   *tenant.Service
	chatbots  *chatbot.Service
	knowledge *knowledge.Service
	chat      *chat.Service
}

// now is the one clock, in the precision that both databases keep.
func now() time.Time { return time.Now().UTC().Truncate(time.Microsecond) }

// openProgram opens the database and the index and wires the rooms.
func openProgram(ctx context.Context, config *Config, log *slog.Logger) (*program, error) {
	return openWith(ctx, config, log, ports{})
}

// ports may wrap the ports to the network; tests do.
type ports struct {
	model func(chat.Model) chat.Model
	index func(knowledge.Index) knowledge.Index
}

func openWith(ctx context.Context, config *Config, log *slog.Logger, wrap ports) (*program, error) {
	if err := os.MkdirAll(config.DataDir, 0o700); err != nil {
		return nil, fmt.Errorf("the data folder cannot be made: %w", err)
	}
	model, err := newModel(config)
	if err != nil {
		return nil, err
	}
	db, err := store.Open(ctx, config.databaseURL())
	if err != nil {
		return nil, fmt.Errorf("the database cannot be opened: %w", err)
	}
	index, err := embedded.Open(config.indexPath())
	if err != nil {
		return nil, errors.Join(fmt.Errorf("the index cannot be opened: %w", err), db.Close())
	}
	p := &program{config: config, log: log, store: db, index: index}
	port := knowledge.Index(index)
	if wrap.index != nil {
		port = wrap.index(port)
	}
	if wrap.model != nil {
		model = wrap.model(model)
	}
	p.tenants = tenant.New(db, now, rand.Reader)
	p.knowledge = knowledge.New(db, port, now, rand.Reader, log)
	p.chatbots = chatbot.New(db, p.knowledge, now, rand.Reader)
	p.chat = chat.New(db, p.knowledge, model, now, log)
	return p, nil
}

func (p *program) close() error { return errors.Join(p.index.Close(), p.store.Close()) }

// newModel returns the model that the configuration asks for.
func newModel(config *Config) (chat.Model, error) {
	if !config.hasModel() {
		return extractive.New(), nil
	}
	settings := openai.Config{
		BaseURL: config.LLMBaseURL, APIKey: config.LLMAPIKey, Model: config.LLMModel,
		Timeout: config.LLMTimeout, FirstTokenTimeout: config.LLMFirst,
	}
	if settings.BaseURL == "" {
		settings.BaseURL = defaultLLM
	}
	if settings.Model == "" {
		settings.Model = defaultModel
	}
	return openai.New(settings)
}

// newLog returns the log on standard error.
func newLog(config *Config) *slog.Logger {
	var level slog.Level
	_ = level.UnmarshalText([]byte(config.LogLevel)) // kong admits known levels only
	options := &slog.HandlerOptions{Level: level}
	if config.LogFormat == "json" {
		return slog.New(slog.NewJSONHandler(os.Stderr, options))
	}
	return slog.New(slog.NewTextHandler(os.Stderr, options))
}

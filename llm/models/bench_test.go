package models

import (
	"context"
	"log/slog"
	"testing"
	"time"

	"parley/core/answer"
	"parley/core/answer/extractive"
	"parley/core/chatbot"
)

type oneProvider struct{}

func (oneProvider) Open(_ context.Context, workspaceID, providerID string) (chatbot.OpenedProvider, error) {
	return chatbot.OpenedProvider{Provider: chatbot.Provider{ID: providerID, WorkspaceID: workspaceID}}, nil
}

// BenchmarkFor measures what every question pays to find its model.
func BenchmarkFor(b *testing.B) {
	m, err := New(Config{
		Own: []answer.Model{extractive.New()}, Providers: oneProvider{}, Log: slog.New(slog.DiscardHandler), Now: time.Now,
		Open: func(chatbot.OpenedProvider, string) (answer.Model, error) { return extractive.New(), nil },
	})
	if err != nil {
		b.Fatal(err)
	}
	chosen := chatbot.ModelChoice{ProviderID: "mp_a", Name: "m"}
	for name, answering := range map[string]chatbot.Answering{
		"default": {}, "provider": {Model: chosen}, "with a second": {Model: chosen, Fallback: chatbot.ModelChoice{Name: extractive.New().Name()}},
	} {
		bot := &chatbot.Chatbot{ID: "cb_a", WorkspaceID: "ws_a", Answering: answering}
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := m.For(b.Context(), bot); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

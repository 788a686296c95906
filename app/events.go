package app

import (
	"context"
	"time"

	"parley/api/wire"
	"parley/core/chat"
	"parley/core/chatbot"
	"parley/core/insight/stats"
	"parley/core/knowledge"
	"parley/core/tenant"
	"parley/core/webhook"
)

// events publishes what happens in other packages, with the identifiers that callers
// know.
type events struct {
	publisher *webhook.Publisher
	ids       wire.Identifiers
	now       func() time.Time
}

func (p *Program) events() events {
	return events{p.Webhooks.Publisher, wire.Identifiers{Codec: p.IDs}, p.now}
}

var (
	_ stats.Subscriber       = events{}
	_ knowledge.Subscriber   = events{}
	_ tenant.QuotaSubscriber = events{}

	_ chatbot.TokenSubscriber = events{}
)

// Counted publishes the answers that have ended.
func (e events) Counted(ctx context.Context, records []stats.Record) error {
	var order []string
	of := map[string][]webhook.Event{}
	for i := range records {
		r := &records[i]
		if !r.Counts || r.ConversationID == 0 { // of the playground, of a chatbot that is gone, or from long ago
			continue
		}
		if of[r.WorkspaceID] == nil {
			order = append(order, r.WorkspaceID)
		}
		of[r.WorkspaceID] = append(of[r.WorkspaceID], e.ofRecord(r)...)
	}
	for _, workspaceID := range order {
		if err := e.publisher.Publish(ctx, workspaceID, of[workspaceID]...); err != nil {
			return err
		}
	}
	return nil
}

// ofRecord are the events of one answer.
func (e events) ofRecord(r *stats.Record) []webhook.Event {
	answer := e.ids.MessageEventToWire(r)
	var all []webhook.Event
	if r.Opens && r.Attempt == 1 {
		all = append(all, webhook.Event{
			Kind: webhook.ConversationCreated, Key: webhook.Key("conversation", answer.ConversationID), ChatbotID: r.ChatbotID, At: r.At, Data: answer.ConversationEvent,
		})
	}
	all = append(all, webhook.Event{
		Kind: webhook.MessageCompleted, Key: webhook.Key("completed", answer.MessageID, int64(r.Attempt)), ChatbotID: r.ChatbotID, At: r.At, Data: answer,
	})
	if r.Outcome == chat.NoAnswer {
		all = append(all, webhook.Event{
			Kind: webhook.MessageUnanswered, Key: webhook.Key("unanswered", answer.MessageID, int64(r.Attempt)), ChatbotID: r.ChatbotID, At: r.At, Data: answer,
		})
	}
	return all
}

// DocumentSettled publishes that a document is ready, or has failed.
func (e events) DocumentSettled(ctx context.Context, d knowledge.Document) error {
	event := webhook.Event{Kind: webhook.DocumentReady, ChatbotID: d.ChatbotID, At: e.now(), Data: wire.DocumentEventToWire(d)}
	if d.State == knowledge.Failed {
		event.Kind = webhook.DocumentFailed
	}
	return e.publisher.Publish(ctx, d.WorkspaceID, event)
}

// QuotaReached publishes that most of a month's messages are used, or all.
func (e events) QuotaReached(ctx context.Context, use tenant.QuotaUse, percent int) error {
	now := e.now()
	return e.publisher.Publish(ctx, use.WorkspaceID, webhook.Event{Kind: webhook.QuotaNear, At: now, Data: wire.QuotaEventToWire(use, percent, now)})
}

// TokenExpiring publishes that a token expires within some days.
func (e events) TokenExpiring(ctx context.Context, t chatbot.Token, days int) error {
	return e.publisher.Publish(ctx, t.WorkspaceID, webhook.Event{
		Kind: webhook.TokenExpiring, ChatbotID: t.ChatbotID, At: e.now(), Data: wire.TokenEventToWire(t, days),
	})
}

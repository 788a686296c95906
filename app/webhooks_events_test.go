package app

import (
	"context"
	"encoding/json"
	"slices"
	"testing"
	"time"

	"parley/core/chat"
	"parley/core/chatbot"
	"parley/core/insight/stats"
	"parley/core/knowledge"
	"parley/core/tenant"
	"parley/core/webhook"
)

func testEventsOfWebhooks(h *hooks) {
	ctx := h.Context()
	h.run("a token's last days are published once each, and no mail server is needed", func(t *testing.T) {
		began := h.at
		defer func() { h.at = began }()
		bot, err := h.Chatbots.Create(ctx, h.space, chatbot.Settings{Name: "Guide"})
		h.must(err)
		end := h.at.Add(20 * 24 * time.Hour)
		token, _, err := h.Chatbots.Tokens.Issue(ctx, h.space, bot.ID, chatbot.NewToken{Name: "shop", ExpiresAt: &end})
		h.must(err)
		e, _, err := h.Webhooks.Endpoints.Create(ctx, h.space, webhook.Settings{URL: h.to.URL, Kinds: []webhook.Kind{webhook.TokenExpiring}, ChatbotID: bot.ID})
		h.must(err)
		for _, step := range []struct{ at, left float64 }{{5, 0}, {7, 14}, {10, 0}, {18, 3}, {19, 0}} {
			h.at = began.Add(time.Duration(step.at * 24 * float64(time.Hour)))
			for range 2 {
				h.must(h.Chatbots.Announcer.WarnOfExpiring(ctx))
			}
			got := h.sent()
			if len(got) == 0 && step.left == 0 {
				continue
			}
			var payload struct {
				Type string
				Data map[string]any
			}
			if len(got) == 1 {
				h.must(json.Unmarshal(got[0].body, &payload))
			}
			if payload.Type != "token.expiring" || payload.Data["days"] != step.left || payload.Data["token_id"] != token.ID || payload.Data["chatbot_id"] != bot.ID || payload.Data["name"] != "shop" {
				t.Errorf("after %v days come %d, such as %v", step.at, len(got), payload)
			}
		}
		h.must(h.Webhooks.Endpoints.Delete(ctx, h.space, e.ID))
	})
	h.run("events reach those who want them, once, with public ids", func(t *testing.T) {
		e, _ := h.endpoint(webhook.Kinds()...)
		record := stats.Record{
			ID: 1, WorkspaceID: h.space, ChatbotID: "cb_1", Counts: true, ConversationID: 4, MessageID: 9, Attempt: 1, Opens: true,
			Outcome: chat.NoAnswer, At: h.at,
		}
		tried, old := record, record
		tried.Counts, tried.MessageID = false, 10
		old.At, old.MessageID = h.at.Add(-time.Second), 11 // from before there was the endpoint
		for range 2 {
			h.must(h.Store.InTx(ctx, func(ctx context.Context) error {
				return h.events().Counted(ctx, []stats.Record{record, tried, old})
			}))
		}
		h.must(h.Store.InTx(ctx, func(ctx context.Context) error {
			failed := knowledge.Document{WorkspaceID: h.space, ChatbotID: "cb_1", ID: "doc_1", State: knowledge.Failed, Reason: "There is no text in it."}
			return h.events().DocumentSettled(ctx, failed)
		}))
		h.must(h.Store.InTx(ctx, func(ctx context.Context) error {
			return h.events().QuotaReached(ctx, tenant.QuotaUse{WorkspaceID: h.space, Used: 8, Included: 10}, 80)
		}))
		var types []string
		for _, r := range h.sent() { // all, though an endpoint is sent four at once
			var payload struct {
				Type string
				Data map[string]any
			}
			h.must(json.Unmarshal(r.body, &payload))
			types = append(types, payload.Type)
			if id, has := payload.Data["conversation_id"]; has && int64(id.(float64)) != h.IDs.Conversation(4) {
				t.Errorf("the conversation is %v", id)
			}
		}
		slices.Sort(types)
		want := []string{"conversation.created", "document.failed", "message.completed", "message.unanswered", "quota.near"}
		if !slices.Equal(types, want) {
			t.Errorf("got %v", types)
		}
		h.must(h.Webhooks.Endpoints.Pause(ctx, h.space, e.ID))
		h.must(h.Store.InTx(ctx, func(ctx context.Context) error {
			return h.events().QuotaReached(ctx, tenant.QuotaUse{WorkspaceID: h.space, Used: 8, Included: 10}, 80)
		}))
		if len(h.sent()) != 0 {
			t.Error("a paused endpoint receives events")
		}
		h.must(h.Webhooks.Endpoints.Delete(ctx, h.space, e.ID))
	})
}

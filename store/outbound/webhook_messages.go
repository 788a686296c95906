package outbound

import (
	"context"
	"time"

	"parley/core/system"
	"parley/core/webhook"
	ent "parley/ent/generated"
	"parley/ent/generated/webhookdelivery"
	"parley/ent/generated/webhookmessage"
	"parley/ent/scope"
	"parley/store"
)

// AddMessages adds messages that are not known with a delivery to each endpoint.
func (s *WebhookDeliveries) AddMessages(ctx context.Context, workspaceID string, sendings []webhook.Sending) error {
	return s.store.InTx(scope.Workspace(ctx, workspaceID), func(ctx context.Context) error {
		db := s.store.Client(ctx)
		ids := make([]string, len(sendings))
		for i, sending := range sendings {
			ids[i] = sending.Message.ID
		}
		found, err := db.WebhookMessage.Query().Where(webhookmessage.IDIn(ids...)).IDs(ctx)
		if err != nil {
			return err
		}
		known := map[string]bool{}
		for _, messageID := range found {
			known[messageID] = true
		}
		var messages []*ent.WebhookMessageCreate
		var deliveries []*ent.WebhookDeliveryCreate
		for _, sending := range sendings {
			m := sending.Message
			if known[m.ID] {
				continue
			}
			known[m.ID] = true
			messages = append(messages, db.WebhookMessage.Create().SetID(m.ID).SetWorkspaceID(workspaceID).SetChatbotID(m.ChatbotID).
				SetKind(string(m.Kind)).SetPayload(m.Payload).SetCreatedAt(m.CreatedAt))
			for _, endpointID := range sending.Endpoints {
				deliveries = append(deliveries, db.WebhookDelivery.Create().SetWorkspaceID(workspaceID).SetEndpointID(endpointID).
					SetMessageID(m.ID).SetDueAt(m.CreatedAt).SetCreatedAt(m.CreatedAt))
			}
			log, err := attemptsToText(sending.Log)
			if err != nil {
				return err
			}
			for _, endpointID := range sending.Full {
				deliveries = append(deliveries, db.WebhookDelivery.Create().SetWorkspaceID(workspaceID).SetEndpointID(endpointID).SetMessageID(m.ID).
					SetState(string(webhook.Canceled)).SetAttemptLog(log).SetEndedAt(m.CreatedAt).SetCreatedAt(m.CreatedAt))
			}
		}
		if err := db.WebhookMessage.CreateBulk(messages...).Exec(ctx); err != nil {
			return err
		}
		return db.WebhookDelivery.CreateBulk(deliveries...).Exec(ctx)
	})
}

// Pending counts what waits for each endpoint of a workspace.
func (s *WebhookDeliveries) Pending(ctx context.Context, workspaceID string) (map[string]int, error) {
	var rows []struct {
		EndpointID string `json:"endpoint_id"`
		Count      int    `json:"count"`
	}
	// The index of what is due has what waits, and nothing else.
	err := s.store.Client(ctx).WebhookDelivery.Query().Where(webhookdelivery.WorkspaceID(workspaceID), webhookdelivery.DueAtGT(time.Unix(0, 0))).
		GroupBy(webhookdelivery.FieldEndpointID).Aggregate(ent.Count()).Scan(scope.Workspace(ctx, workspaceID), &rows)
	counts := make(map[string]int, len(rows))
	for _, row := range rows {
		counts[row.EndpointID] = row.Count
	}
	return counts, store.MapError(err)
}

// DeleteMessages deletes old messages of every workspace with their deliveries.
func (s *WebhookDeliveries) DeleteMessages(ctx context.Context, access system.Access, before time.Time) error {
	return s.store.Expire(scope.System(ctx, access), "webhook_messages", "created_at < $1", before)
}

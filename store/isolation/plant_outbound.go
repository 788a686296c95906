package isolation

import (
	"context"
	"encoding/json"

	"parley/core/privacy"
	"parley/core/webhook"
	"parley/internal/id"
)

// webhooks are one that is paused, with a delivery that was canceled: nothing is sent.
func (p *planter) webhooks(ctx context.Context) error {
	endpoint, message := p.named("we", "webhook"), p.NewID("msg")
	err := p.db.WebhookEndpoint.Create().SetID(endpoint).SetWorkspaceID(p.ws).SetURL("https://" + p.Word("webhook_endpoints.url") + ".invalid/").SetEvents([]string{string(webhook.QuotaNear)}).
		SetDescription(p.Text("webhook_endpoints.description")).SetSealedSecret([]byte(p.Word("webhook_endpoints.sealed_secret"))).SetState(string(webhook.Paused)).
		SetCreatedBy(p.Owners[0].Email).SetUpdatedAt(p.At).SetCreatedAt(p.At).Exec(ctx)
	if err != nil {
		return err
	}
	payload, err := json.Marshal(map[string]string{"type": string(webhook.Test), "about": p.Text("webhook_messages.payload")})
	if err != nil {
		return err
	}
	if err := p.db.WebhookMessage.Create().SetID(message).SetWorkspaceID(p.ws).SetKind(string(webhook.Test)).SetPayload(string(payload)).SetCreatedAt(p.At).Exec(ctx); err != nil {
		return err
	}
	delivery, err := p.db.WebhookDelivery.Create().SetWorkspaceID(p.ws).SetEndpointID(endpoint).SetMessageID(message).SetState(string(webhook.Canceled)).SetEndedAt(p.At).SetCreatedAt(p.At).Save(ctx)
	if err == nil {
		p.is.Delivery = delivery.ID
	}
	return err
}

// mails are one that was sent, and the receipt of an erasure.
func (p *planter) mails(ctx context.Context) error {
	err := p.db.Mail.Create().SetWorkspaceID(p.ws).SetKey(p.Word("mails.key")).SetRecipient(p.Owners[0].Email).SetSubject(p.Text("mails.subject")).SetBody(p.Text("mails.body")).
		SetSentAt(p.At).SetCreatedAt(p.At).Exec(ctx)
	if err != nil {
		return err
	}
	return p.db.Erasure.Create().SetID(p.NewID("er")).SetWorkspaceID(p.ws).SetKind(string(privacy.EndUser)).SetSubjectHash(id.Hash(p.ws)).SetRequestedBy(p.Word("erasures.requested_by")).
		SetErased(privacy.Counts{}).SetRemaining(privacy.Counts{}).SetDoneAt(p.At).SetCreatedAt(p.At).Exec(ctx)
}

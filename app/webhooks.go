package app

import (
	"context"
	"crypto/rand"

	"parley/core/webhook"
	"parley/fetch"
	"parley/store/bots"
	"parley/store/outbound"
	"parley/store/people"
)

// Webhooks tell other programs what happens in workspaces.
type Webhooks struct {
	Publisher  *webhook.Publisher
	Endpoints  *webhook.Endpoints
	Deliveries *webhook.Deliveries
	Resealer   *webhook.Resealer
	Sender     *webhook.Sender
}

// openPublisher comes before all packages that publish.
func (p *Program) openPublisher() {
	p.Webhooks.Publisher = webhook.NewPublisher(webhook.PublishPorts{
		Endpoints: outbound.NewWebhooks(p.Store), Deliveries: outbound.NewWebhookDeliveries(p.Store),
		Workspaces: people.NewWorkspaces(p.Store), Plans: p.Store,
	}, p.now, rand.Reader)
}

// openWebhooks needs chatbots and tenants.
func (p *Program) openWebhooks() error {
	allowed, err := p.Config.WebhookTargets()
	if err != nil {
		return err
	}
	ports := webhook.Ports{
		Tx: p.Store, Workspaces: people.NewWorkspaces(p.Store), Plans: p.Store, Endpoints: outbound.NewWebhooks(p.Store),
		Deliveries: outbound.NewWebhookDeliveries(p.Store), Audit: p.Store, System: accesses.webhooks,
		Vault:  newSealer(p.Config, p.Store.IsSQLite()),
		Poster: fetch.NewPoster(fetch.Config{Allow: allowed, Refused: p.reportTarget}),
		Chatbots: func(ctx context.Context, workspaceID, chatbotID string) error {
			_, err := bots.NewChatbots(p.Store).Chatbot(ctx, workspaceID, chatbotID)
			return err
		},
	}
	p.Webhooks.Endpoints = webhook.NewEndpoints(ports, p.now, rand.Reader, webhook.Options{PlainHTTP: len(allowed) > 0})
	p.Webhooks.Deliveries, p.Webhooks.Resealer = webhook.NewDeliveries(p.Webhooks.Endpoints), webhook.NewResealer(p.Webhooks.Endpoints)
	p.Webhooks.Sender = webhook.NewSender(ports, people.NewMembers(p.Store), p.Tenants.Letters, p.now, rand.Reader, p.Log)
	return nil
}

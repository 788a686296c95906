package store_test

import (
	"context"
	"time"

	"parley/core/webhook"
)

func (w *tenancy) newEndpoint(id string) webhook.SealedEndpoint {
	return webhook.SealedEndpoint{
		Endpoint: webhook.Endpoint{
			ID: id, URL: "https://" + w.secret + ".example/", Kinds: webhook.Kinds(), Description: w.secret, State: webhook.Active,
			CreatedBy: w.secret, UpdatedAt: epoch, CreatedAt: epoch,
		},
		SealedSecret: []byte(w.secret),
	}
}

func (w *tenancy) newSending(messageID string) webhook.Sending {
	return webhook.Sending{
		Message:   webhook.Message{ID: messageID, Kind: webhook.Test, Payload: w.secret, CreatedAt: epoch},
		Endpoints: []string{w.endpoint},
	}
}

func (w *tenancy) fillWebhooks(b *bundle) {
	b.Helper()
	ctx := b.Context()
	b.must(b.CreateEndpoint(ctx, w.id, w.newEndpoint(w.endpoint)))
	b.must(b.AddMessages(ctx, w.id, []webhook.Sending{w.newSending("msg_" + w.id)}))
	waiting, err := b.Deliveries(ctx, w.id, w.endpoint, 0, 1)
	b.must(err)
	w.delivery = waiting[0].ID
	b.must(b.SettleDelivery(ctx, w.id, webhook.Delivery{ID: w.delivery, Outcome: webhook.Delivered, EndedAt: &epoch}))
	b.must(b.AddMessages(ctx, w.id, []webhook.Sending{w.newSending("msg_waits_" + w.id)}))
}

// methodsOfWebhooks are about endpoints and what is sent to them.
var methodsOfWebhooks = []confined{
	{"Endpoint", func(ctx context.Context, s *everything, as string, a tenancy) (any, error) {
		return s.Endpoint(ctx, as, a.endpoint)
	}},
	{"Endpoints", func(ctx context.Context, s *everything, as string, _ tenancy) (any, error) {
		return s.Endpoints(ctx, as)
	}},
	{"ActiveEndpoints", func(ctx context.Context, s *everything, as string, _ tenancy) (found any, err error) {
		err = s.InTx(ctx, func(ctx context.Context) error {
			found, err = s.ActiveEndpoints(ctx, as)
			return err
		})
		return found, err
	}},
	{"Deliveries", func(ctx context.Context, s *everything, as string, a tenancy) (any, error) {
		return s.Deliveries(ctx, as, a.endpoint, 0, 10)
	}},
	{"Pending", func(ctx context.Context, s *everything, as string, a tenancy) (any, error) {
		counts, err := s.Pending(ctx, as)
		return secretIf(a, len(counts) > 0), err
	}},
	{"DeliveredSince", func(ctx context.Context, s *everything, as string, a tenancy) (any, error) {
		took, err := s.DeliveredSince(ctx, as, a.endpoint, epoch)
		return secretIf(a, took), err
	}},
	{"RestartDelivery", func(ctx context.Context, s *everything, as string, a tenancy) (any, error) {
		return nil, s.RestartDelivery(ctx, as, a.endpoint, a.delivery, epoch.Add(time.Hour))
	}},
	{"SettleDelivery", func(ctx context.Context, s *everything, as string, a tenancy) (any, error) {
		again := epoch.Add(2 * time.Hour)
		return nil, s.SettleDelivery(ctx, as, webhook.Delivery{ID: a.delivery, Outcome: webhook.Pending, DueAt: &again})
	}},
	{"CancelDeliveries", func(ctx context.Context, s *everything, as string, a tenancy) (any, error) {
		return nil, s.CancelDeliveries(ctx, as, a.endpoint, epoch)
	}},
	{"CreateEndpoint", func(ctx context.Context, s *everything, as string, a tenancy) (any, error) {
		return nil, s.CreateEndpoint(ctx, as, a.newEndpoint("we_new_"+as))
	}},
	{"AddMessages", func(ctx context.Context, s *everything, as string, a tenancy) (any, error) {
		return nil, s.AddMessages(ctx, as, []webhook.Sending{a.newSending("msg_new_" + as)})
	}},
	{"UpdateEndpoint", func(ctx context.Context, s *everything, as string, a tenancy) (any, error) {
		changed := a.newEndpoint(a.endpoint)
		changed.URL = "https://changed.example/"
		return nil, s.UpdateEndpoint(ctx, as, changed)
	}},
	{"DeleteEndpoint", func(ctx context.Context, s *everything, as string, a tenancy) (any, error) {
		return nil, s.DeleteEndpoint(ctx, as, a.endpoint)
	}},
}

package webhook

import (
	"context"

	"parley/core/audit"
	"parley/core/fault"
)

// Deliveries shows the messages to endpoints, and sends them again.
type Deliveries struct{ endpoints *Endpoints }

// NewDeliveries returns the service of the same endpoints.
func NewDeliveries(endpoints *Endpoints) *Deliveries { return &Deliveries{endpoints} }

// SendTest sends a test event to one endpoint. It is a Conflict unless the endpoint is
// active.
func (s *Deliveries) SendTest(ctx context.Context, workspaceID, endpointID string) error {
	return s.active(ctx, workspaceID, endpointID, func(ctx context.Context, _ Endpoint) error {
		message, err := Event{Kind: Test, At: s.endpoints.now(), Data: map[string]string{"message": "It works."}}.message(s.endpoints.random, s.endpoints.now())
		if err != nil {
			return err
		}
		return s.endpoints.ports.Deliveries.AddMessages(ctx, workspaceID, []Sending{{Message: message, Endpoints: []string{endpointID}}})
	})
}

// SendAgain sends a message again that has been delivered, has failed or was canceled.
// It keeps its id.
func (s *Deliveries) SendAgain(ctx context.Context, workspaceID, endpointID string, deliveryID int64) error {
	return s.active(ctx, workspaceID, endpointID, func(ctx context.Context, e Endpoint) error {
		err := s.endpoints.ports.Deliveries.RestartDelivery(ctx, workspaceID, endpointID, deliveryID, s.endpoints.now())
		if err != nil {
			return err
		}
		return s.endpoints.record(ctx, e, audit.WebhookSentAgain)
	})
}

// List returns those to an endpoint with ids below before, or all if it is zero,
// latest first.
func (s *Deliveries) List(ctx context.Context, workspaceID, endpointID string, before int64, limit int) ([]Delivery, error) {
	return s.endpoints.ports.Deliveries.Deliveries(ctx, workspaceID, endpointID, before, limit)
}

// active runs do for an endpoint that receives messages.
func (s *Deliveries) active(ctx context.Context, workspaceID, endpointID string, do func(context.Context, Endpoint) error) error {
	if err := s.endpoints.mayUse(ctx, workspaceID); err != nil {
		return err
	}
	return s.endpoints.locked(ctx, workspaceID, func(ctx context.Context) error {
		found, err := s.endpoints.ports.Endpoints.Endpoint(ctx, workspaceID, endpointID)
		if err != nil {
			return err
		}
		if found.State != Active {
			return fault.New(fault.Conflict, "This webhook is off. Resume it first.")
		}
		return do(ctx, found.Endpoint)
	})
}

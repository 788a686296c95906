package outbound

import (
	"context"
	"iter"

	"parley/core/fault"
	"parley/core/system"
	"parley/core/webhook"
	ent "parley/ent/generated"
	"parley/ent/generated/webhookendpoint"
	"parley/ent/scope"
	"parley/store"
)

// Webhooks keeps the endpoints that events are sent to.
type Webhooks struct{ store *store.Store }

// NewWebhooks returns the endpoints of a database.
func NewWebhooks(db *store.Store) *Webhooks { return &Webhooks{db} }

var _ webhook.EndpointStore = (*Webhooks)(nil)

var errNoEndpoint = fault.New(fault.NotFound, "Webhook not found.")

// CreateEndpoint adds an endpoint.
func (s *Webhooks) CreateEndpoint(ctx context.Context, workspaceID string, e webhook.SealedEndpoint) error {
	return s.store.Write(scope.Workspace(ctx, workspaceID), func(ctx context.Context, db *ent.Client) error {
		return db.WebhookEndpoint.Create().SetID(e.ID).SetWorkspaceID(workspaceID).SetChatbotID(e.ChatbotID).SetURL(e.URL).
			SetEvents(fromKinds(e.Kinds)).SetDescription(e.Description).SetSealedSecret(e.SealedSecret).SetState(string(e.State)).
			SetReason(e.Reason).SetCreatedBy(e.CreatedBy).SetUpdatedAt(e.UpdatedAt).SetCreatedAt(e.CreatedAt).Exec(ctx)
	})
}

// Endpoint returns an endpoint with its sealed secrets.
func (s *Webhooks) Endpoint(ctx context.Context, workspaceID, endpointID string) (webhook.SealedEndpoint, error) {
	row, err := s.store.Client(ctx).WebhookEndpoint.Query().Where(webhookendpoint.ID(endpointID)).Only(scope.Workspace(ctx, workspaceID))
	if ent.IsNotFound(err) {
		return webhook.SealedEndpoint{}, errNoEndpoint
	}
	return store.One(row, err, sealedEndpointFromRow)
}

// Endpoints returns the endpoints of a workspace with their sealed secrets, oldest first.
func (s *Webhooks) Endpoints(ctx context.Context, workspaceID string) ([]webhook.SealedEndpoint, error) {
	rows, err := s.store.Client(ctx).WebhookEndpoint.Query().Where(webhookendpoint.WorkspaceID(workspaceID)).
		Order(webhookendpoint.ByCreatedAt(), webhookendpoint.ByID()).All(scope.Workspace(ctx, workspaceID))
	return store.Mapped(rows, err, sealedEndpointFromRow)
}

// ActiveEndpoints returns those that receive events, and keeps them until the
// transaction ends.
func (s *Webhooks) ActiveEndpoints(ctx context.Context, workspaceID string) ([]webhook.Endpoint, error) {
	query := s.store.Client(ctx).WebhookEndpoint.Query().
		Where(webhookendpoint.WorkspaceID(workspaceID), webhookendpoint.State(string(webhook.Active))).Order(webhookendpoint.ByID())
	if !s.store.IsSQLite() {
		query = query.ForShare()
	}
	rows, err := query.All(scope.Workspace(ctx, workspaceID))
	return store.Mapped(rows, err, endpointFromRow)
}

// UpdateEndpoint changes all of an endpoint but its origin.
func (s *Webhooks) UpdateEndpoint(ctx context.Context, workspaceID string, e webhook.SealedEndpoint) error {
	return s.store.Write(scope.Workspace(ctx, workspaceID), func(ctx context.Context, db *ent.Client) error {
		update := db.WebhookEndpoint.Update().Where(webhookendpoint.ID(e.ID)).SetChatbotID(e.ChatbotID).SetURL(e.URL).
			SetEvents(fromKinds(e.Kinds)).SetDescription(e.Description).SetSealedSecret(e.SealedSecret).SetState(string(e.State)).
			SetReason(e.Reason).SetUpdatedAt(e.UpdatedAt)
		if e.PreviousUntil != nil {
			update.SetSealedPrevious(e.SealedPrevious).SetPreviousUntil(*e.PreviousUntil)
		} else {
			update.ClearSealedPrevious().ClearPreviousUntil()
		}
		return endpointAffected(update.Save(ctx))
	})
}

// DeleteEndpoint deletes an endpoint with its deliveries.
func (s *Webhooks) DeleteEndpoint(ctx context.Context, workspaceID, endpointID string) error {
	return s.store.Write(scope.Workspace(ctx, workspaceID), func(ctx context.Context, db *ent.Client) error {
		return endpointAffected(db.WebhookEndpoint.Delete().Where(webhookendpoint.ID(endpointID)).Exec(ctx))
	})
}

// AllEndpoints reads the endpoints of every workspace.
func (s *Webhooks) AllEndpoints(ctx context.Context, access system.Access) iter.Seq2[webhook.SealedEndpoint, error] {
	return store.InKeyOrder(scope.System(ctx, access), func(ctx context.Context, after string) ([]webhook.SealedEndpoint, error) {
		rows, err := s.store.Client(ctx).WebhookEndpoint.Query().Where(webhookendpoint.IDGT(after)).Order(webhookendpoint.ByID()).Limit(store.PortionRows).All(ctx)
		return store.Mapped(rows, err, sealedEndpointFromRow)
	}, func(e webhook.SealedEndpoint) string { return e.ID })
}

func endpointAffected(n int, err error) error {
	if err == nil && n == 0 {
		return errNoEndpoint
	}
	return err
}

func fromKinds(kinds []webhook.Kind) []string {
	names := make([]string, len(kinds))
	for i, kind := range kinds {
		names[i] = string(kind)
	}
	return names
}

func sealedEndpointFromRow(row *ent.WebhookEndpoint) webhook.SealedEndpoint {
	e := webhook.SealedEndpoint{Endpoint: endpointFromRow(row), SealedSecret: row.SealedSecret}
	if row.SealedPrevious != nil {
		e.SealedPrevious = row.SealedPrevious
	}
	return e
}

func endpointFromRow(row *ent.WebhookEndpoint) webhook.Endpoint {
	kinds := make([]webhook.Kind, len(row.Events))
	for i, name := range row.Events {
		kinds[i] = webhook.Kind(name)
	}
	return webhook.Endpoint{
		ID: row.ID, WorkspaceID: row.WorkspaceID, ChatbotID: row.ChatbotID, URL: row.URL, Kinds: kinds, Description: row.Description,
		State: webhook.State(row.State), Reason: row.Reason, PreviousUntil: store.UTC(row.PreviousUntil), CreatedBy: row.CreatedBy,
		UpdatedAt: row.UpdatedAt.UTC(), CreatedAt: row.CreatedAt.UTC(),
	}
}

package outbound

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	entsql "entgo.io/ent/dialect/sql"

	"parley/core/fault"
	"parley/core/system"
	"parley/core/webhook"
	ent "parley/ent/generated"
	"parley/ent/generated/predicate"
	"parley/ent/generated/webhookdelivery"
	"parley/ent/scope"
	"parley/store"
)

// WebhookDeliveries keeps messages on their way to endpoints.
type WebhookDeliveries struct{ store *store.Store }

// NewWebhookDeliveries returns the deliveries of a database.
func NewWebhookDeliveries(db *store.Store) *WebhookDeliveries { return &WebhookDeliveries{db} }

var _ webhook.DeliveryStore = (*WebhookDeliveries)(nil)

var errNoDelivery = fault.New(fault.NotFound, "Delivery not found.")

// ClaimDelivery returns a delivery of any workspace that is due, and makes it due again
// later. Its attempts include the one that this begins. Those of a workspace that is being
// deleted wait.
func (s *WebhookDeliveries) ClaimDelivery(ctx context.Context, access system.Access, now, again time.Time, busy webhook.Busy) (claimed webhook.Delivery, err error) {
	due := []predicate.WebhookDelivery{webhookdelivery.DueAtLTE(now), store.Staying}
	if len(busy.Workspaces) > 0 {
		due = append(due, webhookdelivery.WorkspaceIDNotIn(busy.Workspaces...))
	}
	if len(busy.Endpoints) > 0 {
		due = append(due, webhookdelivery.EndpointIDNotIn(busy.Endpoints...))
	}
	ctx = scope.System(ctx, access)
	// Nothing is due most of the time, and a transaction is not needed to see it. Much
	// may be due of those that are busy, and SQLite's one writer need not wait for the
	// search.
	found, err := s.store.Client(ctx).WebhookDelivery.Query().Where(due...).Order(webhookdelivery.ByDueAt(), webhookdelivery.ByID()).FirstID(ctx)
	if err != nil {
		return claimed, noDelivery(err)
	}
	err = s.store.InTx(ctx, func(ctx context.Context) error {
		query := s.store.Client(ctx).WebhookDelivery.Query()
		if !s.store.IsSQLite() {
			// Two processes that claim at once get different deliveries.
			query = query.Where(due...).Order(webhookdelivery.ByDueAt(), webhookdelivery.ByID()).ForUpdate(entsql.WithLockAction(entsql.SkipLocked))
		} else {
			query = query.Where(webhookdelivery.ID(found), webhookdelivery.DueAtLTE(now))
		}
		row, err := query.First(ctx)
		if err != nil {
			return err
		}
		err = s.store.Client(ctx).WebhookDelivery.Update().Where(webhookdelivery.ID(row.ID)).SetDueAt(again).AddAttempts(1).Exec(ctx)
		if err != nil {
			return err
		}
		if row, err = s.store.Client(ctx).WebhookDelivery.Get(ctx, row.ID); err != nil {
			return err
		}
		if row.Edges.Message, err = s.store.Client(ctx).WebhookMessage.Get(ctx, row.MessageID); err != nil {
			return err
		}
		claimed, err = deliveryFromRow(row)
		return err
	})
	return claimed, noDelivery(err)
}

// noDelivery maps an error of a query for one delivery.
func noDelivery(err error) error {
	if ent.IsNotFound(err) {
		return errNoDelivery
	}
	return store.MapError(err)
}

// SettleDelivery stores what became of an attempt, unless another has begun.
func (s *WebhookDeliveries) SettleDelivery(ctx context.Context, workspaceID string, d webhook.Delivery) error {
	log, err := attemptsToText(d.Log)
	if err != nil {
		return err
	}
	return s.store.Write(scope.Workspace(ctx, workspaceID), func(ctx context.Context, db *ent.Client) error {
		update := db.WebhookDelivery.Update().Where(webhookdelivery.ID(d.ID), webhookdelivery.Attempts(d.Attempts),
			webhookdelivery.State(string(webhook.Pending))).SetState(string(d.Outcome)).SetAttemptLog(log).SetNillableEndedAt(d.EndedAt)
		if d.DueAt != nil {
			update.SetDueAt(*d.DueAt)
		} else {
			update.ClearDueAt()
		}
		return deliveryAffected(update.Save(ctx))
	})
}

// Deliveries returns a page of the deliveries to an endpoint, latest first.
func (s *WebhookDeliveries) Deliveries(ctx context.Context, workspaceID, endpointID string, before int64, limit int) ([]webhook.Delivery, error) {
	query := s.store.Client(ctx).WebhookDelivery.Query().Where(webhookdelivery.EndpointID(endpointID))
	if before > 0 {
		query = query.Where(webhookdelivery.IDLT(before))
	}
	rows, err := query.Order(ent.Desc(webhookdelivery.FieldID)).Limit(limit).WithMessage().All(scope.Workspace(ctx, workspaceID))
	if err != nil {
		return nil, store.MapError(err)
	}
	found := make([]webhook.Delivery, len(rows))
	for i, row := range rows {
		if found[i], err = deliveryFromRow(row); err != nil {
			return nil, err
		}
	}
	return found, nil
}

// RestartDelivery makes a delivery due that has ended.
func (s *WebhookDeliveries) RestartDelivery(ctx context.Context, workspaceID, endpointID string, deliveryID int64, due time.Time) error {
	return s.store.Write(scope.Workspace(ctx, workspaceID), func(ctx context.Context, db *ent.Client) error {
		return deliveryAffected(db.WebhookDelivery.Update().Where(webhookdelivery.ID(deliveryID), webhookdelivery.EndpointID(endpointID),
			webhookdelivery.StateNEQ(string(webhook.Pending))).
			SetState(string(webhook.Pending)).SetAttempts(0).SetDueAt(due).ClearEndedAt().Save(ctx))
	})
}

// CancelDeliveries ends what waits for an endpoint.
func (s *WebhookDeliveries) CancelDeliveries(ctx context.Context, workspaceID, endpointID string, at time.Time) error {
	return s.store.Write(scope.Workspace(ctx, workspaceID), func(ctx context.Context, db *ent.Client) error {
		return db.WebhookDelivery.Update().Where(webhookdelivery.EndpointID(endpointID), webhookdelivery.State(string(webhook.Pending))).
			SetState(string(webhook.Canceled)).SetEndedAt(at).ClearDueAt().Exec(ctx)
	})
}

// DeliveredSince reports whether an endpoint took a message after a time.
func (s *WebhookDeliveries) DeliveredSince(ctx context.Context, workspaceID, endpointID string, since time.Time) (bool, error) {
	took, err := s.store.Client(ctx).WebhookDelivery.Query().Where(webhookdelivery.EndpointID(endpointID),
		webhookdelivery.State(string(webhook.Delivered)), webhookdelivery.EndedAtGTE(since)).Exist(scope.Workspace(ctx, workspaceID))
	return took, store.MapError(err)
}

func deliveryAffected(n int, err error) error {
	if err == nil && n == 0 {
		return errNoDelivery
	}
	return err
}

// storedAttempt is an attempt in a delivery's log.
type storedAttempt struct {
	At     time.Time `json:"at"`
	Took   int64     `json:"ms"`
	Status int       `json:"status"`
	Answer string    `json:"answer"`
}

func attemptsToText(attempts []webhook.Attempt) (string, error) {
	stored := make([]storedAttempt, len(attempts))
	for i, a := range attempts {
		stored[i] = storedAttempt{a.At, a.Took.Milliseconds(), a.Status, a.Answer}
	}
	text, err := json.Marshal(stored)
	return string(text), err
}

func deliveryFromRow(row *ent.WebhookDelivery) (webhook.Delivery, error) {
	d := webhook.Delivery{
		ID: row.ID, WorkspaceID: row.WorkspaceID, EndpointID: row.EndpointID, Message: webhook.Message{ID: row.MessageID},
		Outcome: webhook.Outcome(row.State), Attempts: row.Attempts, DueAt: store.UTC(row.DueAt), EndedAt: store.UTC(row.EndedAt), CreatedAt: row.CreatedAt.UTC(),
	}
	if m := row.Edges.Message; m != nil {
		d.Message = webhook.Message{ID: m.ID, ChatbotID: m.ChatbotID, Kind: webhook.Kind(m.Kind), Payload: m.Payload, CreatedAt: m.CreatedAt.UTC()}
	}
	if row.AttemptLog == "" {
		return d, nil
	}
	var stored []storedAttempt
	if err := json.Unmarshal([]byte(row.AttemptLog), &stored); err != nil {
		return d, fmt.Errorf("the log of the delivery %d: %w", row.ID, err)
	}
	for _, a := range stored {
		d.Log = append(d.Log, webhook.Attempt{At: a.At, Took: store.Milliseconds(a.Took), Status: a.Status, Answer: a.Answer})
	}
	return d, nil
}

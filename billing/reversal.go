package billing

import (
	"context"
	"log/slog"
	"strings"
	"time"

	"github.com/stripe/stripe-go/v76"
	"github.com/stripe/stripe-go/v76/charge"
	"github.com/stripe/stripe-go/v76/dispute"
	"github.com/stripe/stripe-go/v76/refund"

	"parley/billing/stripeapi"
	"parley/billing/stripeevent"
	"parley/core/subscription"
)

// payer is the owner of refunded or disputed money: a customer, and the workspace that it was
// created for, which may have been deleted. Both are empty if unknown.
type payer struct{ customer, workspace string }

func payerOf(c *stripe.Customer) payer {
	return payer{c.ID, stripeevent.IDOf(c.Metadata[metadataWorkspace])}
}

// readReversals reads the refunds or the dispute at Stripe, the latest first, and their payer. An
// object that Stripe does not have concerns nobody.
func (s *Service) readReversals(ctx context.Context, of stripeevent.Reversed) (whose payer, read []subscription.Reversal, err error) {
	if of.Dispute != "" {
		whose, read, err = s.readDispute(ctx, of.Dispute)
	} else {
		whose, read, err = s.readRefunds(ctx, of.Charge)
	}
	if stripeapi.Missing(err) {
		return payer{}, nil, nil
	}
	return whose, read, err
}

func (s *Service) readRefunds(ctx context.Context, chargeID string) (whose payer, read []subscription.Reversal, err error) {
	charges := charge.Client{B: s.api.Backend, Key: s.api.Key}
	charged, err := stripeapi.Ask(ctx, func(ctx context.Context) (*stripe.Charge, error) {
		params := &stripe.ChargeParams{}
		params.Context = ctx
		params.AddExpand("customer")
		return charges.Get(chargeID, params)
	})
	if err != nil || charged.Customer == nil {
		return payer{}, nil, err
	}
	read, err = s.listRefunds(ctx, chargeID)
	return payerOf(charged.Customer), read, err
}

func (s *Service) listRefunds(ctx context.Context, chargeID string) ([]subscription.Reversal, error) {
	refunds := refund.Client{B: s.api.Backend, Key: s.api.Key}
	found, err := stripeapi.Ask(ctx, func(ctx context.Context) ([]*stripe.Refund, error) {
		params := &stripe.RefundListParams{Charge: stripe.String(chargeID)}
		params.Context = ctx
		params.Limit = stripe.Int64(stripeapi.PageSize)
		return stripeapi.All[*stripe.Refund](refunds.List(params).Iter)
	})
	var read []subscription.Reversal
	for _, r := range found {
		read = append(read, subscription.Reversal{
			StripeID: r.ID, Kind: subscription.Refund, Status: string(r.Status), Amount: int(r.Amount), Currency: string(r.Currency), At: time.Unix(r.Created, 0).UTC(),
		})
	}
	return read, err
}

func (s *Service) readDispute(ctx context.Context, disputeID string) (whose payer, read []subscription.Reversal, err error) {
	client := dispute.Client{B: s.api.Backend, Key: s.api.Key}
	found, err := stripeapi.Ask(ctx, func(ctx context.Context) (*stripe.Dispute, error) {
		params := &stripe.DisputeParams{}
		params.Context = ctx
		params.AddExpand("charge.customer")
		return client.Get(disputeID, params)
	})
	if err != nil || found.Charge == nil || found.Charge.Customer == nil {
		return payer{}, nil, err
	}
	return payerOf(found.Charge.Customer), []subscription.Reversal{{
		StripeID: found.ID, Kind: subscription.Dispute, Status: string(found.Status),
		Amount: int(found.Amount), Currency: string(found.Currency), At: time.Unix(found.Created, 0).UTC(),
	}}, nil
}

// recordReversals stores refunds and disputes, and raises an alarm for new ones.
func (s *Service) recordReversals(ctx context.Context, workspaceID string, read []subscription.Reversal) error {
	news, err := s.books.Reversals.Record(ctx, workspaceID, read)
	if err != nil {
		return err
	}
	for _, r := range news {
		s.alarmReversal(workspaceID, r)
	}
	return nil
}

// alarmReversal raises the alarm about a refund or dispute.
func (s *Service) alarmReversal(workspaceID string, r subscription.Reversal) {
	if reason := reasonOf(r); reason != "" {
		s.alarm(reason, slog.String("workspace", workspaceID), slog.String("id", r.StripeID), slog.String("status", r.Status),
			slog.Int("amount", r.Amount), slog.String("currency", r.Currency))
	}
}

// alarmForGone raises the alarm for a workspace that was deleted, or that now has another
// customer: the operator still has to answer its bank. Nothing is stored that would
// distinguish new events from repeated ones, so updates are left out. A workspace that never
// existed here pays the same Stripe account for something else.
func (s *Service) alarmForGone(ctx context.Context, e stripeevent.Event, whose payer, read []subscription.Reversal) error {
	if len(read) == 0 || whose.workspace == "" || strings.HasSuffix(e.Kind, ".updated") {
		return nil
	}
	known, err := s.books.Workspaces.WasHere(ctx, whose.workspace)
	if err == nil && known {
		s.alarmReversal(whose.workspace, read[0])
	}
	return err
}

// reasonOf is empty for a dispute that was won.
func reasonOf(r subscription.Reversal) string {
	switch {
	case r.Kind == subscription.Refund:
		return Refunded
	case r.Lost():
		return DisputeLost
	case r.Won():
		return ""
	}
	return Disputed
}

package subscription

import (
	"context"
	"fmt"
	"time"

	"parley/core/audit"
	"parley/core/plan"
	"parley/core/tenant"
)

// Reversal is a refund or a dispute: money that went back, in part or whole, or may go back. It
// changes no plan: only the subscription does.
type Reversal struct {
	// StripeID is the id of the refund or dispute.
	StripeID string
	Kind     ReversalKind
	// Status is Stripe's; see [Reversal.Open] and [Reversal.Lost].
	Status string
	// Amount is in the smallest unit of the currency.
	Amount   int
	Currency string
	At       time.Time
}

// ReversalKind distinguishes refunds from disputes.
type ReversalKind string

// The kinds.
const (
	// Refund is money that the operator gave back.
	Refund ReversalKind = "refund"
	// Dispute is a payment that the payer's bank was asked to take back.
	Dispute ReversalKind = "dispute"
)

// Open reports whether the bank has yet to decide a dispute.
func (r Reversal) Open() bool { return r.Kind == Dispute && !r.Won() && !r.Lost() }

// Won reports whether the payer's bank left the money with the operator.
func (r Reversal) Won() bool {
	return r.Kind == Dispute && (r.Status == "won" || r.Status == "warning_closed")
}

// Lost reports whether the payer's bank took the money back.
func (r Reversal) Lost() bool { return r.Kind == Dispute && r.Status == "lost" }

// ReversalStore stores refunds and disputes.
type ReversalStore interface {
	// SaveReversal adds or replaces the one with its StripeID.
	SaveReversal(ctx context.Context, workspaceID string, reversal Reversal) error
	// Reversals returns the latest ones, the latest first.
	Reversals(ctx context.Context, workspaceID string, limit int) ([]Reversal, error)
}

// Reversals stores refunds and disputes.
type Reversals struct {
	db         Database
	workspaces *tenant.Workspaces
	book       *book
}

// maxReversals bounds how many of a workspace are compared with those read.
const maxReversals = 1_000

// Record stores refunds and disputes read at Stripe, with an entry in the audit log
// for each new one, and returns the new ones.
func (r *Reversals) Record(ctx context.Context, workspaceID string, read []Reversal) (news []Reversal, err error) {
	err = r.workspaces.Locked(ctx, workspaceID, func(ctx context.Context, _ tenant.Workspace) error {
		news = nil
		known, err := r.db.Reversals.Reversals(ctx, workspaceID, maxReversals)
		if err != nil {
			return err
		}
		for _, reversal := range read {
			if isKnownReversal(known, reversal) {
				continue
			}
			if err := r.db.Reversals.SaveReversal(ctx, workspaceID, reversal); err != nil {
				return err
			}
			if err := r.book.record(ctx, workspaceID, audit.PaymentReversed, reversal.describe()); err != nil {
				return err
			}
			news = append(news, reversal)
		}
		return nil
	})
	return news, err
}

func isKnownReversal(known []Reversal, r Reversal) bool {
	for _, k := range known {
		if k.StripeID == r.StripeID {
			return k.Status == r.Status && k.Amount == r.Amount
		}
	}
	return false
}

// List returns a workspace's latest refunds and disputes, the latest first.
func (r *Reversals) List(ctx context.Context, workspaceID string, limit int) ([]Reversal, error) {
	return r.db.Reversals.Reversals(ctx, workspaceID, limit)
}

// describe returns a sentence for the audit log.
func (r Reversal) describe() string {
	what := plan.Money(r.Amount, r.Currency)
	switch {
	case r.Kind == Refund && r.Status == "succeeded":
		return what + " was refunded."
	case r.Kind == Refund:
		return fmt.Sprintf("A refund of %s is %s.", what, r.Status)
	case r.Won():
		return fmt.Sprintf("The dispute about %s was decided: the payment stands.", what)
	case r.Lost():
		return fmt.Sprintf("The dispute about %s was lost: the bank took the payment back.", what)
	}
	return fmt.Sprintf("A payment of %s is disputed at the payer's bank.", what)
}

package page

import (
	"context"
	"strings"

	"github.com/gofiber/fiber/v2"

	"parley/billing"
	"parley/core/fault"
	"parley/core/subscription"
	"parley/core/tenant"
)

// Billing is what pages need of Stripe.
type Billing interface {
	// Checkout returns where the browser goes to buy.
	Checkout(ctx context.Context, workspaceID string, purchase billing.Purchase, back billing.Back) (url string, err error)
	// Portal returns the address of the page on which an owner changes the subscription.
	Portal(ctx context.Context, workspaceID, back string) (url string, err error)
	// Refresh reads the subscription at Stripe.
	Refresh(ctx context.Context, workspaceID string, cause subscription.Cause) (subscription.Applied, error)
	// Invoices returns the latest, the latest first.
	Invoices(ctx context.Context, workspaceID string, limit int) ([]billing.Invoice, error)
}

var _ Billing = (*billing.Service)(nil)

const (
	ByOperator = "Only the operator of this server can change plans."
	byOwner    = "An owner of the workspace can change the plan."
)

// NotSold refuses what only a server with Stripe does.
func NotSold() error { return fault.New(fault.Forbidden, ByOperator) }

// PayOrigins are where Stripe's own pages are.
func (s *Base) PayOrigins() []string {
	if other := OriginOf(s.StripeURL); other != "" {
		return []string{other}
	}
	return []string{"https://checkout.stripe.com", "https://billing.stripe.com", "https://invoice.stripe.com"}
}

// LetPay lets the forms of a page lead to Stripe's pages: browsers hold the
// redirect that answers a form to the page's policy, too.
func (s *Base) LetPay(c *fiber.Ctx) {
	if s.Billing != nil {
		c.Set(fiber.HeaderContentSecurityPolicy, contentPolicy+" "+strings.Join(s.PayOrigins(), " "))
	}
}

// WhoChanges says why the person may not change the plan, or that they may by
// hand. Where plans are sold, they buy one.
func (s *Base) WhoChanges(v Visit) (why string, byHand bool) {
	switch {
	case s.Billing == nil && !s.PlanChanges:
		return ByOperator, false
	case s.Billing == nil && !v.May(tenant.ChangePlan), !v.May(tenant.Pay):
		return byOwner, false
	}
	return "", s.Billing == nil
}

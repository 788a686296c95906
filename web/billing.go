package web

import (
	"context"
	"slices"
	"strings"

	"github.com/gofiber/fiber/v2"

	"parley/billing"
	"parley/core/fault"
	"parley/core/subscription"
	"parley/views"
)

// Billing is what pages need of Stripe.
type Billing interface {
	// Checkout returns where the browser goes to buy.
	Checkout(ctx context.Context, workspaceID string, purchase billing.Purchase, back billing.Back) (url string, err error)
	// Portal returns where the browser goes to change what was bought.
	Portal(ctx context.Context, workspaceID, back string) (url string, err error)
	// Refresh reads the subscription at Stripe.
	Refresh(ctx context.Context, workspaceID string, cause subscription.Cause) (subscription.Applied, error)
	// Invoices returns the latest, the latest first.
	Invoices(ctx context.Context, workspaceID string, limit int) ([]billing.Invoice, error)
	// Cancel ends the subscription now. Twice is no error.
	Cancel(ctx context.Context, workspaceID string) error
}

var _ Billing = (*billing.Service)(nil)

const (
	byOperator = "Only the operator of this server can change plans."
	byOwner    = "An owner of the workspace can change the plan."
)

// notSold refuses what only a server with Stripe does.
func notSold() error { return fault.New(fault.Forbidden, byOperator) }

// payOrigins are where Stripe's own pages are.
func (s *site) payOrigins() []string {
	if other := originOf(s.StripeURL); other != "" {
		return []string{other}
	}
	return []string{"https://checkout.stripe.com", "https://billing.stripe.com", "https://invoice.stripe.com"}
}

// letPay lets the forms of a page lead to Stripe's pages: browsers hold the
// redirect that answers a form to the page's policy, too.
func (s *site) letPay(c *fiber.Ctx) {
	if s.Billing != nil {
		c.Set(fiber.HeaderContentSecurityPolicy, contentPolicy+" "+strings.Join(s.payOrigins(), " "))
	}
}

// pay leads to one of Stripe's pages. Where Stripe serves it under another name,
// such as the operator's own, the form's policy would stop the browser without
// a word; a link may lead anywhere.
func (s *site) pay(c *fiber.Ctx, v visit, to string) error {
	if slices.Contains(s.payOrigins(), originOf(to)) {
		return seeOther(c, to)
	}
	return render(c, fiber.StatusOK, views.PayPage(v.layout(c, views.PlanSection, "Payment"), to))
}

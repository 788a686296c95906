package workspace

import (
	"context"
	"net/url"
	"slices"
	"time"

	"github.com/gofiber/fiber/v2"

	"parley/billing"
	"parley/core/fault"
	"parley/core/plan"
	"parley/core/subscription"
	"parley/views/shell"
	views "parley/views/workspace"
	"parley/web/page"
)

// checkout sends an owner to Stripe to buy a plan.
func (s planPages) checkout(c *fiber.Ctx, v page.Visit) error {
	if s.Billing == nil {
		return page.NotSold()
	}
	typed, err := page.ReadForm(c, "plan", "interval", "next")
	if err != nil {
		return err
	}
	purchase, err := s.purchase(c, typed)
	if err != nil {
		return s.plansAgain(c, v, typed["next"], err)
	}
	purchase.Buyer = v.Person.User.ID
	next := s.nextOf(v, typed["next"])
	to, err := s.Billing.Checkout(c.UserContext(), v.WorkspaceID(), purchase, billing.Back{
		Done: s.returnTo(v, next, "&paid=yes"), Canceled: s.returnTo(v, next, ""),
	})
	if err != nil {
		return s.plansAgain(c, v, typed["next"], err)
	}
	return s.pay(c, v, to)
}

// purchase reads the plan and interval of a form. A missing interval is a month.
func (s planPages) purchase(c *fiber.Ctx, typed page.Form) (billing.Purchase, error) {
	wanted := billing.Purchase{Plan: plan.Name(typed["plan"]), Interval: plan.Interval(typed["interval"])}
	if wanted.Interval == "" {
		wanted.Interval = plan.Monthly
	}
	if wanted.Interval != plan.Monthly && wanted.Interval != plan.Yearly {
		return wanted, fault.InField("interval", "Choose to pay monthly or yearly.")
	}
	plans, err := s.Tenants.Plans.All(c.UserContext())
	if err != nil {
		return wanted, err
	}
	for _, p := range plans {
		if p.Name == wanted.Plan && p.Offer().Of(wanted.Interval) > 0 {
			return wanted, nil
		}
	}
	return wanted, fault.InField("plan", "This plan is not for sale. Choose another one.")
}

// portal sends an owner to Stripe's portal.
func (s planPages) portal(c *fiber.Ctx, v page.Visit) error {
	if s.Billing == nil {
		return page.NotSold()
	}
	to, err := s.Billing.Portal(c.UserContext(), v.WorkspaceID(), s.returnTo(v, shell.BillingURL(v.WorkspaceID()), ""))
	if err != nil {
		return s.plansAgain(c, v, "", err)
	}
	return s.pay(c, v, to)
}

// refreshTimeout is how long somebody who comes back waits for Stripe.
const refreshTimeout = 20 * time.Second

// fromStripe is where Stripe's pages lead back to. The subscription is read at
// once, because the webhook may come later.
func (s planPages) fromStripe(c *fiber.Ctx, v page.Visit) error {
	if s.Billing == nil {
		return page.NotSold()
	}
	ctx, cancel := context.WithTimeout(c.UserContext(), refreshTimeout)
	defer cancel()
	applied, err := s.Billing.Refresh(ctx, v.WorkspaceID(), subscription.Cause{})
	if err != nil {
		s.Log.Log(ctx, fault.Level(err), "subscription not read on return", "workspace_id", v.WorkspaceID(), "error", err)
	}
	return page.SeeOther(c, withNotice(s.nextOf(v, c.Query("next")), returned(c.Query("paid") != "", applied, err)))
}

// returned returns the notice for a person who comes back from Stripe, who may be faster than
// the payment.
func returned(paid bool, applied subscription.Applied, err error) string {
	has := applied.After.Access.Plan
	switch {
	case err != nil || paid && (has == "" || has == plan.Free):
		return "waiting"
	case paid:
		return "bought"
	case applied.After.Status == plan.None:
		return "unbought"
	}
	return "read"
}

// returnTo is the address to which Stripe's pages lead back.
func (s planPages) returnTo(v page.Visit, next, more string) string {
	return s.Address(shell.BillingURL(v.WorkspaceID()) + "/return?next=" + url.QueryEscape(next) + more)
}

// withNotice adds to an address what its page says has been done.
func withNotice(path, notice string) string {
	u, err := url.Parse(path)
	if err != nil {
		return path
	}
	query := u.Query()
	query.Set("done", notice)
	u.RawQuery = query.Encode()
	return u.String()
}

// pay leads to one of Stripe's pages. Where Stripe serves it under another name,
// such as the operator's own, the form's policy would stop the browser without
// a word; a link may lead anywhere.
func (s planPages) pay(c *fiber.Ctx, v page.Visit, to string) error {
	if slices.Contains(s.PayOrigins(), page.OriginOf(to)) {
		return page.SeeOther(c, to)
	}
	return page.Render(c, fiber.StatusOK, views.PayPage(v.Layout(c, shell.BillingSection, "Payment"), to))
}

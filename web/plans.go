package web

import (
	"github.com/gofiber/fiber/v2"

	"parley/core/fault"
	"parley/core/plan"
	"parley/core/subscription"
	"parley/core/tenant"
	"parley/views"
)

// planPages are the handlers of the plan of a workspace.
type planPages struct{ *site }

func (s planPages) plansPage(c *fiber.Ctx, v visit) error {
	return s.showPlans(c, v, fiber.StatusOK, views.Form{})
}

func (s planPages) showPlans(c *fiber.Ctx, v visit, status int, f views.Form) error {
	o, err := s.offerTo(c, v)
	if err != nil {
		return err
	}
	history, err := s.history(c, v)
	if err != nil {
		return err
	}
	m := o.page()
	m.Form, m.History = f, history
	m.Why, m.ByHand = s.whoChanges(v)
	m.TaxInclusive = s.TaxInclusive
	if s.Billing != nil && m.Why == "" {
		m.Prices = o.prices()
		m.TrialDays = o.trial(s.TrialDays)
		if o.subscription.CustomerID != "" {
			m.Manage = true
			m.Invoices, m.InvoicesMissing = s.invoices(c, v)
			if m.Reversals, m.Disputed, err = s.reversals(c, v); err != nil {
				return err
			}
			m.PayURL = o.subscription.InvoiceURL
		}
	} else {
		m.Prices = o.priceList()
	}
	s.letPay(c)
	return render(c, status, views.PlansPage(v.layout(c, views.PlanSection, "Plan"), m))
}

// whoChanges says why the person may not change the plan, or that they may by
// hand. Where plans are sold, they buy one.
func (s *site) whoChanges(v visit) (why string, byHand bool) {
	switch {
	case s.Billing == nil && !s.PlanChanges:
		return byOperator, false
	case s.Billing == nil && !v.may(tenant.ChangePlan), !v.may(tenant.Pay):
		return byOwner, false
	}
	return "", s.Billing == nil
}

// offerTo reads what the page of plans tells a workspace.
func (s planPages) offerTo(c *fiber.Ctx, v visit) (offer, error) {
	ctx := c.UserContext()
	plans, err := s.Tenants.Plans.All(ctx)
	if err != nil {
		return offer{}, err
	}
	paying, err := s.Subscriptions.Ledger.Subscription(ctx, v.workspaceID())
	if err != nil {
		return offer{}, err
	}
	taken, err := s.Subscriptions.Trials.TrialTaken(ctx, subscription.TrialOfUser(v.person.User.ID))
	if err != nil {
		return offer{}, err
	}
	used, err := s.Tenants.Holdings.Usage(ctx, v.workspaceID())
	return offer{
		catalogue: catalogue{plans: plans, now: s.Now(), sold: s.Billing != nil},
		workspace: v.member.Workspace, subscription: paying, used: used, trialTaken: taken,
	}, err
}

// reversalsShown is how many refunds and disputes the page has.
const reversalsShown = 20

// reversals are the latest refunds and disputes, and a sentence about a dispute
// that is open.
func (s planPages) reversals(c *fiber.Ctx, v visit) (shown []views.Reversal, disputed string, err error) {
	all, err := s.Subscriptions.Reversals.List(c.UserContext(), v.workspaceID(), reversalsShown)
	for _, r := range all {
		what := "Refund"
		if r.Kind == subscription.Dispute {
			what = "Dispute"
		}
		amount := plan.Money(r.Amount, r.Currency)
		shown = append(shown, views.Reversal{At: r.At, What: what, Amount: amount, State: reversalState(r)})
		if r.Open() && disputed == "" {
			disputed = "A payment of " + amount + " is disputed at the bank. The plan stays as it is while the bank decides. If you did not mean to dispute it, tell your bank."
		}
	}
	return shown, disputed, err
}

func reversalState(r subscription.Reversal) string {
	switch {
	case r.Open():
		return "Under review by the bank"
	case r.Won():
		return "Closed: the payment stands"
	case r.Lost():
		return "Closed: the bank took the payment back"
	case r.Status == "succeeded":
		return "Paid back"
	case r.Status == "failed", r.Status == "canceled":
		return "Not paid back"
	}
	return "On its way"
}

// historyShown is how many entries of the audit log the page has.
const historyShown = 20

func (s planPages) history(c *fiber.Ctx, v visit) ([]views.Entry, error) {
	entries, err := s.Audit.PlanHistory(c.UserContext(), v.workspaceID(), historyShown)
	if err != nil {
		return nil, err
	}
	shown := make([]views.Entry, 0, len(entries))
	for _, e := range entries {
		shown = append(shown, views.Entry{At: e.At, Actor: actorName(e.Actor.Name), Detail: e.Detail})
	}
	return shown, nil
}

// actorName is what people call who is no person.
func actorName(actor string) string {
	names := map[string]string{
		"stripe": "Stripe", "reconciliation": "Comparison with Stripe", "operator": "Operator of this server",
		"time": "By itself", "system": "By itself",
	}
	if name, known := names[actor]; known {
		return name
	}
	return actor
}

// changePlan changes the plan by hand.
func (s planPages) changePlan(c *fiber.Ctx, v visit) error {
	if s.Billing != nil {
		return fault.New(fault.Forbidden, "On this server you buy a plan. Choose one on the Plan page.")
	}
	if !s.PlanChanges {
		return notSold()
	}
	typed, err := readForm(c, "plan")
	if err != nil {
		return err
	}
	if err := s.Subscriptions.Grants.SetPlan(c.UserContext(), v.workspaceID(), plan.Name(typed["plan"])); err != nil {
		return s.plansAgain(c, v, err)
	}
	return done(c, views.PlanURL(v.workspaceID()), "plan")
}

// plansAgain shows the page of plans with what is wrong.
func (s planPages) plansAgain(c *fiber.Ctx, v visit, err error) error {
	logFailure(c, s.Log, fault.As(err))
	return form{}.again(c, err, func(status int, f views.Form) error { return s.showPlans(c, v, status, f) })
}

package workspace

import (
	"fmt"

	"github.com/gofiber/fiber/v2"

	"parley/core/fault"
	"parley/core/plan"
	"parley/core/subscription"
	"parley/core/tenant"
	"parley/views/shell"
	"parley/views/ui"
	views "parley/views/workspace"
	"parley/web/site"
)

// planPages are the handlers of the plan of a workspace.
type planPages struct{ *site.Site }

func (s planPages) plansPage(c *fiber.Ctx, v site.Visit) error {
	return s.showPlans(c, v, fiber.StatusOK, ui.Form{})
}

func (s planPages) showPlans(c *fiber.Ctx, v site.Visit, status int, f ui.Form) error {
	o, err := s.offerTo(c, v)
	if err != nil {
		return err
	}
	history, err := s.history(c, v)
	if err != nil {
		return err
	}
	m := o.page()
	if err := s.preview(c, v, &m); err != nil {
		return err
	}
	m.Form, m.History = f, history
	m.Why, m.ByHand = s.WhoChanges(v)
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
	s.LetPay(c)
	return site.Render(c, status, views.PlansPage(v.Layout(c, shell.PlanSection, "Usage & billing"), m))
}

// previewed is how many names of a kind the page has.
const previewed = 5

// preview adds what each plan would suspend and resume.
func (s planPages) preview(c *fiber.Ctx, v site.Visit, m *views.Plans) error {
	for i := range m.Plans {
		if m.Plans[i].Current {
			continue
		}
		preview, err := s.Tenants.Holdings.Preview(c.UserContext(), v.WorkspaceID(), plan.Name(m.Plans[i].Name))
		if err != nil {
			return err
		}
		m.Plans[i].Changes.Suspended = namesOf(preview.Suspended)
		m.Plans[i].Changes.Resumed = namesOf(preview.Resumed)
	}
	return nil
}

// namesOf are the names of holdings, and how many there are beside the first.
func namesOf(holdings []tenant.Holding) []string {
	called := map[plan.Resource]string{plan.Chatbots: "chatbot", plan.Members: "member", plan.Tokens: "API token"}
	var names []string
	for i, h := range holdings {
		if i == previewed {
			return append(names, fmt.Sprintf("and %s more", plan.Thousands(len(holdings)-previewed)))
		}
		names = append(names, h.Name+" ("+called[h.Resource]+")")
	}
	return names
}

// offerTo reads what the page of plans tells a workspace.
func (s planPages) offerTo(c *fiber.Ctx, v site.Visit) (offer, error) {
	ctx := c.UserContext()
	plans, err := s.Tenants.Plans.All(ctx)
	if err != nil {
		return offer{}, err
	}
	paying, err := s.Subscriptions.Ledger.Subscription(ctx, v.WorkspaceID())
	if err != nil {
		return offer{}, err
	}
	taken, err := s.Subscriptions.Trials.Taken(ctx, subscription.TrialOfUser(v.Person.User.ID))
	if err != nil {
		return offer{}, err
	}
	used, err := s.Tenants.Holdings.Usage(ctx, v.WorkspaceID())
	return offer{
		Catalog:   site.Catalog{Plans: plans, Now: s.Now(), Sold: s.Billing != nil},
		workspace: v.Member.Workspace, subscription: paying, used: used, trialTaken: taken,
	}, err
}

// reversalsShown is how many refunds and disputes the page has.
const reversalsShown = 20

// reversals are the latest refunds and disputes, and a sentence about a dispute
// that is open.
func (s planPages) reversals(c *fiber.Ctx, v site.Visit) (shown []views.Reversal, disputed string, err error) {
	all, err := s.Subscriptions.Reversals.List(c.UserContext(), v.WorkspaceID(), reversalsShown)
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

func (s planPages) history(c *fiber.Ctx, v site.Visit) ([]views.Entry, error) {
	entries, err := s.Audit.PlanHistory(c.UserContext(), v.WorkspaceID(), historyShown)
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
func (s planPages) changePlan(c *fiber.Ctx, v site.Visit) error {
	if s.Billing != nil {
		return fault.New(fault.Forbidden, "On this server you buy a plan. Choose one on the Plan page.")
	}
	if !s.PlanChanges {
		return site.NotSold()
	}
	typed, err := site.ReadForm(c, "plan")
	if err != nil {
		return err
	}
	if err := s.Subscriptions.Grants.SetPlan(c.UserContext(), v.WorkspaceID(), plan.Name(typed["plan"])); err != nil {
		return s.plansAgain(c, v, err)
	}
	return site.Done(c, shell.PlanURL(v.WorkspaceID()), "plan")
}

// plansAgain shows the page of plans with what is wrong.
func (s planPages) plansAgain(c *fiber.Ctx, v site.Visit, err error) error {
	site.LogFailure(c, s.Log, fault.As(err))
	return site.Form{}.Again(c, err, func(status int, f ui.Form) error { return s.showPlans(c, v, status, f) })
}

package workspace

import (
	"cmp"
	"fmt"
	"time"

	"github.com/gofiber/fiber/v2"

	"parley/core/fault"
	"parley/core/plan"
	"parley/core/subscription"
	"parley/core/tenant"
	"parley/views/shell"
	"parley/views/ui"
	views "parley/views/workspace"
	"parley/web/page"
)

// planPages are the handlers of usage, plan and payments.
type planPages struct{ *page.Base }

func (s planPages) billingPage(c *fiber.Ctx, v page.Visit) error {
	return s.showBilling(c, v, fiber.StatusOK, ui.Form{})
}

func (s planPages) showBilling(c *fiber.Ctx, v page.Visit, status int, f ui.Form) error {
	m, err := s.billing(c, v)
	if err != nil {
		return err
	}
	m.Form = f
	if m.History, err = s.history(c, v); err != nil {
		return err
	}
	if m.Month, err = s.spent(c, v); err != nil {
		return err
	}
	s.LetPay(c)
	return page.Render(c, status, views.BillingPage(v.Layout(c, shell.BillingSection, "Usage & billing"), m))
}

// billing returns the page without usage and history.
func (s planPages) billing(c *fiber.Ctx, v page.Visit) (views.Billing, error) {
	o, err := s.offerTo(c, v)
	if err != nil {
		return views.Billing{}, err
	}
	m := o.page()
	m.Resets = resets(s.Now())
	m.TaxInclusive = s.TaxInclusive
	m.Why, m.ByHand = s.WhoChanges(v)
	sells := s.Billing != nil && m.Why == ""
	if sells {
		o.choices(&m)
		m.TrialDays = o.trial(s.TrialDays)
	}
	if m.Why == "" {
		if err := s.preview(c, v, o.Plans, &m); err != nil {
			return m, err
		}
	}
	if sells && o.subscription.CustomerID != "" {
		m.Manage, m.PayURL = true, o.subscription.InvoiceURL
		if m.Reversals, m.Disputed, err = s.reversals(c, v); err != nil {
			return m, err
		}
	}
	return m, nil
}

// resets says when the monthly counts start over.
func resets(now time.Time) string {
	return "Messages and playground questions start over on " + monthOf(now).AddDate(0, 1, 0).Format("January 2, 2006") + ", midnight UTC."
}

// changePage shows what one change of plan would do, for pages that offer a plan
// and for browsers that do not open the dialog of it.
func (s planPages) changePage(c *fiber.Ctx, v page.Visit) error {
	m, err := s.billing(c, v)
	if err != nil {
		return err
	}
	for _, p := range m.Plans {
		if p.Name == c.Query("plan") && (p.Choices != nil || m.ByHand && !p.Current) {
			s.LetPay(c)
			l := v.Layout(c, shell.BillingSection, "Change to "+p.Title+"?")
			return page.Render(c, fiber.StatusOK, views.ChangePage(l.At(shell.Crumb{Text: "Usage & billing", URL: shell.BillingURL(v.WorkspaceID())}), p, cameFrom(c.Query("next"))))
		}
	}
	return fault.New(fault.NotFound, "You can't change to this plan. Choose another one under Usage & billing.")
}

// previewed is how many names of a kind the page has.
const previewed = 5

// preview adds what each plan would suspend and resume.
func (s planPages) preview(c *fiber.Ctx, v page.Visit, plans []plan.Plan, m *views.Billing) error {
	previews, err := s.Tenants.Holdings.Previews(c.UserContext(), v.WorkspaceID(), plans)
	if err != nil {
		return err
	}
	for i := range m.Plans {
		if m.Plans[i].Current {
			continue
		}
		preview := previews[plan.Name(m.Plans[i].Name)]
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

// offerTo reads what the billing page tells a workspace.
func (s planPages) offerTo(c *fiber.Ctx, v page.Visit) (offer, error) {
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
		Catalog:   page.Catalog{Plans: plans, Now: s.Now(), Sold: s.Billing != nil},
		workspace: v.Member.Workspace, subscription: paying, used: used, trialTaken: taken,
	}, err
}

// reversalsShown is how many refunds and disputes the page has.
const reversalsShown = 20

// reversals are the latest refunds and disputes, and a sentence about a dispute
// that is open.
func (s planPages) reversals(c *fiber.Ctx, v page.Visit) (shown []views.Reversal, disputed string, err error) {
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

func (s planPages) history(c *fiber.Ctx, v page.Visit) ([]views.Entry, error) {
	entries, err := s.Audit.PlanHistory(c.UserContext(), v.WorkspaceID(), historyShown)
	if err != nil {
		return nil, err
	}
	shown := make([]views.Entry, 0, len(entries))
	for _, e := range entries {
		shown = append(shown, views.Entry{At: e.At, Actor: e.Actor.Title(), Detail: e.Detail})
	}
	return shown, nil
}

// changePlan changes the plan by hand.
func (s planPages) changePlan(c *fiber.Ctx, v page.Visit) error {
	if s.Billing != nil {
		return fault.New(fault.Forbidden, "On this server you buy a plan. Choose one under Usage & billing.")
	}
	if !s.PlanChanges {
		return page.NotSold()
	}
	typed, err := page.ReadForm(c, "plan", "next")
	if err != nil {
		return err
	}
	if err := s.Subscriptions.Grants.SetPlan(c.UserContext(), v.WorkspaceID(), plan.Name(typed["plan"])); err != nil {
		return s.plansAgain(c, v, typed["next"], err)
	}
	return page.SeeOther(c, withNotice(s.nextOf(v, typed["next"]), "plan"))
}

// cameFrom is a page of this server that somebody came from to change the plan,
// empty for none.
func cameFrom(given string) string {
	if next := page.LocalPath(given); next != "/" {
		return next
	}
	return ""
}

// nextOf is a page of this server to go on with, the plan's unless one is given.
func (planPages) nextOf(v page.Visit, given string) string {
	return cmp.Or(cameFrom(given), shell.BillingURL(v.WorkspaceID()))
}

// plansAgain shows the billing page with the error. Another choice still leads on
// to next.
func (s planPages) plansAgain(c *fiber.Ctx, v page.Visit, next string, err error) error {
	page.LogFailure(c, s.Log, fault.As(err))
	return page.Form{"next": cameFrom(next)}.Again(c, err, func(status int, f ui.Form) error { return s.showBilling(c, v, status, f) })
}

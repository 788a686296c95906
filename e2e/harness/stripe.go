package harness

import (
	"net/http"
	"net/url"
	"strings"

	"parley/app"
	"parley/billing/stripetest"
	"parley/core/plan"
)

// PaidAt lets a server sell its plans at a Stripe of the tests.
func PaidAt(s *stripetest.Server) func(*app.Config) {
	return func(c *app.Config) {
		c.StripeKey, c.StripeSecret = s.Key, s.WebhookSecret
		c.StripeURL = Elsewhere(s.URL)
	}
}

// Elsewhere is an address of this machine on another site than the servers of
// these tests are.
func Elsewhere(url string) string { return strings.Replace(url, "127.0.0.1", "localhost", 1) }

// Sells brings the plans to Stripe, and Stripe's events to the server.
func (w *Instance) Sells(s *stripetest.Server) {
	w.Helper()
	plans, err := w.Server.Tenants.Plans.All(w.Context())
	w.Must(err)
	_, err = w.Server.Billing.Setup.Sync(w.Context(), plans, false)
	w.Must(err)
	s.SetWebhook(w.Base + WebhookPath)
}

// Delivers brings all events that wait, and expects that they are taken.
func (w *Instance) Delivers(s *stripetest.Server) {
	w.Helper()
	if accepted, of := s.Deliver(); accepted != of || of == 0 {
		w.Errorf("%d of %d events are taken", accepted, of)
	}
}

// Buys pays for a plan on Stripe's page, and comes back. It returns Stripe's
// name of the workspace.
func (v *Visitor) Buys(s *stripetest.Server, tn Tenant, name plan.Name) (customer string) {
	v.Helper()
	r := v.Post("/workspaces/"+tn.Workspace+"/billing/checkout", Pairs{"plan", string(name), "interval", "monthly"})
	v.Expect(r, http.StatusSeeOther)
	v.Presses(s, r, "pay")
	known, err := v.Server.Tenants.Ledger.Subscription(v.Context(), tn.Workspace)
	v.Must(err)
	return known.CustomerID
}

// Presses does what a button on Stripe's page does that an answer leads to, and
// comes back.
func (v *Visitor) Presses(s *stripetest.Server, leads Reply, action string) {
	v.Helper()
	next, err := s.Press(leads.Header.Get("Location"), action)
	v.Must(err)
	back, err := url.Parse(next)
	v.Must(err)
	v.Expect(v.Get(back.RequestURI()), http.StatusSeeOther)
}

// Has expects the plan in force.
func (w *Instance) Has(tn Tenant, want plan.Name) {
	w.Helper()
	workspace, err := w.Server.Tenants.Workspaces.Workspace(w.Context(), tn.Workspace)
	w.Must(err)
	if workspace.Plan != want {
		w.Errorf("the plan is %s, want %s", workspace.Plan, want)
	}
}

// IsAnswered expects the status and code of a token's question, once what is
// remembered of the token for a moment is forgotten.
func (w *Instance) IsAnswered(token string, status, code int) {
	w.Helper()
	var last Reply
	w.Eventually("the token is answered with its status", func() bool {
		last = w.Call("POST", ChatPath, OpeningQuestion, Bearer(token))
		return last.StatusCode == status
	})
	if last.Error != code {
		w.Errorf("the code is %d, want %d: %s", last.Error, code, last.Text)
	}
}

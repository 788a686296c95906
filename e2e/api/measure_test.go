package api

import (
	"io"
	"net/http"
	"strings"
	"testing"

	"parley/app"
	"parley/billing/stripetest"
	"parley/core/plan"
	"parley/e2e/harness"
)

func TestMetricsAddress(t *testing.T) {
	t.Parallel()
	stripe := stripetest.New(t, stripetest.Options{})
	w := harness.Start(t, harness.PaidAt(stripe), func(c *app.Config) { c.MetricsAddr = "127.0.0.1:0" })
	w.Sells(stripe)
	baker := w.NewTenant("baker", plan.Starter, harness.Opening)
	w.SignedIn(baker.Email, baker.Password).Buys(stripe, baker, plan.Standard)
	w.Delivers(stripe)
	w.Call("GET", "/workspaces/"+baker.Workspace, "")
	w.Call("GET", "/api/v1/no-such-path-"+baker.Workspace, "")
	response, err := http.Get("http://" + w.Server.MetricsAddr().String() + "/metrics")
	w.Must(err)
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	w.Must(err)
	for _, line := range []string{
		`parley_requests_total{method="POST",route="/workspaces/:workspace/billing/checkout",status="303"} 1`,
		`parley_requests_total{method="GET",route="/workspaces/:workspace",status="303"} 1`,
		`parley_billing_events_total{outcome="unchanged",type="customer.subscription.created"}`,
		`parley_billing_corrections_total 0`,
	} {
		t.Run("there is "+line, func(t *testing.T) {
			if !strings.Contains(string(body), line) {
				t.Errorf("it is not in\n%s", body)
			}
		})
	}
	t.Run("no metric names a workspace or a raw path", func(t *testing.T) {
		for _, private := range []string{baker.Workspace, baker.Chatbot, baker.Email, "no-such-path"} {
			if strings.Contains(string(body), private) {
				t.Errorf("%s is in\n%s", private, body)
			}
		}
	})
	t.Run("the public address does not serve them", func(t *testing.T) {
		w := w.Within(t)
		w.Expect(w.Call("GET", "/metrics", ""), http.StatusNotFound)
	})
}

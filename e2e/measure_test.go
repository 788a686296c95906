package e2e

import (
	"io"
	"net/http"
	"strings"
	"testing"

	"parley/app"
	"parley/billing/stripetest"
	"parley/core/plan"
)

func TestMetricsAddress(t *testing.T) {
	t.Parallel()
	stripe := stripetest.New(t, stripetest.Options{})
	w := start(t, paidAt(stripe), func(c *app.Config) { c.MetricsAddr = "127.0.0.1:0" })
	w.sells(stripe)
	baker := w.newTenant("baker", plan.Starter, opening)
	w.signedIn(baker.email, baker.password).buys(stripe, baker, plan.Standard)
	w.delivers(stripe)
	w.call("GET", "/workspaces/"+baker.workspace, "")
	w.call("GET", "/api/v1/no-such-path-"+baker.workspace, "")
	response, err := http.Get("http://" + w.server.MetricsAddr().String() + "/metrics")
	w.must(err)
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	w.must(err)
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
		for _, private := range []string{baker.workspace, baker.chatbot, baker.email, "no-such-path"} {
			if strings.Contains(string(body), private) {
				t.Errorf("%s is in\n%s", private, body)
			}
		}
	})
	t.Run("the public address does not serve them", func(t *testing.T) {
		w := w.within(t)
		w.expect(w.call("GET", "/metrics", ""), http.StatusNotFound)
	})
}

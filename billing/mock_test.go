package billing

import (
	"bufio"
	"bytes"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stripe/stripe-go/v76"

	"parley/core/plan"
	"parley/core/subscription"
)

// mock is a stripe-mock, which checks requests against Stripe's own description
// of its API and answers with examples: https://github.com/stripe/stripe-mock
type mock struct {
	// url is that of a proxy before it, which writes down what is sent.
	url   string
	mu    sync.Mutex
	calls map[string]int
}

// newMock builds stripe-mock, and starts it on a free port.
func newMock(t *testing.T) *mock {
	t.Helper()
	find := exec.Command("go", "tool", "-modfile=tools/go.mod", "-n", "stripe-mock")
	find.Dir, find.Stderr = "..", os.Stderr
	found, err := find.Output()
	if err != nil {
		t.Fatalf("build stripe-mock, which is a tool of tools/go.mod: %v", err)
	}
	server := exec.Command(strings.TrimSpace(string(found)), "-http-addr", "127.0.0.1:")
	output, err := server.StdoutPipe()
	if err == nil {
		err = server.Start()
	}
	if err != nil {
		t.Fatalf("start stripe-mock: %v", err)
	}
	t.Cleanup(func() {
		_ = server.Process.Kill()
		_ = server.Wait()
	})
	m := &mock{calls: map[string]int{}}
	front := httptest.NewServer(m.proxy(t, addressIn(t, output)))
	t.Cleanup(front.Close)
	m.url = front.URL
	return m
}

var listening = regexp.MustCompile(`Listening for HTTP at address: (\S+)`)

func addressIn(t *testing.T, output io.Reader) string {
	t.Helper()
	for lines := bufio.NewScanner(output); lines.Scan(); {
		if found := listening.FindStringSubmatch(lines.Text()); found != nil {
			return found[1]
		}
	}
	t.Fatal("stripe-mock ended without listening")
	return ""
}

// proxy hands requests on, and fails the test for one that is refused.
func (m *mock) proxy(t *testing.T, address string) http.Handler {
	proxy := httputil.NewSingleHostReverseProxy(&url.URL{Scheme: "http", Host: address})
	proxy.ModifyResponse = func(response *http.Response) error {
		request := response.Request
		body, err := io.ReadAll(response.Body)
		response.Body = io.NopCloser(bytes.NewReader(body))
		if response.StatusCode != http.StatusOK {
			t.Errorf("%s %s is refused: %s", request.Method, request.URL, body)
		}
		if request.Method != http.MethodGet && request.Header.Get("Idempotency-Key") == "" {
			t.Errorf("%s %s has no idempotency key", request.Method, request.URL)
		}
		if request.Header.Get("Stripe-Version") != stripe.APIVersion {
			t.Errorf("%s %s is of version %q", request.Method, request.URL, request.Header.Get("Stripe-Version"))
		}
		m.mu.Lock()
		defer m.mu.Unlock()
		m.calls[request.Method+" "+anyID.ReplaceAllString(request.URL.Path, "/{id}")]++
		return err
	}
	return proxy
}

var anyID = regexp.MustCompile(`/(cus|sub|price|prod|cs|bpc|parley|in|we|ch|dp|pm)_[^/]+`)

// everyCall is all that is ever sent to Stripe.
var everyCall = []string{
	"DELETE /v1/subscriptions/{id}",
	"DELETE /v1/webhook_endpoints/{id}",
	"GET /v1/account",
	"GET /v1/billing_portal/configurations",
	"GET /v1/billing_portal/configurations/{id}",
	"GET /v1/charges/{id}",
	"GET /v1/checkout/sessions",
	"GET /v1/customers/{id}",
	"GET /v1/disputes",
	"GET /v1/disputes/{id}",
	"GET /v1/events",
	"GET /v1/invoices",
	"GET /v1/payment_methods/{id}",
	"GET /v1/prices",
	"GET /v1/prices/{id}",
	"GET /v1/products",
	"GET /v1/products/{id}",
	"GET /v1/refunds",
	"GET /v1/subscriptions",
	"GET /v1/subscriptions/{id}",
	"GET /v1/webhook_endpoints",
	"POST /v1/billing_portal/configurations",
	"POST /v1/billing_portal/configurations/{id}",
	"POST /v1/billing_portal/sessions",
	"POST /v1/checkout/sessions",
	"POST /v1/checkout/sessions/{id}/expire",
	"POST /v1/customers",
	"POST /v1/customers/{id}",
	"POST /v1/invoices/{id}/void",
	"POST /v1/prices",
	"POST /v1/prices/{id}",
	"POST /v1/products",
	"POST /v1/products/{id}",
	"POST /v1/subscriptions/{id}",
	"POST /v1/webhook_endpoints",
	"POST /v1/webhook_endpoints/{id}",
}

// TestEveryRequestIsAccepted sends each request that the program ever makes,
// with all its parameters. The answers are examples: what follows from answers
// is tested elsewhere, against a Stripe that remembers.
func TestEveryRequestIsAccepted(t *testing.T) {
	m := newMock(t)
	ledger := newLedger(time.Now)
	s := New(Config{Key: "sk_test_123", BaseURL: m.url, TrialDays: 14, Tax: true, TaxInclusive: true, TaxCode: "txcd_10103001"}, ledger.books(), time.Now, slog.New(slog.DiscardHandler), Nop{})
	ctx := t.Context()
	known := subscription.Subscription{WorkspaceID: workspace, CustomerID: "cus_1", CustomerStale: true, Billed: subscription.Billed{ID: "sub_1", Status: plan.Active}}

	t.Run("of a purchase", func(t *testing.T) {
		_, err := s.Check(ctx)
		check(t, err)
		_, err = s.customer(ctx, workspace)
		check(t, err)
		_, err = s.sell(ctx, known, Purchase{Plan: plan.Basic, Interval: plan.Monthly, Buyer: "us_1"}, "price_1", back)
		check(t, err)
		_, err = s.priceOf(ctx, Purchase{Plan: plan.Basic, Interval: plan.Monthly})
		check(t, err)
	})
	t.Run("of the portal", func(t *testing.T) {
		item := &stripe.SubscriptionItem{ID: "si_1", Quantity: 2}
		_, err := s.portal(ctx, "cus_1", back.Cancelled, confirmation("sub_1", item, "price_1", back.Done))
		check(t, err)
		_, err = s.item(ctx, "sub_1")
		check(t, err)
	})
	t.Run("of reading", func(t *testing.T) {
		_, err := s.subscriptions(ctx, "cus_1")
		check(t, err)
		_, _, err = s.openInvoices(ctx, known, &stripe.Subscription{ID: "sub_1"})
		check(t, err)
		_, err = s.periodEnd(ctx, &stripe.Subscription{ID: "sub_1"})
		check(t, err)
		_, err = s.priceByID(ctx, "price_1")
		check(t, err)
		_, _, err = s.planOf(ctx, &stripe.Price{Product: &stripe.Product{ID: "prod_1"}})
		check(t, err)
		_ = s.confirmDeleted(ctx, known) // the example is of one that is not
		_, err = s.undelivered(ctx)
		check(t, err)
		_, _, err = s.refunds(ctx, "ch_1")
		check(t, err)
		_, err = s.refundsOf(ctx, "ch_1")
		check(t, err)
		_, _, err = s.dispute(ctx, "dp_1")
		check(t, err)
		ledger.rows[workspace] = known
		_, err = s.Invoices(ctx, workspace, 10)
		check(t, err)
	})
	t.Run("of housekeeping", func(t *testing.T) {
		check(t, s.PushCustomers(ctx))
		check(t, s.expireSessions(ctx, "cus_1"))
		check(t, s.cancel(ctx, "sub_1"))
		made, err := s.newEndpoint(ctx, "https://parley.example/api/webhooks/stripe")
		check(t, err)
		_, err = s.updateEndpoint(ctx, &stripe.WebhookEndpoint{ID: made.ID})
		check(t, err)
		_, err = s.endpoints(ctx, "https://parley.example/api/webhooks/stripe")
		check(t, err)
		check(t, s.deleteEndpoints(ctx, []*stripe.WebhookEndpoint{{ID: "we_1"}}))
		check(t, s.void(ctx, "in_1"))
		check(t, s.endTrial(ctx, "sub_1"))
		_, err = s.Sync(ctx, plan.Defaults(), false)
		check(t, err)
	})
	t.Run("of housekeeping where things are otherwise", func(t *testing.T) {
		y := &synchronisation{service: s, plans: plan.Defaults(), prices: map[string][]string{}}
		check(t, y.syncProduct(ctx, plan.Defaults()[1], &stripe.Product{ID: "parley_basic"}))
		y.products = map[string]*stripe.Product{"parley_basic": {}}
		check(t, y.archive(ctx))
		check(t, y.activate(ctx, Change{}, "price_1", false))
		check(t, y.savePortal(ctx, "bpc_1", wantedPortal(map[string][]string{"parley_basic": {"price_1"}})))
		check(t, y.savePortal(ctx, "bpc_1", wantedPortal(nil)))
		_, err := y.portal(ctx, "bpc_1")
		check(t, err)
	})
	var sent []string
	for call := range m.calls {
		sent = append(sent, call)
	}
	slices.Sort(sent)
	if !slices.Equal(sent, everyCall) {
		t.Errorf("sent\n%s\nwant\n%s", strings.Join(sent, "\n"), strings.Join(everyCall, "\n"))
	}
}

func check(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Error(err)
	}
}

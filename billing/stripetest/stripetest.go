// Package stripetest owns a small Stripe for tests: an HTTP server on loopback
// that keeps customers, products, prices, subscriptions, schedules, invoices,
// charges, refunds and disputes, lets time pass on a clock of its own, and signs
// and delivers events as a test wants them. It speaks the API version 2023-10-16,
// as stripe-go v76 reads it, and shows a payment page, invoices and a portal to a
// browser.
//
// It serves a business with one price for each subscription. It does not check
// whether Stripe has each parameter that callers send: stripe-mock does, and
// [NewMock] starts one. It has no taxes or coupons.
package stripetest

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stripe/stripe-go/v76"
)

// Options configure [New]. The zero value is a Stripe that delivers no events by
// itself.
type Options struct {
	// Start is the first time that the clock shows. Zero stands for now.
	Start time.Time
	// Retries are the pauses after which Stripe tries a failed payment again.
	// Nil stands for three, five and seven days.
	Retries []time.Duration
	// GivesUp is the status of a subscription after the last retry: canceled,
	// unpaid or past_due. Empty stands for canceled.
	GivesUp stripe.SubscriptionStatus
	// WebhookURL is where events go. See [Server.SetWebhook].
	WebhookURL string
	// Live delivers each event as it happens, in order. Otherwise events wait
	// for [Server.Deliver] or [Server.Take].
	Live bool
	// SignByClock makes signatures with the time that the clock shows. Otherwise
	// they have the real time, with which stripe-go compares them by default.
	SignByClock bool
}

// Server is a Stripe. It is safe for concurrent use. The ids of its objects count
// up, so that two servers that get the same requests have the same ids.
type Server struct {
	// URL is the base URL of the API, Account the id of the account, Key its secret
	// key, and WebhookSecret the key of signatures.
	URL, Key, WebhookSecret, Account string

	server  *httptest.Server
	options Options
	closing chan struct{}
	woken   chan struct{}
	loops   sync.WaitGroup
	closed  sync.Once

	mu         sync.Mutex
	now        time.Time
	made       map[string]int
	byID       map[string]any
	webhookURL string
	down       bool
	refusing   int
	refusal    int
	restricted map[string]Rights
	onAnswer   func(Request)
	requests   []Request
	answers    map[string]storedAnswer

	customers      []*customer
	products       []*product
	prices         []*price
	subscriptions  []*subscription
	schedules      []*schedule
	invoices       []*invoice
	charges        []*charge
	refunds        []*refund
	disputes       []*dispute
	checkouts      []*checkout
	configurations []*configuration
	portals        []*portal
	endpoints      []*endpoint
	events         []*event
	queue          []*event
}

// New starts a Stripe, and stops it when the test ends.
func New(t testing.TB, options Options) *Server {
	t.Helper()
	s := &Server{
		Key: "sk_test_parley", Account: "acct_parley", restricted: map[string]Rights{}, WebhookSecret: "whsec_parley", options: options, webhookURL: options.WebhookURL,
		closing: make(chan struct{}), woken: make(chan struct{}, 1), now: options.Start.Truncate(time.Second),
		made: map[string]int{}, byID: map[string]any{}, answers: map[string]storedAnswer{},
	}
	if options.Start.IsZero() {
		s.now = time.Now().Truncate(time.Second)
	}
	if options.Retries == nil {
		s.options.Retries = []time.Duration{3 * day, 5 * day, 7 * day}
	}
	s.server = httptest.NewServer(s.routes())
	s.URL = s.server.URL
	if options.Live {
		s.loops.Go(s.deliverLive)
	}
	t.Cleanup(s.Close)
	return s
}

// Close stops the server before the test ends. It may be called again.
func (s *Server) Close() {
	s.closed.Do(func() {
		close(s.closing)
		s.loops.Wait()
		s.server.CloseClientConnections()
		s.server.Close()
	})
}

// pageURL is the address of a page for a browser. Its host and 127.0.0.1 are different
// sites, as checkout.stripe.com and the business's own site are, so that a browser treats
// cookies and forms between them as it does in production.
func (s *Server) pageURL(path string) string {
	return strings.Replace(s.URL, "127.0.0.1", "localhost", 1) + path
}

// head has the fields that all objects share.
type head struct {
	ID       string `json:"id"`
	Object   string `json:"object"`
	Created  moment `json:"created"`
	Livemode bool   `json:"livemode"`
}

func (h *head) id() string { return h.ID }

// newHead gives an object its id and time.
func (s *Server) newHead(prefix, object string) head {
	s.made[prefix]++
	return head{ID: fmt.Sprintf("%s_%06d", prefix, s.made[prefix]), Object: object, Created: s.moment()}
}

// deletion is the answer to a deletion, and all that remains of a customer.
type deletion struct {
	ID      string `json:"id"`
	Object  string `json:"object"`
	Deleted bool   `json:"deleted"`
}

func (s *Server) routes() http.Handler {
	mux := http.NewServeMux()
	s.routeCatalog(mux)
	s.routeCustomers(mux)
	s.routeSubscriptions(mux)
	s.routeInvoices(mux)
	s.routeCharges(mux)
	s.routeCheckout(mux)
	s.routePortal(mux)
	s.handle(mux, "GET /v1/events", s.listEvents)
	s.routeAccount(mux)
	s.routeEndpoints(mux)
	s.handle(mux, "/v1/", func(r *Request) (any, error) {
		return nil, failure{Status: http.StatusNotFound, Type: invalidRequest, Message: fmt.Sprintf("Unrecognized request URL (%s: %s).", r.Method, r.Path)}
	})
	return mux
}

package billing_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"path"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stripe/stripe-go/v76"
	"pgregory.net/rapid"

	"parley/billing"
	"parley/billing/stripetest"
	"parley/core/account"
	"parley/core/audit"
	"parley/core/fault"
	"parley/core/outbox"
	"parley/core/plan"
	"parley/core/subscription"
	"parley/core/tenant"
	"parley/store"
	billingstore "parley/store/billing"
	"parley/store/people"
	"parley/store/storetest"
	"parley/store/tenancy"
	"parley/store/tenancytest"
)

const (
	lifeGrace = 21 * 24 * time.Hour
	aDay      = 24 * time.Hour
)

var lifeStart = time.Date(2026, time.January, 31, 12, 0, 0, 0, time.UTC)

// books is a database with its services. The services take the time from the Stripe of the
// business that uses the database.
type books struct {
	*tenancy.Services
	db    *store.Store
	clock atomic.Pointer[stripetest.Server]
}

// business is a workspace that pays at a Stripe, as seen by several processes over one
// database.
type business struct {
	rapid.TB
	*books
	ctx       context.Context
	stripe    *stripetest.Server
	processes []*billing.Service
	endpoint  *httptest.Server
	alarms    *alarmBell
	next      atomic.Int64

	workspace, customer string
}

// alarmBell is an observer that records alarms and corrections.
type alarmBell struct {
	billing.Nop
	mu        sync.Mutex
	reasons   map[string]int
	corrected int
}

func (a *alarmBell) Alarm(reason string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.reasons[reason]++
}

func (a *alarmBell) Corrected() {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.corrected++
}

func (a *alarmBell) rang(reason string) int {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.reasons[reason]
}

// openBooks opens a new database; SQLite without a URL.
func openBooks(t *testing.T, url string) *books {
	t.Helper()
	if url == "" {
		url = storetest.SQLite(t)
	}
	db, err := store.Open(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	})
	opened := &books{db: db}
	now := func() time.Time { return opened.clock.Load().Now() }
	opened.Services = tenancytest.Services(db, now, tenancy.Options{
		Payments: subscription.Options{Grace: lifeGrace}, Mails: outbox.Options{Mails: true, BaseURL: "https://parley.example"},
	})
	return opened
}

// onBothDatabases runs a test on SQLite and on PostgreSQL.
func onBothDatabases(t *testing.T, test func(t *testing.T, b *business)) {
	for name, url := range map[string]func() string{"sqlite": func() string { return "" }, "postgres": func() string { return storetest.Postgres(t) }} {
		t.Run(name, func(t *testing.T) { test(t, newBusiness(t, t, openBooks(t, url()), "")) })
	}
}

// newBusiness creates a workspace that can buy, and two processes that bill it. After the
// last retry of a payment Stripe gives the subscription a status, canceled by default.
func newBusiness(tb rapid.TB, t *testing.T, opened *books, givesUp stripe.SubscriptionStatus) *business {
	tb.Helper()
	b := &business{
		TB: tb, books: opened, ctx: t.Context(), workspace: "ws_life", alarms: &alarmBell{reasons: map[string]int{}},
		stripe: stripetest.New(t, stripetest.Options{Start: lifeStart, SignByClock: true, GivesUp: givesUp}),
	}
	b.clock.Store(b.stripe)
	for range 2 {
		b.processes = append(b.processes, billing.New(billing.Config{
			Key: b.stripe.Key, WebhookSecret: b.stripe.WebhookSecret, BaseURL: b.stripe.URL, TrialDays: 14,
		}, billing.NewBooks(b.Subscriptions, b.Tenants, b.Audit, b.db), b.stripe.Now, slog.New(slog.DiscardHandler), b.alarms))
	}
	b.endpoint = httptest.NewServer(http.HandlerFunc(b.receive))
	b.stripe.SetWebhook(b.endpoint.URL)
	b.open(b.workspace)
	plans, err := b.Plans.All(b.ctx)
	b.must(err)
	_, err = b.processes[0].Setup.Sync(b.ctx, plans, false)
	b.must(err)
	b.stripe.Take()
	return b
}

// open creates a workspace and its owner.
func (b *business) open(workspace string) {
	b.Helper()
	user := account.User{ID: "us_" + workspace, Email: workspace + "@example.com", PasswordHash: "none", CreatedAt: lifeStart}
	if _, err := people.NewUsers(b.db).User(b.ctx, user.ID); fault.Is(err, fault.NotFound) {
		b.must(people.NewUsers(b.db).CreateUser(b.ctx, user))
	}
	b.must(people.NewWorkspaces(b.db).CreateWorkspace(b.ctx, tenant.Workspace{ID: workspace, Name: "Shop", Plan: plan.Free, Granted: plan.Free, CreatedAt: lifeStart}))
	b.must(people.NewMembers(b.db).AddMember(b.ctx, workspace, tenant.Member{WorkspaceID: workspace, UserID: user.ID, Role: tenant.RoleOwner, CreatedAt: lifeStart}))
}

// leave removes the business from its database, for the next one.
func (b *business) leave() {
	b.Helper()
	b.endpoint.Close()
	b.stripe.Close()
	b.must(people.NewWorkspaces(b.db).DeleteWorkspace(b.ctx, b.workspace))
	b.must(billingstore.NewBillingEvents(b.db).DeleteBillingEvents(b.ctx, b.stripe.Now().Add(time.Hour)))
}

// receive is the route of the webhook, served by the processes alternately.
func (b *business) receive(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err == nil {
		process := b.processes[int(b.next.Add(1))%len(b.processes)]
		err = process.Receive(r.Context(), body, r.Header.Get("Stripe-Signature"))
	}
	if err != nil {
		w.WriteHeader(http.StatusServiceUnavailable)
	}
}

func (b *business) must(err error) {
	b.Helper()
	if err != nil {
		b.Fatal(err)
	}
}

// buy goes to the checkout and pays, after the trial if there is one. It returns the
// customer. The person does not return from the checkout.
func (b *business) buy(workspace string, name plan.Name, interval plan.Interval) (customer string) {
	b.Helper()
	page, err := b.processes[0].Checkout(b.ctx, workspace, billing.Purchase{Plan: name, Interval: interval}, billing.Back{Done: "http://parley.example/", Canceled: "http://parley.example/"})
	b.must(err)
	_, _ = b.stripe.Press(page, "pay") // A card may fail, and a portal has no such button.
	return b.row(workspace).CustomerID
}

// comeBack is the person's return from the checkout.
func (b *business) comeBack(workspace string) {
	b.Helper()
	_, err := b.processes[1].Refresh(b.ctx, workspace, subscription.Cause{})
	b.must(err)
}

// sendsAtOnce lets two processes send due mails concurrently, and returns the mails.
func (b *business) sendsAtOnce(t *testing.T) (mails []outbox.Mail) {
	t.Helper()
	var mu sync.Mutex
	var all sync.WaitGroup
	for range 2 {
		all.Go(func() {
			_, err := b.Mails.Send(b.ctx, func(_ context.Context, mail outbox.Mail) error {
				mu.Lock()
				defer mu.Unlock()
				mails = append(mails, mail)
				return nil
			})
			if err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	return mails
}

func (b *business) row(workspace string) subscription.Subscription {
	b.Helper()
	row, err := b.Ledger.Subscription(b.ctx, workspace)
	b.must(err)
	return row
}

// said returns a row as text, without how often and when it was read.
func said(row subscription.Subscription) string {
	row.Revision, row.FetchedAt = 0, nil
	row.InvoiceURL = path.Base(row.InvoiceURL) // two Stripes have two addresses
	for _, at := range []**time.Time{&row.CheckoutAt, &row.PeriodEnd, &row.EndsAt, &row.TrialEnd, &row.PastDueSince, &row.NextAt, &row.Access.Until} {
		if *at != nil {
			utc := (*at).UTC()
			*at = &utc
		}
	}
	text, err := json.MarshalIndent(row, "", " ")
	if err != nil {
		panic(err) // a row can always be marshaled
	}
	return string(text)
}

// audited returns the details of the audit log about the subscription, by actor.
func (b *business) audited(workspace string) map[string][]string {
	b.Helper()
	entries, err := b.Audit.PlanHistory(b.ctx, workspace, 1000)
	b.must(err)
	found := map[string][]string{}
	for _, e := range entries {
		if e.Action == audit.SubscriptionChanged {
			found[e.Actor.Name] = append(found[e.Actor.Name], e.Detail)
		}
	}
	return found
}

// inForce returns the workspace's plan.
func (b *business) inForce(workspace string) plan.Name {
	b.Helper()
	found, err := b.Workspaces.Workspace(b.ctx, workspace)
	b.must(err)
	return found.Plan
}

func key(name plan.Name, interval plan.Interval) string {
	return fmt.Sprintf("parley_%s_%s", name, interval)
}

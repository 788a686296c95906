package billing

import (
	"context"
	"iter"
	"log/slog"
	"maps"
	"slices"
	"sync"
	"testing"
	"time"

	"parley/billing/setup"
	"parley/billing/stripeapi"
	"parley/billing/stripetest"
	"parley/core/audit"
	"parley/core/fault"
	"parley/core/plan"
	"parley/core/subscription"
	"parley/core/tenant"
)

const (
	workspace = "ws_1"
	grace     = 21 * 24 * time.Hour
)

// ledger stores subscriptions in memory, by the rules of package subscription.
type ledger struct {
	mu     sync.Mutex
	now    func() time.Time
	rows   map[string]subscription.Subscription
	events map[string]string
	email  string
	actors []audit.Actor
	setUp  []audit.Entry
	// sold holds what each plan is sold for, and trials who has had which.
	sold   map[plan.Name]plan.Price
	trials map[subscription.TrialKey]string
	// reversed holds refunds and disputes.
	reversed map[string]subscription.Reversal
	// overtake makes another writer win against so many reads.
	overtake int
	// failing is the error of every method, if set.
	failing error
}

func newLedger(now func() time.Time) *ledger {
	return &ledger{
		now: now, email: "ada@example.com", rows: map[string]subscription.Subscription{}, events: map[string]string{},
		sold: map[plan.Name]plan.Price{}, trials: map[subscription.TrialKey]string{}, reversed: map[string]subscription.Reversal{},
	}
}

// books makes the ledger store everything.
func (l *ledger) books() Books {
	return Books{Ledger: l, Lapses: l, Customers: l, Trials: l, Reversals: l, Prices: l, Workspaces: l, Log: l}
}

// AddAudit keeps what is set up at Stripe.
func (l *ledger) AddAudit(_ context.Context, _ string, entry audit.Entry) error {
	l.setUp = append(l.setUp, entry)
	return l.failing
}

func (l *ledger) row(workspaceID string) (subscription.Subscription, error) {
	row := l.rows[workspaceID]
	row.WorkspaceID = workspaceID
	return row, l.failing
}

func (l *ledger) change(workspaceID string, change func(*subscription.Subscription)) (subscription.Subscription, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	row, err := l.row(workspaceID)
	if err == nil {
		change(&row)
		l.rows[workspaceID] = row
	}
	return row, err
}

func (l *ledger) Subscription(_ context.Context, workspaceID string) (subscription.Subscription, error) {
	return l.change(workspaceID, func(*subscription.Subscription) {})
}

func (l *ledger) All(context.Context) iter.Seq2[subscription.Subscription, error] {
	return l.chosen(func(row subscription.Subscription) bool { return row.CustomerID != "" })
}

func (l *ledger) Stale(context.Context) iter.Seq2[subscription.Subscription, error] {
	return l.chosen(func(row subscription.Subscription) bool {
		return row.CustomerID != "" && row.CustomerStale && row.MissingAt == nil
	})
}

// chosen are the rows of which want says yes, or the ledger's failure.
func (l *ledger) chosen(want func(subscription.Subscription) bool) iter.Seq2[subscription.Subscription, error] {
	l.mu.Lock()
	defer l.mu.Unlock()
	var all []subscription.Subscription
	for _, id := range slices.Sorted(maps.Keys(l.rows)) {
		if want(l.rows[id]) {
			all = append(all, l.rows[id])
		}
	}
	return orFailing(all, l.failing)
}

func orFailing[T any](items []T, err error) iter.Seq2[T, error] {
	if err == nil {
		return stripeapi.Listed(items)
	}
	return func(yield func(T, error) bool) {
		var none T
		yield(none, err)
	}
}

func (l *ledger) Lapsed(context.Context) iter.Seq2[string, error] {
	l.mu.Lock()
	defer l.mu.Unlock()
	var lapsed []string
	for id, row := range l.rows {
		if until := row.Access.Until; until != nil && !l.now().Before(*until) {
			lapsed = append(lapsed, id)
		}
	}
	return orFailing(lapsed, l.failing)
}

func (l *ledger) Replace(_ context.Context, workspaceID, replaced string, customer subscription.Customer) (subscription.Subscription, error) {
	return l.change(workspaceID, func(row *subscription.Subscription) {
		if row.CustomerID == replaced {
			row.CustomerID, row.Account, row.MissingAt = customer.ID, customer.Account, nil
		}
	})
}

func (l *ledger) MarkMissing(_ context.Context, workspaceID, customerID string) (news bool, err error) {
	now := l.now()
	_, err = l.change(workspaceID, func(row *subscription.Subscription) {
		if news = row.CustomerID == customerID && row.MissingAt == nil; news {
			row.MissingAt = &now
		}
	})
	return news, err
}

func (l *ledger) WorkspaceOf(_ context.Context, customerID string) (string, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for id, row := range l.rows {
		if row.CustomerID == customerID {
			return id, l.failing
		}
	}
	return "", fault.New(fault.NotFound, "Workspace not found.")
}

func (l *ledger) WasHere(context.Context, string) (bool, error) { return false, l.failing }

func (l *ledger) OwnerEmail(context.Context, string) (string, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.email, l.failing
}

func (l *ledger) Workspace(_ context.Context, workspaceID string) (tenant.Workspace, error) {
	return tenant.Workspace{ID: workspaceID, Name: "Ada's bakery"}, l.failing
}

func (l *ledger) SetOnSale(_ context.Context, name plan.Name, price plan.Price) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.sold[name] = price
	return l.failing
}

func (l *ledger) Taken(_ context.Context, key subscription.TrialKey) (bool, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.trials[key] != "", l.failing
}

func (l *ledger) Claim(_ context.Context, subscriptionID string, keys ...subscription.TrialKey) (bool, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	first := true
	for _, key := range keys {
		if l.trials[key] == "" {
			l.trials[key] = subscriptionID
		}
		first = first && l.trials[key] == subscriptionID
	}
	return first, l.failing
}

func (l *ledger) Record(_ context.Context, _ string, read []subscription.Reversal) (news []subscription.Reversal, err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, r := range read {
		if l.reversed[r.StripeID] != r {
			l.reversed[r.StripeID] = r
			news = append(news, r)
		}
	}
	return news, l.failing
}

func (l *ledger) Set(_ context.Context, workspaceID string, customer subscription.Customer) (subscription.Subscription, error) {
	return l.change(workspaceID, func(row *subscription.Subscription) {
		if row.CustomerID == "" {
			row.CustomerID, row.Account = customer.ID, customer.Account
		}
	})
}

func (l *ledger) MarkTold(_ context.Context, workspaceID string) error {
	_, err := l.change(workspaceID, func(row *subscription.Subscription) { row.CustomerStale = false })
	return err
}

func (l *ledger) BeginCheckout(_ context.Context, workspaceID string) error {
	now := l.now()
	_, err := l.change(workspaceID, func(row *subscription.Subscription) { row.CheckoutAt = &now })
	return err
}

func (l *ledger) Apply(ctx context.Context, workspaceID string, revision int, billed subscription.Billed, trialUsed bool, cause subscription.Cause) (subscription.Applied, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	before, err := l.row(workspaceID)
	if err != nil {
		return subscription.Applied{}, err
	}
	if _, known := l.events[cause.EventID]; known && cause.EventID != "" {
		return subscription.Applied{}, nil
	}
	if l.overtake > 0 {
		l.overtake--
		before.Revision++
		l.rows[workspaceID] = before
	}
	if before.Revision != revision {
		return subscription.Applied{}, fault.New(fault.Conflict, "The subscription was changed meanwhile.")
	}
	if cause.EventID != "" {
		l.events[cause.EventID] = cause.EventType
	}
	l.actors = append(l.actors, audit.ActorOf(ctx))
	after := before
	after.MissingAt = nil
	after.Billed, after.TrialUsed, after.Revision = billed, before.TrialUsed || trialUsed, revision+1
	standing := plan.Standing{Status: billed.Status, Plan: billed.Plan, PastDueSince: billed.PastDueSince, EndsAt: billed.EndsAt}
	now := l.now()
	after.Access, after.FetchedAt = standing.Access(before.Access, grace, now), &now
	l.rows[workspaceID] = after
	return subscription.Applied{Changed: !same(before.Billed, billed), Unknown: after.Access.Unknown, Before: before, After: after}, nil
}

func (l *ledger) SawEvent(_ context.Context, eventID string) (bool, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	_, seen := l.events[eventID]
	return seen, l.failing
}

func (l *ledger) NoteEvent(_ context.Context, eventID, kind string) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.events[eventID] = kind
	return l.failing
}

func same(a, b subscription.Billed) bool {
	return a.ID == b.ID && a.Status == b.Status && a.Plan == b.Plan && a.Interval == b.Interval && a.NextPlan == b.NextPlan &&
		sameTime(a.PeriodEnd, b.PeriodEnd) && sameTime(a.EndsAt, b.EndsAt) && sameTime(a.TrialEnd, b.TrialEnd) &&
		sameTime(a.PastDueSince, b.PastDueSince) && sameTime(a.NextAt, b.NextAt)
}

func sameTime(a, b *time.Time) bool {
	if a == nil || b == nil {
		return a == b
	}
	return a.Equal(*b)
}

// watcher counts the calls of an observer.
type watcher struct {
	mu     sync.Mutex
	counts map[string]int
}

func (w *watcher) count(what string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.counts[what]++
}

func (w *watcher) Event(kind, outcome string) { w.count(kind + " " + outcome) }
func (w *watcher) Corrected()                 { w.count("corrected") }
func (w *watcher) Alarm(reason string)        { w.count("alarm " + reason) }

func (w *watcher) of(what string) int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.counts[what]
}

// shop is a service with a Stripe that has the plans' prices, and one workspace.
type shop struct {
	*Service
	stripe  *stripetest.Server
	ledger  *ledger
	watcher *watcher
}

func newShop(t *testing.T) *shop {
	t.Helper()
	s := newEmptyShop(t)
	if _, err := s.Setup.Sync(t.Context(), plan.Defaults(), false); err != nil {
		t.Fatal(err)
	}
	return s
}

// newEmptyShop returns a shop whose Stripe has no products.
func newEmptyShop(t *testing.T) *shop {
	t.Helper()
	s := &shop{watcher: &watcher{counts: map[string]int{}}}
	s.stripe = stripetest.New(t, stripetest.Options{SignByClock: true})
	s.ledger = newLedger(s.stripe.Now)
	s.Service = New(s.configured(), s.ledger.books(), s.stripe.Now, slog.New(slog.DiscardHandler), s.watcher)
	return s
}

// configure changes the configuration of the shop.
func (s *shop) configure(change func(*Config)) {
	change(&s.config)
	s.Setup = setup.New(s.api, s.config.setup(), setup.Ports{Prices: s.books.Prices, Log: s.books.Log, Now: s.now})
}

func (s *shop) configured() Config {
	return Config{Key: s.stripe.Key, WebhookSecret: s.stripe.WebhookSecret, BaseURL: s.stripe.URL, TrialDays: 14}
}

// become makes the workspace a customer, and returns its id at Stripe.
func (s *shop) become(t *testing.T) string {
	t.Helper()
	row, err := s.ensureCustomer(t.Context(), workspace)
	if err != nil {
		t.Fatal(err)
	}
	return row.CustomerID
}

// subscribe makes the workspace a paying customer, and reads it.
func (s *shop) subscribe(t *testing.T, name plan.Name) (customerID string) {
	t.Helper()
	customerID = s.become(t)
	if err := s.stripe.Subscribe(customerID, setup.LookupKey(name, plan.Monthly), 0); err != nil {
		t.Fatal(err)
	}
	s.refresh(t)
	return customerID
}

// refresh reads at Stripe, and returns the row.
func (s *shop) refresh(t *testing.T) subscription.Subscription {
	t.Helper()
	if _, err := s.Refresh(t.Context(), workspace, subscription.Cause{}); err != nil {
		t.Fatal(err)
	}
	return s.row(t)
}

func (s *shop) row(t *testing.T) subscription.Subscription {
	t.Helper()
	row, err := s.ledger.Subscription(t.Context(), workspace)
	if err != nil {
		t.Fatal(err)
	}
	return row
}

// requests returns the requests to Stripe so far with a method and path.
func (s *shop) requests(method, path string) []stripetest.Request {
	var found []stripetest.Request
	for _, r := range s.stripe.Requests() {
		if r.Method == method && r.Path == path {
			found = append(found, r)
		}
	}
	return found
}

package web

import (
	"context"
	"crypto/rand"
	"log/slog"
	"net/url"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/gofiber/fiber/v2"

	"parley/billing"
	"parley/core/account"
	"parley/core/audit"
	"parley/core/chat"
	"parley/core/chatbot"
	"parley/core/plan"
	"parley/core/subscription"
	"parley/core/tenant"
	"parley/internal/requestid"
	"parley/internal/route"
	"parley/store"
	"parley/store/tenancy"
)

// shop is the pages over a real database, with a till in place of Stripe.
type shop struct {
	*testing.T
	app      *fiber.App
	tenants  *tenancy.Services
	chatbots chatbot.Services
	db       *store.Store
	till     *till
	// serverKeys seal the keys of providers.
	serverKeys []chatbot.ServerKey
	// home is the workspace, and cookie the session of its owner.
	home   tenant.Workspace
	owner  account.User
	cookie string
}

// till takes what pages ask of Stripe. A fail is what it answers instead.
type till struct {
	tenants *tenancy.Services
	fail    error
	// checkout is the address of the page to pay on.
	checkout string
	purchase billing.Purchase
	back     billing.Back
	billed   subscription.Billed
	invoices []billing.Invoice
	canceled []string
}

const (
	checkoutURL = "https://checkout.stripe.com/c/1"
	portalURL   = "https://billing.stripe.com/p/1"
)

func (t *till) Checkout(_ context.Context, _ string, purchase billing.Purchase, back billing.Back) (string, error) {
	t.purchase, t.back = purchase, back
	return t.checkout, t.fail
}

func (t *till) Portal(_ context.Context, _, back string) (string, error) {
	t.back = billing.Back{Done: back}
	return portalURL, t.fail
}

// Refresh applies what is billed, as the real one does.
func (t *till) Refresh(ctx context.Context, workspaceID string, cause subscription.Cause) (subscription.Applied, error) {
	if t.fail != nil {
		return subscription.Applied{}, t.fail
	}
	s, err := t.tenants.Customers.SetCustomer(ctx, workspaceID, subscription.Customer{ID: "cus_1"})
	if err != nil {
		return subscription.Applied{}, err
	}
	return t.tenants.Ledger.ApplySubscription(ctx, workspaceID, s.Revision, t.billed, false, cause)
}

func (t *till) Invoices(context.Context, string, int) ([]billing.Invoice, error) {
	return t.invoices, t.fail
}

func (t *till) Cancel(_ context.Context, workspaceID string) error {
	t.canceled = append(t.canceled, workspaceID)
	return t.fail
}

type forgetful struct{}

func (forgetful) Forget(context.Context, string, string) error { return nil }

const password = "correct horse battery"

// ticking is a clock that shows a later time whenever it is looked at, so that
// what is made later is younger.
func ticking() func() time.Time {
	var ticks atomic.Int64
	return func() time.Time { return today.Add(time.Duration(ticks.Add(1)) * time.Millisecond) }
}

// open is a shop that sells, unless the change says otherwise.
func open(t *testing.T, change func(*Deps)) *shop {
	t.Helper()
	clock := ticking()
	db, err := store.Open(t.Context(), "sqlite:"+filepath.Join(t.TempDir(), "parley.db"))
	must(t, err)
	t.Cleanup(func() { must(t, db.Close()) })
	s := &shop{T: t, db: db, serverKeys: []chatbot.ServerKey{{1, 2, 3}}, tenants: tenancy.Open(db, clock, rand.Reader, tenancy.Options{Payments: subscription.Options{Grace: 21 * 24 * time.Hour}})}
	s.till = &till{tenants: s.tenants, checkout: checkoutURL}
	s.chatbots = chatbot.New(store.ForChatbot(db), forgetful{}, s.tenants.Holdings, clock, rand.Reader, chatbot.Options{
		Sealer:    chatbot.NewSealer(rand.Reader, func() ([]chatbot.ServerKey, error) { return s.serverKeys, nil }),
		OwnModels: []string{"own-model", "other-own"},
	})
	deps := Deps{
		Accounts: s.tenants.Accounts, Tenants: s.tenants.Tenants, Team: s.tenants.Team, Subscriptions: s.tenants.Subscriptions,
		Audit: s.tenants.Audit, Letters: s.tenants.Letters,
		Chatbots: s.chatbots, Sessions: NewSessions(s.tenants.Sessions, s.tenants.People, false, baseURL), BaseURL: baseURL,
		Chat: chat.New(store.ForChat(db), nil, clock, slog.New(slog.DiscardHandler)), Billing: s.till, TrialDays: 14, Now: clock, Log: slog.New(slog.DiscardHandler),
	}
	if change != nil {
		change(&deps)
	}
	s.app = fiber.New(fiber.Config{Immutable: true})
	s.app.Use(requestid.Middleware)
	Register(s.app, &route.Table{}, deps)
	owner, workspaceID, err := s.tenants.SignUps.SignUp(t.Context(), account.Account{Email: "ada@example.com", Password: password, Workspace: "Acme"})
	must(t, err)
	s.home, err = s.tenants.Workspaces.Workspace(t.Context(), workspaceID)
	must(t, err)
	s.owner = owner
	s.signIn(s.owner)
	return s
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func (s *shop) signIn(user account.User) {
	s.Helper()
	keys, err := s.tenants.Sessions.StartSession(s.Context(), user.ID, account.Client{})
	must(s.T, err)
	s.cookie = "parley_session=" + keys.Session
}

// within is the shop for a part of a test.
func (s *shop) within(t *testing.T) *shop {
	part := *s
	part.T = t
	return &part
}

func (s *shop) get(path string) reply {
	s.Helper()
	return send(s.T, s.app, "GET", path, "", map[string]string{"Cookie": s.cookie})
}

func (s *shop) post(path string, typed url.Values) reply {
	s.Helper()
	return send(s.T, s.app, "POST", path, typed.Encode(), map[string]string{"Cookie": s.cookie, "Content-Type": typedForm["Content-Type"]})
}

// url is an address below the workspace's.
func (s *shop) url(path string) string { return "/workspaces/" + s.home.ID + path }

// wantPage fails unless the answer has the status and every text.
func (s *shop) wantPage(got reply, status int, says ...string) {
	s.Helper()
	if got.status != status {
		s.Errorf("status %d, want %d: %s", got.status, status, got.body)
	}
	for _, text := range says {
		if !strings.Contains(got.body, text) {
			s.Errorf("the page lacks %q: %s", text, got.body)
		}
	}
}

// wantGone fails unless the answer leads to an address.
func (s *shop) wantGone(got reply, to string) {
	s.Helper()
	if got.status != fiber.StatusSeeOther || got.header.Get("Location") != to {
		s.Errorf("status %d to %q, want %q: %s", got.status, got.header.Get("Location"), to, got.body)
	}
}

// subscribe has the owner come back from a payment.
func (s *shop) subscribe(name plan.Name, status plan.Status) {
	s.Helper()
	s.till.billed = subscription.Billed{ID: "sub_1", Status: status, Plan: name, Interval: plan.Monthly, Amount: plan.Defaults()[2].Price.Monthly, Currency: "usd", PeriodEnd: on(2026, 12, 3)}
	if status == plan.Trialing {
		s.till.billed.TrialEnd = s.till.billed.PeriodEnd
	}
	_, err := s.till.Refresh(audit.As(s.Context(), audit.Stripe), s.home.ID, subscription.Cause{})
	must(s.T, err)
}

package subscription_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"parley/core/account"
	"parley/core/audit"
	"parley/core/chatbot"
	"parley/core/fault"
	"parley/core/outbox"
	"parley/core/plan"
	"parley/core/subscription"
	"parley/core/tenant"
	"parley/store"
	"parley/store/bots"
	"parley/store/people"
	"parley/store/tenancy"
	"parley/store/tenancytest"
)

// deletion is the entry about the deleted workspace.
func (c *clock) deletion() (found audit.Entry) {
	c.Helper()
	for entry, err := range c.Audit.AuditLog(c.Context(), c.space.ID, time.Time{}) {
		c.must(err)
		if entry.Action == audit.WorkspaceDeleted {
			found = entry
		}
	}
	return found
}

// customer makes the workspace one of Stripe's customers, without a granted plan.
func (c *clock) customer() {
	c.Helper()
	c.must(c.Grants.SetPlan(c.Context(), c.space.ID, plan.Free))
	_, err := c.Customers.Set(c.Context(), c.space.ID, subscription.Customer{ID: "cus_shop"})
	c.must(err)
}

// active returns an ongoing subscription.
func (c *clock) active(name plan.Name) subscription.Billed {
	end := c.now.Add(30 * day)
	return subscription.Billed{ID: "sub_1", Status: plan.Active, Plan: name, Interval: plan.Monthly, PeriodEnd: &end}
}

func (c *clock) subscription() subscription.Subscription {
	c.Helper()
	subscription, err := c.Ledger.Subscription(c.Context(), c.space.ID)
	c.must(err)
	return subscription
}

// bill stores a state as if just read at Stripe.
func (c *clock) bill(billed subscription.Billed) subscription.Applied {
	c.Helper()
	return c.billBecause(billed, subscription.Cause{})
}

func (c *clock) billBecause(billed subscription.Billed, cause subscription.Cause) subscription.Applied {
	c.Helper()
	return c.apply(audit.As(c.Context(), audit.Stripe), billed, cause)
}

func (c *clock) apply(ctx context.Context, billed subscription.Billed, cause subscription.Cause) subscription.Applied {
	c.Helper()
	applied, err := c.Ledger.Apply(ctx, c.space.ID, c.subscription().Revision, billed, false, cause)
	c.must(err)
	return applied
}

func (c *clock) isOn(want plan.Name) {
	c.Helper()
	workspace, err := c.Workspaces.Workspace(c.Context(), c.space.ID)
	c.must(err)
	if workspace.Plan != want {
		c.Errorf("the workspace is on %s, want %s", workspace.Plan, want)
	}
}

func (c *clock) history() []audit.Entry {
	c.Helper()
	entries, err := c.Audit.PlanHistory(c.Context(), c.space.ID, 100)
	c.must(err)
	return entries
}

// addChatbots adds chatbots cb_1 to cb_n, each a minute younger.
func (c *clock) addChatbots(n int) {
	c.Helper()
	for i := range n {
		c.must(bots.NewChatbots(c.store).CreateChatbot(c.Context(), c.space.ID, chatbot.Chatbot{
			ID: fmt.Sprintf("cb_%d", i+1), WorkspaceID: c.space.ID, Name: fmt.Sprintf("Bot %d", i+1),
			CreatedAt: c.now.Add(time.Duration(i) * time.Minute),
		}))
	}
}

// addMember makes <name>@example.com a member and returns the user's id.
func (c *clock) addMember(name string, role tenant.Role) string {
	c.Helper()
	user := account.User{ID: "usr_" + name, Email: name + "@example.com", PasswordHash: "none", CreatedAt: c.now}
	c.must(people.NewUsers(c.store).CreateUser(c.Context(), user))
	c.pass(time.Second)
	c.must(c.Members.Add(c.Context(), c.space.ID, user, role))
	return user.ID
}

func (c *clock) isA(err error, kind fault.Kind) {
	c.Helper()
	if !fault.Is(err, kind) {
		c.Errorf("got %v, want a fault of kind %d", err, kind)
	}
}

// in returns a time from now.
func (c *clock) in(d time.Duration) *time.Time {
	at := c.now.Add(d)
	return &at
}

// subscriber is a clock whose workspace has paid for Standard, without mails so far.
func subscriber(t *testing.T) (*clock, subscription.Billed) {
	t.Helper()
	c := newClock(t)
	c.customer()
	billed := c.active(plan.Standard)
	c.bill(billed)
	return c, billed
}

// sends checks which mails are sent now, as "address: subject".
func (c *clock) sends(want ...string) []outbox.Mail {
	c.Helper()
	return tenancytest.Sends(c.T, c.Services, want...)
}

const (
	email    = "owner@example.com"
	password = "correct horse battery"
	day      = 24 * time.Hour
)

// clock is the services over a real store, with simulated time.
type clock struct {
	*testing.T
	*tenancy.Services
	store *store.Store
	now   time.Time
	user  account.User
	space tenant.Workspace
}

func newClock(t *testing.T) *clock {
	t.Helper()
	shop := tenancytest.Open(t)
	c := &clock{T: t, store: shop.Store, now: tenancytest.Epoch, user: shop.User, space: shop.Space}
	c.Services = c.withOptions(tenancy.Options{Payments: subscription.Options{Grace: 21 * day}, Mails: outbox.Options{Mails: true, BaseURL: "https://parley.example/"}})
	return c
}

// withOptions returns other services over the same store.
func (c *clock) withOptions(options tenancy.Options) *tenancy.Services {
	return tenancytest.Services(c.store, func() time.Time { return c.now }, options)
}

func (c *clock) must(err error) {
	c.Helper()
	if err != nil {
		c.Fatal(err)
	}
}

func (c *clock) pass(d time.Duration) { c.now = c.now.Add(d) }

package account_test

import (
	"context"
	"strings"
	"testing"

	"parley/core/account"
	"parley/core/audit"
	"parley/core/fault"
	"parley/core/plan"
	"parley/core/subscription"
	"parley/core/tenant"
	"parley/store/tenancy"
)

// wantStale checks whether Stripe has to learn another address.
func (c *clock) wantStale(want bool) {
	c.Helper()
	if c.subscription().CustomerStale != want {
		c.Errorf("Stripe has to learn the address: %v", !want)
	}
}

// newClockWithoutMail is a clock on a server that sends no mails, where the operator sees the
// links.
func newClockWithoutMail(t *testing.T) *clock {
	t.Helper()
	c := newClock(t)
	c.Services = c.withOptions(tenancy.Options{Payments: subscription.Options{Grace: 21 * day}, Links: &c.printed})
	return c
}

// printer keeps the links that the operator sees, each after its address.
type printer []string

func (p *printer) PrintLink(_ context.Context, email, link string) {
	*p = append(*p, email+" "+link)
}

// seen returns the code that the operator sees last, which must be for an address.
func (c *clock) seen(email string) string {
	c.Helper()
	if len(c.printed) == 0 {
		c.Fatal("the operator sees no link")
	}
	to, code, _ := strings.Cut(c.printed[len(c.printed)-1], "#")
	if to != email+" /account/email" {
		c.Errorf("the operator sees a link %s", to)
	}
	return code
}

// follow follows the link that the operator sees.
func (c *clock) follow(email string) error {
	c.Helper()
	_, _, err := c.Addresses.ConfirmEmail(c.Context(), c.seen(email), stranger)
	return err
}

func TestChangeEmail(t *testing.T) {
	t.Parallel()
	const another = "another@example.com"
	t.Run("the person signs in with the new address, and Stripe has to learn it", func(t *testing.T) {
		c := newClockWithoutMail(t)
		c.customer()
		secret := c.signIn()
		c.must(c.Addresses.Change(t.Context(), c.user.ID, account.Evidence{Password: password}, "  Another@Example.com ", stranger))
		c.isSignedIn(secret, true) // with the old address
		c.must(c.follow(another))
		if _, err := c.Sessions.SignIn(t.Context(), another, password, stranger); err != nil {
			t.Error(err)
		}
		_, err := c.Sessions.SignIn(t.Context(), email, password, stranger)
		c.isA(err, fault.Unauthenticated)
		c.isSignedIn(secret, false)
		c.wantStale(true)
		if got, err := c.Customers.OwnerEmail(t.Context(), c.space.ID); err != nil || got != another {
			t.Errorf("the owner is %q, %v", got, err)
		}
		if entry := c.history()[0]; entry.Actor != c.owner() || entry.Action != audit.EmailChanged || entry.Detail != "The owner's address is now another@example.com." {
			t.Errorf("the log says %+v", entry)
		}
		c.must(c.Customers.MarkTold(t.Context(), c.space.ID))
		c.wantStale(false)
	})
	t.Run("a change needs the password", func(t *testing.T) {
		c := newClockWithoutMail(t)
		if err := c.Addresses.Change(t.Context(), c.user.ID, account.Evidence{Password: "a wrong guess"}, another, stranger); fault.As(err).Field != "password" {
			t.Errorf("got %v", err)
		}
		c.signIn()
	})
	t.Run("the eleventh guess at the password is refused for a while", func(t *testing.T) {
		c := newClockWithoutMail(t)
		for range 10 {
			c.isA(c.Addresses.Change(t.Context(), c.user.ID, account.Evidence{Password: "a wrong guess"}, another, stranger), fault.Invalid)
		}
		c.isA(c.Addresses.Change(t.Context(), c.user.ID, account.Evidence{Password: password}, another, stranger), fault.RateLimited)
	})
	t.Run("the address of another account is refused when the link is followed, and nothing changes", func(t *testing.T) {
		c := newClockWithoutMail(t)
		c.customer()
		_, err := c.SignUps.CreateUser(t.Context(), another, password)
		c.must(err)
		before := len(c.history())
		c.must(c.Addresses.Change(t.Context(), c.user.ID, account.Evidence{Password: password}, another, stranger)) // the page does not tell
		if err := c.follow(another); fault.As(err).Field != "email" || !fault.Is(err, fault.Conflict) {
			t.Errorf("got %v", err)
		}
		c.wantStale(false)
		if n := len(c.history()); n != before {
			t.Errorf("the log has %d entries after %d", n, before)
		}
	})
	t.Run("a malformed address is refused", func(t *testing.T) {
		c := newClockWithoutMail(t)
		if err := c.Addresses.Change(t.Context(), c.user.ID, account.Evidence{Password: password}, "nobody", stranger); fault.As(err).Field != "email" {
			t.Errorf("got %v", err)
		}
	})
	t.Run("the same address changes nothing", func(t *testing.T) {
		c := newClockWithoutMail(t)
		c.customer()
		before := len(c.history())
		c.must(c.Addresses.Change(t.Context(), c.user.ID, account.Evidence{Password: password}, email, stranger))
		if n := len(c.history()); n != before {
			t.Errorf("the log has %d entries after %d", n, before)
		}
		c.wantStale(false)
	})
	t.Run("Stripe learns only the first owner's address", func(t *testing.T) {
		c := newClockWithoutMail(t)
		c.customer()
		c.must(c.Grants.SetPlan(t.Context(), c.space.ID, plan.Standard))
		second, err := c.SignUps.CreateUser(t.Context(), "second@example.com", password)
		c.must(err)
		c.pass(day)
		c.must(c.Members.Add(t.Context(), c.space.ID, second, tenant.RoleOwner))
		c.must(c.Addresses.Change(t.Context(), second.ID, account.Evidence{Password: password}, another, stranger))
		c.must(c.follow(another))
		c.wantStale(false)
	})
}

// customer makes the workspace one of Stripe's customers, without a granted plan.
func (c *clock) customer() {
	c.Helper()
	c.must(c.Grants.SetPlan(c.Context(), c.space.ID, plan.Free))
	_, err := c.Customers.Set(c.Context(), c.space.ID, subscription.Customer{ID: "cus_shop"})
	c.must(err)
}

func (c *clock) subscription() subscription.Subscription {
	c.Helper()
	subscription, err := c.Ledger.Subscription(c.Context(), c.space.ID)
	c.must(err)
	return subscription
}

func (c *clock) history() []audit.Entry {
	c.Helper()
	entries, err := c.Audit.PlanHistory(c.Context(), c.space.ID, 100)
	c.must(err)
	return entries
}

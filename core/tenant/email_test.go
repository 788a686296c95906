package tenant_test

import (
	"testing"

	"parley/core/audit"
	"parley/core/fault"
	"parley/core/plan"
	"parley/core/tenant"
)

// stale says whether Stripe has to be told another address.
func (c *clock) stale(want bool) {
	c.Helper()
	if c.subscription().CustomerStale != want {
		c.Errorf("Stripe has to be told: %v", !want)
	}
}

// mailless is a clock of a server that sends no mails, where an address changes
// at once.
func mailless(t *testing.T) *clock {
	t.Helper()
	c := newClock(t)
	c.Service = c.withOptions(tenant.Options{Grace: 21 * day})
	return c
}

func TestChangeEmail(t *testing.T) {
	t.Parallel()
	const another = "another@example.com"
	t.Run("one signs in with the new address from then on, and Stripe is to be told", func(t *testing.T) {
		c := mailless(t)
		c.customer()
		secret := c.signIn()
		c.must(c.ChangeEmail(t.Context(), c.user.ID, password, "  Another@Example.com ", stranger))
		if _, err := c.SignIn(t.Context(), another, password, stranger); err != nil {
			t.Error(err)
		}
		_, err := c.SignIn(t.Context(), email, password, stranger)
		c.isA(err, fault.Unauthenticated)
		c.isSignedIn(secret, false)
		c.stale(true)
		if got, err := c.OwnerEmail(t.Context(), c.space.ID); err != nil || got != another {
			t.Errorf("the owner is %q, %v", got, err)
		}
		if entry := c.history()[0]; entry.Actor != c.owner() || entry.Action != audit.EmailChanged || entry.Detail != "The owner's address is now another@example.com." {
			t.Errorf("the log says %+v", entry)
		}
		c.must(c.CustomerTold(t.Context(), c.space.ID))
		c.stale(false)
	})
	t.Run("it needs the password", func(t *testing.T) {
		c := mailless(t)
		if err := c.ChangeEmail(t.Context(), c.user.ID, "a wrong guess", another, stranger); fault.As(err).Field != "password" {
			t.Errorf("got %v", err)
		}
		c.signIn()
	})
	t.Run("the eleventh guess of the password waits", func(t *testing.T) {
		c := mailless(t)
		for range 10 {
			c.isA(c.ChangeEmail(t.Context(), c.user.ID, "a wrong guess", another, stranger), fault.Invalid)
		}
		c.isA(c.ChangeEmail(t.Context(), c.user.ID, password, another, stranger), fault.RateLimited)
	})
	t.Run("the address of another account is refused, and nothing has changed", func(t *testing.T) {
		c := mailless(t)
		c.customer()
		_, err := c.CreateUser(t.Context(), another, password)
		c.must(err)
		before := len(c.history())
		if err := c.ChangeEmail(t.Context(), c.user.ID, password, another, stranger); fault.As(err).Field != "email" || !fault.Is(err, fault.Conflict) {
			t.Errorf("got %v", err)
		}
		c.stale(false)
		if n := len(c.history()); n != before {
			t.Errorf("the log has %d entries after %d", n, before)
		}
	})
	t.Run("what is no address is refused", func(t *testing.T) {
		c := mailless(t)
		if err := c.ChangeEmail(t.Context(), c.user.ID, password, "nobody", stranger); fault.As(err).Field != "email" {
			t.Errorf("got %v", err)
		}
	})
	t.Run("the same address is no change", func(t *testing.T) {
		c := mailless(t)
		c.customer()
		before := len(c.history())
		c.must(c.ChangeEmail(t.Context(), c.user.ID, password, email, stranger))
		if n := len(c.history()); n != before {
			t.Errorf("the log has %d entries after %d", n, before)
		}
		c.stale(false)
	})
	t.Run("Stripe is not told of who is not the first owner", func(t *testing.T) {
		c := mailless(t)
		c.customer()
		c.must(c.SetPlan(t.Context(), c.space.ID, plan.Standard))
		second, err := c.CreateUser(t.Context(), "second@example.com", password)
		c.must(err)
		c.pass(day)
		c.must(c.AddMember(t.Context(), c.space.ID, second, tenant.RoleOwner))
		c.must(c.ChangeEmail(t.Context(), second.ID, password, another, stranger))
		c.stale(false)
	})
}

func TestAnotherFirstOwner(t *testing.T) {
	t.Parallel()
	for sentence, change := range map[string]func(c *clock) error{
		"an owner who leaves": func(c *clock) error { return c.RemoveMember(c.Context(), c.space.ID, c.user.ID, c.user.ID) },
		"an owner who becomes a mere member": func(c *clock) error {
			return c.ChangeRole(c.Context(), c.space.ID, c.user.ID, c.user.ID, tenant.RoleMember)
		},
	} {
		t.Run(sentence+" is no longer the one whom Stripe knows", func(t *testing.T) {
			c := newClock(t)
			_, err := c.SetCustomer(t.Context(), c.space.ID, tenant.Customer{ID: "cus_shop"})
			c.must(err)
			second := c.addMember("second", tenant.RoleOwner)
			third := c.addMember("third", tenant.RoleMember)
			c.must(c.ChangeRole(t.Context(), c.space.ID, c.user.ID, third, tenant.RoleAdmin))
			c.stale(false)
			c.must(change(c))
			c.stale(true)
			if got, err := c.OwnerEmail(t.Context(), c.space.ID); err != nil || got != second[len("usr_"):]+"@example.com" {
				t.Errorf("it is %q, %v", got, err)
			}
		})
	}
}

func TestDeleteWorkspace(t *testing.T) {
	c := newClock(t)
	c.customer()
	c.bill(c.active(plan.Basic))
	c.addChatbots(1)
	other, err := c.CreateWorkspace(t.Context(), c.user, "Other")
	c.must(err)
	c.must(c.DeleteWorkspace(t.Context(), c.space.ID))
	t.Run("it is gone with what hangs on it", func(t *testing.T) {
		_, err := c.Workspace(t.Context(), c.space.ID)
		c.isA(err, fault.NotFound)
		_, err = c.WorkspaceByCustomer(t.Context(), "cus_shop")
		c.isA(err, fault.NotFound)
		c.isA(c.DeleteWorkspace(t.Context(), c.space.ID), fault.NotFound)
	})
	t.Run("nobody is told to cancel a subscription that Stripe has ended", func(t *testing.T) {
		if entry := c.deletion(); entry.Action != audit.WorkspaceDeleted || entry.Detail != "" {
			t.Errorf("the log says %+v", entry)
		}
	})
	t.Run("its owner's account and other workspaces stay", func(t *testing.T) {
		memberships, err := c.Memberships(t.Context(), c.user.ID)
		if err != nil || len(memberships) != 1 || memberships[0].Workspace.ID != other.ID {
			t.Errorf("there are %+v, %v", memberships, err)
		}
	})
}

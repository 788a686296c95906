package subscription_test

import (
	"slices"
	"testing"

	"parley/core/fault"
	"parley/core/subscription"
	"parley/core/tenant"
)

func TestCustomer(t *testing.T) {
	t.Parallel()
	t.Run("the first customer of a workspace stays, and finds it", func(t *testing.T) {
		c := newClock(t)
		first, err := c.Customers.Set(t.Context(), c.space.ID, subscription.Customer{ID: "cus_1"})
		c.must(err)
		second, err := c.Customers.Set(t.Context(), c.space.ID, subscription.Customer{ID: "cus_2"})
		c.must(err)
		if first.CustomerID != "cus_1" || second.CustomerID != "cus_1" {
			t.Errorf("they are %q and %q", first.CustomerID, second.CustomerID)
		}
		if found, err := c.Customers.WorkspaceOf(t.Context(), "cus_1"); err != nil || found != c.space.ID {
			t.Errorf("found %q, %v", found, err)
		}
		_, err = c.Customers.WorkspaceOf(t.Context(), "cus_2")
		c.isA(err, fault.NotFound)
	})
	t.Run("two workspaces cannot share a customer", func(t *testing.T) {
		c := newClock(t)
		c.customer()
		other, err := c.Workspaces.Create(t.Context(), c.user, "Other")
		c.must(err)
		_, err = c.Customers.Set(t.Context(), other.ID, subscription.Customer{ID: "cus_shop"})
		c.isA(err, fault.Conflict)
	})
	t.Run("all workspaces that ever were customers are listed", func(t *testing.T) {
		c := newClock(t)
		all := func() (workspaceIDs []string) {
			for known, err := range c.Ledger.All(t.Context()) {
				c.must(err)
				workspaceIDs = append(workspaceIDs, known.WorkspaceID)
			}
			return workspaceIDs
		}
		if got := all(); len(got) != 0 {
			t.Errorf("there are %v", got)
		}
		c.customer()
		if got := all(); !slices.Equal(got, []string{c.space.ID}) {
			t.Errorf("there are %v", got)
		}
	})
	t.Run("a workspace without a customer cannot start a checkout", func(t *testing.T) {
		c := newClock(t)
		c.isA(c.Customers.BeginCheckout(t.Context(), c.space.ID), fault.NotFound)
	})
	t.Run("of many owners Stripe has the first one's address", func(t *testing.T) {
		c := newClock(t)
		c.addMember("second", tenant.RoleOwner)
		if got, err := c.Customers.OwnerEmail(t.Context(), c.space.ID); err != nil || got != email {
			t.Errorf("it is %q, %v", got, err)
		}
		_, err := c.Customers.OwnerEmail(t.Context(), "ws_nowhere")
		c.isA(err, fault.NotFound)
	})
}

package subscription_test

import (
	"testing"

	"parley/core/audit"
	"parley/core/fault"
	"parley/core/plan"
	"parley/core/subscription"
	"parley/core/tenant"
)

// stale checks whether Stripe has to learn another address.
func (c *clock) stale(want bool) {
	c.Helper()
	if c.subscription().CustomerStale != want {
		c.Errorf("Stripe has to learn the address: %v", !want)
	}
}

func TestAnotherFirstOwner(t *testing.T) {
	t.Parallel()
	for sentence, change := range map[string]func(c *clock) error{
		"an owner who leaves": func(c *clock) error { return c.Members.Remove(c.Context(), c.space.ID, c.user.ID, c.user.ID) },
		"an owner who becomes a mere member": func(c *clock) error {
			return c.Members.ChangeRole(c.Context(), c.space.ID, c.user.ID, c.user.ID, tenant.RoleMember)
		},
	} {
		t.Run(sentence+" is no longer the one whose address Stripe has", func(t *testing.T) {
			c := newClock(t)
			_, err := c.Customers.Set(t.Context(), c.space.ID, subscription.Customer{ID: "cus_shop"})
			c.must(err)
			second := c.addMember("second", tenant.RoleOwner)
			third := c.addMember("third", tenant.RoleMember)
			c.must(c.Members.ChangeRole(t.Context(), c.space.ID, c.user.ID, third, tenant.RoleAdmin))
			c.stale(false)
			c.must(change(c))
			c.stale(true)
			if got, err := c.Customers.OwnerEmail(t.Context(), c.space.ID); err != nil || got != second[len("usr_"):]+"@example.com" {
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
	other, err := c.Workspaces.Create(t.Context(), c.user, "Other")
	c.must(err)
	c.must(c.Deletions.DeleteWorkspace(t.Context(), c.space.ID))
	t.Run("it is deleted with everything in it", func(t *testing.T) {
		_, err := c.Workspaces.Workspace(t.Context(), c.space.ID)
		c.isA(err, fault.NotFound)
		_, err = c.Customers.WorkspaceOf(t.Context(), "cus_shop")
		c.isA(err, fault.NotFound)
		c.isA(c.Deletions.DeleteWorkspace(t.Context(), c.space.ID), fault.NotFound)
	})
	t.Run("the log asks nobody to cancel a subscription that Stripe has ended", func(t *testing.T) {
		if entry := c.deletion(); entry.Action != audit.WorkspaceDeleted || entry.Detail != "" {
			t.Errorf("the log says %+v", entry)
		}
	})
	t.Run("its owner's account and other workspaces stay", func(t *testing.T) {
		memberships, err := c.People.Memberships(t.Context(), c.user.ID)
		if err != nil || len(memberships) != 1 || memberships[0].Workspace.ID != other.ID {
			t.Errorf("there are %+v, %v", memberships, err)
		}
	})
}

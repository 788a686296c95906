package tenant_test

import (
	"context"
	"errors"
	"testing"

	"parley/core/audit"
	"parley/core/fault"
	"parley/core/plan"
	"parley/core/subscription"
	"parley/core/tenant"
	"parley/store/bots"
)

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

func TestDowngrade(t *testing.T) {
	t.Parallel()
	c := newClock(t)
	c.customer()
	c.bill(c.active(plan.Standard))
	c.addChatbots(3)
	c.addTokens("cb_1", 2)
	c.addTokens("cb_2", 1)
	admin, second := c.addMember("admin", tenant.RoleAdmin), c.addMember("second", tenant.RoleOwner)
	member := c.addMember("member", tenant.RoleMember)

	t.Run("under the purchased plan nothing is suspended", func(t *testing.T) {
		c.suspended(plan.Chatbots)
		c.suspended(plan.Members)
		c.suspended(plan.Tokens)
	})
	ended := c.active(plan.Standard)
	ended.Status = plan.Canceled
	c.bill(ended)
	t.Run("after its end the excess is suspended: the younger chatbots, all members but the first owner, every token", func(t *testing.T) {
		c.suspended(plan.Chatbots, "cb_2", "cb_3")
		c.suspended(plan.Members, admin, second, member)
		c.suspended(plan.Tokens, "cb_1_1", "cb_1_2", "cb_2_1")
	})
	t.Run("nothing is deleted", func(t *testing.T) {
		usage, err := c.Holdings.Usage(t.Context(), c.space.ID)
		c.must(err)
		if usage != (tenant.Usage{Chatbots: 3, Members: 4, TokensPerChatbot: 2}) {
			t.Errorf("in use are %+v", usage)
		}
	})
	t.Run("a suspended member can only view", func(t *testing.T) {
		memberships, err := c.People.Memberships(t.Context(), admin)
		c.must(err)
		person := tenant.Person{Memberships: memberships}
		if _, err := person.May(tenant.Read, c.space.ID); err != nil {
			t.Errorf("looking: %v", err)
		}
		_, err = person.May(tenant.EditKnowledge, c.space.ID)
		c.isA(err, fault.Forbidden)
	})
	t.Run("a suspended owner cannot choose for the others, but can pay", func(t *testing.T) {
		memberships, err := c.People.Memberships(t.Context(), second)
		c.must(err)
		person := tenant.Person{Memberships: memberships}
		for _, action := range []tenant.Action{tenant.ChangePlan, tenant.ManageMembers, tenant.EditKnowledge} {
			_, err := person.May(action, c.space.ID)
			c.isA(err, fault.Forbidden)
		}
		if _, err := person.May(tenant.Pay, c.space.ID); err != nil {
			t.Errorf("paying: %v", err)
		}
	})
	t.Run("with the plan the suspensions end", func(t *testing.T) {
		c.bill(c.active(plan.Standard))
		c.suspended(plan.Chatbots)
		c.suspended(plan.Members)
		c.suspended(plan.Tokens)
	})
}

func TestSettle(t *testing.T) {
	t.Parallel()
	t.Run("a deletion ends the next one's suspension", func(t *testing.T) {
		c := newClock(t)
		c.addChatbots(3)
		c.must(c.Grants.SetPlan(t.Context(), c.space.ID, plan.Free))
		c.must(c.store.InTx(t.Context(), func(ctx context.Context) error {
			return errors.Join(bots.NewChatbots(c.store).DeleteChatbot(ctx, c.space.ID, "cb_1"), c.Holdings.Settle(ctx, c.space.ID))
		}))
		c.suspended(plan.Chatbots, "cb_3")
	})
	t.Run("a transaction that fails settles nothing", func(t *testing.T) {
		c := newClock(t)
		c.addChatbots(2)
		c.must(c.Grants.SetPlan(t.Context(), c.space.ID, plan.Free))
		failure := errors.New("no")
		err := c.store.InTx(t.Context(), func(ctx context.Context) error {
			return errors.Join(bots.NewChatbots(c.store).DeleteChatbot(ctx, c.space.ID, "cb_1"), c.Holdings.Settle(ctx, c.space.ID), failure)
		})
		if !errors.Is(err, failure) {
			t.Fatal(err)
		}
		c.suspended(plan.Chatbots, "cb_2")
	})
	t.Run("removing a member ends the next one's suspension", func(t *testing.T) {
		c := newClock(t)
		first := c.addMember("first", tenant.RoleMember)
		c.addMember("second", tenant.RoleMember)
		third := c.addMember("third", tenant.RoleMember)
		c.must(c.Grants.SetPlan(t.Context(), c.space.ID, plan.Basic))
		c.suspended(plan.Members, third)
		c.must(c.Members.Remove(t.Context(), c.space.ID, c.user.ID, first))
		c.suspended(plan.Members)
	})
	t.Run("four owners do not all stay active on Starter", func(t *testing.T) {
		c := newClock(t)
		second, third, fourth := c.addMember("second", tenant.RoleOwner), c.addMember("third", tenant.RoleOwner), c.addMember("fourth", tenant.RoleOwner)
		c.must(c.Grants.SetPlan(t.Context(), c.space.ID, plan.Free))
		c.suspended(plan.Members, second, third, fourth)
	})
	t.Run("the active owner chooses which owners stay", func(t *testing.T) {
		c := newClock(t)
		second, third, fourth := c.addMember("second", tenant.RoleOwner), c.addMember("third", tenant.RoleOwner), c.addMember("fourth", tenant.RoleOwner)
		c.must(c.Grants.SetPlan(t.Context(), c.space.ID, plan.Basic))
		c.suspended(plan.Members, fourth)
		c.must(c.Holdings.Keep(t.Context(), c.space.ID, plan.Members, []string{third, fourth}))
		c.suspended(plan.Members, second)
		c.isA(c.Holdings.Keep(t.Context(), c.space.ID, plan.Members, []string{second, third, fourth}), fault.Invalid)
	})
	t.Run("a workspace whose first owner leaves is not locked: the next owner becomes active", func(t *testing.T) {
		c := newClock(t)
		second, third := c.addMember("second", tenant.RoleOwner), c.addMember("third", tenant.RoleOwner)
		c.must(c.Grants.SetPlan(t.Context(), c.space.ID, plan.Free))
		c.suspended(plan.Members, second, third)
		c.must(c.Members.Remove(t.Context(), c.space.ID, c.user.ID, c.user.ID))
		c.suspended(plan.Members, third)
	})
	t.Run("a workspace whose first owner becomes a member is not locked, either", func(t *testing.T) {
		c := newClock(t)
		c.addMember("second", tenant.RoleOwner)
		c.must(c.Grants.SetPlan(t.Context(), c.space.ID, plan.Free))
		c.must(c.Members.ChangeRole(t.Context(), c.space.ID, c.user.ID, c.user.ID, tenant.RoleMember))
		c.suspended(plan.Members, c.user.ID)
	})
	t.Run("a workspace that is over its limit admits no further member", func(t *testing.T) {
		c := newClock(t)
		c.addMember("first", tenant.RoleMember)
		c.must(c.Grants.SetPlan(t.Context(), c.space.ID, plan.Free))
		_, err := c.Invitations.Invite(t.Context(), c.space.ID, c.user.ID, "guest@example.com", tenant.RoleMember)
		c.isA(err, fault.Forbidden)
	})
	t.Run("a missing workspace is not found", func(t *testing.T) {
		c := newClock(t)
		c.isA(c.Holdings.Settle(t.Context(), "ws_nowhere"), fault.NotFound)
	})
}

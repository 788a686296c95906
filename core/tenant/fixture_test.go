package tenant_test

import (
	"context"
	"fmt"
	"slices"
	"time"

	"parley/core/audit"
	"parley/core/chatbot"
	"parley/core/fault"
	"parley/core/plan"
	"parley/core/tenant"
)

// customer makes the workspace one of Stripe's customers, with no plan that was
// given by hand.
func (c *clock) customer() {
	c.Helper()
	c.must(c.SetPlan(c.Context(), c.space.ID, plan.Free))
	_, err := c.SetCustomer(c.Context(), c.space.ID, tenant.Customer{ID: "cus_shop"})
	c.must(err)
}

// active is a subscription that goes on.
func (c *clock) active(name plan.Name) tenant.Billed {
	end := c.now.Add(30 * day)
	return tenant.Billed{ID: "sub_1", Status: plan.Active, Plan: name, Interval: plan.Monthly, PeriodEnd: &end}
}

func (c *clock) subscription() tenant.Subscription {
	c.Helper()
	subscription, err := c.Subscription(c.Context(), c.space.ID)
	c.must(err)
	return subscription
}

// bill writes what was just read at Stripe.
func (c *clock) bill(billed tenant.Billed) tenant.Applied {
	c.Helper()
	return c.billBecause(billed, tenant.Cause{})
}

func (c *clock) billBecause(billed tenant.Billed, cause tenant.Cause) tenant.Applied {
	c.Helper()
	return c.apply(audit.As(c.Context(), audit.Stripe), billed, cause)
}

func (c *clock) billAs(actor audit.Actor, billed tenant.Billed) {
	c.Helper()
	c.apply(audit.As(c.Context(), actor), billed, tenant.Cause{})
}

func (c *clock) apply(ctx context.Context, billed tenant.Billed, cause tenant.Cause) tenant.Applied {
	c.Helper()
	applied, err := c.ApplySubscription(ctx, c.space.ID, c.subscription().Revision, billed, false, cause)
	c.must(err)
	return applied
}

func (c *clock) isOn(want plan.Name) {
	c.Helper()
	workspace, err := c.Workspace(c.Context(), c.space.ID)
	c.must(err)
	if workspace.Plan != want {
		c.Errorf("the workspace is on %s, want %s", workspace.Plan, want)
	}
}

// owner is the owner as an actor.
func (c *clock) owner() audit.Actor { return audit.Person(c.user.ID, c.user.Email) }

func (c *clock) history() []audit.Entry {
	c.Helper()
	entries, err := c.PlanHistory(c.Context(), c.space.ID, 100)
	c.must(err)
	return entries
}

// addChatbots adds chatbots cb_1 to cb_n, each a minute younger.
func (c *clock) addChatbots(n int) {
	c.Helper()
	for i := range n {
		c.must(c.store.CreateChatbot(c.Context(), c.space.ID, chatbot.Chatbot{
			ID: fmt.Sprintf("cb_%d", i+1), WorkspaceID: c.space.ID, Name: fmt.Sprintf("Bot %d", i+1),
			CreatedAt: c.now.Add(time.Duration(i) * time.Minute),
		}))
	}
}

// addTokens adds tokens <chatbot>_1 to <chatbot>_n, each a minute younger.
func (c *clock) addTokens(bot string, n int) {
	c.Helper()
	for i := range n {
		id := fmt.Sprintf("%s_%d", bot, i+1)
		c.must(c.store.CreateToken(c.Context(), c.space.ID, chatbot.Token{
			ID: id, WorkspaceID: c.space.ID, ChatbotID: bot, Name: id, Scopes: chatbot.AllScopes(),
			CreatedAt: c.now.Add(time.Duration(i) * time.Minute),
		}, "hash of "+id))
	}
}

// addMember makes <name>@example.com a member and returns the user's id.
func (c *clock) addMember(name string, role tenant.Role) string {
	c.Helper()
	user := tenant.User{ID: "usr_" + name, Email: name + "@example.com", PasswordHash: "none", CreatedAt: c.now}
	c.must(c.store.CreateUser(c.Context(), user))
	c.pass(time.Second)
	c.must(c.AddMember(c.Context(), c.space.ID, user, role))
	return user.ID
}

// rest says which of a resource rest, and no others.
func (c *clock) rest(resource plan.Resource, want ...string) {
	c.Helper()
	holdings, err := c.Holdings(c.Context(), c.space.ID)
	c.must(err)
	var got []string
	for _, h := range holdings {
		if h.Resource == resource && h.OverLimit {
			got = append(got, h.ID)
		}
	}
	slices.Sort(got)
	slices.Sort(want)
	if !slices.Equal(got, want) {
		c.Errorf("there rest %q, want %q", got, want)
	}
}

func (c *clock) isA(err error, kind fault.Kind) {
	c.Helper()
	if !fault.Is(err, kind) {
		c.Errorf("got %v, want a fault of kind %d", err, kind)
	}
}

// in is a moment from now.
func (c *clock) in(d time.Duration) *time.Time {
	at := c.now.Add(d)
	return &at
}

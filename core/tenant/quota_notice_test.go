package tenant_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"parley/core/outbox"
	"parley/core/plan"
	"parley/core/tenant"
	billingstore "parley/store/billing"
	"parley/store/people"
)

// includes makes the workspace's plan include a number of messages a month.
func (c *clock) includes(messages int) {
	c.Helper()
	workspace, err := people.NewWorkspaces(c.store).Workspace(c.Context(), c.space.ID)
	c.must(err)
	plans := billingstore.NewPlans(c.store)
	p, err := plans.Plan(c.Context(), workspace.Plan)
	c.must(err)
	p.Limits.MessagesPerMonth = messages
	c.must(plans.UpdatePlan(c.Context(), p))
}

func (c *clock) askTimes(n int) {
	c.Helper()
	for range n {
		c.ask()
	}
}

// told watches, and returns the mails that are sent.
func (c *clock) told() (mails []outbox.Mail) {
	c.Helper()
	c.must(c.Quotas.Watch(c.Context()))
	_, err := c.Mails.Send(c.Context(), func(_ context.Context, mail outbox.Mail) error {
		mails = append(mails, mail)
		return nil
	})
	c.must(err)
	return mails
}

func (c *clock) wantTold(about string) {
	c.Helper()
	mails := c.told()
	if about == "" {
		if len(mails) != 0 {
			c.Errorf("there are mails: %+v", mails)
		}
		return
	}
	if len(mails) != 1 || !strings.Contains(mails[0].Subject, about) || mails[0].To != c.user.Email {
		c.Errorf("mails are %+v, want one about %q", mails, about)
	}
}

func (c *clock) near(want tenant.QuotaUse) {
	c.Helper()
	want.WorkspaceID = c.space.ID
	if use, err := c.Quotas.Near(c.Context(), c.space.ID); err != nil || use != want {
		c.Errorf("near are %+v, want %+v; %v", use, want, err)
	}
}

func TestQuotaNotices(t *testing.T) {
	t.Parallel()
	t.Run("owners are told once at 80 and once at 100 percent", func(t *testing.T) {
		c := newClock(t)
		c.addChatbots(1)
		c.addMember("guest", tenant.RoleMember)
		c.includes(10)
		c.askTimes(7)
		c.wantTold("")
		c.near(tenant.QuotaUse{Used: 7, Included: 10})
		c.ask()
		c.wantTold("80%")
		c.wantTold("")
		c.near(tenant.QuotaUse{Used: 8, Included: 10, Told: 80})
		c.askTimes(2)
		c.wantTold("all of this month's messages")
		c.wantTold("")
		c.near(tenant.QuotaUse{Used: 10, Included: 10, Told: 100})
	})
	t.Run("who reaches both at once is told of the last", func(t *testing.T) {
		c := newClock(t)
		c.addChatbots(1)
		c.includes(3)
		c.askTimes(3)
		c.wantTold("all of")
		c.wantTold("")
	})
	t.Run("a higher plan makes news of its own limit", func(t *testing.T) {
		c := newClock(t)
		c.addChatbots(1)
		c.includes(5)
		c.askTimes(5)
		c.wantTold("all of")
		c.includes(10)
		c.near(tenant.QuotaUse{Used: 5, Included: 10})
		c.wantTold("")
		c.askTimes(3)
		c.wantTold("80%")
	})
	t.Run("a month begins without notices", func(t *testing.T) {
		c := newClock(t)
		c.addChatbots(1)
		c.includes(2)
		c.askTimes(2)
		c.wantTold("all of")
		c.pass(32 * day)
		c.near(tenant.QuotaUse{Included: 2})
		c.wantTold("")
	})
	t.Run("without a limit there is no news", func(t *testing.T) {
		c := newClock(t)
		c.addChatbots(1)
		c.includes(plan.Unlimited)
		c.askTimes(3)
		c.wantTold("")
	})
	t.Run("two processes tell once", func(t *testing.T) {
		c := newClock(t)
		c.addChatbots(1)
		c.includes(2)
		c.askTimes(2)
		done := make(chan error)
		for range 2 {
			go func() { done <- c.Quotas.Watch(context.Background()) }()
		}
		for range 2 {
			if err := <-done; err != nil {
				t.Error(err)
			}
		}
		c.pass(time.Second)
		c.wantTold("all of")
	})
}

package subscription_test

import (
	"strings"
	"testing"
	"time"

	"parley/core/outbox"
	"parley/core/plan"
	"parley/core/tenant"
	"parley/store/people"
	"parley/store/tenancy"
)

func TestMails(t *testing.T) {
	t.Parallel()
	const ends = "owner@example.com: The Standard plan of Shop ends on January 21, 2026"

	t.Run("an ongoing subscription causes no mail", func(t *testing.T) {
		c, _ := subscriber(t)
		c.sends()
	})
	t.Run("its end is mailed once it is known, and again three days before", func(t *testing.T) {
		c, billed := subscriber(t)
		billed.EndsAt = c.in(20 * day)
		c.bill(billed)
		mails := c.sends(ends)
		const body = `Hello,

The subscription of the workspace Shop to the Standard plan ends on January 21, 2026. From then on the workspace is on the Starter plan.

Nothing is deleted. What the Starter plan does not include is suspended until the workspace is upgraded again. There you can choose what stays active, or keep the plan:

https://parley.example/workspaces/`
		if mails[0].Body != body+c.space.ID+"/billing\n" {
			t.Errorf("it says %q", mails[0].Body)
		}
		c.sends()
		c.pass(17*day - time.Second)
		c.sends()
		c.pass(time.Second)
		c.sends(ends)
		c.sends()
	})
	t.Run("the same news is mailed once", func(t *testing.T) {
		c, billed := subscriber(t)
		for range 3 {
			billed.EndsAt = c.in(20 * day)
			c.bill(billed)
			billed.EndsAt = nil
			c.bill(billed)
		}
		billed.EndsAt = c.in(20 * day)
		c.bill(billed)
		c.sends(ends)
	})
	t.Run("an end within three days is mailed once, not twice", func(t *testing.T) {
		c, billed := subscriber(t)
		billed.EndsAt = c.in(2 * day)
		c.bill(billed)
		c.sends("owner@example.com: The Standard plan of Shop ends on January 3, 2026")
		c.pass(day)
		c.sends()
	})
	t.Run("whoever has resumed gets no mail about the end", func(t *testing.T) {
		c, billed := subscriber(t)
		billed.EndsAt = c.in(20 * day)
		c.bill(billed)
		billed.EndsAt = nil
		c.bill(billed)
		c.sends()
		c.pass(17 * day)
		c.sends()
	})
	t.Run("a mail that could not be sent in time is not sent at all", func(t *testing.T) {
		c, billed := subscriber(t)
		billed.EndsAt = c.in(2 * day)
		c.bill(billed)
		c.pass(2 * day)
		c.sends()
	})
	t.Run("a change to a lower plan is mailed, one to a higher plan is not", func(t *testing.T) {
		c, billed := subscriber(t)
		billed.NextPlan, billed.NextAt = plan.Premium, c.in(20*day)
		c.bill(billed)
		c.sends()
		billed.NextPlan = plan.Basic
		c.bill(billed)
		mails := c.sends(ends)
		if !strings.Contains(mails[0].Body, "From then on the workspace is on the Basic plan.") {
			t.Errorf("it says %q", mails[0].Body)
		}
	})
	t.Run("with an equally high granted plan the mail says that it stays", func(t *testing.T) {
		c, billed := subscriber(t)
		c.must(c.Grants.SetPlan(t.Context(), c.space.ID, plan.Premium))
		billed.EndsAt = c.in(20 * day)
		c.bill(billed)
		mails := c.sends(ends)
		if body := mails[0].Body; !strings.Contains(body, "From then on the workspace is on the Premium plan.") || strings.Contains(body, "rests") {
			t.Errorf("it says %q", body)
		}
	})
	t.Run("the mail about a failed payment names the day until which access continues", func(t *testing.T) {
		c, billed := subscriber(t)
		billed.Status, billed.PastDueSince = plan.PastDue, c.in(0)
		c.bill(billed)
		c.bill(billed)
		mails := c.sends("owner@example.com: A payment for Shop failed")
		if !strings.Contains(mails[0].Body, "A payment for the Standard plan of the workspace Shop failed on January 1, 2026. The plan goes on until January 22, 2026 at the latest.") {
			t.Errorf("it says %q", mails[0].Body)
		}
	})
	t.Run("a failed payment is mailed again three days before the plan ends", func(t *testing.T) {
		c, billed := subscriber(t)
		billed.Status, billed.PastDueSince = plan.PastDue, c.in(0)
		c.bill(billed)
		c.sends("owner@example.com: A payment for Shop failed")
		c.pass(18*day - time.Second)
		c.sends()
		c.pass(time.Second)
		c.sends("owner@example.com: The Standard plan of Shop ends on January 22, 2026: a payment is missing")
		c.sends()
	})
	t.Run("whoever has paid gets no mail about a missing payment", func(t *testing.T) {
		c, billed := subscriber(t)
		failed := billed
		failed.Status, failed.PastDueSince = plan.PastDue, c.in(0)
		c.bill(failed)
		c.sends("owner@example.com: A payment for Shop failed")
		c.bill(billed)
		c.pass(18 * day)
		c.sends()
	})
	t.Run("the mail about a failed payment has the page for the bank's confirmation", func(t *testing.T) {
		c, billed := subscriber(t)
		billed.Status, billed.PastDueSince, billed.InvoiceURL = plan.PastDue, c.in(0), "https://invoice.stripe.com/i/1"
		c.bill(billed)
		mails := c.sends("owner@example.com: A payment for Shop failed")
		const body = `Hello,

A payment for the Standard plan of the workspace Shop failed on January 1, 2026. The plan goes on until January 22, 2026 at the latest.

Please pay the invoice before then. If your bank asks you to confirm the payment, you do it here:

https://invoice.stripe.com/i/1

Or update the payment method:

https://parley.example/workspaces/`
		if mails[0].Body != body+c.space.ID+"/billing\n" {
			t.Errorf("it says %q", mails[0].Body)
		}
	})
	for name, status := range map[string]plan.Status{"cancels": plan.Canceled, "leaves it unpaid": plan.Unpaid} {
		t.Run("when Stripe gives up and "+name+", the end of the plan is mailed once", func(t *testing.T) {
			c, billed := subscriber(t)
			billed.Status, billed.PastDueSince = plan.PastDue, c.in(0)
			c.bill(billed)
			c.sends("owner@example.com: A payment for Shop failed")
			c.pass(15 * day)
			billed.Status = status
			c.bill(billed)
			c.bill(billed)
			mails := c.sends("owner@example.com: The Standard plan of Shop has ended")
			if body := mails[0].Body; !strings.Contains(body, "because the payment that failed on January 1, 2026 was not made. The workspace is on the Starter plan now.") {
				t.Errorf("it says %q", body)
			}
			c.pass(10 * day)
			c.bill(billed)
			c.sends()
		})
	}
	t.Run("the end of the grace is mailed once, even if Stripe gives up later", func(t *testing.T) {
		c, billed := subscriber(t)
		billed.Status, billed.PastDueSince = plan.PastDue, c.in(0)
		c.bill(billed)
		c.sends("owner@example.com: A payment for Shop failed")
		c.pass(21 * day)
		if n, err := c.Lapses.Lapse(t.Context()); n != 1 || err != nil {
			t.Fatalf("%d ended, %v", n, err)
		}
		c.sends("owner@example.com: The Standard plan of Shop has ended") // and no mail that it will end
		billed.Status = plan.Canceled
		c.bill(billed)
		c.sends()
	})
	t.Run("a plan that ended long ago causes no mail when it is first read", func(t *testing.T) {
		c, billed := subscriber(t)
		billed.Status = plan.Canceled
		c.bill(billed)
		billed.PastDueSince = c.in(0)
		c.bill(billed)
		c.sends()
	})
	t.Run("whoever has canceled gets no mail about a missing payment", func(t *testing.T) {
		c, billed := subscriber(t)
		billed.Status = plan.Canceled
		c.bill(billed)
		c.sends()
	})
	t.Run("a payment made meanwhile causes no mail", func(t *testing.T) {
		c, billed := subscriber(t)
		failed := billed
		failed.Status, failed.PastDueSince = plan.PastDue, c.in(0)
		c.bill(failed)
		c.bill(billed)
		c.sends()
	})
	t.Run("the end of a trial is mailed seven days before, with the price", func(t *testing.T) {
		c, billed := subscriber(t)
		billed.Status, billed.TrialEnd = plan.Trialing, c.in(14*day)
		billed.Amount, billed.Currency = 79_00, "usd"
		c.bill(billed)
		c.pass(7*day - time.Second)
		c.sends()
		c.pass(time.Second)
		mails := c.sends("owner@example.com: The trial of Shop ends on January 15, 2026")
		if body := mails[0].Body; !strings.Contains(body, "From then on it costs 79.00 USD a month; the first payment is taken on January 15, 2026.") {
			t.Errorf("it says %q", body)
		}
		c.pass(6 * day)
		c.sends()
	})
	t.Run("a shorter trial is mailed at once", func(t *testing.T) {
		c, billed := subscriber(t)
		billed.Status, billed.TrialEnd = plan.Trialing, c.in(2*day)
		c.bill(billed)
		c.sends("owner@example.com: The trial of Shop ends on January 3, 2026")
	})
	t.Run("a trial that was canceled ends, and is not paid for", func(t *testing.T) {
		c, billed := subscriber(t)
		billed.Status, billed.TrialEnd = plan.Trialing, c.in(14*day)
		c.bill(billed)
		billed.EndsAt = billed.TrialEnd
		c.bill(billed)
		c.sends("owner@example.com: The Standard plan of Shop ends on January 15, 2026")
		c.pass(11 * day)
		c.sends("owner@example.com: The Standard plan of Shop ends on January 15, 2026")
	})
	t.Run("every owner gets the mail, at the current address, and nobody else", func(t *testing.T) {
		c, billed := subscriber(t)
		second, left := c.addMember("second", tenant.RoleOwner), c.addMember("left", tenant.RoleOwner)
		c.addMember("admin", tenant.RoleAdmin)
		billed.EndsAt = c.in(20 * day)
		c.bill(billed)
		c.must(c.Members.Remove(t.Context(), c.space.ID, c.user.ID, left))
		c.must(people.NewUsers(c.store).SetEmail(t.Context(), second, "new@example.com", c.now))
		c.sends(ends, strings.Replace(ends, email, "new@example.com", 1))
	})
	t.Run("without a mail server no mail is written", func(t *testing.T) {
		c, billed := subscriber(t)
		c.Services = c.withOptions(tenancy.Options{})
		billed.EndsAt = c.in(20 * day)
		c.bill(billed)
		c.Services = c.withOptions(tenancy.Options{Mails: outbox.Options{Mails: true}})
		c.sends()
	})
	t.Run("a long name is shortened in the subject", func(t *testing.T) {
		c := newClock(t)
		space, err := c.Workspaces.Create(t.Context(), c.user, strings.Repeat("ß", 100))
		c.must(err)
		c.space = space
		c.customer()
		billed := c.active(plan.Basic)
		billed.EndsAt = c.in(9 * day)
		c.bill(billed)
		c.sends("owner@example.com: The Basic plan of " + strings.Repeat("ß", 40) + "… ends on January 10, 2026")
	})
}

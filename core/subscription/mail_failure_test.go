package subscription_test

import (
	"context"
	"testing"
	"time"

	"parley/core/fault"
	"parley/core/outbox"
	"parley/core/tenant"
)

func TestMailFailures(t *testing.T) {
	t.Parallel()
	written := func(t *testing.T) *clock {
		c, billed := subscriber(t)
		billed.EndsAt = c.in(20 * day)
		c.bill(billed)
		return c
	}
	away := fault.New(fault.Upstream, "The mail server does not answer.")
	// tries counts how often a mail is tried when sending fails.
	tries := func(c *clock, failure error) int {
		c.Helper()
		n := 0
		sent, err := c.Mails.Send(c.Context(), func(context.Context, outbox.Mail) error { n++; return failure })
		if sent != 0 || n > 0 && err == nil {
			c.Errorf("%d are sent, %v", sent, err)
		}
		return n
	}
	t.Run("a mail is tried eight times in about ten hours", func(t *testing.T) {
		c := written(t)
		begun, last, total := c.now, c.now, 0
		for range 24 * 60 {
			if n := tries(c, away); n > 0 {
				total, last = total+n, c.now
			}
			c.pass(time.Minute)
		}
		if took := last.Sub(begun); total != 8 || took != 635*time.Minute {
			t.Errorf("%d times in %v", total, took)
		}
	})
	t.Run("it is sent when the server is back", func(t *testing.T) {
		c := written(t)
		tries(c, away)
		c.sends()
		c.pass(5 * time.Minute)
		c.sends("owner@example.com: The Standard plan of Shop ends on January 21, 2026")
		c.pass(time.Hour)
		c.sends()
	})
	t.Run("while the server is down the other mails wait", func(t *testing.T) {
		c, billed := subscriber(t)
		c.addMember("second", tenant.RoleOwner)
		billed.EndsAt = c.in(20 * day)
		c.bill(billed)
		if n := tries(c, away); n != 1 {
			t.Errorf("%d are tried", n)
		}
	})
	t.Run("a mail to a refused address is given up, and the others are sent", func(t *testing.T) {
		c, billed := subscriber(t)
		c.addMember("second", tenant.RoleOwner)
		billed.EndsAt = c.in(20 * day)
		c.bill(billed)
		sent, err := c.Mails.Send(t.Context(), func(_ context.Context, mail outbox.Mail) error {
			if mail.To == email {
				return fault.New(fault.Invalid, "The address is refused.")
			}
			return nil
		})
		if sent != 1 || !fault.Is(err, fault.Invalid) {
			t.Errorf("%d are sent, %v", sent, err)
		}
		c.pass(15 * day)
		c.sends()
	})
	t.Run("a process that dies with a mail leaves it to others after five minutes", func(t *testing.T) {
		c := written(t)
		ctx, cancel := context.WithCancel(t.Context())
		_, err := c.Mails.Send(ctx, func(context.Context, outbox.Mail) error { cancel(); return context.Canceled })
		if err == nil {
			t.Error("no error")
		}
		c.pass(5*time.Minute - time.Second)
		c.sends()
		c.pass(time.Second)
		c.sends("owner@example.com: The Standard plan of Shop ends on January 21, 2026")
	})
	t.Run("a mail that kills its senders is given up", func(t *testing.T) {
		c := written(t)
		for range 8 {
			ctx, cancel := context.WithCancel(t.Context())
			_, err := c.Mails.Send(ctx, func(context.Context, outbox.Mail) error { cancel(); return context.Canceled })
			if err == nil {
				t.Error("no error")
			}
			c.pass(5 * time.Minute)
		}
		c.sends()
	})
	t.Run("two concurrent senders send each mail once", func(t *testing.T) {
		c := written(t)
		var inner []outbox.Mail
		sent, err := c.Mails.Send(t.Context(), func(context.Context, outbox.Mail) error {
			inner = c.sends()
			return nil
		})
		if sent != 1 || err != nil || len(inner) != 0 {
			t.Errorf("%d are sent, %v, and meanwhile %d", sent, err, len(inner))
		}
	})
	t.Run("a mail is deleted with its workspace", func(t *testing.T) {
		c := written(t)
		sent, err := c.Mails.Send(t.Context(), func(context.Context, outbox.Mail) error {
			return c.Deletions.DeleteWorkspace(t.Context(), c.space.ID)
		})
		if sent != 1 || err != nil {
			t.Errorf("%d are sent, %v", sent, err)
		}
	})
}

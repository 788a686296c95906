package tenant_test

import (
	"fmt"
	"testing"
	"time"

	"parley/core/fault"
	"parley/core/tenant"
	"parley/store/tenancy"
)

func TestInvitationExpiry(t *testing.T) {
	t.Run("an invitation works for seven days", func(t *testing.T) {
		c := newClock(t)
		code := c.invite("guest@example.com")
		c.pass(7*day - time.Second)
		if _, err := c.Invitations.Join(t.Context(), code, "a long enough password", stranger); err != nil {
			t.Error(err)
		}
	})
	t.Run("after that it creates neither a member nor an account", func(t *testing.T) {
		c := newClock(t)
		code := c.invite("guest@example.com")
		c.pass(7 * day)
		_, err := c.Invitations.Join(t.Context(), code, "a long enough password", stranger)
		if failure := fault.As(err); failure.Kind != fault.Invalid || failure.Field != "code" {
			t.Errorf("got %v", err)
		}
		if _, err := c.Users.ByEmail(t.Context(), "guest@example.com"); !fault.Is(err, fault.NotFound) {
			t.Errorf("there is an account: %v", err)
		}
	})
	t.Run("a second invitation of the same person replaces the first", func(t *testing.T) {
		c := newClock(t)
		first, second := c.invite("guest@example.com"), c.invite("guest@example.com")
		if _, err := c.Invitations.Join(t.Context(), first, "a long enough password", stranger); !fault.Is(err, fault.Invalid) {
			t.Errorf("the first code: %v", err)
		}
		if _, err := c.Invitations.Join(t.Context(), second, "a long enough password", stranger); err != nil {
			t.Errorf("the second code: %v", err)
		}
	})
	t.Run("an address gets five invitations in 15 minutes, whoever invites it, and no code that it was not mailed", func(t *testing.T) {
		c := newClock(t)
		other := c.addMember("admin", tenant.RoleAdmin)
		var codes []string
		for n := range 5 {
			codes = append(codes, c.invite(fmt.Sprintf("guest+%d@example.com", n%2)))
		}
		_, err := c.Invitations.Invite(t.Context(), c.space.ID, other, "guest@example.com", tenant.RoleMember)
		if failure := fault.As(err); failure.Kind != fault.RateLimited || failure.Field != "email" || failure.RetryAfter <= 0 {
			t.Errorf("the sixth: %v", err)
		}
		open, err := c.Invitations.List(t.Context(), c.space.ID)
		if err != nil || len(open) != 2 {
			t.Errorf("%d are open, %v", len(open), err)
		}
		if _, err := c.Invitations.Join(t.Context(), codes[4], "a long enough password", stranger); err != nil {
			t.Errorf("the code of the fifth: %v", err)
		}
		c.pass(15*time.Minute + time.Second)
		c.invite("guest@example.com")
	})
	t.Run("a person mails sixty invitations in 15 minutes, also if they are canceled", func(t *testing.T) {
		c := newClock(t)
		invite := func(n int) error {
			_, err := c.Invitations.Invite(t.Context(), c.space.ID, c.user.ID, fmt.Sprintf("guest%d@example.com", n), tenant.RoleMember)
			if err != nil {
				return err
			}
			open, err := c.Invitations.List(t.Context(), c.space.ID)
			c.must(err)
			return c.Invitations.Cancel(t.Context(), c.space.ID, open[0].ID)
		}
		for n := range 60 {
			c.must(invite(n))
		}
		c.isA(invite(60), fault.RateLimited)
	})
	t.Run("without mails nobody is mailed, and nothing is counted", func(t *testing.T) {
		c := newClock(t)
		c.Services = c.withOptions(tenancy.Options{})
		for range 6 {
			c.invite("guest@example.com")
		}
	})
	t.Run("an expired invitation's row is deleted", func(t *testing.T) {
		c := newClock(t)
		c.invite("guest@example.com")
		c.pass(8 * day)
		c.must(c.DeleteExpired(t.Context()))
		open, err := c.Invitations.List(t.Context(), c.space.ID)
		if err != nil || len(open) != 0 {
			t.Errorf("%d are left, %v", len(open), err)
		}
	})
}

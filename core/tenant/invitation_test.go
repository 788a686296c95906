package tenant_test

import (
	"testing"
	"time"

	"parley/core/fault"
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

package tenant_test

import (
	"slices"
	"testing"
	"time"

	"parley/core/account"
	"parley/core/audit"
)

// actions returns the actions of all entries, the earliest first.
func (c *clock) actions(keep ...audit.Action) (actions []audit.Action) {
	c.Helper()
	for entry, err := range c.Audit.AuditLog(c.Context(), "", time.Time{}) {
		c.must(err)
		if len(keep) == 0 || slices.Contains(keep, entry.Action) {
			actions = append(actions, entry.Action)
		}
	}
	slices.Reverse(actions)
	return actions
}

func TestForgetAudit(t *testing.T) {
	c := newClock(t)
	c.signIn()
	before := len(c.actions())
	c.pass(400 * day)
	c.signIn()
	c.must(c.Audit.ForgetAudit(t.Context(), c.now.Add(-399*day)))
	if left := c.actions(); len(left) != 1 || left[0] != audit.SignedIn {
		t.Errorf("of %d entries %v are left", before+1, left)
	}
}

func (c *clock) signIn() string {
	c.Helper()
	return c.signInFrom(stranger).Session
}

func (c *clock) signInFrom(client account.Client) account.Keys {
	c.Helper()
	keys, err := c.Sessions.SignIn(c.Context(), email, password, client)
	c.must(err)
	return keys
}

package account_test

import (
	"slices"
	"strings"
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

func TestGuessesAreRecorded(t *testing.T) {
	failures := []audit.Action{audit.SignInFailed, audit.SignInBlocked}
	t.Run("the log has a few entries for the guesses, and one for the block", func(t *testing.T) {
		c := newClock(t)
		for range 50 {
			_, err := c.Sessions.SignIn(t.Context(), email, "a wrong guess", account.Client{Address: stranger.Address})
			if err == nil {
				t.Fatal("the guess signed in")
			}
		}
		got := c.actions(failures...)
		want := []audit.Action{audit.SignInFailed, audit.SignInFailed, audit.SignInFailed, audit.SignInFailed, audit.SignInBlocked}
		if !slices.Equal(got, want) {
			t.Errorf("recorded %v, want %v", got, want)
		}
	})
	t.Run("guesses at addresses without an account write no entries", func(t *testing.T) {
		c := newClock(t)
		for range 30 {
			_, _ = c.Sessions.SignIn(t.Context(), "nobody@example.com", "a wrong guess", account.Client{Address: stranger.Address})
		}
		if got := c.actions(failures...); len(got) != 0 {
			t.Errorf("recorded %v", got)
		}
	})
	t.Run("no entry has the guess", func(t *testing.T) {
		c := newClock(t)
		_, _ = c.Sessions.SignIn(t.Context(), email, "a wrong guess", stranger)
		for entry, err := range c.Audit.AuditLog(t.Context(), "", time.Time{}) {
			c.must(err)
			if strings.Contains(entry.Detail+entry.Object.Name, "guess") {
				t.Errorf("%+v", entry)
			}
		}
	})
}

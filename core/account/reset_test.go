package account_test

import (
	"strings"
	"testing"
	"time"

	"parley/core/account"
	"parley/core/fault"
	"parley/store/people"
)

const another = "another horse battery"

// forgets requests another password for the owner, and returns the code in the mail.
func (c *clock) forgets() string {
	c.Helper()
	c.must(c.Resets.Request(c.Context(), " Owner@example.com", stranger))
	mail, code := c.mailed()
	if mail.To != email || mail.Subject != "Choose another password" || !strings.Contains(mail.Body, "https://parley.example/reset-password#"+code) || len(code) != 43 {
		c.Errorf("the mail is %+v", mail)
	}
	return code
}

func TestForgottenPassword(t *testing.T) {
	t.Parallel()
	t.Run("the mailed link sets another password once, ends all sessions and forgets trusted browsers", func(t *testing.T) {
		c := newClock(t)
		keys := c.signInFrom(stranger)
		code := c.forgets()
		c.isSignedIn(keys.Session, true)
		user, err := c.Resets.Finish(t.Context(), code, another, stranger)
		if err != nil || user.ID != c.user.ID {
			t.Errorf("got %+v, %v", user, err)
		}
		c.isSignedIn(keys.Session, false)
		if emails, err := people.NewDevices(c.store).TrustedBy(t.Context(), hashed(keys.Device), c.now); err != nil || len(emails) > 0 {
			t.Errorf("the browser is trusted by %q, %v", emails, err)
		}
		if told, _ := c.mailed(); told.To != email || told.Subject != "Your password was changed" {
			t.Errorf("the owner is told %+v", told)
		}
		_, err = c.Resets.Finish(t.Context(), code, "yet another horse", stranger)
		c.isA(err, fault.Invalid)
		_, err = c.Sessions.SignIn(t.Context(), email, password, stranger)
		c.isA(err, fault.Unauthenticated)
		_, err = c.Sessions.SignIn(t.Context(), email, another, stranger)
		c.must(err)
	})
	t.Run("a link works for 30 minutes", func(t *testing.T) {
		c := newClock(t)
		code := c.forgets()
		c.pass(30*time.Minute - time.Second)
		early := c.forgets()
		c.pass(time.Second)
		_, err := c.Resets.Finish(t.Context(), code, another, stranger)
		c.isA(err, fault.Invalid)
		_, err = c.Resets.Finish(t.Context(), early, another, stranger)
		c.must(err)
	})
	t.Run("a reset voids the other links of the account", func(t *testing.T) {
		c := newClock(t)
		first, second := c.forgets(), c.forgets()
		_, err := c.Resets.Finish(t.Context(), second, another, stranger)
		c.must(err)
		_, err = c.Resets.Finish(t.Context(), first, another, stranger)
		c.isA(err, fault.Invalid)
	})
	t.Run("a password that breaks the rule leaves the link as it was", func(t *testing.T) {
		c := newClock(t)
		code := c.forgets()
		for _, weak := range []string{"short", "1234567890", email} {
			if _, err := c.Resets.Finish(t.Context(), code, weak, stranger); fault.As(err).Field != "password" {
				t.Errorf("%s gives %v", weak, err)
			}
		}
		_, err := c.Resets.Finish(t.Context(), code, another, stranger)
		c.must(err)
	})
	t.Run("whoever follows the link has confirmed the address", func(t *testing.T) {
		c := newClock(t)
		c.signUp(newcomer)
		c.mailed()
		c.must(c.Resets.Request(t.Context(), newcomer, stranger))
		_, code := c.mailed()
		_, err := c.Resets.Finish(t.Context(), code, another, stranger)
		c.must(err)
		if user, err := c.Users.ByEmail(t.Context(), newcomer); err != nil || !user.EmailConfirmed() {
			t.Errorf("the user is %+v, %v", user, err)
		}
	})
	t.Run("an unknown address is told that there is no account, and its code is good for nothing", func(t *testing.T) {
		c := newClock(t)
		c.must(c.Resets.Request(t.Context(), newcomer, stranger))
		if mail, code := c.mailed(); mail.To != newcomer || mail.Subject != "You have no account with this e-mail address" || code != "" {
			t.Errorf("the mail is %+v", mail)
		}
	})
	t.Run("a link of one kind does not serve another", func(t *testing.T) {
		c := newClock(t)
		code := c.forgets()
		_, _, err := c.Addresses.ConfirmEmail(t.Context(), code, stranger)
		c.isA(err, fault.Invalid)
		_, err = c.SignUps.Finish(t.Context(), code, account.Account{Password: password, Workspace: "New", Client: stranger})
		c.isA(err, fault.Invalid)
		c.must(c.SignUps.Request(t.Context(), newcomer, stranger))
		_, code = c.mailed()
		_, err = c.Resets.Finish(t.Context(), code, another, stranger)
		c.isA(err, fault.Invalid)
	})
	t.Run("an address gets at most five mails, known or not", func(t *testing.T) {
		c := newClock(t)
		for _, to := range []string{email, newcomer} {
			for range 5 {
				c.must(c.Resets.Request(t.Context(), to, stranger))
			}
			c.isA(c.Resets.Request(t.Context(), to, from("198.51.100.1")), fault.RateLimited)
		}
	})
	t.Run("without mails it is the operator who sets a password", func(t *testing.T) {
		c := newClockWithoutMail(t)
		c.isA(c.Resets.Request(t.Context(), email, stranger), fault.Forbidden)
	})
	t.Run("a password from before the rule still signs in", func(t *testing.T) {
		c := newClock(t)
		old := "1234567890"
		hash := "$argon2id$v=19$m=19456,t=2,p=1$AAAAAAAAAAAAAAAAAAAAAA$"
		c.must(people.NewUsers(c.store).SetPassword(t.Context(), c.user.ID, hash+phcKey(old)))
		_, err := c.Sessions.SignIn(t.Context(), email, old, stranger)
		c.must(err)
	})
}

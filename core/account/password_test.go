package account_test

import (
	"testing"

	"golang.org/x/text/unicode/norm"

	"parley/core/account"
	"parley/core/fault"
	"parley/store/people"
)

// One password as two keyboards write it.
var (
	composed   = norm.NFC.String("Café-crème-Zürich-9")
	decomposed = norm.NFD.String(composed)
)

func TestPasswordOfAnotherKeyboard(t *testing.T) {
	t.Parallel()
	for name, set := range map[string]func(c *clock, password string){
		"chosen when the account is created": func(c *clock, password string) {
			_, err := c.SignUps.CreateUser(c.Context(), newcomer, password)
			c.must(err)
		},
		"chosen at the sign-up": func(c *clock, password string) {
			_, _, err := c.SignUps.Create(c.Context(), account.Account{Email: newcomer, Password: password, Workspace: "New", Client: stranger})
			c.must(err)
		},
		"chosen by a link of the sign-up": func(c *clock, password string) {
			c.must(c.SignUps.Request(c.Context(), newcomer, stranger))
			_, code := c.mailed()
			_, err := c.SignUps.Finish(c.Context(), code, account.Account{Password: password, Workspace: "New", Client: stranger})
			c.must(err)
		},
		"chosen at an invitation": func(c *clock, password string) {
			_, err := c.Invitations.Join(c.Context(), c.invite(newcomer), password, stranger)
			c.must(err)
		},
		"set by the operator": func(c *clock, password string) {
			_, err := c.SignUps.CreateUser(c.Context(), newcomer, another)
			c.must(err)
			c.must(c.Passwords.Reset(c.Context(), newcomer, password))
		},
		"chosen by who forgot the one before": func(c *clock, password string) {
			_, err := c.SignUps.CreateUser(c.Context(), newcomer, another)
			c.must(err)
			c.must(c.Resets.Request(c.Context(), newcomer, stranger))
			_, code := c.mailed()
			_, err = c.Resets.Finish(c.Context(), code, password, stranger)
			c.must(err)
		},
		"chosen by who knows the one before": func(c *clock, password string) {
			user, err := c.SignUps.CreateUser(c.Context(), newcomer, another)
			c.must(err)
			c.must(c.Passwords.Change(c.Context(), user.ID, account.Evidence{Password: another}, password, stranger))
		},
	} {
		for _, typed := range [][2]string{{composed, decomposed}, {decomposed, composed}} {
			t.Run("a password that was "+name+" signs in, composed or decomposed", func(t *testing.T) {
				c := newClock(t)
				set(c, typed[0])
				for _, password := range typed {
					_, err := c.Sessions.SignIn(t.Context(), newcomer, password, stranger)
					c.must(err)
				}
				_, err := c.Sessions.SignIn(t.Context(), newcomer, "Cafe-creme-Zurich-9", stranger)
				c.isA(err, fault.Unauthenticated)
			})
		}
	}
	t.Run("so does it where people show again who they are", func(t *testing.T) {
		c := newClock(t)
		user, err := c.SignUps.CreateUser(t.Context(), newcomer, composed)
		c.must(err)
		keys, err := c.Sessions.SignIn(t.Context(), newcomer, decomposed, stranger)
		c.must(err)
		_, session, err := c.Sessions.SignedIn(t.Context(), keys.Session)
		c.must(err)
		c.must(c.Sessions.ProveByPassword(t.Context(), user, session, decomposed, stranger))
		_, err = c.Passwords.Confirm(t.Context(), user.ID, account.Evidence{Password: decomposed}, stranger)
		c.must(err)
	})
	t.Run("a hash from before passwords were normalized signs in, and is replaced by one that knows both", func(t *testing.T) {
		c := newClock(t)
		c.must(people.NewUsers(c.store).SetPassword(t.Context(), c.user.ID, "$argon2id$v=19$m=19456,t=2,p=1$AAAAAAAAAAAAAAAAAAAAAA$"+phcKey(decomposed)))
		_, err := c.Sessions.SignIn(t.Context(), email, composed, stranger)
		c.isA(err, fault.Unauthenticated)
		for _, password := range []string{decomposed, composed} {
			_, err := c.Sessions.SignIn(t.Context(), email, password, stranger)
			c.must(err)
		}
	})
}

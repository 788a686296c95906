package account_test

import (
	"fmt"
	"testing"
	"time"

	"parley/core/account"
	"parley/core/fault"
	"parley/core/plan"
	"parley/core/tenant"
	"parley/store/people"
	"parley/store/tenancy"
)

func TestEveryGuessCountsAgainstTheAccount(t *testing.T) {
	t.Parallel()
	const owner = "an account cannot be guessed at by "
	ways := map[string]func(c *clock, n int) error{
		owner + "inviting it again and again": func(c *clock, _ int) error {
			withoutMails := c.withOptions(tenancy.Options{})
			code, err := withoutMails.Invitations.Invite(c.Context(), "ws_trap", "usr_attacker", email, tenant.RoleMember)
			c.must(err)
			_, err = c.Invitations.Join(c.Context(), code, "a wrong guess", stranger)
			return err
		},
		owner + "changing its address": func(c *clock, n int) error {
			return c.Addresses.Change(c.Context(), c.user.ID, account.Evidence{Password: "a wrong guess"}, fmt.Sprintf("new%d@example.com", n), stranger)
		},
		owner + "changing its password": func(c *clock, _ int) error {
			return c.Passwords.Change(c.Context(), c.user.ID, account.Evidence{Password: "a wrong guess"}, "another horse battery", stranger)
		},
		owner + "signing in": func(c *clock, _ int) error {
			_, err := c.Sessions.SignIn(c.Context(), email, "a wrong guess", stranger)
			return err
		},
	}
	for name, guess := range ways {
		t.Run(name, func(t *testing.T) {
			c := newClock(t)
			attacker := account.User{ID: "usr_attacker", Email: "attacker@example.com", PasswordHash: "none", CreatedAt: c.now}
			c.must(people.NewUsers(c.store).CreateUser(t.Context(), attacker))
			c.must(people.NewWorkspaces(c.store).CreateWorkspace(t.Context(), tenant.Workspace{ID: "ws_trap", Name: "Trap", Plan: plan.Standard, CreatedAt: c.now}))
			c.must(c.Members.Add(t.Context(), "ws_trap", attacker, tenant.RoleOwner))
			for n := range 10 {
				if err := guess(c, n); !fault.Is(err, fault.Invalid) && !fault.Is(err, fault.Unauthenticated) {
					t.Fatalf("guess %d: %v", n+1, err)
				}
			}
			c.isA(guess(c, 10), fault.RateLimited)
			for other, again := range ways {
				if !fault.Is(again(c, 11), fault.RateLimited) {
					t.Errorf("after that it accepts guesses: %s", other)
				}
			}
			c.waits(stranger, true)
		})
	}
	t.Run("a correct password on the account page is not counted", func(t *testing.T) {
		c := newClock(t)
		for n := range 11 {
			next := fmt.Sprintf("another horse battery %d", n)
			c.must(c.Passwords.Change(t.Context(), c.user.ID, account.Evidence{Password: current(n)}, next, stranger))
		}
	})
	t.Run("a new password that is too short is reported in its own field, and uses no guess", func(t *testing.T) {
		c := newClock(t)
		for range 11 {
			if err := c.Passwords.Change(t.Context(), c.user.ID, account.Evidence{Password: password}, "short", stranger); fault.As(err).Field != "new_password" {
				t.Fatal(err)
			}
		}
		c.signIn()
	})
}

// current returns the password after n changes.
func current(n int) string {
	if n == 0 {
		return password
	}
	return fmt.Sprintf("another horse battery %d", n-1)
}

func TestThrottledIPv6(t *testing.T) {
	t.Parallel()
	t.Run("the addresses of one /64 guess no more often than one address", func(t *testing.T) {
		c := newClock(t)
		for n := range 10 {
			c.isA(c.guess(1, email, from(fmt.Sprintf("2001:db8:1:2::%x", n+1))), fault.Unauthenticated)
		}
		c.waits(from("2001:db8:1:2:ffff::1"), true)
		c.waits(from("2001:db8:1:3::1"), false)
	})
	t.Run("the networks of one /48 guess at one account fifty times together", func(t *testing.T) {
		c := newClock(t)
		for n := range 50 {
			c.isA(c.guess(1, email, from(fmt.Sprintf("2001:db8:1:%x::1", n))), fault.Unauthenticated)
		}
		c.waits(from("2001:db8:1:ffff::1"), true)
		c.waits(from("2001:db8:2::1"), false)
	})
	t.Run("one /64 does not try a password on more than a hundred accounts", func(t *testing.T) {
		c := newClock(t)
		at := func(n int) account.Client { return from(fmt.Sprintf("2001:db8:1:2::%x", n+1)) }
		for n := range 100 {
			// Codes are also counted by network, and cost no hash.
			_, err := c.Invitations.Join(t.Context(), fmt.Sprintf("code %d", n), password, at(n))
			c.isA(err, fault.Invalid)
		}
		c.waits(at(100), true)
	})
	t.Run("one /64 creates at most twenty accounts, and its /48 a hundred", func(t *testing.T) {
		c := newClock(t)
		made := 0
		signUp := func(address string) error {
			made++
			_, _, err := c.SignUps.Create(t.Context(), account.Account{
				Email: fmt.Sprintf("new%d@example.com", made), Password: password, Workspace: "New", Client: from(address),
			})
			return err
		}
		for network := range 5 {
			for n := range 20 {
				c.must(signUp(fmt.Sprintf("2001:db8:1:%x::%x", network, n+1)))
			}
			c.isA(signUp(fmt.Sprintf("2001:db8:1:%x::ff", network)), fault.RateLimited)
		}
		c.isA(signUp("2001:db8:1:ffff::1"), fault.RateLimited)
		c.must(signUp("2001:db8:2::1"))
	})
	t.Run("an IPv4 address written as IPv6 is the same client", func(t *testing.T) {
		c := newClock(t)
		c.must(ignored(c.guess(10, email, stranger)))
		c.waits(from("::ffff:192.0.2.1"), true)
	})
}

func TestDevices(t *testing.T) {
	t.Parallel()
	// known is a browser on which the owner has signed in, at another address than
	// the strangers'.
	known := func(c *clock) account.Client {
		client := from("2001:db8:9::1")
		client.Device = c.signInFrom(client).Device
		return client
	}
	// besieged has an account at which strangers have guessed until nobody else can
	// try. The guesses are counted without hashing, to save time.
	besieged := func(c *clock) {
		for range 200 {
			_, err := people.NewAttempts(c.store).CountAttempt(c.Context(), hashed("account:"+email), c.now.Add(-time.Minute), c.now)
			c.must(err)
		}
		c.waits(from("198.51.100.1"), true)
	}

	t.Run("strangers cannot lock out an owner who has signed in on the device before", func(t *testing.T) {
		c := newClock(t)
		browser := known(c)
		besieged(c)
		c.waits(browser, false)
		browser.Address = stranger.Address // wherever the device is
		c.waits(browser, false)
	})
	t.Run("a device has ten guesses, which do not count against others", func(t *testing.T) {
		c := newClock(t)
		browser := known(c)
		c.isA(c.guess(10, email, browser), fault.Unauthenticated)
		c.waits(browser, true)
		c.waits(account.Client{Address: browser.Address}, false)
		c.pass(15*time.Minute + time.Second)
		c.waits(browser, false)
	})
	t.Run("a device of one account is a stranger to another", func(t *testing.T) {
		c := newClock(t)
		_, err := c.SignUps.CreateUser(t.Context(), "other@example.com", password)
		c.must(err)
		keys, err := c.Sessions.SignIn(t.Context(), "other@example.com", password, stranger)
		c.must(err)
		other := account.Client{Address: stranger.Address, Device: keys.Device}
		c.isA(c.guess(10, email, other), fault.Unauthenticated)
		c.waits(stranger, true)
	})
	t.Run("two people who share a browser are both recognized in it", func(t *testing.T) {
		c := newClock(t)
		browser := known(c)
		_, err := c.SignUps.CreateUser(t.Context(), "other@example.com", password)
		c.must(err)
		keys, err := c.Sessions.SignIn(t.Context(), "other@example.com", password, browser)
		c.must(err)
		if keys.Device != browser.Device {
			t.Error("the browser has another secret")
		}
		besieged(c)
		c.waits(browser, false)
	})
	t.Run("a secret that the server did not make is replaced", func(t *testing.T) {
		c := newClock(t)
		planted := account.Client{Address: stranger.Address, Device: "planted"}
		if keys := c.signInFrom(planted); keys.Device == "planted" || len(keys.Device) != 43 {
			t.Errorf("the secret is %q", keys.Device)
		}
		c.isA(c.guess(10, email, planted), fault.Unauthenticated)
		c.waits(stranger, true)
	})
	t.Run("the database does not hold the secret", func(t *testing.T) {
		c := newClock(t)
		browser := known(c)
		besieged(c)
		browser.Device = hashed(browser.Device)
		c.waits(browser, true)
	})
	t.Run("a new password ends the trust", func(t *testing.T) {
		for name, change := range map[string]func(c *clock, browser account.Client) error{
			"on the account page": func(c *clock, browser account.Client) error {
				return c.Passwords.Change(t.Context(), c.user.ID, account.Evidence{Password: password}, password, browser)
			},
			"by the operator": func(c *clock, _ account.Client) error { return c.Passwords.Reset(t.Context(), email, password) },
		} {
			t.Run(name, func(t *testing.T) {
				c := newClock(t)
				browser := known(c)
				c.must(change(c, browser))
				besieged(c)
				c.waits(browser, true)
			})
		}
	})
	t.Run("a device is forgotten half a year after its last sign-in", func(t *testing.T) {
		c := newClock(t)
		browser, old := known(c), known(c)
		c.pass(179 * day)
		c.waits(browser, false)
		c.pass(2 * day)
		c.must(c.DeleteExpired(t.Context()))
		besieged(c)
		c.waits(browser, false)
		c.waits(old, true)
	})
	t.Run("beyond ten devices the oldest is forgotten", func(t *testing.T) {
		c := newClock(t)
		first := known(c)
		c.pass(time.Second)
		second := known(c)
		for range 9 {
			c.pass(time.Second)
			known(c)
		}
		besieged(c)
		c.waits(first, true)
		c.waits(second, false)
	})
}

package account_test

import (
	"fmt"
	"testing"
	"time"

	"parley/core/account"
	"parley/core/fault"
)

func TestThrottle(t *testing.T) {
	t.Parallel()
	t.Run("the eleventh guess from one address waits fifteen minutes, even with the right password", func(t *testing.T) {
		c := newClock(t)
		if err := c.guess(10, email, stranger); !fault.Is(err, fault.Unauthenticated) {
			t.Fatalf("the tenth: %v", err)
		}
		_, err := c.Sessions.SignIn(t.Context(), email, password, stranger)
		if !fault.Is(err, fault.RateLimited) || fault.As(err).RetryAfter <= 0 {
			t.Fatalf("the eleventh: %v", err)
		}
		c.pass(15*time.Minute + time.Second)
		c.signIn()
	})
	t.Run("trying again while waiting does not extend the wait", func(t *testing.T) {
		c := newClock(t)
		if err := c.guess(11, email, stranger); !fault.Is(err, fault.RateLimited) {
			t.Fatal(err)
		}
		c.pass(14 * time.Minute)
		if err := c.guess(1, email, stranger); !fault.Is(err, fault.RateLimited) {
			t.Fatal(err)
		}
		c.pass(time.Minute + time.Second)
		c.signIn()
	})
	t.Run("sign-ins that succeed are not counted", func(t *testing.T) {
		c := newClock(t)
		for range 11 {
			c.signIn()
		}
	})
	t.Run("an unknown account is throttled like a known one", func(t *testing.T) {
		c := newClock(t)
		known, unknown := c.guess(11, email, stranger), c.guess(11, "nobody@example.com", from("192.0.2.2"))
		if !fault.Is(known, fault.RateLimited) || known.Error() != unknown.Error() {
			t.Errorf("known: %v, unknown: %v", known, unknown)
		}
	})
	t.Run("another address may sign in to the same account", func(t *testing.T) {
		c := newClock(t)
		c.must(ignored(c.guess(11, email, from("192.0.2.66"))))
		c.signIn()
	})
	t.Run("one address that makes a hundred guesses is blocked", func(t *testing.T) {
		c := newClock(t)
		for i := range 100 {
			if _, err := c.Invitations.Join(t.Context(), fmt.Sprintf("code %d", i), password, stranger); !fault.Is(err, fault.Invalid) {
				t.Fatal(err)
			}
		}
		if _, err := c.Sessions.SignIn(t.Context(), email, password, stranger); !fault.Is(err, fault.RateLimited) {
			t.Errorf("got %v", err)
		}
		if _, err := c.Sessions.SignIn(t.Context(), email, password, from("192.0.2.2")); err != nil {
			t.Errorf("another address: %v", err)
		}
	})
}

func TestThrottledSignUp(t *testing.T) {
	t.Parallel()
	account := func(n int, password string) account.Account {
		return account.Account{Email: fmt.Sprintf("new%d@example.com", n), Password: password, Workspace: "New", Client: stranger}
	}
	t.Run("one address creates twenty accounts and then waits", func(t *testing.T) {
		c := newClock(t)
		for n := range 20 {
			_, _, err := c.SignUps.Create(t.Context(), account(n, password))
			c.must(err)
		}
		if _, _, err := c.SignUps.Create(t.Context(), account(20, password)); !fault.Is(err, fault.RateLimited) {
			t.Errorf("the next: %v", err)
		}
		elsewhere := account(21, password)
		elsewhere.Client = from("192.0.2.2")
		if _, _, err := c.SignUps.Create(t.Context(), elsewhere); err != nil {
			t.Errorf("another address: %v", err)
		}
	})
	t.Run("an incomplete form is not counted", func(t *testing.T) {
		c := newClock(t)
		for n := range 21 {
			if _, _, err := c.SignUps.Create(t.Context(), account(n, "short")); !fault.Is(err, fault.Invalid) {
				t.Fatal(err)
			}
		}
		_, _, err := c.SignUps.Create(t.Context(), account(0, password))
		c.must(err)
	})
}

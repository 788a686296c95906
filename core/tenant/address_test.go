package tenant_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"parley/core/fault"
	"parley/core/plan"
	"parley/core/tenant"
)

// mailed sends what is due and returns the only mail, and the code in its link.
func (c *clock) mailed() (mail tenant.Mail, code string) {
	c.Helper()
	var mails []tenant.Mail
	_, err := c.SendMails(c.Context(), func(_ context.Context, mail tenant.Mail) error {
		mails = append(mails, mail)
		return nil
	})
	c.must(err)
	if len(mails) != 1 {
		c.Fatalf("there are %d mails: %+v", len(mails), mails)
	}
	_, code, _ = strings.Cut(mails[0].Body, "#")
	code, _, _ = strings.Cut(code, "\n")
	return mails[0], code
}

const newcomer = "new@example.com"

func TestSignUpByMail(t *testing.T) {
	t.Parallel()
	finish := tenant.Account{Password: "a long enough password", Workspace: "New", Client: stranger}
	t.Run("the link that was mailed makes an account, once", func(t *testing.T) {
		c := newClock(t)
		c.must(c.RequestSignUp(t.Context(), " New@Example.com", stranger))
		mail, code := c.mailed()
		if mail.To != newcomer || !strings.Contains(mail.Body, "https://parley.example/sign-up/finish#"+code) || len(code) != 43 {
			t.Errorf("the mail is %+v", mail)
		}
		user, err := c.FinishSignUp(t.Context(), code, finish)
		c.must(err)
		if memberships, err := c.Memberships(t.Context(), user.ID); err != nil || user.Email != newcomer || len(memberships) != 1 || memberships[0].Workspace.Plan != plan.Free {
			t.Errorf("the account is %+v in %+v, %v", user, memberships, err)
		}
		_, err = c.FinishSignUp(t.Context(), code, finish)
		c.isA(err, fault.Invalid)
	})
	t.Run("nobody has an account before the link is followed", func(t *testing.T) {
		c := newClock(t)
		c.must(c.RequestSignUp(t.Context(), newcomer, stranger))
		_, err := c.UserByEmail(t.Context(), newcomer)
		c.isA(err, fault.NotFound)
	})
	t.Run("an address that has an account is told so, and no link makes another", func(t *testing.T) {
		c := newClock(t)
		c.must(c.RequestSignUp(t.Context(), email, stranger))
		mail, code := c.mailed()
		if mail.To != email || mail.Subject != "You already have an account" || code != "" {
			t.Errorf("the mail is %+v", mail)
		}
	})
	t.Run("a link that is a day old makes no account, nor does its late mail go out", func(t *testing.T) {
		c := newClock(t)
		c.must(c.RequestSignUp(t.Context(), newcomer, stranger))
		_, code := c.mailed()
		c.must(c.RequestSignUp(t.Context(), newcomer, stranger))
		c.pass(day)
		_, err := c.FinishSignUp(t.Context(), code, finish)
		c.isA(err, fault.Invalid)
		c.sends()
		c.pass(day)
		c.must(c.DeleteExpired(t.Context()))
		_, err = c.store.AddressCode(t.Context(), hashed(code))
		c.isA(err, fault.NotFound)
	})
	t.Run("nobody fills another's mailbox: an address gets five mails, known or not", func(t *testing.T) {
		c := newClock(t)
		for n, to := range []string{email, newcomer} {
			for i := range 5 {
				c.must(c.RequestSignUp(t.Context(), to, from(fmt.Sprintf("192.0.2.%d", 10*n+i+1))))
			}
			c.isA(c.RequestSignUp(t.Context(), to, from("198.51.100.1")), fault.RateLimited)
		}
	})
	t.Run("the first account needs no mail", func(t *testing.T) {
		c := newClock(t)
		if checks, err := c.ChecksSignUps(t.Context()); err != nil || !checks {
			t.Errorf("a later one: %v, %v", checks, err)
		}
		c.Service = c.withOptions(tenant.Options{})
		if checks, err := c.ChecksSignUps(t.Context()); err != nil || checks {
			t.Errorf("without mails: %v, %v", checks, err)
		}
	})
	t.Run("a mail that was sent keeps no link in the database", func(t *testing.T) {
		c := newClock(t)
		c.must(c.RequestSignUp(t.Context(), newcomer, stranger))
		c.must(c.store.SettleAccountMail(t.Context(), 1, nil, c.in(0)))
		mail, err := c.store.ClaimAccountMail(t.Context(), c.now, c.now)
		if err != nil || mail.Body == "" {
			t.Fatalf("before: %+v, %v", mail, err)
		}
		c.must(c.store.SettleAccountMail(t.Context(), mail.ID, c.in(0), nil))
		c.must(c.store.SettleAccountMail(t.Context(), mail.ID, nil, c.in(0)))
		if mail, err := c.store.ClaimAccountMail(t.Context(), c.now, c.now); err != nil || mail.Body != "" {
			t.Errorf("after: %+v, %v", mail, err)
		}
	})
}

func TestSignUpWithoutMails(t *testing.T) {
	t.Parallel()
	open := func(t *testing.T) *clock {
		c := newClock(t)
		c.Service = c.withOptions(tenant.Options{})
		return c
	}
	account := tenant.Account{Email: email, Password: "a wrong guess", Workspace: "New", Client: stranger}
	t.Run("a known address with a wrong password is a guess, and counted as one", func(t *testing.T) {
		c := open(t)
		for range 10 {
			_, _, err := c.SignUp(t.Context(), account)
			c.isA(err, fault.Unauthenticated)
		}
		_, _, err := c.SignUp(t.Context(), account)
		c.isA(err, fault.RateLimited)
		c.waits(stranger, true)
	})
	t.Run("with its own password it is a sign-in, and makes no workspace", func(t *testing.T) {
		c := open(t)
		right := account
		right.Password = password
		user, _, err := c.SignUp(t.Context(), right)
		memberships, failed := c.Memberships(t.Context(), c.user.ID)
		if err != nil || failed != nil || user.ID != c.user.ID || len(memberships) != 1 {
			t.Errorf("it is %+v in %d workspaces, %v, %v", user, len(memberships), err, failed)
		}
	})
	t.Run("one client finds out twenty addresses in 15 minutes, by whatever way", func(t *testing.T) {
		c := open(t)
		for n := range 20 {
			tried := account
			if n%2 == 0 {
				tried.Email, tried.Password = fmt.Sprintf("new%d@example.com", n), password
			}
			if _, _, err := c.SignUp(t.Context(), tried); err != nil {
				c.isA(err, fault.Unauthenticated)
			}
		}
		_, _, err := c.SignUp(t.Context(), tenant.Account{Email: "next@example.com", Password: password, Workspace: "New", Client: stranger})
		c.isA(err, fault.RateLimited)
		code := c.invite("guest@example.com")
		_, err = c.Join(t.Context(), code, "a long enough password", stranger)
		c.isA(err, fault.RateLimited)
		browser := from("192.0.2.2")
		browser.Device = c.signInFrom(browser).Device
		browser.Address = stranger.Address
		c.isA(c.ChangeEmail(t.Context(), c.user.ID, password, "next@example.com", browser), fault.RateLimited)
	})
}

func TestChangeEmailByMail(t *testing.T) {
	t.Parallel()
	const another = "another@example.com"
	t.Run("the address changes when its owner follows the link; all sessions end and the old address is told", func(t *testing.T) {
		c := newClock(t)
		secret := c.signIn()
		c.must(c.ChangeEmail(t.Context(), c.user.ID, password, another, stranger))
		mail, code := c.mailed()
		if mail.To != another || mail.Subject != "Confirm your new e-mail address" {
			t.Errorf("the mail is %+v", mail)
		}
		c.isSignedIn(secret, true) // with the old address
		user, err := c.ConfirmEmail(t.Context(), code, stranger)
		c.must(err)
		c.isSignedIn(secret, false)
		if user.ID != c.user.ID {
			t.Errorf("it is %+v", user)
		}
		told, _ := c.mailed()
		if told.To != email || !strings.Contains(told.Body, another) {
			t.Errorf("the old address is told %+v", told)
		}
		_, err = c.SignIn(t.Context(), another, password, stranger)
		c.must(err)
		_, err = c.ConfirmEmail(t.Context(), code, stranger)
		c.isA(err, fault.Invalid)
	})
	t.Run("whether another account has the address is told to its owner only", func(t *testing.T) {
		c := newClock(t)
		c.must(c.store.CreateUser(t.Context(), tenant.User{ID: "usr_other", Email: another, PasswordHash: "none", CreatedAt: c.now}))
		c.must(c.ChangeEmail(t.Context(), c.user.ID, password, another, stranger))
		if mail, code := c.mailed(); mail.To != another || code != "" {
			t.Errorf("the mail is %+v", mail)
		}
		c.signIn()
	})
	t.Run("another password ends a change that was asked for with the old one", func(t *testing.T) {
		c := newClock(t)
		c.must(c.ChangeEmail(t.Context(), c.user.ID, password, another, stranger))
		_, code := c.mailed()
		c.must(c.ResetPassword(t.Context(), email, "another horse battery"))
		_, err := c.ConfirmEmail(t.Context(), code, stranger)
		c.isA(err, fault.Invalid)
	})
	t.Run("a link of one kind does nothing of the other", func(t *testing.T) {
		c := newClock(t)
		c.must(c.ChangeEmail(t.Context(), c.user.ID, password, another, stranger))
		_, code := c.mailed()
		_, err := c.FinishSignUp(t.Context(), code, tenant.Account{Password: password, Workspace: "New", Client: stranger})
		c.isA(err, fault.Invalid)
		c.must(c.RequestSignUp(t.Context(), newcomer, stranger))
		_, code = c.mailed()
		_, err = c.ConfirmEmail(t.Context(), code, stranger)
		c.isA(err, fault.Invalid)
	})
}

func TestInvitationByMail(t *testing.T) {
	t.Parallel()
	c := newClock(t)
	code := c.invite("guest@example.com")
	mail, mailed := c.mailed()
	if mail.To != "guest@example.com" || mailed != code || !strings.Contains(mail.Body, "owner@example.com invites you to the workspace Shop.") {
		t.Errorf("the mail is %+v", mail)
	}
	c.Service = c.withOptions(tenant.Options{})
	c.invite("other@example.com")
	c.Service = c.withOptions(tenant.Options{Mails: true})
	c.sends()
}

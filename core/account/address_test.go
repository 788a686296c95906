package account_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"parley/core/account"
	"parley/core/fault"
	"parley/core/outbox"
	"parley/core/plan"
	"parley/core/tenant"
	"parley/store/outbound"
	"parley/store/people"
	"parley/store/tenancy"
	"parley/store/tenancytest"
)

// mailed sends due mails and returns the only mail, and the code in its link.
func (c *clock) mailed() (mail outbox.Mail, code string) {
	c.Helper()
	return tenancytest.Mailed(c.T, c.Services)
}

const newcomer = "new@example.com"

func TestSignUpByMail(t *testing.T) {
	t.Parallel()
	finish := account.Account{Password: "a long enough password", Workspace: "New", Client: stranger}
	t.Run("the mailed link creates one account", func(t *testing.T) {
		c := newClock(t)
		c.must(c.SignUps.Request(t.Context(), " New@Example.com", stranger))
		mail, code := c.mailed()
		if mail.To != newcomer || !strings.Contains(mail.Body, "https://parley.example/sign-up/finish#"+code) || len(code) != 43 {
			t.Errorf("the mail is %+v", mail)
		}
		user, err := c.SignUps.Finish(t.Context(), code, finish)
		c.must(err)
		if memberships, err := c.People.Memberships(t.Context(), user.ID); err != nil || user.Email != newcomer || len(memberships) != 1 || memberships[0].Workspace.Plan != plan.Free {
			t.Errorf("the account is %+v in %+v, %v", user, memberships, err)
		}
		_, err = c.SignUps.Finish(t.Context(), code, finish)
		c.isA(err, fault.Invalid)
	})
	t.Run("there is no account before somebody follows the link", func(t *testing.T) {
		c := newClock(t)
		c.must(c.SignUps.Request(t.Context(), newcomer, stranger))
		_, err := c.Users.ByEmail(t.Context(), newcomer)
		c.isA(err, fault.NotFound)
	})
	t.Run("an address that has an account learns so, and no link creates another", func(t *testing.T) {
		c := newClock(t)
		c.must(c.SignUps.Request(t.Context(), email, stranger))
		mail, code := c.mailed()
		if mail.To != email || mail.Subject != "You already have an account" || code != "" {
			t.Errorf("the mail is %+v", mail)
		}
	})
	t.Run("a link that is a day old creates no account, and its late mail is not sent", func(t *testing.T) {
		c := newClock(t)
		c.must(c.SignUps.Request(t.Context(), newcomer, stranger))
		_, code := c.mailed()
		c.must(c.SignUps.Request(t.Context(), newcomer, stranger))
		c.pass(day)
		_, err := c.SignUps.Finish(t.Context(), code, finish)
		c.isA(err, fault.Invalid)
		c.sends()
		c.pass(day)
		c.must(c.DeleteExpired(t.Context()))
		_, err = people.NewAddressCodes(c.store).AddressCode(t.Context(), hashed(code))
		c.isA(err, fault.NotFound)
	})
	t.Run("an address gets at most five mails, known or not, so that nobody can flood a mailbox", func(t *testing.T) {
		c := newClock(t)
		for n, to := range []string{email, newcomer} {
			for i := range 5 {
				c.must(c.SignUps.Request(t.Context(), to, from(fmt.Sprintf("192.0.2.%d", 10*n+i+1))))
			}
			c.isA(c.SignUps.Request(t.Context(), to, from("198.51.100.1")), fault.RateLimited)
		}
	})
	t.Run("the names that a mailbox has behind a plus are one address", func(t *testing.T) {
		c := newClock(t)
		for i := range 5 {
			c.must(c.SignUps.Request(t.Context(), fmt.Sprintf("new+%d@example.com", i), from(fmt.Sprintf("192.0.2.%d", i+1))))
		}
		c.isA(c.SignUps.Request(t.Context(), "new+more@example.com", from("198.51.100.1")), fault.RateLimited)
	})
	t.Run("the first account needs no mail", func(t *testing.T) {
		c := newClock(t)
		if checks, err := c.SignUps.NeedsMail(t.Context()); err != nil || !checks {
			t.Errorf("a later one: %v, %v", checks, err)
		}
		c.Services = c.withOptions(tenancy.Options{})
		if checks, err := c.SignUps.NeedsMail(t.Context()); err != nil || checks {
			t.Errorf("without mails: %v, %v", checks, err)
		}
	})
	t.Run("after a mail is sent, the database no longer has its link", func(t *testing.T) {
		c := newClock(t)
		c.must(c.SignUps.Request(t.Context(), newcomer, stranger))
		c.must(outbound.NewMails(c.store).SettleAccountMail(t.Context(), 1, nil, c.in(0)))
		mail, err := outbound.NewMails(c.store).ClaimAccountMail(t.Context(), c.now, c.now)
		if err != nil || mail.Body == "" || mail.HTML == "" {
			t.Fatalf("before: %+v, %v", mail, err)
		}
		c.must(outbound.NewMails(c.store).SettleAccountMail(t.Context(), mail.ID, c.in(0), nil))
		c.must(outbound.NewMails(c.store).SettleAccountMail(t.Context(), mail.ID, nil, c.in(0)))
		if mail, err := outbound.NewMails(c.store).ClaimAccountMail(t.Context(), c.now, c.now); err != nil || mail.Body != "" || mail.HTML != "" {
			t.Errorf("after: %+v, %v", mail, err)
		}
	})
}

func TestSignUpWithoutMails(t *testing.T) {
	t.Parallel()
	open := func(t *testing.T) *clock {
		c := newClock(t)
		c.Services = c.withOptions(tenancy.Options{})
		return c
	}
	typed := account.Account{Email: email, Password: "a wrong guess", Workspace: "New", Client: stranger}
	t.Run("a known address with a wrong password is a guess, and counted as one", func(t *testing.T) {
		c := open(t)
		for range 10 {
			_, _, err := c.SignUps.Create(t.Context(), typed)
			c.isA(err, fault.Unauthenticated)
		}
		_, _, err := c.SignUps.Create(t.Context(), typed)
		c.isA(err, fault.RateLimited)
		c.waits(stranger, true)
	})
	t.Run("with the right password it is a sign-in, and creates no workspace", func(t *testing.T) {
		c := open(t)
		right := typed
		right.Password = password
		user, _, err := c.SignUps.Create(t.Context(), right)
		memberships, failed := c.People.Memberships(t.Context(), c.user.ID)
		if err != nil || failed != nil || user.ID != c.user.ID || len(memberships) != 1 {
			t.Errorf("it is %+v in %d workspaces, %v, %v", user, len(memberships), err, failed)
		}
	})
	t.Run("one client can learn of at most twenty addresses in 15 minutes, by any route", func(t *testing.T) {
		c := open(t)
		for n := range 20 {
			tried := typed
			if n%2 == 0 {
				tried.Email, tried.Password = fmt.Sprintf("new%d@example.com", n), password
			}
			if _, _, err := c.SignUps.Create(t.Context(), tried); err != nil {
				c.isA(err, fault.Unauthenticated)
			}
		}
		_, _, err := c.SignUps.Create(t.Context(), account.Account{Email: "next@example.com", Password: password, Workspace: "New", Client: stranger})
		c.isA(err, fault.RateLimited)
		code := c.invite("guest@example.com")
		_, err = c.Invitations.Join(t.Context(), code, "a long enough password", stranger)
		c.isA(err, fault.RateLimited)
		browser := from("192.0.2.2")
		browser.Device = c.signInFrom(browser).Device
		browser.Address = stranger.Address
		c.isA(c.Addresses.Change(t.Context(), c.user.ID, account.Evidence{Password: password}, "next@example.com", browser), fault.RateLimited)
	})
}

func TestChangeEmailByMail(t *testing.T) {
	t.Parallel()
	const another = "another@example.com"
	t.Run("the address changes when its owner follows the link; all sessions end and the old address is notified", func(t *testing.T) {
		c := newClock(t)
		secret := c.signIn()
		c.must(c.Addresses.Change(t.Context(), c.user.ID, account.Evidence{Password: password}, another, stranger))
		mail, code := c.mailed()
		if mail.To != another || mail.Subject != "Confirm your new e-mail address" {
			t.Errorf("the mail is %+v", mail)
		}
		c.isSignedIn(secret, true) // with the old address
		user, changed, err := c.Addresses.ConfirmEmail(t.Context(), code, stranger)
		c.must(err)
		c.isSignedIn(secret, false)
		if user.ID != c.user.ID || !changed {
			t.Errorf("it is %+v", user)
		}
		told, _ := c.mailed()
		if told.To != email || !strings.Contains(told.Body, another) {
			t.Errorf("the old address gets %+v", told)
		}
		_, err = c.Sessions.SignIn(t.Context(), another, password, stranger)
		c.must(err)
		_, _, err = c.Addresses.ConfirmEmail(t.Context(), code, stranger)
		c.isA(err, fault.Invalid)
	})
	t.Run("only its owner learns whether another account has the address", func(t *testing.T) {
		c := newClock(t)
		c.must(people.NewUsers(c.store).CreateUser(t.Context(), account.User{ID: "usr_other", Email: another, PasswordHash: "none", CreatedAt: c.now}))
		c.must(c.Addresses.Change(t.Context(), c.user.ID, account.Evidence{Password: password}, another, stranger))
		if mail, code := c.mailed(); mail.To != another || code != "" {
			t.Errorf("the mail is %+v", mail)
		}
		c.signIn()
	})
	t.Run("a new password voids a change that was requested with the old one", func(t *testing.T) {
		c := newClock(t)
		c.must(c.Addresses.Change(t.Context(), c.user.ID, account.Evidence{Password: password}, another, stranger))
		_, code := c.mailed()
		c.must(c.Passwords.Reset(t.Context(), email, "another horse battery"))
		_, _, err := c.Addresses.ConfirmEmail(t.Context(), code, stranger)
		c.isA(err, fault.Invalid)
	})
	t.Run("a link of one kind does not work for another", func(t *testing.T) {
		c := newClock(t)
		c.must(c.Addresses.Change(t.Context(), c.user.ID, account.Evidence{Password: password}, another, stranger))
		_, code := c.mailed()
		_, err := c.SignUps.Finish(t.Context(), code, account.Account{Password: password, Workspace: "New", Client: stranger})
		c.isA(err, fault.Invalid)
		c.must(c.SignUps.Request(t.Context(), newcomer, stranger))
		_, code = c.mailed()
		_, _, err = c.Addresses.ConfirmEmail(t.Context(), code, stranger)
		c.isA(err, fault.Invalid)
	})
}

// in returns a time from now.
func (c *clock) in(d time.Duration) *time.Time {
	at := c.now.Add(d)
	return &at
}

func (c *clock) invite(email string) string {
	c.Helper()
	code, err := c.Invitations.Invite(c.Context(), c.space.ID, c.user.ID, email, tenant.RoleMember)
	c.must(err)
	return code
}

// sends checks which mails are sent now, as "address: subject".
func (c *clock) sends(want ...string) []outbox.Mail {
	c.Helper()
	return tenancytest.Sends(c.T, c.Services, want...)
}

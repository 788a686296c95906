package account_test

import (
	"strings"
	"testing"
	"time"

	"parley/core/account"
	"parley/core/audit"
	"parley/core/fault"
	"parley/core/tenant"
	"parley/store/tenancy"
)

// signUp creates an account as a visitor of the page does, and returns a session.
func (c *clock) signUp(email string) (account.User, string) {
	c.Helper()
	user, _, err := c.SignUps.Create(c.Context(), account.Account{Email: email, Password: password, Workspace: "New", Client: stranger})
	c.must(err)
	keys, err := c.Sessions.SignIn(c.Context(), email, password, stranger)
	c.must(err)
	return user, keys.Session
}

// reachesOthers checks whether a person may do what reaches others in their workspace.
func (c *clock) reachesOthers(session string, want bool) {
	c.Helper()
	person, err := c.People.Person(c.Context(), session)
	c.must(err)
	if person.User.EmailConfirmed() != want {
		c.Errorf("the address is confirmed: %v", !want)
	}
	for _, action := range []tenant.Action{tenant.Invite, tenant.CreateTokens, tenant.TakePlan} {
		err := person.Memberships[0].May(action)
		if want && err != nil {
			c.Errorf("action %d is refused: %v", action, err)
		}
		if !want && (!fault.Is(err, fault.Forbidden) || fault.As(err).Code() != fault.EmailUnconfirmed) {
			c.Errorf("action %d gives %v", action, err)
		}
	}
	for _, action := range []tenant.Action{tenant.Read, tenant.Try, tenant.EditKnowledge, tenant.ManageChatbots, tenant.ManageTokens, tenant.ManageMembers, tenant.ChangePlan, tenant.Pay} {
		if err := person.Memberships[0].May(action); err != nil {
			c.Errorf("action %d is refused: %v", action, err)
		}
	}
}

func TestConfirmEmail(t *testing.T) {
	t.Parallel()
	t.Run("without mails, the link that the operator sees confirms the address, once", func(t *testing.T) {
		c := newClockWithoutMail(t)
		user, session := c.signUp(newcomer)
		c.reachesOthers(session, false)
		code := c.seen(newcomer)
		confirmed, changed, err := c.Addresses.ConfirmEmail(t.Context(), code, stranger)
		if err != nil || changed || confirmed.ID != user.ID {
			t.Errorf("got %+v, %v, %v", confirmed, changed, err)
		}
		c.reachesOthers(session, true) // and no session has ended
		_, _, err = c.Addresses.ConfirmEmail(t.Context(), code, stranger)
		c.isA(err, fault.Invalid)
		c.wantLast(audit.EmailConfirmed, audit.Person(user.ID, newcomer))
	})
	t.Run("the operator confirms an address by a command, as often as they like", func(t *testing.T) {
		c := newClockWithoutMail(t)
		_, session := c.signUp(newcomer)
		for range 2 {
			c.must(c.Addresses.Vouch(audit.As(t.Context(), audit.Operator), " New@example.com"))
		}
		c.reachesOthers(session, true)
		c.wantLast(audit.EmailConfirmed, audit.Operator)
		c.isA(c.Addresses.Vouch(t.Context(), "nobody@example.com"), fault.NotFound)
	})
	t.Run("an account that the operator creates is confirmed, and gets no link", func(t *testing.T) {
		c := newClockWithoutMail(t)
		created, err := c.SignUps.CreateUser(t.Context(), newcomer, password)
		c.must(err)
		owner, _, err := c.SignUps.Create(t.Context(), account.Account{Email: "more@example.com", Password: password, Workspace: "More"})
		if err != nil || !created.EmailConfirmed() || !owner.EmailConfirmed() || len(c.printed) > 0 {
			t.Errorf("got %+v and %+v, %v, with links %q", created, owner, err, c.printed)
		}
	})
	t.Run("with mails, an account that was created without one gets its link by mail, and another when it asks", func(t *testing.T) {
		c := newClock(t)
		user, session := c.signUp(newcomer) // as the first account is
		mail, _ := c.mailed()
		if mail.To != newcomer || mail.Subject != "Confirm your e-mail address" {
			t.Errorf("the mail is %+v", mail)
		}
		c.must(c.Addresses.SendAgain(t.Context(), user, stranger))
		_, code := c.mailed()
		_, _, err := c.Addresses.ConfirmEmail(t.Context(), code, stranger)
		c.must(err)
		c.reachesOthers(session, true)
		user, err = c.Users.Get(t.Context(), user.ID)
		c.must(err)
		c.must(c.Addresses.SendAgain(t.Context(), user, stranger))
		c.sends()
	})
	t.Run("links are sent again five times in 15 minutes", func(t *testing.T) {
		c := newClock(t)
		user, _ := c.signUp(newcomer)
		for range 5 {
			c.must(c.Addresses.SendAgain(t.Context(), user, stranger))
		}
		c.isA(c.Addresses.SendAgain(t.Context(), user, stranger), fault.RateLimited)
	})
	t.Run("an address that nobody has confirmed is told five things in 15 minutes", func(t *testing.T) {
		c := newClock(t)
		user, _ := c.signUp(newcomer)
		c.pass(time.Hour) // after it, a sign-in in a new browser is told
		c.mailed()
		for n := range 4 {
			_, err := c.Sessions.SignIn(t.Context(), newcomer, current(n), stranger)
			c.must(err)
			c.must(c.Passwords.Change(t.Context(), user.ID, account.Evidence{Password: current(n)}, current(n+1), stranger))
		}
		var told []string
		for range 3 {
			told = append(told, newcomer+": New sign-in to your account", newcomer+": Your password was changed")
		}
		c.sends(told[:5]...)
	})
	t.Run("an account that begins with a mail is confirmed", func(t *testing.T) {
		c := newClock(t)
		c.must(c.SignUps.Request(t.Context(), newcomer, stranger))
		_, code := c.mailed()
		user, err := c.SignUps.Finish(t.Context(), code, account.Account{Password: password, Workspace: "New", Client: stranger})
		if err != nil || !user.EmailConfirmed() {
			t.Errorf("got %+v, %v", user, err)
		}
	})
	t.Run("a link of the old address does not bring it back after a change", func(t *testing.T) {
		c := newClockWithoutMail(t)
		user, _ := c.signUp(newcomer)
		old := c.seen(newcomer)
		c.must(c.Addresses.Change(t.Context(), user.ID, account.Evidence{Password: password}, "later@example.com", stranger))
		c.must(c.follow("later@example.com"))
		_, _, err := c.Addresses.ConfirmEmail(t.Context(), old, stranger)
		c.isA(err, fault.Invalid)
	})
	t.Run("a mailed invitation confirms the address of a new account and of an old one", func(t *testing.T) {
		c := newClock(t)
		for _, guest := range []string{"guest@example.com", newcomer} {
			if guest == newcomer {
				c.signUp(newcomer)
			}
			code := c.invite(guest)
			_, err := c.Invitations.Join(t.Context(), code, password, stranger)
			c.must(err)
			if user, err := c.Users.ByEmail(t.Context(), guest); err != nil || !user.EmailConfirmed() {
				t.Errorf("%s is %+v, %v", guest, user, err)
			}
		}
	})
	t.Run("without mails an invitation confirms nothing: the inviter has seen the link", func(t *testing.T) {
		c := newClockWithoutMail(t)
		_, err := c.Invitations.Join(t.Context(), c.invite("guest@example.com"), password, stranger)
		c.must(err)
		if user, err := c.Users.ByEmail(t.Context(), "guest@example.com"); err != nil || user.EmailConfirmed() {
			t.Errorf("the guest is %+v, %v", user, err)
		}
	})
}

// wantLast checks the last entry of the log that concerns no workspace.
func (c *clock) wantLast(action audit.Action, actor audit.Actor) {
	c.Helper()
	for entry, err := range c.Audit.AuditLog(c.Context(), "", c.now.Add(-day)) {
		c.must(err)
		if entry.Action == action && entry.Actor == actor {
			return
		}
	}
	c.Errorf("the log does not have %s by %v", action, actor)
}

func TestAddressesWithoutMailsAnswerTheSame(t *testing.T) {
	t.Parallel()
	c := newClockWithoutMail(t)
	c.signUp(newcomer)
	for _, wanted := range []string{newcomer, "unknown@example.com"} {
		c.must(c.Addresses.Change(t.Context(), c.user.ID, account.Evidence{Password: password}, wanted, stranger))
		if code := c.seen(wanted); len(code) != 43 {
			t.Errorf("%s gets the code %q", wanted, code)
		}
	}
	if all := strings.Join(c.printed, " "); strings.Contains(all, password) {
		t.Error("the links have the password")
	}
	quiet := c.withOptions(tenancy.Options{}) // nobody prints
	c.must(quiet.Addresses.Change(t.Context(), c.user.ID, account.Evidence{Password: password}, "third@example.com", stranger))
}

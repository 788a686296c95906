package factor_test

import (
	"bytes"
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	"parley/core/account"
	"parley/core/account/factor"
	"parley/core/audit"
	"parley/core/fault"
	"parley/core/outbox"
	"parley/store/people"
	"parley/store/tenancytest"
)

func TestChangesOfSecondFactors(t *testing.T) {
	t.Parallel()
	t.Run("an app is set up once, and another one only after it was removed", func(t *testing.T) {
		d := newDesk(t)
		d.setUp()
		d.isA(d.Factors.Apps.Begin(t.Context(), d.user), fault.Conflict)
		d.must(d.Factors.Apps.Remove(t.Context(), d.user))
		d.must(d.Factors.Apps.Begin(t.Context(), d.user))
	})
	t.Run("a wrong first code sets nothing up", func(t *testing.T) {
		d := newDesk(t)
		session := d.session(d.signIn(stranger).Session)
		d.must(d.Factors.Apps.Begin(t.Context(), d.user))
		_, err := d.Factors.Apps.Confirm(t.Context(), d.user, session, "000000")
		d.isA(err, fault.Invalid)
		if set, err := d.Factors.Of(t.Context(), d.user.ID); err != nil || set.Any() {
			t.Errorf("set up %+v, %v", set, err)
		}
	})
	t.Run("the secret is in the database only sealed", func(t *testing.T) {
		d := newDesk(t)
		secret, _ := d.setUp()
		app, err := d.apps().App(t.Context(), d.user.ID)
		if err != nil || len(app.Sealed) == 0 || bytes.Contains(app.Sealed, []byte(secret)) {
			t.Errorf("kept as %q, %v", app.Sealed, err)
		}
	})
	t.Run("removing the last one ends recovery codes, and no session has shown a second factor any more", func(t *testing.T) {
		d := newDesk(t)
		secret, _ := d.setUp()
		keys, err := d.enter(d.signIn(stranger).Step, d.code(secret))
		d.must(err)
		d.must(d.Factors.Apps.Remove(t.Context(), d.user))
		if set, err := d.Factors.Of(t.Context(), d.user.ID); err != nil || set.RecoveryCodes != 0 {
			t.Errorf("%d codes are left, %v", set.RecoveryCodes, err)
		}
		if d.session(keys.Session).SecondFactor {
			t.Error("the session still counts as one with a second factor")
		}
	})
	t.Run("setting up and removing are mailed and recorded", func(t *testing.T) {
		d := newDesk(t)
		d.setUp()
		d.must(d.Factors.Apps.Remove(t.Context(), d.user))
		got := d.mails()
		if !slices.Contains(got, "A second factor was added") || !slices.Contains(got, "A second factor was removed") {
			t.Errorf("the mails are %q", got)
		}
		if d.recorded(audit.SecondFactorAdded) != 1 || d.recorded(audit.SecondFactorRemoved) != 1 || d.recorded(audit.RecoveryCodesCreated) != 1 {
			t.Error("the audit log lacks an entry")
		}
	})
	t.Run("the operator takes everything away, ends all sessions, and the person is told", func(t *testing.T) {
		d := newDesk(t)
		secret, _ := d.setUp()
		keys, err := d.enter(d.signIn(stranger).Step, d.code(secret))
		d.must(err)
		d.mails()
		_, err = d.Factors.Resets.Reset(t.Context(), tenancytest.Email)
		d.must(err)
		if _, _, err := d.Sessions.SignedIn(t.Context(), keys.Session); !fault.Is(err, fault.Unauthenticated) {
			t.Errorf("the session works still: %v", err)
		}
		if keys := d.signIn(stranger); keys.Session == "" {
			t.Error("the password alone does not sign in")
		}
		if got := d.mails(); !slices.Contains(got, "Your second factor was removed") || d.recorded(audit.SecondFactorReset) != 1 {
			t.Errorf("the mails are %q", got)
		}
		_, err = d.Factors.Resets.Reset(t.Context(), tenancytest.Email)
		d.isA(err, fault.Conflict)
	})
}

// resets chooses another password by a mailed link.
func (d *desk) resets(email string) {
	d.Helper()
	d.must(d.Resets.Request(d.Context(), email, stranger))
	code := ""
	_, err := d.Mails.Send(d.Context(), func(_ context.Context, mail outbox.Mail) error {
		if _, rest, found := strings.Cut(mail.Body, "/reset-password#"); found {
			code = strings.Fields(rest)[0]
		}
		return nil
	})
	d.must(err)
	_, err = d.Resets.Finish(d.Context(), code, "another horse battery", stranger)
	d.must(err)
}

func TestSecondFactorsAfterAForgottenPassword(t *testing.T) {
	t.Parallel()
	t.Run("they stay if the address was confirmed before", func(t *testing.T) {
		d := newDesk(t)
		d.setUp()
		d.resets(tenancytest.Email)
		if set, err := d.Factors.Of(t.Context(), d.user.ID); err != nil || !set.App || set.RecoveryCodes == 0 {
			t.Errorf("there is %+v, %v", set, err)
		}
	})
	t.Run("they are gone if nobody had confirmed it, since somebody else may have signed up with it", func(t *testing.T) {
		d := newDesk(t)
		const address = "victim@example.com"
		_, _, err := d.SignUps.Create(t.Context(), account.Account{Email: address, Password: tenancytest.Password, Workspace: "Trap", Client: stranger})
		d.must(err)
		user, err := d.Users.ByEmail(t.Context(), address)
		d.must(err)
		d.user = user
		keys, err := d.Sessions.SignIn(t.Context(), address, tenancytest.Password, stranger)
		d.must(err)
		d.must(d.Factors.Apps.Begin(t.Context(), user))
		pending, err := d.Factors.Apps.Pending(t.Context(), user)
		d.must(err)
		_, err = d.Factors.Apps.Confirm(t.Context(), user, d.session(keys.Session), d.code(pending.Secret))
		d.must(err)
		d.must(people.NewPasskeys(d.store).AddPasskey(t.Context(), factor.Passkey{
			ID: "pk_trap", UserID: user.ID, CredentialID: "dHJhcA", Credential: "{}", Name: "Trap", CreatedAt: d.now,
		}))
		d.resets(address)
		if set, err := d.Factors.Of(t.Context(), user.ID); err != nil || set.Any() || set.RecoveryCodes != 0 {
			t.Errorf("there is %+v, %v", set, err)
		}
		if d.recorded(audit.SecondFactorReset) != 1 {
			t.Error("it is not recorded")
		}
	})
}

func TestShowingAgainWhoOneIs(t *testing.T) {
	t.Parallel()
	stale := func(d *desk) (account.Session, string) {
		secret := d.signIn(stranger).Session
		d.now = d.now.Add(account.ProofLifetime)
		return d.session(secret), secret
	}
	t.Run("a session counts as proved for fifteen minutes", func(t *testing.T) {
		d := newDesk(t)
		secret := d.signIn(stranger).Session
		d.now = d.now.Add(account.ProofLifetime - time.Second)
		d.must(d.session(secret).CheckProof())
		d.now = d.now.Add(time.Second)
		if err := d.session(secret).CheckProof(); fault.As(err).Code() != fault.ReauthenticationRequired {
			t.Errorf("got %v", err)
		}
	})
	t.Run("the password proves it again, a wrong one does not", func(t *testing.T) {
		d := newDesk(t)
		session, secret := stale(d)
		d.isA(d.Sessions.ProveByPassword(t.Context(), d.user, session, "a wrong guess", stranger), fault.Invalid)
		if d.session(secret).CheckProof() == nil {
			t.Error("a wrong password proved it")
		}
		d.must(d.Sessions.ProveByPassword(t.Context(), d.user, session, tenancytest.Password, stranger))
		d.must(d.session(secret).CheckProof())
		if d.recorded(audit.SignInConfirmed) != 1 {
			t.Error("it is not recorded")
		}
	})
	t.Run("a code proves it again, and shows a second factor", func(t *testing.T) {
		d := newDesk(t)
		session, secret := stale(d)
		key, _ := d.setUp()
		d.isA(d.Factors.Proofs.ProveByCode(t.Context(), d.user, session, factor.Code{Text: "000000"}, stranger), fault.Invalid)
		d.must(d.Factors.Proofs.ProveByCode(t.Context(), d.user, session, factor.Code{Text: d.code(key)}, stranger))
		if got := d.session(secret); got.CheckProof() != nil || !got.SecondFactor {
			t.Errorf("the session is %+v", got)
		}
	})
}

func TestWorkspacesThatDemandASecondFactor(t *testing.T) {
	t.Parallel()
	t.Run("an owner without one cannot demand it, and members without one see nothing", func(t *testing.T) {
		d := newDesk(t)
		plain := d.signIn(stranger).Session
		person, err := d.People.Person(t.Context(), plain)
		d.must(err)
		d.isA(d.Workspaces.RequireSecondFactor(t.Context(), d.space, person, true), fault.Conflict)
		secret, _ := d.setUp()
		keys, err := d.enter(d.signIn(stranger).Step, d.code(secret))
		d.must(err)
		owner, err := d.People.Person(t.Context(), keys.Session)
		d.must(err)
		d.must(d.Workspaces.RequireSecondFactor(t.Context(), d.space, owner, true))
		owner, err = d.People.Person(t.Context(), keys.Session)
		d.must(err)
		if _, err := owner.In(d.space); err != nil {
			t.Errorf("a session with a second factor is refused: %v", err)
		}
		person, err = d.People.Person(t.Context(), plain)
		d.must(err)
		if _, err := person.In(d.space); fault.As(err).Code() != fault.SecondFactorRequired {
			t.Errorf("a session without one gets %v", err)
		}
		if d.recorded(audit.WorkspaceSecured) != 1 {
			t.Error("it is not recorded")
		}
	})
}

func TestNewBrowsersAreMailed(t *testing.T) {
	d := newDesk(t)
	keys := d.signIn(stranger)
	if got := d.mails(); !slices.Contains(got, "New sign-in to your account") {
		t.Errorf("the mails are %q", got)
	}
	known := stranger
	known.Device = keys.Device
	d.signIn(known)
	if got := d.mails(); len(got) != 0 {
		t.Errorf("a known browser causes %q", got)
	}
}

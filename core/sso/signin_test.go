package sso_test

import (
	"strings"
	"testing"

	"parley/core/audit"
	"parley/core/fault"
	"parley/core/plan"
	"parley/core/sso"
	"parley/core/tenant"
	"parley/oidc/oidctest"
	"parley/store/people"
)

func TestInstallationProvider(t *testing.T) {
	t.Run("the first sign-in creates an account with a confirmed address, the next finds it", func(t *testing.T) {
		r := newRig(t, nil)
		first, err := r.byInstallation()
		if err != nil || first.User.Email != "ada@example.com" || first.User.EmailConfirmedAt == nil || first.Next != "/next" || first.WorkspaceID != "" {
			t.Fatalf("got %+v: %v", first, err)
		}
		again, err := r.byInstallation()
		if err != nil || again.User.ID != first.User.ID {
			t.Errorf("got %+v: %v", again, err)
		}
		if n := r.recorded("", audit.IdentityLinked); n != 1 {
			t.Errorf("%d links were recorded", n)
		}
		_, err = r.Sessions.SignIn(t.Context(), "ada@example.com", "", client)
		r.isA(err, fault.Unauthenticated)
	})
	t.Run("an account whose address was confirmed here is linked, any other is not", func(t *testing.T) {
		r := newRig(t, nil)
		user := r.person("ada", false)
		_, err := r.byInstallation()
		r.isA(err, fault.Forbidden)
		r = newRig(t, nil)
		user = r.person("ada", true)
		arrival, err := r.byInstallation()
		if err != nil || arrival.User.ID != user.ID {
			t.Errorf("got %+v: %v", arrival, err)
		}
	})
	t.Run("an address that the provider has not verified signs nobody in", func(t *testing.T) {
		r := newRig(t, nil)
		r.person("ada", true)
		for _, value := range []any{false, nil, "no"} {
			r.provider.Lie(oidctest.Lies{Claims: map[string]any{"email_verified": value}})
			_, err := r.byInstallation()
			r.isA(err, fault.Forbidden)
		}
		if r.recorded("", audit.SSOFailed) == 0 {
			t.Error("no failure was recorded")
		}
	})
	t.Run("another subject with the address of a linked account does not get the account", func(t *testing.T) {
		r := newRig(t, nil)
		first, err := r.byInstallation()
		r.must(err)
		r.provider.SignIn("subject-2", "ada@example.com")
		_, err = r.byInstallation()
		r.isA(err, fault.Forbidden)
		removed, err := r.SignIns.Unlink(t.Context(), "ada@example.com")
		if err != nil || removed != 1 {
			t.Errorf("%d links were removed: %v", removed, err)
		}
		arrival, err := r.byInstallation()
		if err != nil || arrival.User.ID != first.User.ID {
			t.Errorf("once unlinked, got %+v: %v", arrival, err)
		}
	})
	t.Run("a subject stays with its account, whatever address it has later", func(t *testing.T) {
		r := newRig(t, nil)
		first, err := r.byInstallation()
		r.must(err)
		r.person("grace", true)
		r.provider.SignIn("subject-1", "grace@example.com")
		again, err := r.byInstallation()
		if err != nil || again.User.ID != first.User.ID {
			t.Errorf("got %+v: %v", again, err)
		}
	})
	t.Run("who may sign up follows from the operator's domains, or from whether anybody may", func(t *testing.T) {
		for _, test := range []struct {
			domains []string
			signUp  bool
			may     bool
		}{{nil, true, true}, {nil, false, false}, {[]string{"example.com"}, false, true}, {[]string{"other.example"}, true, false}} {
			r := newRig(t, func(o *sso.Options) { o.Domains, o.SignUp = test.domains, test.signUp })
			if _, err := r.byInstallation(); (err == nil) != test.may {
				t.Errorf("%+v gives %v", test, err)
			}
			if _, err := r.Users.ByEmail(t.Context(), "ada@example.com"); (err == nil) != test.may {
				t.Errorf("%+v leaves an account: %v", test, err)
			}
		}
	})
}

func TestVisits(t *testing.T) {
	t.Run("a visit ends once, in the browser that began it, in time", func(t *testing.T) {
		r := newRig(t, nil)
		begin := func() (sso.Departure, sso.Answer) {
			departure, err := r.SignIns.Begin(t.Context(), "/", back, client)
			r.must(err)
			return departure, r.goes(departure)
		}
		mine, answer := begin()
		other, _ := begin()
		for name, secret := range map[string]string{"no cookie": "", "another browser's": other.Secret, "an invented one": "invented"} {
			if _, err := r.SignIns.Finish(t.Context(), secret, "", answer); !fault.Is(err, fault.Invalid) {
				t.Errorf("%s gives %v", name, err)
			}
		}
		forged := answer
		forged.State = "another"
		_, err := r.SignIns.Finish(t.Context(), mine.Secret, "", forged)
		r.isA(err, fault.Invalid)
		_, err = r.SignIns.Finish(t.Context(), mine.Secret, "", answer)
		r.must(err)
		_, err = r.SignIns.Finish(t.Context(), mine.Secret, "", answer)
		r.isA(err, fault.Invalid)
		late, answer := begin()
		r.now = r.now.Add(sso.VisitLifetime)
		_, err = r.SignIns.Finish(t.Context(), late.Secret, "", answer)
		r.isA(err, fault.Invalid)
	})
	t.Run("the answer of another provider is refused before its code is redeemed", func(t *testing.T) {
		r := newRig(t, nil)
		r.provider.Lie(oidctest.Lies{Issuer: "https://evil.example"})
		_, err := r.byInstallation()
		r.isA(err, fault.Forbidden)
		if n := r.provider.Seen("/token"); n != 0 {
			t.Errorf("the token endpoint was asked %d times", n)
		}
		r.provider.Lie(oidctest.Lies{Issuer: r.provider.URL, NamesIssuer: true})
		_, err = r.byInstallation()
		r.must(err)
	})
	t.Run("an answer at the address of another workspace is refused", func(t *testing.T) {
		r := newRig(t, nil)
		r.connect(nil)
		departure, err := r.SignIns.BeginFor(t.Context(), "ada@example.com", "/", back, client)
		r.must(err)
		_, err = r.SignIns.Finish(t.Context(), departure.Secret, "", r.goes(departure))
		r.isA(err, fault.Invalid)
	})
	t.Run("what a provider answers is told in our own words", func(t *testing.T) {
		r := newRig(t, nil)
		for _, code := range []string{"access_denied", "login_required", "server_error", "invalid_request", strings.Repeat("x", 10_000)} {
			r.provider.Lie(oidctest.Lies{Error: code})
			_, err := r.byInstallation()
			if failure := fault.As(err); err == nil || failure.Kind == fault.Internal || strings.Contains(failure.Message, "words of the provider") || strings.Contains(failure.Message, code) {
				t.Errorf("%.20s gives %v", code, err)
			}
		}
	})
	t.Run("nobody is sent to providers without end", func(t *testing.T) {
		r := newRig(t, nil)
		for range 200 {
			_, err := r.SignIns.BeginFor(t.Context(), "ada@nowhere.example", "/", back, client)
			if fault.Is(err, fault.RateLimited) {
				return
			}
		}
		t.Error("200 visits were let pass")
	})
	t.Run("the answer to an address says nothing of its account", func(t *testing.T) {
		r := newRig(t, nil)
		r.connect(nil)
		r.person("known", true)
		for _, name := range []string{"known", "unknown"} {
			if departure, err := r.SignIns.BeginFor(t.Context(), name+"@EXAMPLE.com", "/", back, client); err != nil || strings.Contains(departure.URL, name) {
				t.Errorf("%s gives %q: %v", name, departure.URL, err)
			}
		}
		_, err := r.SignIns.BeginFor(t.Context(), "known@nowhere.example", "/", back, client)
		r.isA(err, fault.Invalid)
	})
}

func TestWorkspaceProvider(t *testing.T) {
	t.Run("people of the domain join with the role that the workspace gives them", func(t *testing.T) {
		r := newRig(t, nil)
		r.connect(func(s *sso.Settings) { s.Role = tenant.RoleAdmin })
		arrival, err := r.byWorkspace()
		r.must(err)
		if role := r.isMember(arrival.User.ID); role != tenant.RoleAdmin || arrival.WorkspaceID != r.space.ID {
			t.Errorf("joined as %q: %+v", role, arrival)
		}
		r.must(r.Members.Remove(t.Context(), r.space.ID, r.owner.ID, arrival.User.ID))
		_, err = r.byWorkspace()
		r.must(err)
	})
	t.Run("where it gives none, members and invited people get in, and nobody else leaves an account behind", func(t *testing.T) {
		r := newRig(t, nil)
		r.connect(nil)
		_, err := r.byWorkspace()
		r.isA(err, fault.Forbidden)
		if _, err := r.Users.ByEmail(t.Context(), "ada@example.com"); !fault.Is(err, fault.NotFound) {
			t.Errorf("there is an account: %v", err)
		}
		_, err = r.Invitations.Invite(t.Context(), r.space.ID, r.owner.ID, "ada@example.com", tenant.RoleAdmin)
		r.must(err)
		arrival, err := r.byWorkspace()
		r.must(err)
		if role := r.isMember(arrival.User.ID); role != tenant.RoleAdmin {
			t.Errorf("joined as %q", role)
		}
		if open, err := r.Invitations.List(t.Context(), r.space.ID); err != nil || len(open) != 0 {
			t.Errorf("open invitations: %v, %v", open, err)
		}
		r.must(r.Members.Remove(t.Context(), r.space.ID, r.owner.ID, arrival.User.ID))
		_, err = r.byWorkspace()
		r.isA(err, fault.Forbidden)
	})
	t.Run("a full plan lets nobody join", func(t *testing.T) {
		r := newRig(t, nil)
		r.connect(func(s *sso.Settings) { s.Role = tenant.RoleMember })
		r.must(r.Grants.SetPlan(t.Context(), r.space.ID, plan.Starter))
		_, err := r.byWorkspace()
		r.isA(err, fault.Forbidden)
	})
	t.Run("it signs nobody in outside its domain", func(t *testing.T) {
		r := newRig(t, nil)
		r.connect(func(s *sso.Settings) { s.Role = tenant.RoleMember })
		for _, email := range []string{"ada@other.example", "ada@sub.example.com", "ada@example.com.evil.example", "", "ada@example.com@evil.example"} {
			r.provider.SignIn("subject-1", email)
			_, err := r.byWorkspace()
			r.isA(err, fault.Forbidden)
		}
		r.provider.SignIn("subject-1", "ada@example.com")
		arrival, err := r.byWorkspace()
		r.must(err)
		r.must(people.NewUsers(r.store).SetEmail(t.Context(), arrival.User.ID, "ada@private.example", r.now))
		_, err = r.byWorkspace() // the account has left the domain
		r.isA(err, fault.Forbidden)
	})
	t.Run("its subjects are not those of the installation's provider, even at one issuer", func(t *testing.T) {
		r := newRig(t, nil)
		first, err := r.byInstallation()
		r.must(err)
		r.connect(func(s *sso.Settings) { s.Role = tenant.RoleMember })
		r.provider.SignIn("subject-1", "grace@example.com")
		arrival, err := r.byWorkspace()
		if err != nil || arrival.User.ID == first.User.ID {
			t.Errorf("got %+v: %v", arrival, err)
		}
	})
	t.Run("a domain that is not confirmed leads nowhere", func(t *testing.T) {
		r := newRig(t, nil)
		_, err := r.Connections.Save(t.Context(), r.space.ID, r.settings())
		r.must(err)
		_, err = r.SignIns.BeginFor(t.Context(), "ada@example.com", "/", back, client)
		r.isA(err, fault.Invalid)
	})
	t.Run("a connection that changes meanwhile ends the visit", func(t *testing.T) {
		r := newRig(t, nil)
		r.connect(nil)
		departure, err := r.SignIns.BeginFor(t.Context(), "ada@example.com", "/", back, client)
		r.must(err)
		answer := r.goes(departure)
		_, err = r.Domains.Withdraw(t.Context(), "example.com")
		r.must(err)
		_, err = r.SignIns.Finish(t.Context(), departure.Secret, r.space.ID, answer)
		r.isA(err, fault.Invalid)
	})
}

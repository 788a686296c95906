package sso_test

import (
	"testing"

	"parley/core/account/signin"
	"parley/core/audit"
	"parley/core/fault"
	"parley/core/plan"
	"parley/core/sso"
	"parley/core/tenant"
	"parley/store/people"
)

func TestConnections(t *testing.T) {
	t.Run("wrong settings are refused beside their field", func(t *testing.T) {
		r := newRig(t, nil)
		for field, change := range map[string]func(*sso.Settings){
			"issuer":        func(s *sso.Settings) { s.Issuer = "ftp://example.com" },
			"client_id":     func(s *sso.Settings) { s.ClientID = " " },
			"client_secret": func(s *sso.Settings) { s.Secret = "" },
			"domain":        func(s *sso.Settings) { s.Domain = "com" },
			"role":          func(s *sso.Settings) { s.Role = tenant.RoleOwner },
			"required":      func(s *sso.Settings) { s.Required = true },
		} {
			settings := r.settings()
			change(&settings)
			_, err := r.Connections.Save(t.Context(), r.space.ID, settings)
			if failure := fault.As(err); !fault.Is(err, fault.Invalid) || failure.Field != field {
				t.Errorf("%s gives %v", field, err)
			}
		}
	})
	t.Run("a secret is kept, and not for another provider", func(t *testing.T) {
		r := newRig(t, nil)
		r.connect(nil)
		settings := r.settings()
		settings.Secret = ""
		_, err := r.Connections.Save(t.Context(), r.space.ID, settings)
		r.must(err)
		r.must(r.Connections.Try(t.Context(), r.space.ID, settings, back("")))
		settings.Issuer = "https://evil.example"
		_, err = r.Connections.Save(t.Context(), r.space.ID, settings)
		r.isA(err, fault.Invalid)
		r.isA(r.Connections.Try(t.Context(), r.space.ID, settings, back("")), fault.Invalid)
	})
	t.Run("a plan without it has none, and one that was set up goes on", func(t *testing.T) {
		r := newRig(t, nil)
		r.connect(nil)
		_, err := r.Invitations.Invite(t.Context(), r.space.ID, r.owner.ID, "ada@example.com", tenant.RoleMember)
		r.must(err)
		_, err = r.byWorkspace()
		r.must(err)
		r.must(r.Grants.SetPlan(t.Context(), r.space.ID, plan.Starter))
		_, err = r.Connections.Save(t.Context(), r.space.ID, r.settings())
		r.isA(err, fault.Forbidden)
		_, err = r.byWorkspace()
		r.must(err)
	})
	t.Run("another domain has to be confirmed again, and another client makes the links worthless", func(t *testing.T) {
		r := newRig(t, nil)
		r.connect(func(s *sso.Settings) { s.Role = tenant.RoleMember })
		arrival, err := r.byWorkspace()
		r.must(err)
		settings := r.settings()
		settings.ClientID = "another"
		saved, err := r.Connections.Save(t.Context(), r.space.ID, settings)
		if err != nil || !saved.IsConfirmed() {
			t.Errorf("got %+v: %v", saved, err)
		}
		if left, err := people.NewIdentities(r.store).IdentitiesOf(t.Context(), arrival.User.ID); err != nil || len(left) != 0 {
			t.Errorf("links are left: %v, %v", left, err)
		}
		settings.Domain = "other.example"
		saved, err = r.Connections.Save(t.Context(), r.space.ID, settings)
		if err != nil || saved.IsConfirmed() {
			t.Errorf("got %+v: %v", saved, err)
		}
	})
	t.Run("every change is recorded, and the secret in none of them", func(t *testing.T) {
		r := newRig(t, nil)
		r.connect(func(s *sso.Settings) { s.Role = tenant.RoleMember })
		sealed, unreadable, err := r.Connections.Reseal(t.Context())
		if err != nil || sealed != 1 || len(unreadable) != 0 {
			t.Errorf("%d were sealed again: %v, %v", sealed, unreadable, err)
		}
		_, err = r.byWorkspace()
		r.must(err)
		_, err = r.Domains.Withdraw(t.Context(), "example.com")
		r.must(err)
		r.must(r.Connections.Delete(t.Context(), r.space.ID))
		for _, action := range []audit.Action{audit.SSOCreated, audit.SSOChanged, audit.SSOResealed, audit.DomainConfirmed, audit.DomainWithdrawn, audit.IdentityLinked, audit.MemberJoined, audit.SSODeleted} {
			if r.recorded(r.space.ID, action) != 1 {
				t.Errorf("%s was recorded %d times", action, r.recorded(r.space.ID, action))
			}
		}
	})
}

func TestDomains(t *testing.T) {
	t.Run("the record in the DNS confirms a domain", func(t *testing.T) {
		r := newRig(t, nil)
		saved, err := r.Connections.Save(t.Context(), r.space.ID, r.settings())
		r.must(err)
		r.isA(r.Domains.Check(t.Context(), r.space.ID), fault.Invalid)
		r.records["_parley.example.com."] = []string{"v=spf1 -all", "parley-domain=another"}
		r.isA(r.Domains.Check(t.Context(), r.space.ID), fault.Invalid)
		r.records["_parley.example.com."] = []string{"v=spf1 -all", " " + saved.RecordText()}
		r.must(r.Domains.Check(t.Context(), r.space.ID))
		if now, err := r.Connections.Get(t.Context(), r.space.ID); err != nil || !now.IsConfirmed() {
			t.Errorf("got %+v: %v", now, err)
		}
	})
	t.Run("a domain is confirmed for one workspace, and follows its DNS", func(t *testing.T) {
		r := newRig(t, nil)
		first := r.connect(func(s *sso.Settings) { s.Required = true })
		another, err := r.Workspaces.Create(t.Context(), r.owner, "Another")
		r.must(err)
		r.must(r.Grants.SetPlan(t.Context(), another.ID, plan.Standard))
		second, err := r.Connections.Save(t.Context(), another.ID, r.settings())
		r.must(err)
		_, err = r.Domains.Confirm(t.Context(), "example.com", "")
		r.isA(err, fault.Conflict)
		_, err = r.Domains.Confirm(t.Context(), "example.com", another.ID)
		r.isA(err, fault.Invalid)
		r.records["_parley.example.com."] = []string{first.RecordText(), second.RecordText()}
		r.isA(r.Domains.Check(t.Context(), another.ID), fault.Invalid)
		r.records["_parley.example.com."] = []string{second.RecordText()}
		r.must(r.Domains.Check(t.Context(), another.ID))
		lost, err := r.Connections.Get(t.Context(), r.space.ID)
		if err != nil || lost.IsConfirmed() || lost.Required {
			t.Errorf("the first still has it: %+v, %v", lost, err)
		}
	})
}

func TestRequired(t *testing.T) {
	r := newRig(t, nil)
	member, outsider := r.person("ada", true), r.person("grace", true)
	r.must(r.Members.Add(t.Context(), r.space.ID, member, tenant.RoleMember))
	byPassword := signin.Proof{Method: signin.ByPassword}
	before, err := r.Sessions.Start(t.Context(), member.ID, byPassword, client)
	r.must(err)
	owners, err := r.Sessions.Start(t.Context(), r.owner.ID, byPassword, client)
	r.must(err)
	r.connect(func(s *sso.Settings) { s.Required = true })

	t.Run("members of the domain are signed out and sign in by the provider only", func(t *testing.T) {
		_, _, err := r.Sessions.SignedIn(t.Context(), before.Session)
		r.isA(err, fault.Unauthenticated)
		for _, proof := range []signin.Proof{byPassword, {Method: signin.ByPasskey, SecondFactor: true}, {Method: signin.BySSO}, {Method: signin.BySSO, SSOWorkspaceID: "ws_another"}} {
			_, err := r.Sessions.Start(t.Context(), member.ID, proof, client)
			r.isA(err, fault.Forbidden)
		}
		arrival, err := r.byWorkspace()
		r.must(err)
		keys, err := r.Sessions.Start(t.Context(), arrival.User.ID, arrival.Proof(), client)
		r.must(err)
		_, session, err := r.Sessions.SignedIn(t.Context(), keys.Session)
		if err != nil || session.Proof != arrival.Proof() {
			t.Errorf("the session has %+v: %v", session.Proof, err)
		}
	})
	t.Run("owners keep their passwords, and others are not concerned", func(t *testing.T) {
		if _, _, err := r.Sessions.SignedIn(t.Context(), owners.Session); err != nil {
			t.Error(err)
		}
		for _, userID := range []string{r.owner.ID, outsider.ID} {
			if _, err := r.Sessions.Start(t.Context(), userID, byPassword, client); err != nil {
				t.Error(err)
			}
		}
	})
	t.Run("a session is held to it, whatever was so when it began", func(t *testing.T) {
		r.must(r.Members.Add(t.Context(), r.space.ID, outsider, tenant.RoleOwner))
		keys, err := r.Sessions.Start(t.Context(), outsider.ID, byPassword, client)
		r.must(err)
		enters := func() error {
			person, err := r.People.Person(t.Context(), keys.Session)
			r.must(err)
			_, err = person.In(r.space.ID)
			return err
		}
		r.must(enters())
		r.must(r.Members.ChangeRole(t.Context(), r.space.ID, r.owner.ID, outsider.ID, tenant.RoleAdmin))
		if err := enters(); !fault.Is(err, fault.Forbidden) || fault.As(err).Code() != fault.SignOnRequired {
			t.Errorf("a member's password session gets %v", err)
		}
	})
	t.Run("the provider stands for a second factor in its own workspace only", func(t *testing.T) {
		proof := signin.Proof{Method: signin.BySSO, SSOWorkspaceID: r.space.ID}
		if !proof.Suffices(r.space.ID) || proof.Suffices("ws_another") || (signin.Proof{Method: signin.BySSO}).Suffices("") {
			t.Error("a provider speaks for another workspace")
		}
	})
}

package sso_test

import (
	"testing"
	"time"

	"parley/core/account"
	"parley/core/account/signin"
	"parley/core/audit"
	"parley/core/fault"
	"parley/core/sso"
	"parley/oidc/oidctest"
)

// arrived signs somebody in at the installation's provider, and returns them with their
// session, in which they showed longer ago who they are.
func (r *rig) arrived() (account.User, account.Session) {
	r.Helper()
	arrival, err := r.byInstallation()
	r.must(err)
	keys, err := r.Sessions.Start(r.Context(), arrival.User.ID, arrival.Proof(), client)
	r.must(err)
	r.now = r.now.Add(account.ProofLifetime)
	user, session, err := r.Sessions.SignedIn(r.Context(), keys.Session)
	r.must(err)
	return user, session
}

// proves goes to a provider and back.
func (r *rig) proves(user account.User, session account.Session, workspaceID string) error {
	r.Helper()
	departure, err := r.SignIns.BeginProof(r.Context(), user, session, workspaceID, "/members", back, client)
	r.must(err)
	next, err := r.SignIns.FinishProof(r.Context(), user, session, departure.Secret, workspaceID, r.goes(departure))
	if next != "/members" {
		r.Errorf("it goes on to %q", next)
	}
	return err
}

// isProved looks at all sessions of a user.
func (r *rig) isProved(user account.User, want bool) {
	r.Helper()
	sessions, err := r.Sessions.Of(r.Context(), user.ID)
	r.must(err)
	for _, session := range sessions {
		if lately := r.now.Sub(session.ProvedAt) < account.ProofLifetime; lately != want {
			r.Errorf("the session counts as proved: %v", lately)
		}
	}
}

func TestProofs(t *testing.T) {
	t.Parallel()
	t.Run("an ordinary sign-in proves as much as the provider says", func(t *testing.T) {
		for said, want := range map[time.Duration]bool{0: true, 8 * time.Hour: false, -8 * time.Hour: true, 5 * time.Minute: true} {
			r := newRig(t, nil)
			r.provider.Lie(oidctest.Lies{Claims: map[string]any{"auth_time": r.now.Add(-said).Unix()}})
			arrival, err := r.byInstallation()
			r.must(err)
			_, err = r.Sessions.Start(t.Context(), arrival.User.ID, arrival.Proof(), client)
			r.must(err)
			r.isProved(arrival.User, want)
		}
	})
	t.Run("an ordinary sign-in at a provider that says nothing proves nothing", func(t *testing.T) {
		r := newRig(t, nil)
		arrival, err := r.byInstallation()
		r.must(err)
		_, err = r.Sessions.Start(t.Context(), arrival.User.ID, arrival.Proof(), client)
		r.must(err)
		r.isProved(arrival.User, false)
	})
	t.Run("whoever has no password shows again who they are at their provider, which is recorded", func(t *testing.T) {
		r := newRig(t, nil)
		user, session := r.arrived()
		if user.HasPassword() || session.CheckProof() == nil {
			t.Fatalf("the session is %+v", session)
		}
		places, err := r.ProofPlaces(t.Context(), user)
		if err != nil || len(places) != 1 || places[0] != (sso.ProofPlace{Name: "Example"}) {
			t.Errorf("the places are %+v: %v", places, err)
		}
		r.must(r.proves(user, session, ""))
		r.isProved(user, true)
		found := false
		for entry, err := range r.Audit.AuditLog(t.Context(), "", time.Time{}) {
			r.must(err)
			found = found || entry.Action == audit.SignInConfirmed && entry.Detail == "By single sign-on."
		}
		if !found {
			t.Error("it is not recorded")
		}
	})
	t.Run("a workspace's provider proves it for people of its domain", func(t *testing.T) {
		r := newRig(t, nil)
		r.connect(func(s *sso.Settings) { s.Role = "member" })
		arrival, err := r.byWorkspace()
		r.must(err)
		keys, err := r.Sessions.Start(t.Context(), arrival.User.ID, arrival.Proof(), client)
		r.must(err)
		r.now = r.now.Add(account.ProofLifetime)
		user, session, err := r.Sessions.SignedIn(t.Context(), keys.Session)
		r.must(err)
		r.must(r.proves(user, session, r.space.ID))
		r.isProved(user, true)
		_, err = r.Connections.Save(t.Context(), r.space.ID, func() sso.Settings { s := r.settings(); s.ClientID = "another"; return s }())
		r.must(err)
		if places, err := r.ProofPlaces(t.Context(), user); err != nil || len(places) != 0 {
			t.Errorf("after another client the places are %+v: %v", places, err)
		}
	})
	for name, wrong := range map[string]func(r *rig){
		"somebody else who signs in there": func(r *rig) { r.provider.SignIn("subject-2", "ada@example.com") },
		"a sign-in there from before": func(r *rig) {
			r.provider.Lie(oidctest.Lies{Claims: map[string]any{"auth_time": r.now.Add(-2 * time.Minute).Unix()}})
		},
		"a token for another visit": func(r *rig) { r.provider.Lie(oidctest.Lies{Claims: map[string]any{"nonce": "another"}}) },
		"a refusal":                 func(r *rig) { r.provider.Lie(oidctest.Lies{Error: "access_denied"}) },
	} {
		t.Run(name+" proves nothing", func(t *testing.T) {
			r := newRig(t, nil)
			user, session := r.arrived()
			wrong(r)
			r.isA(r.proves(user, session, ""), fault.Forbidden)
			r.isProved(user, false)
		})
	}
	t.Run("a provider that says when, and that it was now, is believed", func(t *testing.T) {
		r := newRig(t, nil)
		user, session := r.arrived()
		r.provider.Lie(oidctest.Lies{Claims: map[string]any{"auth_time": r.now.Unix()}})
		r.must(r.proves(user, session, ""))
	})
	t.Run("a proof is for its own session, once, and no sign-in", func(t *testing.T) {
		r := newRig(t, nil)
		user, session := r.arrived()
		keys, err := r.Sessions.Start(t.Context(), user.ID, signin.Proof{Method: signin.BySSO}, client)
		r.must(err)
		_, other, err := r.Sessions.SignedIn(t.Context(), keys.Session)
		r.must(err)
		departure, err := r.SignIns.BeginProof(t.Context(), user, session, "", "/", back, client)
		r.must(err)
		answer := r.goes(departure)
		_, err = r.SignIns.Finish(t.Context(), departure.Secret, "", answer)
		r.isA(err, fault.Invalid)
		_, err = r.SignIns.FinishProof(t.Context(), user, other, departure.Secret, "", answer)
		r.isA(err, fault.Invalid)
		_, err = r.SignIns.FinishProof(t.Context(), user, session, departure.Secret, "", answer)
		r.isA(err, fault.Invalid)
		begun, err := r.SignIns.Begin(t.Context(), "/", back, client)
		r.must(err)
		_, err = r.SignIns.FinishProof(t.Context(), user, session, begun.Secret, "", r.goes(begun))
		r.isA(err, fault.Invalid)
	})
	t.Run("nobody is sent to a provider that does not know them", func(t *testing.T) {
		r := newRig(t, nil)
		_, err := r.SignIns.BeginProof(t.Context(), r.owner, account.Session{}, "", "/", back, client)
		r.isA(err, fault.NotFound)
	})
}

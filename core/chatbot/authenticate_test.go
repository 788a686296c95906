package chatbot_test

import (
	"context"
	"testing"
	"time"

	"parley/core/chatbot"
	"parley/core/fault"
	"parley/core/plan"
	billingstore "parley/store/billing"
	"parley/store/bots"
)

func TestAuthenticate(t *testing.T) {
	t.Run("a token works until it is revoked, and not once more", func(t *testing.T) {
		r := newRig(t)
		token, secret := r.issue()
		r.wantAuthenticated(secret, nil)
		r.must(r.Tokens.Revoke(t.Context(), home, r.bot.ID, token.ID))
		r.wantAuthenticated(secret, badToken)
		r.must(r.Tokens.Revoke(t.Context(), home, r.bot.ID, token.ID))
	})

	t.Run("a revocation beats a look-up that began before it", func(t *testing.T) {
		r := newRig(t)
		token, secret := r.issue()
		r.pausable.read, r.pausable.goOn = make(chan struct{}), make(chan struct{})
		done := make(chan struct{})
		go func() {
			defer close(done)
			_, _ = r.Callers.Authenticate(context.WithoutCancel(t.Context()), secret) // began before: either is right
		}()
		receive(t, "the token was read", r.pausable.read)
		r.must(r.Tokens.Revoke(t.Context(), home, r.bot.ID, token.ID))
		close(r.pausable.goOn)
		receive(t, "the request ended", done)
		r.pausable.read = nil
		r.wantAuthenticated(secret, badToken)
	})

	t.Run("a look-up that panics fails its requests and not the process", func(t *testing.T) {
		r := newRig(t)
		_, secret := r.issue()
		r.pausable.broken = true
		_, err := r.Callers.Authenticate(t.Context(), secret)
		if err == nil || fault.Is(err, fault.Unauthenticated) {
			t.Fatalf("got %v, want a fault of the server", err)
		}
		r.pausable.broken = false
		r.wantAuthenticated(secret, nil)
	})

	t.Run("a token expires to the instant, though it is known", func(t *testing.T) {
		r := newRig(t)
		end := r.now.Add(time.Second)
		_, secret, err := r.Tokens.Issue(t.Context(), home, r.bot.ID, chatbot.NewToken{ExpiresAt: &end})
		r.must(err)
		r.wantAuthenticated(secret, nil)
		r.now = end.Add(-time.Microsecond)
		r.wantAuthenticated(secret, nil)
		r.now = end
		r.wantAuthenticated(secret, badToken)
	})

	t.Run("what another process changes is believed at most 5 seconds late", func(t *testing.T) {
		r := newRig(t)
		token, secret := r.issue()
		r.wantAuthenticated(secret, nil)
		_, err := bots.NewTokens(r.db).RevokeToken(t.Context(), home, r.bot.ID, token.ID, r.now)
		r.must(err)
		r.now = r.now.Add(5 * time.Second)
		r.wantAuthenticated(secret, badToken)
	})

	t.Run("a downgrade ends access within 5 seconds, and an upgrade brings it back", func(t *testing.T) {
		r := newRig(t)
		_, secret := r.issue()
		for name, want := range map[plan.Name]error{plan.Basic: noAPIAccess, plan.Premium: nil} {
			r.wantAuthenticated(secret, nil)
			r.must(billingstore.NewPlanAccess(r.db).SetPlan(t.Context(), home, name, name))
			r.now = r.now.Add(5 * time.Second)
			r.wantAuthenticated(secret, want)
			r.must(billingstore.NewPlanAccess(r.db).SetPlan(t.Context(), home, plan.Standard, plan.Standard))
			r.now = r.now.Add(5 * time.Second)
		}
	})

	t.Run("unknown, malformed and missing tokens get the same answer", func(t *testing.T) {
		r := newRig(t)
		_, secret := r.issue()
		other := newRig(t)
		_, unknown := other.issue()
		for _, wrong := range []string{"", "parley_", secret + "x", secret[:len(secret)-1] + "!", unknown} {
			r.wantAuthenticated(wrong, badToken)
		}
	})

	t.Run("changed settings are seen by the next request", func(t *testing.T) {
		r := newRig(t)
		_, secret := r.issue()
		r.wantAuthenticated(secret, nil)
		r.must(r.Update(t.Context(), home, r.bot.ID, chatbot.Settings{Name: "Renamed"}))
		principal, err := r.Callers.Authenticate(t.Context(), secret)
		if err != nil || principal.Chatbot.Name != "Renamed" {
			t.Errorf("the request sees %q: %v", principal.Chatbot.Name, err)
		}
	})

	t.Run("requests that look a token up at the same time share one look-up", func(t *testing.T) {
		r := newRig(t)
		_, secret := r.issue()
		r.pausable.read, r.pausable.goOn = make(chan struct{}), make(chan struct{})
		const many = 64
		errs := make(chan error, many)
		ask := func() {
			_, err := r.Callers.Authenticate(context.WithoutCancel(t.Context()), secret)
			errs <- err
		}
		go ask()
		receive(t, "the token was read", r.pausable.read)
		r.pausable.read = nil
		before := r.pausable.lookUps.Load()
		for range many - 1 {
			go ask()
		}
		close(r.pausable.goOn)
		for range many {
			if err := <-errs; err != nil {
				t.Error(err)
			}
		}
		if n := r.pausable.lookUps.Load() - before; n != 0 {
			t.Errorf("there were %d more look-ups", n)
		}
	})

	t.Run("while changes by other processes are heard of, a token is known for minutes, and a change is seen at once", func(t *testing.T) {
		r := newRig(t)
		token, secret := r.issue()
		r.Callers.Listening(true)
		r.wantAuthenticated(secret, nil)
		_, err := bots.NewTokens(r.db).RevokeToken(t.Context(), home, r.bot.ID, token.ID, r.now)
		r.must(err)
		r.now = r.now.Add(2 * time.Minute)
		r.wantAuthenticated(secret, nil) // it was not told
		r.Callers.Changed(foreign)
		r.wantAuthenticated(secret, nil)
		r.Callers.Changed(home)
		r.wantAuthenticated(secret, badToken)
	})

	for name, then := range map[string]func(*rig){
		"when changes are heard of no more, what was known for minutes is looked up": func(r *rig) { r.Callers.Listening(false) },
		"when changes are heard of again, what may have been missed is looked up":    func(r *rig) { r.Callers.Listening(true) },
		"a change of plans is one in every workspace":                                func(r *rig) { r.Callers.Changed("") },
		"after minutes a token is looked up, whatever was heard":                     func(r *rig) { r.now = r.now.Add(5 * time.Minute) },
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t)
			token, secret := r.issue()
			r.Callers.Listening(true)
			r.wantAuthenticated(secret, nil)
			_, err := bots.NewTokens(r.db).RevokeToken(t.Context(), home, r.bot.ID, token.ID, r.now)
			r.must(err)
			then(r)
			r.wantAuthenticated(secret, badToken)
		})
	}
}

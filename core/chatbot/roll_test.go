package chatbot_test

import (
	"net/netip"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"parley/core/chatbot"
	"parley/core/fault"
	"parley/core/plan"
	billingstore "parley/store/billing"
)

const aDay = 24 * time.Hour

func (r *rig) roll(tokenID string, days int) (chatbot.Token, string) {
	r.Helper()
	token, secret, err := r.Tokens.Roll(r.Context(), home, r.bot.ID, tokenID, days, "roller@example.com")
	r.must(err)
	return token, secret
}

// wantRoll fails unless rolling is refused as a kind of fault that says something.
func (r *rig) wantRoll(tokenID string, days int, kind fault.Kind, says string) {
	r.Helper()
	_, _, err := r.Tokens.Roll(r.Context(), home, r.bot.ID, tokenID, days, "")
	if !fault.Is(err, kind) || !strings.Contains(err.Error(), says) {
		r.Errorf("the error is %v, want one that says %q", err, says)
	}
}

func (r *rig) token(id string) chatbot.Token {
	r.Helper()
	tokens, err := r.Tokens.List(r.Context(), home, r.bot.ID)
	r.must(err)
	at := slices.IndexFunc(tokens, func(t chatbot.Token) bool { return t.ID == id })
	if at < 0 {
		r.Fatalf("there is no token %s", id)
	}
	return tokens[at]
}

func TestRoll(t *testing.T) {
	t.Run("the old token works to the instant at which the overlap ends, the new one from now on", func(t *testing.T) {
		r := newRig(t)
		old, oldSecret := r.issue()
		r.wantAuthenticated(oldSecret, nil) // and is known by its old end
		began := r.now
		_, secret := r.roll(old.ID, 7)
		r.now = began.Add(7*aDay - time.Microsecond)
		r.wantAuthenticated(oldSecret, nil)
		r.wantAuthenticated(secret, nil)
		r.now = began.Add(7 * aDay)
		r.wantAuthenticated(oldSecret, badToken)
		r.wantAuthenticated(secret, nil)
	})

	t.Run("without an overlap the old token ends at once", func(t *testing.T) {
		r := newRig(t)
		old, oldSecret := r.issue()
		r.wantAuthenticated(oldSecret, nil)
		_, secret := r.roll(old.ID, 0)
		r.wantAuthenticated(oldSecret, badToken)
		r.wantAuthenticated(secret, nil)
		if got := r.token(old.ID).Status(r.now); got != chatbot.TokenRevoked {
			t.Errorf("the old one is %s", got)
		}
	})

	t.Run("the new token has all settings of the old one", func(t *testing.T) {
		r := newRig(t)
		end := r.now.Add(3 * aDay)
		old, _, err := r.Tokens.Issue(t.Context(), home, r.bot.ID, chatbot.NewToken{
			Kind: chatbot.PublishableToken, Name: "Website", Note: "For the shop", ExpiresAt: &end, Restrictions: chatbot.Restrictions{
				IPRanges: []netip.Prefix{netip.MustParsePrefix("192.0.2.0/24")}, Origins: []string{"https://shop.example"},
				RequestsPerMinute: 5, MessagesPerMonth: 6, VisitorRequestsPerMinute: 7,
			},
		})
		r.must(err)
		rolled, _ := r.roll(old.ID, 7)
		stored := r.token(rolled.ID)
		if stored.Kind != chatbot.PublishableToken || stored.Note != "For the shop" || !reflect.DeepEqual(stored.Restrictions, old.Restrictions) {
			t.Errorf("it is %+v, want the settings of %+v", stored, old)
		}
		if stored.Name != "Website" || !slices.Equal(stored.Scopes, old.Scopes) || stored.ExpiresAt == nil || !stored.ExpiresAt.Equal(end) ||
			stored.Replaces != old.ID || stored.CreatedBy != "roller@example.com" {
			t.Errorf("it is %+v", stored)
		}
		if was := r.token(old.ID); !was.ExpiresAt.Equal(end) {
			t.Errorf("the overlap makes the old one work until %v, want %v", was.ExpiresAt, end)
		}
	})

	t.Run("what does not work cannot be rolled", func(t *testing.T) {
		r := newRig(t)
		revoked, _ := r.issue()
		r.must(r.Tokens.Revoke(t.Context(), home, r.bot.ID, revoked.ID))
		r.wantRoll(revoked.ID, 1, fault.Conflict, "revoked")
		end := r.now.Add(time.Second)
		expired, _, err := r.Tokens.Issue(t.Context(), home, r.bot.ID, chatbot.NewToken{ExpiresAt: &end})
		r.must(err)
		r.now = end
		r.wantRoll(expired.ID, 1, fault.Conflict, "expired")
		r.wantRoll("tok_none", 1, fault.NotFound, "Token not found")
		active, _ := r.issue()
		for _, days := range []int{-1, 8, 1 << 40} {
			r.wantRoll(active.ID, days, fault.Invalid, "0 to 7 days")
		}
		r.now = r.now.Add(time.Second)
		suspended, _ := r.issue()
		r.limit(func(l *plan.Limits) { l.TokensPerChatbot = 1 })
		r.wantRoll(suspended.ID, 0, fault.Forbidden, tokenSuspended)
	})

	t.Run("a token is rolled once, and its successor not before it has ended", func(t *testing.T) {
		r := newRig(t)
		first, _ := r.issue()
		second, _ := r.roll(first.ID, 2)
		r.wantRoll(first.ID, 1, fault.Conflict, "rolled already")
		r.wantRoll(second.ID, 1, fault.Conflict, "still works")
		r.now = r.now.Add(2 * aDay)
		r.roll(second.ID, 1)
	})

	t.Run("a secret that leaked during the overlap can be replaced at once", func(t *testing.T) {
		r := newRig(t)
		first, firstSecret := r.issue()
		second, leaked := r.roll(first.ID, 2)
		_, secret := r.roll(second.ID, 0)
		r.wantAuthenticated(leaked, badToken)
		r.wantAuthenticated(secret, nil)
		r.wantAuthenticated(firstSecret, nil)
	})

	t.Run("a plan without API access rolls none", func(t *testing.T) {
		r := newRig(t)
		token, _ := r.issue()
		r.must(billingstore.NewPlanAccess(r.db).SetPlan(t.Context(), home, plan.Starter, plan.Starter))
		r.wantRoll(token.ID, 0, fault.Forbidden, "")
	})
}

func TestRollAndThePlan(t *testing.T) {
	t.Run("a full plan rolls: the old token does not count while the new one works", func(t *testing.T) {
		r := newRig(t)
		r.limit(func(l *plan.Limits) { l.TokensPerChatbot = 2 })
		first, firstSecret := r.issue()
		r.now = r.now.Add(time.Second)
		r.issue()
		r.now = r.now.Add(time.Second)
		_, secret := r.roll(first.ID, 3)
		r.wantAnswer(firstSecret, "")
		r.wantAnswer(secret, "")
		if _, _, err := r.Tokens.Issue(t.Context(), home, r.bot.ID, chatbot.NewToken{}); !fault.Is(err, fault.Forbidden) {
			t.Errorf("a third gives %v", err)
		}
	})

	t.Run("it counts again when the new one is revoked", func(t *testing.T) {
		r := newRig(t)
		r.limit(func(l *plan.Limits) { l.TokensPerChatbot = 1 })
		first, firstSecret := r.issue()
		second, _ := r.roll(first.ID, 3)
		r.must(r.Tokens.Revoke(t.Context(), home, r.bot.ID, second.ID))
		r.wantAnswer(firstSecret, "")
		if _, _, err := r.Tokens.Issue(t.Context(), home, r.bot.ID, chatbot.NewToken{}); !fault.Is(err, fault.Forbidden) {
			t.Errorf("another gives %v", err)
		}
	})

	t.Run("both are suspended together, and both come back", func(t *testing.T) {
		r := newRig(t)
		r.issue()
		r.now = r.now.Add(time.Second)
		old, oldSecret := r.issue()
		r.now = r.now.Add(time.Second)
		_, secret := r.roll(old.ID, 7)
		r.limit(func(l *plan.Limits) { l.TokensPerChatbot = 1 })
		r.wantAnswer(oldSecret, tokenSuspended)
		r.wantAnswer(secret, tokenSuspended)
		r.limit(func(l *plan.Limits) { l.TokensPerChatbot = 2 })
		r.wantAnswer(oldSecret, "")
		r.wantAnswer(secret, "")
	})

	t.Run("of many that roll the same token at once one does", func(t *testing.T) {
		r := newRig(t)
		old, _ := r.issue()
		made := r.atOnce(20, fault.Conflict, func() error {
			_, _, err := r.Tokens.Roll(t.Context(), home, r.bot.ID, old.ID, 1, "")
			return err
		})
		if made != 1 {
			t.Errorf("%d did", made)
		}
	})
}

func (r *rig) rename(workspaceID, tokenID, name string) (chatbot.Token, error) {
	return r.Tokens.Change(r.Context(), workspaceID, r.bot.ID, tokenID, chatbot.TokenChange{Name: &name})
}

func TestRename(t *testing.T) {
	r := newRig(t)
	token, secret := r.issue()
	renamed, err := r.rename(home, token.ID, "  Website\u2009<b>\u202e ")
	if err != nil || renamed.Name != "Website <b>" || r.token(token.ID).Name != renamed.Name {
		t.Errorf("it is called %q: %v", renamed.Name, err)
	}
	r.wantAuthenticated(secret, nil)
	for _, name := range []string{"", "   ", strings.Repeat("x", 101), "a\x00b", "\xff"} {
		if _, err := r.rename(home, token.ID, name); !fault.Is(err, fault.Invalid) || fault.As(err).Field != "name" {
			t.Errorf("%q gives %v", name, err)
		}
	}
	if _, err := r.rename(foreign, token.ID, "Mine"); !fault.Is(err, fault.NotFound) {
		t.Errorf("a stranger gets %v", err)
	}
}

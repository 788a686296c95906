package chatbot_test

import (
	"strings"
	"testing"
	"time"

	"parley/core/chatbot"
	"parley/core/fault"
	"parley/core/plan"
	billingstore "parley/store/billing"
)

func TestIssue(t *testing.T) {
	t.Run("the plan's limit holds when many are asked for at once; revoked and expired ones do not count", func(t *testing.T) {
		r := newRig(t)
		end := r.now.Add(time.Second)
		_, _, err := r.Tokens.Issue(t.Context(), home, r.bot.ID, chatbot.NewToken{ExpiresAt: &end})
		r.must(err)
		revoked, _ := r.issue()
		r.must(r.Tokens.Revoke(t.Context(), home, r.bot.ID, revoked.ID))
		r.now = end
		made := r.atOnce(40, fault.Forbidden, func() error {
			_, _, err := r.Tokens.Issue(t.Context(), home, r.bot.ID, chatbot.NewToken{})
			return err
		})
		if made != 10 { // the Standard plan
			t.Errorf("%d were made", made)
		}
	})

	t.Run("a plan without API access issues none", func(t *testing.T) {
		r := newRig(t)
		r.must(billingstore.NewPlanAccess(r.db).SetPlan(t.Context(), home, plan.Starter, plan.Starter))
		if _, _, err := r.Tokens.Issue(t.Context(), home, r.bot.ID, chatbot.NewToken{}); !fault.Is(err, fault.Forbidden) {
			t.Errorf("the error is %v", err)
		}
	})

	t.Run("a chatbot of another workspace is not found, by any method", func(t *testing.T) {
		r := newRig(t)
		token, secret := r.issue()
		ctx := t.Context()
		_, _, issue := r.Tokens.Issue(ctx, foreign, r.bot.ID, chatbot.NewToken{})
		_, list := r.Tokens.List(ctx, foreign, r.bot.ID)
		_, get := r.Get(ctx, foreign, r.bot.ID)
		for what, err := range map[string]error{
			"issue": issue, "list": list, "get": get,
			"revoke": r.Tokens.Revoke(ctx, foreign, r.bot.ID, token.ID), "delete": r.Delete(ctx, foreign, r.bot.ID),
			"update": r.Update(ctx, foreign, r.bot.ID, chatbot.Settings{Name: "x"}),
		} {
			if !fault.Is(err, fault.NotFound) {
				t.Errorf("%s gives %v", what, err)
			}
		}
		if len(r.index.forgotten) != 0 {
			t.Errorf("the index was told to forget %v", r.index.forgotten)
		}
		r.wantAuthenticated(secret, nil)
	})

	t.Run("a wrong request is refused at its field", func(t *testing.T) {
		r := newRig(t)
		for field, request := range map[string]chatbot.NewToken{
			"name":       {Name: strings.Repeat("x", 101)},
			"scopes":     {Scopes: []chatbot.Scope{"admin"}},
			"expires_at": {ExpiresAt: &r.now},
		} {
			if _, _, err := r.Tokens.Issue(t.Context(), home, r.bot.ID, request); !fault.Is(err, fault.Invalid) || fault.As(err).Field != field {
				t.Errorf("%s gives %v", field, err)
			}
		}
		twice := chatbot.NewToken{Scopes: []chatbot.Scope{chatbot.ScopeChat, chatbot.ScopeChat}}
		if _, _, err := r.Tokens.Issue(t.Context(), home, r.bot.ID, twice); !fault.Is(err, fault.Invalid) {
			t.Errorf("a scope that is given twice gives %v", err)
		}
	})
}

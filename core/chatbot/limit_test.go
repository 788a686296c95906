package chatbot_test

import (
	"context"
	"crypto/rand"
	"errors"
	"strings"
	"testing"
	"time"

	"parley/core/chatbot"
	"parley/core/fault"
	"parley/core/plan"
	"parley/core/system/grant"
	"parley/store/ports"
)

// limit changes what the plan of both workspaces includes, as an operator does,
// and waits until every process knows.
func (r *rig) limit(change func(*plan.Limits)) {
	r.Helper()
	p, err := r.db.Plan(r.Context(), plan.Standard)
	r.must(err)
	change(&p.Limits)
	r.must(r.tenants.Plans.Update(r.Context(), p))
	r.now = r.now.Add(5 * time.Second)
}

// add makes a chatbot that is younger than those before it, with a token.
func (r *rig) add(name string) (bot chatbot.Chatbot, secret string) {
	r.Helper()
	r.now = r.now.Add(time.Second)
	bot, err := r.Create(r.Context(), home, chatbot.Settings{Name: name})
	r.must(err)
	_, secret, err = r.Tokens.Issue(r.Context(), home, bot.ID, chatbot.NewToken{})
	r.must(err)
	return bot, secret
}

// wantAnswer fails unless a secret is admitted or, with a text, refused as
// Forbidden with a sentence that has it.
func (r *rig) wantAnswer(secret, refusal string) {
	r.Helper()
	_, err := r.Callers.Authenticate(r.Context(), secret)
	if refusal == "" && err != nil {
		r.Errorf("it is refused: %v", err)
	}
	if refusal != "" && (!fault.Is(err, fault.Forbidden) || !strings.Contains(err.Error(), refusal)) {
		r.Errorf("the error is %v, want one about %q", err, refusal)
	}
}

const (
	chatbotSuspended = "This chatbot is suspended because the workspace's plan includes fewer chatbots. An owner can choose"
	tokenSuspended   = "This API token is suspended because the workspace's plan includes fewer tokens for each chatbot. An owner can choose"
)

func TestOverTheLimit(t *testing.T) {
	t.Run("a chatbot over the limit answers nobody, and answers again when the plan includes it", func(t *testing.T) {
		r := newRig(t)
		_, first := r.issue()
		_, second := r.add("Second")
		r.limit(func(l *plan.Limits) { l.Chatbots = 1 })
		r.wantAnswer(first, "")
		r.wantAnswer(second, chatbotSuspended)
		r.limit(func(l *plan.Limits) { l.Chatbots = 2 })
		r.wantAnswer(second, "")
	})

	t.Run("a token over the limit is refused, and works again when the plan includes it", func(t *testing.T) {
		r := newRig(t)
		_, first := r.issue()
		r.now = r.now.Add(time.Second)
		_, second := r.issue()
		r.limit(func(l *plan.Limits) { l.TokensPerChatbot = 1 })
		r.wantAnswer(first, "")
		r.wantAnswer(second, tokenSuspended)
		r.limit(func(l *plan.Limits) { l.TokensPerChatbot = plan.Unlimited })
		r.wantAnswer(second, "")
	})

	t.Run("a plan without API access is named before what is over its limits", func(t *testing.T) {
		r := newRig(t)
		_, second := r.add("Second")
		r.limit(func(l *plan.Limits) { l.Chatbots, l.Features = 1, nil })
		r.wantAnswer(second, "no API access")
	})

	t.Run("a chatbot over the limit can be read, but not changed, and gets no token", func(t *testing.T) {
		r := newRig(t)
		second, _ := r.add("Second")
		r.limit(func(l *plan.Limits) { l.Chatbots = 1 })
		bot, err := r.Get(t.Context(), home, second.ID)
		r.must(err)
		_, _, issue := r.Tokens.Issue(t.Context(), home, second.ID, chatbot.NewToken{})
		for what, err := range map[string]error{
			"writable": bot.Writable(), "issue": issue, "update": r.Update(t.Context(), home, second.ID, chatbot.Settings{Name: "Other"}),
		} {
			if !fault.Is(err, fault.Forbidden) || !strings.Contains(err.Error(), chatbotSuspended) {
				t.Errorf("%s gives %v", what, err)
			}
		}
		if bot, err := r.Get(t.Context(), home, second.ID); err != nil || bot.Name != "Second" {
			t.Errorf("it is called %q: %v", bot.Name, err)
		}
	})

	t.Run("a chatbot over the limit can be deleted, and its tokens revoked", func(t *testing.T) {
		r := newRig(t)
		second, secret := r.add("Second")
		r.limit(func(l *plan.Limits) { l.Chatbots = 1 })
		tokens, err := r.Tokens.List(t.Context(), home, second.ID)
		r.must(err)
		r.must(r.Tokens.Revoke(t.Context(), home, second.ID, tokens[0].ID))
		r.wantAuthenticated(secret, badToken)
		r.must(r.Delete(t.Context(), home, second.ID))
	})

	t.Run("a deletion wakes up the chatbot that rested, at once", func(t *testing.T) {
		r := newRig(t)
		_, second := r.add("Second")
		_, third := r.add("Third")
		r.limit(func(l *plan.Limits) { l.Chatbots = 1 })
		r.wantAnswer(second, chatbotSuspended)
		r.wantAnswer(third, chatbotSuspended)
		r.must(r.Delete(t.Context(), home, r.bot.ID))
		r.wantAnswer(second, "")
		r.wantAnswer(third, chatbotSuspended)
	})

	t.Run("a revocation wakes up the token that rested, at once", func(t *testing.T) {
		r := newRig(t)
		first, _ := r.issue()
		r.now = r.now.Add(time.Second)
		_, second := r.issue()
		r.limit(func(l *plan.Limits) { l.TokensPerChatbot = 1 })
		r.wantAnswer(second, tokenSuspended)
		r.must(r.Tokens.Revoke(t.Context(), home, r.bot.ID, first.ID))
		r.wantAnswer(second, "")
	})
}

// unsettled is a settler that fails.
type unsettled struct{ fail error }

func (u unsettled) Settle(context.Context, string) error { return u.fail }

func TestSettling(t *testing.T) {
	t.Run("what cannot be settled does not happen", func(t *testing.T) {
		r := newRig(t)
		token, secret := r.issue()
		away := errors.New("away")
		s := chatbot.New(ports.ForChatbot(r.db, grant.Because("a test")), r.index, unsettled{away}, func() time.Time { return r.now }, rand.Reader, chatbot.Options{})
		_, create := s.Create(t.Context(), home, chatbot.Settings{Name: "Second"})
		_, _, issue := s.Tokens.Issue(t.Context(), home, r.bot.ID, chatbot.NewToken{})
		for what, err := range map[string]error{
			"create": create, "issue": issue,
			"revoke": s.Tokens.Revoke(t.Context(), home, r.bot.ID, token.ID), "delete": s.Delete(t.Context(), home, r.bot.ID),
		} {
			if !errors.Is(err, away) {
				t.Errorf("%s gives %v", what, err)
			}
		}
		bots, err := r.List(t.Context(), home)
		r.must(err)
		tokens, err := r.Tokens.List(t.Context(), home, r.bot.ID)
		r.must(err)
		if len(bots) != 1 || len(tokens) != 1 {
			t.Errorf("there are %d chatbots and %d tokens", len(bots), len(tokens))
		}
		r.wantAuthenticated(secret, nil)
	})
}

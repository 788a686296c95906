package store_test

import (
	"fmt"
	"reflect"
	"slices"
	"testing"
	"time"

	"parley/core/chatbot"
	"parley/core/fault"
	"parley/core/plan"
	"parley/core/tenant"
	"parley/store"
)

func TestHoldings(t *testing.T) {
	onBothDatabases(t, func(b *bundle) {
		a, other := b.fill("a"), b.fill("b")
		ctx := b.Context()
		later := epoch.Add(time.Hour)
		b.must(b.CreateChatbot(ctx, a.id, chatbot.Chatbot{ID: "cb_2", Name: "second", CreatedAt: later}))
		b.must(b.CreateUser(ctx, newUser("usr_2")))
		b.must(b.AddMember(ctx, a.id, tenant.Member{UserID: "usr_2", Role: tenant.RoleAdmin, CreatedAt: later}))
		for _, id := range []string{"tok_2", "tok_revoked"} {
			b.must(b.CreateToken(ctx, a.id, chatbot.Token{ID: id, ChatbotID: "cb_2", Name: id, ExpiresAt: &later, CreatedAt: later}, id))
		}
		_, err := b.RevokeToken(ctx, a.id, "cb_2", "tok_revoked", later)
		b.must(err)
		marked := func(of func(tenant.Holding) bool) (ids []string) {
			holdings, err := b.Holdings(ctx, a.id)
			b.must(err)
			for _, h := range holdings {
				if of(h) {
					ids = append(ids, h.ID)
				}
			}
			return ids
		}
		over := func(h tenant.Holding) bool { return h.OverLimit }
		kept := func(h tenant.Holding) bool { return h.Kept }

		b.Run("they are the chatbots, members and tokens that were not revoked, the oldest first", func(t *testing.T) {
			want := []tenant.Holding{
				{Resource: plan.Chatbots, Name: a.secret, Holding: plan.Holding{ID: a.chatbot, CreatedAt: epoch}},
				{Resource: plan.Chatbots, Name: "second", Holding: plan.Holding{ID: "cb_2", CreatedAt: later}},
				{Resource: plan.Members, Name: a.secret + "@example.com", Holding: plan.Holding{ID: a.user, Vital: true, CreatedAt: epoch}},
				{Resource: plan.Members, Name: "usr_2@example.com", Holding: plan.Holding{ID: "usr_2", CreatedAt: later}},
				{Resource: plan.Tokens, Name: a.secret, ChatbotID: a.chatbot, Holding: plan.Holding{ID: a.token, CreatedAt: epoch}},
				{Resource: plan.Tokens, Name: "tok_2", ChatbotID: "cb_2", ExpiresAt: &later, Holding: plan.Holding{ID: "tok_2", CreatedAt: later}},
			}
			if got, err := b.Holdings(ctx, a.id); err != nil || !reflect.DeepEqual(got, want) {
				t.Errorf("got  %+v, %v\nwant %+v", got, err, want)
			}
		})
		b.Run("of several owners only the one who joined first is vital", func(t *testing.T) {
			b.must(b.SetRole(ctx, a.id, "usr_2", tenant.RoleOwner))
			vital := func(h tenant.Holding) bool { return h.Vital }
			if got := marked(vital); !slices.Equal(got, []string{a.user}) {
				t.Errorf("vital are %v", got)
			}
			b.must(b.SetRole(ctx, a.id, "usr_2", tenant.RoleMember))
		})
		b.Run("those named are over the limit, and all others of the resource are not", func(t *testing.T) {
			for _, c := range []struct {
				resource plan.Resource
				ids      []string
				over     string
			}{
				{plan.Chatbots, []string{a.chatbot, "cb_2"}, "[cb_a cb_2]"},
				{plan.Chatbots, []string{"cb_2", "cb_nobody"}, "[cb_2]"},
				{plan.Members, []string{"usr_2"}, "[cb_2 usr_2]"},
				{plan.Tokens, []string{a.token}, "[cb_2 usr_2 tok_a]"},
				{plan.Tokens, []string{"tok_2"}, "[cb_2 usr_2 tok_2]"},
			} {
				b.must(b.SetOverLimit(ctx, a.id, c.resource, c.ids))
				if got := fmt.Sprint(marked(over)); got != c.over {
					t.Errorf("after %v over the limit are %s, want %s", c.ids, got, c.over)
				}
			}
		})
		b.Run("it shows wherever they are read", func(t *testing.T) {
			bot, err := b.Chatbot(ctx, a.id, "cb_2")
			b.must(err)
			tokens, err := b.Tokens(ctx, a.id, "cb_2")
			b.must(err)
			members, err := b.Members(ctx, a.id)
			b.must(err)
			memberships, err := b.Memberships(ctx, everywhere, "usr_2")
			b.must(err)
			principal, err := b.PrincipalByTokenHash(ctx, everywhere, "tok_2")
			b.must(err)
			resting := slices.IndexFunc(tokens, func(t chatbot.Token) bool { return t.OverLimit })
			if !bot.OverLimit || resting < 0 || tokens[resting].ID != "tok_2" || members[0].OverLimit || !members[1].OverLimit ||
				!memberships[0].OverLimit || !principal.Chatbot.OverLimit || !principal.Token.OverLimit {
				t.Errorf("got %+v, %+v, %+v, %+v, %+v", bot, tokens, members, memberships, principal)
			}
		})
		b.Run("what an owner keeps has nothing to do with what rests", func(t *testing.T) {
			b.must(b.SetKept(ctx, a.id, plan.Chatbots, []string{"cb_2"}))
			b.must(b.SetKept(ctx, a.id, plan.Members, []string{a.user, "usr_2"}))
			b.must(b.SetKept(ctx, a.id, plan.Members, []string{"usr_2"}))
			if got := fmt.Sprint(marked(kept), marked(over)); got != "[cb_2 usr_2] [cb_2 usr_2 tok_2]" {
				t.Errorf("got %s", got)
			}
		})
		b.Run("none named wakes all, and saying so again writes nothing", func(t *testing.T) {
			for _, resource := range []plan.Resource{plan.Chatbots, plan.Members, plan.Tokens, plan.Chatbots} {
				b.must(b.SetOverLimit(ctx, a.id, resource, nil))
			}
			if got := marked(over); got != nil {
				t.Errorf("over the limit are %v", got)
			}
		})
		b.Run("more than a statement takes are marked, too", func(t *testing.T) {
			ids := []string{a.chatbot}
			for i := range 2*store.BatchRows + 1 {
				ids = append(ids, fmt.Sprint("cb_", i))
			}
			b.must(b.SetOverLimit(ctx, a.id, plan.Chatbots, ids))
			if got := marked(over); !slices.Equal(got, []string{a.chatbot, "cb_2"}) {
				t.Errorf("over the limit are %v", got)
			}
		})
		b.Run("what another workspace has is not touched", func(t *testing.T) {
			before := b.rows(other.id)
			b.must(b.SetOverLimit(ctx, a.id, plan.Chatbots, []string{other.chatbot}))
			if b.rows(other.id) != before {
				t.Error("it changed")
			}
		})
		b.Run("what nobody holds is refused", func(t *testing.T) {
			b.wantKind(b.SetOverLimit(ctx, a.id, plan.Messages, nil), fault.Internal)
		})
	})
}

package chatbot_test

import (
	"testing"

	"parley/core/account"
	"parley/core/chatbot"
	"parley/core/fault"
	"parley/core/plan"
	"parley/core/tenant"
)

// person is a member of the rig's workspace.
func person(role tenant.Role, overLimit bool) tenant.Person {
	return tenant.Person{User: account.User{ID: "usr_1"}, Memberships: []tenant.Membership{
		{Workspace: tenant.Workspace{ID: home, Plan: plan.Starter}, Role: role, OverLimit: overLimit},
	}}
}

func TestWhoMayTryAChatbot(t *testing.T) {
	r := newRig(t)
	suspended, elsewhere, cached := r.bot, r.bot, r.bot
	suspended.OverLimit, elsewhere.WorkspaceID, cached.CacheAnswers = true, foreign, true
	for name, c := range map[string]struct {
		by   tenant.Person
		bot  chatbot.Chatbot
		want fault.Kind
	}{
		"a member who can only look": {person(tenant.RoleMember, true), r.bot, fault.Forbidden},
		"a suspended chatbot":        {person(tenant.RoleOwner, false), suspended, fault.Forbidden},
		"another workspace's":        {person(tenant.RoleOwner, false), elsewhere, fault.NotFound},
	} {
		if _, err := r.Playground.Enter(t.Context(), c.by, c.bot); !fault.Is(err, c.want) {
			t.Errorf("%s: %v", name, err)
		}
	}
	got, err := r.Playground.Enter(t.Context(), person(tenant.RoleMember, false), cached)
	if err != nil || got.MemberID != "usr_1" || got.CallerID() != "usr_1" || got.Plan.Name != plan.Starter || got.Chatbot.CacheAnswers {
		t.Errorf("a member on the Starter plan is %+v: %v", got, err)
	}
	if err := got.Needs(chatbot.ScopeChat); !fault.Is(err, fault.Forbidden) {
		t.Errorf("a member has the scope of a token: %v", err)
	}
}

func TestRehearse(t *testing.T) {
	r := newRig(t)
	live, err := r.Playground.Enter(t.Context(), person(tenant.RoleOwner, false), r.bot)
	if err != nil {
		t.Fatal(err)
	}
	text, strict, hot := "  Be brief. ", chatbot.Strict, 1.5
	temperature := &hot
	got, err := r.Playground.Rehearse(t.Context(), person(tenant.RoleAdmin, false), live, chatbot.Draft{Instructions: &text, Grounding: &strict, Temperature: &temperature})
	if err != nil || got.Chatbot.Instructions != "Be brief." || got.Chatbot.Grounding != strict || *got.Chatbot.Temperature != hot || got.Chatbot.NoAnswer != live.Chatbot.NoAnswer || got.MemberID != "usr_1" {
		t.Errorf("the draft is %+v: %v", got, err)
	}
	if live.Chatbot.Instructions != r.bot.Instructions || live.Chatbot.Grounding != r.bot.Grounding {
		t.Errorf("the live chatbot is %+v now", live.Chatbot)
	}
	loose := chatbot.Grounding("loose")
	for name, c := range map[string]struct {
		role  tenant.Role
		draft chatbot.Draft
		want  fault.Kind
	}{
		"a member":             {tenant.RoleMember, chatbot.Draft{Instructions: &text}, fault.Forbidden},
		"an unknown grounding": {tenant.RoleOwner, chatbot.Draft{Grounding: &loose}, fault.Invalid},
		"a provider that the workspace does not have": {tenant.RoleOwner, chatbot.Draft{Model: &chatbot.ModelChoice{ProviderID: "mp_nobody", Name: "m"}}, fault.Invalid},
	} {
		if _, err := r.Playground.Rehearse(t.Context(), person(c.role, false), live, c.draft); !fault.Is(err, c.want) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

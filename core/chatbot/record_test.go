package chatbot_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"parley/core/audit"
	"parley/core/chatbot"
	"parley/core/system/grant"
	auditstore "parley/store/audit"
)

// recorded are the entries of the audit log since a number of them, the latest
// first.
func (r *rig) recorded(since int) []audit.Entry {
	r.Helper()
	entries, err := auditstore.NewAuditLog(r.db).AuditEntries(r.Context(), grant.Because("a test"), audit.Query{Limit: 1000})
	r.must(err)
	return entries[:len(entries)-since]
}

func TestRecords(t *testing.T) {
	secrets := []string{providerKey, "sk-another", "Be rude.", "Be kind.", "We do not know."}
	r := newRig(t)
	var provider chatbot.Provider
	var token chatbot.Token
	settings := chatbot.Settings{Name: "Guide", Instructions: "Be rude."}
	update := func(change func(*chatbot.Settings)) func() {
		return func() {
			change(&settings)
			r.must(r.Update(t.Context(), home, r.bot.ID, settings))
		}
	}
	for _, act := range []struct {
		what string
		do   func()
		want []audit.Action
		// changes are as field:old:new.
		changes string
	}{
		{"a chatbot's texts change", update(func(s *chatbot.Settings) { s.NoAnswer = "We do not know." }), []audit.Action{audit.ChatbotChanged}, "instructions:: no_answer::"},
		{"its greeting changes", update(func(s *chatbot.Settings) {
			s.Welcome, s.SuggestedQuestions = "Hi!", []string{"When?", "Where?"}
		}), []audit.Action{audit.ChatbotChanged}, "welcome::Hi! suggested_questions::When?, Where?"},
		{"settings are saved as they were", update(func(*chatbot.Settings) {}), nil, ""},
		{"its settings change", update(func(s *chatbot.Settings) {
			s.Name, s.Instructions, s.Grounding, s.Model.Name = "Help", "Be kind.", chatbot.Strict, "second-model"
		}), []audit.Action{audit.ChatbotChanged}, "name:Guide:Help instructions:: model.name::second-model grounding:open:strict"},
		{"a provider is made", func() { provider = r.provider("Ours") }, []audit.Action{audit.ProviderCreated}, ""},
		{"it is renamed, and its key replaced", func() {
			_, err := r.Providers.Update(t.Context(), home, provider.ID, chatbot.ProviderSettings{
				Name: "Theirs", BaseURL: provider.BaseURL, Tools: provider.Tools, Key: "sk-another-0123456789",
			})
			r.must(err)
		}, []audit.Action{audit.ProviderKeyReplaced, audit.ProviderChanged}, "name:Ours:Theirs"},
		{"keys are sealed anew", func() {
			_, _, err := r.Providers.ResealKeys(t.Context())
			r.must(err)
		}, []audit.Action{audit.ProviderKeyResealed}, ""},
		{"it is deleted", func() { r.must(r.Providers.Delete(t.Context(), home, provider.ID)) }, []audit.Action{audit.ProviderDeleted}, ""},
		{"a token is made", func() { token, _ = r.issue() }, []audit.Action{audit.TokenCreated}, ""},
		{"it is revoked", func() { r.must(r.Tokens.Revoke(t.Context(), home, r.bot.ID, token.ID)) }, []audit.Action{audit.TokenRevoked}, ""},
		{"it is revoked again", func() { r.must(r.Tokens.Revoke(t.Context(), home, r.bot.ID, token.ID)) }, nil, ""},
		{"the chatbot is deleted", func() { r.must(r.Delete(t.Context(), home, r.bot.ID)) }, []audit.Action{audit.ChatbotDeleted}, ""},
	} {
		t.Run(act.what, func(t *testing.T) {
			before := len(r.recorded(0))
			act.do()
			var got []audit.Action
			var changes []string
			for _, entry := range r.recorded(before) {
				got = append(got, entry.Action)
				for _, c := range entry.Changes {
					changes = append(changes, c.Field+":"+c.Old+":"+c.New)
				}
			}
			if !slices.Equal(got, act.want) || strings.Join(changes, " ") != act.changes {
				t.Errorf("recorded %v with %q, want %v with %q", got, changes, act.want, act.changes)
			}
		})
	}
	t.Run("no entry has a key, a token's secret or a text of instructions", func(t *testing.T) {
		all := fmt.Sprintf("%+v", r.recorded(0))
		for _, secret := range secrets {
			if strings.Contains(all, secret) {
				t.Errorf("%q is in the audit log", secret)
			}
		}
	})
	t.Run("an act that is refused leaves no entry", func(t *testing.T) {
		before := len(r.recorded(0))
		if err := r.Update(t.Context(), home, r.bot.ID, settings); err == nil {
			t.Error("a deleted chatbot was changed")
		}
		if got := r.recorded(before); len(got) != 0 {
			t.Errorf("recorded %+v", got)
		}
	})
}

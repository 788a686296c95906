package app

import (
	"strings"
	"testing"

	"parley/core/account"
	"parley/core/chatbot"
	"parley/core/knowledge"
	"parley/core/retrieval"
	"parley/internal/app/config"
)

func TestExpansion(t *testing.T) {
	documents := map[string]string{
		"Accounts": "# Accounts\n\nYou forgot your password? We mail a link with which you choose a new one.",
		"Bread":    "# Bread\n\nWe bake rye bread every morning, and rolls on Sundays.",
		"Bikes":    "# Bikes\n\nOur workshop repairs bicycles, also on the day you bring them.",
	}
	onBothDatabases(t, func(t *testing.T, open func(Config) *Program) {
		t.Run("a document answers at once, and its passages are expanded afterwards", func(t *testing.T) {
			p := open(Config{Reading: config.Reading{Expand: "on"}})
			ctx := t.Context()
			_, space, err := p.Tenants.SignUps.Create(ctx, account.Account{Email: "owner@example.com", Password: "correct horse battery", Workspace: "Shop"})
			must(t, err)
			bot, err := p.Chatbots.Create(ctx, space, chatbot.Settings{Name: "Guide"})
			must(t, err)
			for title, text := range documents {
				_, err := p.Knowledge.Documents.Add(ctx, space, bot.ID, knowledge.NewDocument{Title: title, Content: text})
				must(t, err)
			}
			for more := true; more; {
				more, err = p.Knowledge.Worker.WorkOff(ctx, space)
				must(t, err)
			}
			p.Searcher.LookUpVersion(ctx)
			scope, query := retrieval.Scope{WorkspaceID: space, ChatbotID: bot.ID}, retrieval.Query{Text: "How do I choose a new password?", Limit: 3}
			before, err := p.Searcher.Search(ctx, scope, query)
			if err != nil || len(before) == 0 || before[0].Title != "Accounts" {
				t.Fatalf("found are %v, %v", before, err)
			}
			if d := diagnoseExpansion(ctx, p); !d.OK || !strings.HasPrefix(d.Detail, "3 passages") {
				t.Errorf("the doctor says %+v", d)
			}
			must(t, expand(ctx, p))
			if d := diagnoseExpansion(ctx, p); !d.OK || !strings.HasPrefix(d.Detail, "all") {
				t.Errorf("then the doctor says %+v", d)
			}
			after, err := p.Searcher.Search(ctx, scope, query)
			if err != nil || len(after) == 0 || after[0].Title != "Accounts" || after[0].Score <= before[0].Score {
				t.Errorf("the score was %v, and then found are %v, %v", before[0].Score, after, err)
			}
		})
		t.Run("switched off, nothing is expanded", func(t *testing.T) {
			p := open(Config{})
			if d := diagnoseExpansion(t.Context(), p); !d.OK || !strings.HasPrefix(d.Detail, "off") {
				t.Errorf("the doctor says %+v", d)
			}
			for _, c := range (&housekeeping{Program: p}).chores() {
				if c.name == "passages.expand" {
					t.Error("there is a chore for it")
				}
			}
		})
	})
}

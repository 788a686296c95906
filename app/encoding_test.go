package app

import (
	"context"
	"strings"
	"testing"
	"time"

	"parley/app/config"
	"parley/core/account"
	"parley/core/chatbot"
	"parley/core/knowledge"
	"parley/core/retrieval"
)

func TestEncoding(t *testing.T) {
	documents := map[string]string{
		"Accounts": "# Accounts\n\nYou forgot your password? We mail a link with which you choose a new one.",
		"Bread":    "# Bread\n\nWe bake rye bread every morning, and rolls on Sundays.",
		"Bikes":    "# Bikes\n\nOur workshop repairs bicycles, also on the day you bring them.",
	}
	onBothDatabases(t, func(t *testing.T, open func(Config) *Program) {
		t.Run("a document answers at once, and its passages are encoded afterwards", func(t *testing.T) {
			p := open(Config{Reading: config.Reading{Encode: "on"}})
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
			left := func() int {
				found, err := p.Searcher.Search(ctx, retrieval.Scope{WorkspaceID: space, ChatbotID: bot.ID}, retrieval.Query{Text: "I forgot my password", Limit: 3})
				if err != nil || len(found) == 0 || found[0].Title != "Accounts" {
					t.Fatalf("found are %v, %v", found, err)
				}
				n, err := p.Browser.Unencoded(ctx, space, bot.ID)
				must(t, err)
				return n
			}
			if n := left(); n != len(documents) {
				t.Errorf("%d passages are left", n)
			}
			if d := p.diagnoseEncoding(ctx); !d.OK || !strings.HasPrefix(d.Detail, "3 passages") {
				t.Errorf("the doctor says %+v", d)
			}
			working, stop := context.WithCancel(ctx)
			must(t, p.Encoding.Work(working, p.now().Add(time.Minute), func(left int) {
				if left == 0 {
					stop()
				}
			}))
			if d := p.diagnoseEncoding(ctx); !d.OK || !strings.HasPrefix(d.Detail, "all") {
				t.Errorf("then the doctor says %+v", d)
			}
			if n := left(); n != 0 {
				t.Errorf("then %d passages are left", n)
			}
		})
		t.Run("switched off, nothing is encoded", func(t *testing.T) {
			p := open(Config{})
			if d := p.diagnoseEncoding(t.Context()); !d.OK || !strings.HasPrefix(d.Detail, "off") {
				t.Errorf("the doctor says %+v", d)
			}
			if p.Encoding != nil {
				t.Error("something encodes")
			}
		})
	})
}

package app

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"parley/core/chatbot"
	"parley/core/insight/testrun"
	"parley/core/knowledge"
	"parley/core/outbox"
	"parley/core/plan"
	"parley/core/system/grant"
	"parley/core/tenant"
	"parley/core/webhook"
	billingstore "parley/store/billing"
	insightstore "parley/store/insight"
	knowledgestore "parley/store/knowledge"
	"parley/store/outbound"
	"parley/store/storetest"
)

// waits is what pauses in a workspace that is being deleted, until it is restored:
// TestNothingIsBegunForAWorkspaceThatEnds tries it.
const waits = "waits"

// byItself has all that a server does without being asked, by the name of the task or of the
// chore, and what becomes of it in a workspace that is being deleted:
// it waits, or there is a reason why it goes on.
var byItself = map[string]string{
	"look for due documents": waits,
	"work off the job queue": waits,
	"ask test questions":     waits,
	"send webhooks":          waits,
	"send mails":             waits, // those about people's accounts are of no workspace
	"quota.notices":          waits,
	"tokens.expiring":        waits,
	"knowledge.reread":       waits,

	"release reserved messages":               "it gives back what a server that stops has reserved",
	"renew leases":                            "an answer that was begun before comes to its end",
	"look for answers to stop":                "an answer that was begun before can be stopped",
	"write when tokens were used":             "it is of requests that were admitted before",
	"update statistics":                       "it counts what was answered before, and asks no model; its events wait",
	"compare indexes with other servers":      "it is of no workspace",
	"follow what other servers index":         "indexes hold what the database says, so that a restored workspace answers",
	"repair the index":                        "indexes hold what the database says, so that a restored workspace answers",
	"delete old changes of indexes":           "it deletes what is old",
	"tell other servers of the index":         "it is of no workspace",
	"clear the index of erased workspaces":    "it is of workspaces that are erased",
	"unload idle tenants":                     "it is what becomes of a chatbot that nobody asks",
	"serve metrics":                           "it is of no workspace",
	"look when the last backup was made":      "it is of no workspace",
	"read the sentence encoder":               "it is of no workspace",
	"delete expired rows":                     "it deletes what is old",
	"encode passages":                         "a restored workspace finds its passages encoded",
	"end expired access":                      "Stripe and the operator say what a workspace has paid for; its mails wait",
	"send customers' new addresses to Stripe": "invoices that are still to come go to the right address",
	"listen for changes":                      "it is of no workspace",
	"watch the readers of files":              "it is of no workspace",
	"check the parts of the server":           "it is of no workspace",
	"retention":                               "conversations are kept no longer than was promised",
	"privacy.erase":                           "it ends the workspace",
	"privacy.addresses":                       "addresses are kept no longer than was promised",
	"audit.forget":                            "the audit log outlives the workspace",
	"plans.settle":                            "it marks what is over a limit, tells nobody, and is what a restored workspace needs",
	"limits.forget":                           "it deletes what is old",
	"billing.unverified":                      "it tells the operator",
	"billing.prices":                          "it is of no workspace",
	"billing.catch-up":                        "money is counted right to the end; its mails wait",
	"billing.reconcile":                       "money is counted right to the end; its mails wait",
}

func TestWhatAServerDoesByItselfIsListed(t *testing.T) {
	found := map[string]bool{}
	files, err := filepath.Glob("*.go")
	must(t, err)
	for _, path := range files {
		if strings.HasSuffix(path, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, 0)
		must(t, err)
		ast.Inspect(file, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.CallExpr:
				switch name := n.Fun.(type) {
				case *ast.Ident:
					if name.Name == "logUnlessStopped" {
						note(found, n.Args[2])
					}
				case *ast.SelectorExpr:
					switch name.Sel.Name { // of the keeper
					case "keep":
						note(found, n.Args[0])
					case "every", "atOnceAndEvery":
						note(found, n.Args[1])
					}
				}
			case *ast.KeyValueExpr:
				if key, is := n.Key.(*ast.Ident); is && key.Name == "name" {
					note(found, n.Value)
				}
			}
			return true
		})
	}
	for does := range found {
		if byItself[does] == "" {
			t.Errorf("%q is in no list: say what becomes of it in a workspace that is being deleted", does)
		}
	}
	for does := range byItself {
		if !found[does] {
			t.Errorf("no server does %q", does)
		}
	}
}

func note(found map[string]bool, text ast.Expr) {
	if literal, is := text.(*ast.BasicLit); is {
		if value, err := strconv.Unquote(literal.Value); err == nil {
			found[strings.TrimPrefix(value, "could not ")] = true
		}
	}
}

// inWaiting finds out, for each kind of work, whether a server would begin it now.
func (h *hooks) inWaiting(bot string) map[string]bool {
	h.Helper()
	ctx, due, found := h.Context(), knowledgestore.NewDueWork(h.Store), map[string]bool{}
	_, err := due.DueSource(ctx, h.space, h.at)
	found["a source to read again"] = err == nil
	_, err = due.DueDocument(ctx, h.space, knowledge.IndexWork, h.at, nil)
	found["a document to index"] = err == nil
	for d, err := range due.WorkspacesDue(ctx, grant.Because("a test"), h.at) {
		h.must(err)
		found["work that is not queued yet"] = d.WorkspaceID == h.space
	}
	tests := insightstore.NewTestRuns(h.Store)
	tested, err := tests.Tested(ctx, grant.Because("a test"))
	h.must(err)
	found["test questions to ask after a change"] = len(tested) > 0
	_, err = tests.ClaimTestRun(ctx, grant.Because("a test"), h.at, h.at.Add(time.Minute))
	found["a test run"] = err == nil
	found["a webhook"] = len(h.sent()) > 0
	_, err = outbound.NewMails(h.Store).ClaimMail(ctx, grant.Because("a test"), h.at, h.at.Add(time.Minute))
	found["a mail about the workspace"] = err == nil
	for use, err := range billingstore.NewQuotaNotices(h.Store).Quotas(ctx, grant.Because("a test"), "2026-11") {
		h.must(err)
		found["a month's messages to tell of"] = use.WorkspaceID == h.space
	}
	h.must(h.Chatbots.Announcer.WarnOfExpiring(ctx))
	tokens, err := h.Chatbots.Tokens.List(ctx, h.space, bot)
	h.must(err)
	found["a token to warn of"] = tokens[0].WarnedDays > 0
	return found
}

func TestNothingIsBegunForAWorkspaceThatEnds(t *testing.T) {
	for name, database := range map[string]func(*testing.T) string{
		"sqlite":   func(*testing.T) string { return "" },
		"postgres": func(t *testing.T) string { return storetest.Postgres(t) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := openHooks(t, database(t))
			ctx := t.Context()
			bot, err := h.Chatbots.Create(ctx, h.space, chatbot.Settings{Name: "Guide"})
			h.must(err)
			_, err = h.Knowledge.Sources.Add(ctx, h.space, bot.ID, knowledge.NewSource{URL: "https://example.com/", Schedule: knowledge.Daily})
			h.must(err)
			_, err = h.Knowledge.Documents.Add(ctx, h.space, bot.ID, knowledge.NewDocument{Title: "Hours", Content: "We open at seven."})
			h.must(err)
			h.must(h.Knowledge.Documents.MarkReindex(ctx, h.space, bot.ID))
			_, err = h.Insight.Tests.Add(ctx, h.space, bot.ID, testrun.Wanted{Question: "When do you open?", Expects: testrun.AnAnswer}, "")
			h.must(err)
			_, err = h.Insight.Tests.Start(ctx, h.space, bot.ID, "")
			h.must(err)
			e, _ := h.endpoint(webhook.Kinds()...)
			h.must(h.Webhooks.Deliveries.SendTest(ctx, h.space, e.ID))
			h.must(outbound.NewMails(h.Store).AddMail(ctx, h.space, outbox.Mail{Key: "a mail", To: "owner@example.com", Subject: "Hello", DueAt: &h.at, CreatedAt: h.at}))
			end := h.at.Add(20 * 24 * time.Hour)
			_, _, err = h.Chatbots.Tokens.Issue(ctx, h.space, bot.ID, chatbot.NewToken{Name: "shop", ExpiresAt: &end})
			h.must(err)
			h.at = h.at.Add(8 * 24 * time.Hour)

			_, err = h.Tenants.Workspaces.End(ctx, h.space, tenant.DeletionGrace)
			h.must(err)
			for work, begun := range h.inWaiting(bot.ID) {
				if begun {
					t.Errorf("%s is begun while the workspace waits for its end", work)
				}
			}
			h.must(h.Tenants.Workspaces.Restore(ctx, h.space, ""))
			if p, err := h.Tenants.Workspaces.Workspace(ctx, h.space); err != nil || p.Plan != plan.Standard {
				t.Errorf("the restored workspace is %+v, %v", p, err)
			}
			for work, begun := range h.inWaiting(bot.ID) {
				if !begun {
					t.Errorf("%s is not begun after the workspace was restored", work)
				}
			}
		})
	}
}

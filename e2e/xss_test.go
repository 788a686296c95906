package e2e

import (
	"encoding/csv"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"

	"golang.org/x/net/html"

	"parley/app"
	"parley/core/account"
	"parley/core/audit"
	"parley/core/chat"
	"parley/core/chatbot"
	"parley/core/insight/testrun"
	"parley/core/knowledge"
	"parley/core/plan"
)

// attacks are names that a page must show and not obey.
var attacks = []string{
	`<script>alert(1)</script>`,
	`"><img src=x onerror=alert(1)>`,
	`' onmouseover='alert(1)`,
	`</title></textarea></script><svg onload=alert(1)>`,
	`javascript:/**/alert(1)//{{1+1}}${1+1}`,
}

// harmless fails the test when a page runs or loads what it did not bring.
func (w *instance) harmless(r reply) {
	w.Helper()
	if r.Header.Get("Content-Security-Policy") == "" {
		w.Error("the page has no content policy")
	}
	if got := r.Header.Get("X-Content-Type-Options"); got != "nosniff" {
		w.Errorf("X-Content-Type-Options is %q", got)
	}
	for _, node := range elements(w.page(r)) {
		switch {
		case node.Data == "script" && (node.FirstChild != nil || !strings.HasPrefix(attribute(node, "src"), "/static/")):
			w.Errorf("the page has a script of its own: %v", node.Attr)
		case node.Data == "img" && strings.HasPrefix(attribute(node, "src"), "/static/"), node.Data == "svg" && (attribute(node, "class") == "icon" || attribute(node, "role") == "img"):
			// the mark, icons and charts
		case slices.Contains([]string{"img", "svg", "iframe", "object", "embed", "style", "base"}, node.Data):
			w.Errorf("the page has the element %s: %v", node.Data, node.Attr)
		}
		for _, a := range node.Attr {
			w.harmlessAttribute(node, a)
		}
	}
}

func (w *instance) harmlessAttribute(node *html.Node, a html.Attribute) {
	w.Helper()
	if strings.HasPrefix(a.Key, "on") || a.Key == "style" {
		w.Errorf("<%s> has the attribute %s=%q", node.Data, a.Key, a.Val)
	}
	if !slices.Contains([]string{"href", "src", "action", "formaction"}, a.Key) {
		return
	}
	if (!strings.HasPrefix(a.Val, "/") || strings.HasPrefix(a.Val, "//")) && !strings.HasPrefix(a.Val, "#") {
		w.Errorf("<%s> leads elsewhere: %s=%q", node.Data, a.Key, a.Val)
	}
}

// hostileWorkspace is a workspace in which everything is named by an attack.
func (w *instance) hostileWorkspace(email, attack string) (ids, string) {
	w.Helper()
	ctx, p := w.Context(), w.server.Program
	user, workspace, err := p.Tenants.SignUps.Create(ctx, account.Account{Email: email, Password: staffPassword, Workspace: attack})
	w.must(err)
	w.must(p.Tenants.Grants.SetPlan(ctx, workspace, plan.Standard))
	_, err = p.Tenants.Workspaces.Create(ctx, user, attack) // for the switcher
	w.must(err)
	bot, err := p.Chatbots.Create(ctx, workspace, chatbot.Settings{Name: attack, Instructions: attack, NoAnswer: attack, Greeting: chatbot.Greeting{Welcome: attack, SuggestedQuestions: []string{attack}}})
	w.must(err)
	document, err := p.Knowledge.Documents.Add(ctx, workspace, bot.ID, knowledge.NewDocument{Title: attack, Content: attack})
	w.must(err)
	gone, err := p.Knowledge.Documents.Add(ctx, workspace, bot.ID, knowledge.NewDocument{Title: attack + " gone", Content: attack})
	w.must(err)
	w.must(p.Knowledge.Documents.Remove(ctx, workspace, bot.ID, gone.ID))
	_, err = p.Knowledge.Sources.Add(ctx, workspace, bot.ID, knowledge.NewSource{URL: "http://127.0.0.1/?" + url.QueryEscape(attack)})
	w.must(err)
	w.newToken(workspace, bot.ID, attack)
	provider := w.newProvider(workspace, attack)
	hook, delivery := w.newWebhook(workspace, attack)
	asked := w.answeredIn(bot, attack)
	tried, err := p.Chat.CreateConversation(ctx, &chatbot.Principal{Chatbot: bot, MemberID: user.ID}, chat.Start{})
	w.must(err)
	test, err := p.Insight.Tests.Add(ctx, workspace, bot.ID, testrun.Wanted{Question: attack, Expects: testrun.AText, Expected: attack, Reference: attack, Document: attack}, email)
	w.must(err)
	run, err := p.Insight.Tests.Start(ctx, workspace, bot.ID, email)
	w.must(err)
	return ids{
		"question": test.ID, "run": run.ID,
		"entry": w.anEntry(workspace, audit.ChatbotCreated), "workspace": workspace, "provider": provider, "webhook": hook, "delivery": delivery, "chatbot": bot.ID, "id": bot.ID, "document_id": document.ID, "document": document.ID,
		"conversation": written(p.IDs.Conversation(asked.ConversationID)), "tried": written(p.IDs.Conversation(tried.ID)),
	}, user.ID
}

var (
	// exportName is how a file of an export is called: nothing of a chatbot's name is
	// in it.
	exportName = regexp.MustCompile(`^attachment; filename="[a-z-]+-\d{4}-\d{2}-\d{2}\.(csv|jsonl)"$`)
	// formulas are what spreadsheets begin to compute at.
	formulas = regexp.MustCompile(`^[=+\-@\t\r|%]`)
)

// harmlessFile fails unless an export is a file that no browser shows and no
// spreadsheet computes.
func (w *instance) harmlessFile(answer reply) {
	w.Helper()
	if got := answer.Header.Get("Content-Disposition"); !exportName.MatchString(got) {
		w.Errorf("the file is %q", got)
	}
	if got := answer.Header.Get("Content-Type"); got != "text/csv; charset=utf-8" || answer.Header.Get("X-Content-Type-Options") != "nosniff" {
		w.Errorf("it is %q, %v", got, answer.Header)
	}
	rows, err := csv.NewReader(strings.NewReader(answer.body)).ReadAll()
	if err != nil {
		w.Fatal(err)
	}
	for _, row := range rows {
		for _, cell := range row {
			if formulas.MatchString(cell) {
				w.Errorf("a spreadsheet computes %q", cell)
			}
		}
	}
}

func TestHostileNames(t *testing.T) {
	t.Parallel()
	onBothDatabases(t, func(t *testing.T, start func(...func(*app.Config)) *instance) {
		w := start()
		for i, attack := range attacks {
			with, user := w.hostileWorkspace("owner"+string(rune('a'+i))+"@example.com", attack)
			session := w.session(user)
			for _, r := range rows {
				if !r.shows() {
					continue
				}
				t.Run(r.name()+" shows "+attack+" as text", func(t *testing.T) {
					w := w.within(t)
					answer := w.try(r, with, session)
					w.expect(answer, http.StatusOK)
					if strings.HasPrefix(r.route, apiPrefix) {
						if got := answer.Header.Get("Content-Type"); got != "application/json" {
							t.Errorf("the answer is %q", got)
						}
						return
					}
					if strings.HasSuffix(r.route, "/export") { // a file, which no browser shows
						w.harmlessFile(answer)
						return
					}
					w.harmless(answer)
					if !strings.Contains(text(w.page(answer)), strings.Join(strings.Fields(attack), " ")) {
						t.Error("the page does not show it")
					}
				})
			}
			t.Run("a form that is shown again has "+attack+" as text", func(t *testing.T) {
				w := w.within(t)
				typed := url.QueryEscape(attack)
				for path, body := range map[string]string{
					"/sign-in":                                     "email=" + typed + "&password=x&next=" + typed,
					"/sign-up":                                     "email=" + typed + "&password=x&workspace=" + typed,
					"/reset-password":                              "code=" + typed + "&password=x",
					"/join":                                        "code=" + typed + "&password=x",
					"/chatbots/:chatbot/settings":                  "name=&instructions=" + typed + "&no_answer=" + typed + "&welcome=" + typed + "&suggested_questions=" + typed + "&image_hosts=" + typed + "&provider_id=" + typed + "&model=" + typed + "&temperature=" + typed + "&grounding=" + typed,
					"/chatbots/:chatbot/delete":                    "confirm_name=" + typed + "x",
					"/chatbots/:chatbot/knowledge":                 upload(attack, ""),
					"/chatbots/:chatbot/knowledge/pairs":           fields("pairs_title", "", "pairs", attack),
					"/chatbots/:chatbot/knowledge/files":           withFile(fields("none", ""), "files", strings.ReplaceAll(attack, `"`, "'")+".exe", attack),
					"/chatbots/:chatbot/knowledge/sources":         "url=" + typed + "&reach=" + typed + "&schedule=" + typed + "&include=" + typed,
					"/chatbots/:chatbot/evaluate":                  "questions=Why+%3D%3E+" + typed + "x",
					"/chatbots/:chatbot/improve/tests/:question":   "question=&expects=" + typed + "&expected=" + typed + "&reference=" + typed + "&document=" + typed,
					"/chatbots/:chatbot/improve/tests/import":      withFile(fields("none", ""), "file", "questions.csv", attack),
					"/workspaces/:workspace/models":                "kind=" + typed + "&name=" + typed + "&base_url=" + typed + "&key=" + typed,
					"/workspaces/:workspace/models/:provider":      "name=" + typed + "&base_url=" + typed,
					"/sign-in/sso":                                 "email=" + typed + "&next=" + typed,
					"/workspaces/:workspace/settings/sso":          "issuer=" + typed + "&client_id=" + typed + "&client_secret=" + typed + "&domain=" + typed + "&role=" + typed,
					"/workspaces/:workspace/webhooks":              "url=" + typed + "&description=" + typed + "&chatbot=" + typed,
					"/workspaces/:workspace/webhooks/:webhook":     "url=" + typed + "&description=" + typed + "&chatbot=" + typed,
					"/workspaces/:workspace/chatbots":              "name=" + strings.Repeat(typed, 40),
					"/workspaces/:workspace/invitations":           "email=" + typed + "&role=" + typed,
					"/workspaces/:workspace/billing":               "plan=" + typed,
					"/workspaces/:workspace/members/:nothing/role": "role=" + typed,
				} {
					answer := w.try(row{method: "POST", route: path, body: body}, with.with("nothing", "x"), session)
					if answer.StatusCode < 400 || answer.StatusCode >= 500 {
						t.Errorf("%s answers %d", path, answer.StatusCode)
						continue
					}
					w.harmless(answer)
				}
			})
			t.Run("passages found for "+attack+" are shown as text", func(t *testing.T) {
				w := w.within(t)
				answer := w.try(row{method: "POST", route: "/chatbots/:chatbot/evaluate", body: "questions=" + url.QueryEscape("alert onerror javascript "+attack)}, with, session)
				w.expect(answer, http.StatusOK)
				w.harmless(answer)
			})
			t.Run("an address with "+attack+" is not obeyed", func(t *testing.T) {
				w := w.within(t)
				for _, path := range []string{"/nothing/", "/chatbots/", "/workspaces/" + with["workspace"] + "?done="} {
					w.harmless(w.call("GET", path+url.PathEscape(attack), "", session))
				}
				w.harmless(w.call("GET", "/sign-in?next=/"+url.QueryEscape(attack), ""))
				w.harmless(w.call("GET", "/sign-in?next="+url.QueryEscape(attack), ""))
			})
		}
	})
}

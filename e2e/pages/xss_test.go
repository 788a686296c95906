package pages

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
	"parley/e2e/harness"
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
func harmless(w *harness.Instance, r harness.Reply) {
	w.Helper()
	if r.Header.Get("Content-Security-Policy") == "" {
		w.Error("the page has no content policy")
	}
	if got := r.Header.Get("X-Content-Type-Options"); got != "nosniff" {
		w.Errorf("X-Content-Type-Options is %q", got)
	}
	for _, node := range harness.Elements(w.Page(r)) {
		switch {
		case node.Data == "script" && (node.FirstChild != nil || !strings.HasPrefix(harness.Attribute(node, "src"), "/static/")):
			w.Errorf("the page has a script of its own: %v", node.Attr)
		case node.Data == "img" && strings.HasPrefix(harness.Attribute(node, "src"), "/static/"), node.Data == "svg" && (harness.Attribute(node, "class") == "icon" || harness.Attribute(node, "role") == "img"):
			// the mark, icons and charts
		case slices.Contains([]string{"img", "svg", "iframe", "object", "embed", "style", "base"}, node.Data):
			w.Errorf("the page has the element %s: %v", node.Data, node.Attr)
		}
		for _, a := range node.Attr {
			harmlessAttribute(w, node, a)
		}
	}
}

func harmlessAttribute(w *harness.Instance, node *html.Node, a html.Attribute) {
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
func hostileWorkspace(w *harness.Instance, email, attack string) (harness.IDs, string) {
	w.Helper()
	ctx, p := w.Context(), w.Server.Program
	user, workspace, err := p.Tenants.SignUps.Create(ctx, account.Account{Email: email, Password: harness.StaffPassword, Workspace: attack})
	w.Must(err)
	w.Must(p.Tenants.Grants.SetPlan(ctx, workspace, plan.Standard))
	_, err = p.Tenants.Workspaces.Create(ctx, user, attack) // for the switcher
	w.Must(err)
	bot, err := p.Chatbots.Create(ctx, workspace, chatbot.Settings{Name: attack, Instructions: attack, NoAnswer: attack, Greeting: chatbot.Greeting{Welcome: attack, SuggestedQuestions: []string{attack}}})
	w.Must(err)
	document, err := p.Knowledge.Documents.Add(ctx, workspace, bot.ID, knowledge.NewDocument{Title: attack, Content: attack})
	w.Must(err)
	gone, err := p.Knowledge.Documents.Add(ctx, workspace, bot.ID, knowledge.NewDocument{Title: attack + " gone", Content: attack})
	w.Must(err)
	w.Must(p.Knowledge.Documents.Remove(ctx, workspace, bot.ID, gone.ID))
	_, err = p.Knowledge.Sources.Add(ctx, workspace, bot.ID, knowledge.NewSource{URL: "http://127.0.0.1/?" + url.QueryEscape(attack)})
	w.Must(err)
	w.NewToken(workspace, bot.ID, attack)
	provider := w.NewProvider(workspace, attack)
	hook, delivery := w.NewWebhook(workspace, attack)
	asked := w.AnsweredIn(bot, attack)
	tried, err := p.Chat.CreateConversation(ctx, &chatbot.Principal{Chatbot: bot, MemberID: user.ID}, chat.Start{})
	w.Must(err)
	test, err := p.Insight.Tests.Add(ctx, workspace, bot.ID, testrun.Wanted{Question: attack, Expects: testrun.AText, Expected: attack, Reference: attack, Document: attack}, email)
	w.Must(err)
	run, err := p.Insight.Tests.Start(ctx, workspace, bot.ID, email)
	w.Must(err)
	return harness.IDs{
		"question": test.ID, "run": run.ID,
		"entry": w.NewEntry(workspace, audit.ChatbotCreated), "workspace": workspace, "provider": provider, "webhook": hook, "delivery": delivery, "chatbot": bot.ID, "id": bot.ID, "document_id": document.ID, "document": document.ID,
		"conversation": harness.Written(p.IDs.Conversation(asked.ConversationID)), "tried": harness.Written(p.IDs.Conversation(tried.ID)),
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
func harmlessFile(w *harness.Instance, answer harness.Reply) {
	w.Helper()
	if got := answer.Header.Get("Content-Disposition"); !exportName.MatchString(got) {
		w.Errorf("the file is %q", got)
	}
	if got := answer.Header.Get("Content-Type"); got != "text/csv; charset=utf-8" || answer.Header.Get("X-Content-Type-Options") != "nosniff" {
		w.Errorf("it is %q, %v", got, answer.Header)
	}
	rows, err := csv.NewReader(strings.NewReader(answer.Text)).ReadAll()
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
	harness.OnAnyDatabase(t, func(t *testing.T, start func(...func(*app.Config)) *harness.Instance) {
		w := start()
		for i, attack := range attacks {
			with, user := hostileWorkspace(w, "owner"+string(rune('a'+i))+"@example.com", attack)
			session := w.Session(user)
			for _, r := range harness.Routes {
				if !r.Shows() {
					continue
				}
				t.Run(r.Name()+" shows "+attack+" as text", func(t *testing.T) {
					w := w.Within(t)
					answer := w.Try(r, with, session)
					w.Expect(answer, http.StatusOK)
					if strings.HasPrefix(r.Pattern, harness.APIPrefix) {
						if got := answer.Header.Get("Content-Type"); got != "application/json" {
							t.Errorf("the answer is %q", got)
						}
						return
					}
					if strings.HasSuffix(r.Pattern, "/export") { // a file, which no browser shows
						harmlessFile(w, answer)
						return
					}
					harmless(w, answer)
					if !strings.Contains(harness.Text(w.Page(answer)), strings.Join(strings.Fields(attack), " ")) {
						t.Error("the page does not show it")
					}
				})
			}
			t.Run("a form that is shown again has "+attack+" as text", func(t *testing.T) {
				w := w.Within(t)
				typed := url.QueryEscape(attack)
				for path, body := range map[string]string{
					"/sign-in":                                     "email=" + typed + "&password=x&next=" + typed,
					"/sign-up":                                     "email=" + typed + "&password=x&workspace=" + typed,
					"/reset-password":                              "code=" + typed + "&password=x",
					"/join":                                        "code=" + typed + "&password=x",
					"/chatbots/:chatbot/settings":                  "name=&instructions=" + typed + "&no_answer=" + typed + "&welcome=" + typed + "&suggested_questions=" + typed + "&image_hosts=" + typed + "&provider_id=" + typed + "&model=" + typed + "&temperature=" + typed + "&grounding=" + typed,
					"/chatbots/:chatbot/delete":                    "confirm_name=" + typed + "x",
					"/chatbots/:chatbot/knowledge":                 harness.Upload(attack, ""),
					"/chatbots/:chatbot/knowledge/pairs":           harness.Fields("pairs_title", "", "pairs", attack),
					"/chatbots/:chatbot/knowledge/files":           harness.WithFile(harness.Fields("none", ""), "files", strings.ReplaceAll(attack, `"`, "'")+".exe", attack),
					"/chatbots/:chatbot/knowledge/sources":         "url=" + typed + "&reach=" + typed + "&schedule=" + typed + "&include=" + typed,
					"/chatbots/:chatbot/evaluate":                  "questions=Why+%3D%3E+" + typed + "x",
					"/chatbots/:chatbot/improve/tests/:question":   "question=&expects=" + typed + "&expected=" + typed + "&reference=" + typed + "&document=" + typed,
					"/chatbots/:chatbot/improve/tests/import":      harness.WithFile(harness.Fields("none", ""), "file", "questions.csv", attack),
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
					answer := w.Try(harness.Route{Method: "POST", Pattern: path, Body: body}, with.With("nothing", "x"), session)
					if answer.StatusCode < 400 || answer.StatusCode >= 500 {
						t.Errorf("%s answers %d", path, answer.StatusCode)
						continue
					}
					harmless(w, answer)
				}
			})
			t.Run("passages found for "+attack+" are shown as text", func(t *testing.T) {
				w := w.Within(t)
				answer := w.Try(harness.Route{Method: "POST", Pattern: "/chatbots/:chatbot/evaluate", Body: "questions=" + url.QueryEscape("alert onerror javascript "+attack)}, with, session)
				w.Expect(answer, http.StatusOK)
				harmless(w, answer)
			})
			t.Run("an address with "+attack+" is not obeyed", func(t *testing.T) {
				w := w.Within(t)
				for _, path := range []string{"/nothing/", "/chatbots/", "/workspaces/" + with["workspace"] + "?done="} {
					harmless(w, w.Call("GET", path+url.PathEscape(attack), "", session))
				}
				harmless(w, w.Call("GET", "/sign-in?next=/"+url.QueryEscape(attack), ""))
				harmless(w, w.Call("GET", "/sign-in?next="+url.QueryEscape(attack), ""))
			})
		}
	})
}

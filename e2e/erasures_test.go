package e2e

import (
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"parley/app"
	"parley/core/audit"
	"parley/core/chatbot"
	"parley/core/plan"
	"parley/core/privacy"
	"parley/core/webhook"
	"parley/llm/llmtest"
	"parley/store/storetest"
)

// nothingRemains checks a receipt.
func (w *instance) nothingRemains(receipt map[string]any) {
	w.Helper()
	remaining, _ := receipt["remaining"].(map[string]any)
	if receipt["done_at"] == nil || len(remaining) == 0 {
		w.Errorf("the erasure is not done: %v", receipt)
	}
	for kind, n := range remaining {
		if n != 0.0 {
			w.Errorf("%v %s remain", n, kind)
		}
	}
	if exceptions, _ := receipt["exceptions"].([]any); len(exceptions) == 0 || !strings.Contains(exceptions[0].(string), "Backups") {
		w.Errorf("the receipt does not name backups: %v", receipt)
	}
}

// caches lets a chatbot give equal answers again.
func (w *instance) caches(tn tenantOf) {
	w.Helper()
	bot, err := w.server.Chatbots.Get(w.Context(), tn.workspace, tn.chatbot)
	w.must(err)
	settings := bot.Settings()
	settings.CacheAnswers = true
	w.must(w.server.Chatbots.Update(w.Context(), tn.workspace, tn.chatbot, settings))
}

func TestPrivacyOfAnEndUser(t *testing.T) {
	t.Parallel()
	onBothDatabases(t, func(t *testing.T, start func(...func(*app.Config)) *instance) {
		w := start()
		const alice, question = "alice/%+canary", "When does the bakery open? I am canaryperson."
		baker := w.newTenant("baker", plan.Standard, opening)
		w.caches(baker)
		_, _, err := w.server.Webhooks.Endpoints.Create(t.Context(), baker.workspace, webhook.Settings{URL: "http://" + nobodyListens, Kinds: webhook.Kinds()})
		w.must(err)
		message, conversation := w.askedFor(baker.token, alice, question)
		_, others := w.askedFor(baker.token, "bob", "When does the bakery open?")
		r := w.call("POST", "/api/v1/messages/"+message+"/feedback", `{"rating":"down","comment":"canarycomment"}`, bearer(baker.token))
		w.checkAnswer(r, 200, 0)
		w.must(w.server.Insight.Roller.Roll(t.Context()))
		owner := w.ownerOf(baker)
		path := "/api/workspaces/" + baker.workspace + "/end-users/" + url.PathEscape(alice)

		t.Run("an export has all of theirs and nothing of others", func(t *testing.T) {
			w := w.within(t)
			files := w.unpacked(w.call("GET", path, "", owner))
			for name, has := range map[string]string{
				"conversations.jsonl": `"external_user_id":"alice/%+canary"`, "messages.jsonl": "canaryperson", "feedback.jsonl": "canarycomment",
				"unanswered_questions.jsonl": "canaryperson", "usage_records.jsonl": `"conversation_id":` + conversation,
			} {
				if !strings.Contains(files[name], has) {
					t.Errorf("%s lacks %s: %q", name, has, files[name])
				}
			}
			if n := strings.Count(files["conversations.jsonl"], "\n"); n != 1 {
				t.Errorf("there are %d conversations", n)
			}
		})
		var receipt map[string]any
		t.Run("an erasure ends with a receipt on which nothing remains", func(t *testing.T) {
			w := w.within(t)
			r := w.call("DELETE", path, "", owner)
			w.checkAnswer(r, 200, 0)
			receipt = r.Data
			w.nothingRemains(receipt)
			erased := receipt["erased"].(map[string]any)
			for kind, n := range map[string]float64{"conversations": 1, "messages": 2, "feedbacks": 1, "gaps": 1, "usage_record_references": 1} {
				if erased[kind] != n {
					t.Errorf("%v %s were erased, want %v", erased[kind], kind, n)
				}
			}
			for _, kind := range []string{"webhook_messages", "cached_answers"} {
				if erased[kind].(float64) < 1 {
					t.Errorf("no %s were erased", kind)
				}
			}
			if receipt["subject_hash"] != privacy.EndUserHash(baker.workspace, alice) {
				t.Error("who knows the end user does not find the receipt")
			}
		})
		t.Run("nobody finds them any more, and others have theirs", func(t *testing.T) {
			w := w.within(t)
			w.checkAnswer(w.call("GET", messagesPath(conversation), "", bearer(baker.token)), 404, 3)
			w.checkAnswer(w.call("GET", messagesPath(others), "", bearer(baker.token)), 200, 0)
			w.checkAnswer(w.call("GET", path, "", owner), 404, 3)
		})
		t.Run("the receipt is listed, and names nobody", func(t *testing.T) {
			w := w.within(t)
			r := w.call("GET", "/api/workspaces/"+baker.workspace+"/erasures", "", owner)
			w.checkAnswer(r, 200, 0)
			if strings.Contains(r.body, "canary") || !strings.Contains(r.body, receipt["id"].(string)) {
				t.Errorf("the receipts are %s", r.body)
			}
			for _, entry := range w.entries() {
				if strings.Contains(entry.Detail+entry.Object.Name+entry.Object.ID, "canary") {
					t.Errorf("the audit log names them: %+v", entry)
				}
			}
		})
		t.Run("statistics and usage count on", func(t *testing.T) {
			w := w.within(t)
			spent, err := w.server.Chat.Spent(t.Context(), baker.workspace, time.Now())
			w.must(err)
			answers := 0
			for _, s := range spent {
				answers += s.Answers
			}
			if answers != 2 {
				t.Errorf("%d answers are counted", answers)
			}
		})
		t.Run("what was erased is in no log and no file of the data folder", func(t *testing.T) {
			w := w.within(t)
			w.notLogged("canaryperson", "canarycomment")
			w.notInFiles("canaryperson", "canarycomment", "alice/%+canary")
		})
		t.Run("erasing somebody of whom nothing is stored gives an empty receipt", func(t *testing.T) {
			w := w.within(t)
			r := w.call("DELETE", "/api/workspaces/"+baker.workspace+"/end-users/nobody", "", owner)
			w.checkAnswer(r, 200, 0)
			w.nothingRemains(r.Data)
		})
	})
}

func TestErasingDuringAnAnswer(t *testing.T) {
	t.Parallel()
	onBothDatabases(t, func(t *testing.T, start func(...func(*app.Config)) *instance) {
		gate := llmtest.NewGate()
		upstream := llmtest.NewServer(t, llmtest.Reply{Pieces: []string{"late canaryanswer"}, Hold: gate})
		w := start(withModel(upstream))
		baker := w.newTenant("baker", plan.Standard, opening)
		answered := make(chan reply, 1)
		go func() {
			answered <- w.call("POST", chatPath, `{"message":"Tell me, canaryquestion","external_user_id":"alice"}`, bearer(baker.token))
		}()
		w.comes("the model's request", gate.Reached())

		r := w.call("DELETE", "/api/workspaces/"+baker.workspace+"/end-users/alice", "", w.ownerOf(baker))
		w.checkAnswer(r, 200, 0)
		if r.Data["done_at"] != nil {
			t.Error("the erasure is done, and an answer is still being generated")
		}
		list := w.call("GET", "/api/v1/conversations?external_user_id=alice", "", bearer(baker.token))
		w.checkAnswer(list, 200, 0)
		if found := list.Data["conversations"].([]any); len(found) != 0 {
			t.Errorf("the conversations are found: %v", found)
		}
		gate.Release()
		<-answered
		// Another process goes on with it, as after a crash.
		w.later(time.Minute, func(p *app.Program) { w.must(p.Privacy.Work(t.Context())) })
		receipts, err := w.server.Privacy.Receipts.Of(t.Context(), baker.workspace)
		w.must(err)
		if len(receipts) != 1 || receipts[0].DoneAt == nil || receipts[0].Remaining.Total() != 0 {
			t.Errorf("the receipts are %+v", receipts)
		}
		w.notInFiles("canaryquestion", "canaryanswer")
	})
}

func TestAddressesAreForgotten(t *testing.T) {
	t.Parallel()
	const day = 24 * time.Hour
	for name, database := range map[string]func() string{"sqlite": func() string { return "" }, "postgres": func() string { return storetest.Postgres(t) }} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			url := database()
			// The database, whose guards go by its own clock, is in the present: so this server's is behind.
			w := startWith(t, app.Options{Now: func() time.Time { return now().Add(-29*day - time.Hour) }}, func(c *app.Config) { c.DatabaseURL = url })
			baker := w.newTenant("baker", plan.Standard, opening)
			w.askedFor(baker.token, "alice", "When does the bakery open?")
			w.must(w.server.Chatbots.Uses.WriteUses(t.Context()))
			v := w.signedIn(baker.email, baker.password)
			w.expect(v.post("/workspaces/"+baker.workspace+"/settings", pairs{"name", "The bakery"}), http.StatusSeeOther)
			used := func() chatbot.LastUse {
				tokens, err := w.server.Chatbots.Tokens.List(t.Context(), baker.workspace, baker.chatbot)
				w.must(err)
				return tokens[0].LastUse
			}
			// origins are the addresses in the audit log.
			origins := func() (addresses []string) {
				for e, err := range w.server.Tenants.Audit.AuditLog(t.Context(), "", time.Time{}) {
					w.must(err)
					if e.Origin.Address != "" {
						addresses = append(addresses, string(e.Action)+" "+e.Origin.Address)
					}
				}
				return addresses
			}
			before := origins()
			w.later(-day, func(p *app.Program) { w.must(p.Privacy.ForgetAddresses(t.Context())) })
			if used().LastUsedIP == "" || len(before) < 2 || !slices.Equal(origins(), before) {
				t.Errorf("addresses were forgotten too early: of %q there are %q", before, origins())
			}
			w.later(0, func(p *app.Program) {
				w.must(p.Privacy.ForgetAddresses(t.Context()))
				for verdict, err := range audit.NewVerifier(p.Tenants.Chains, now(), p.Config.AuditDays).All(t.Context(), nil) {
					if err != nil || verdict.Problem != "" || verdict.Unaddressed == 0 {
						t.Errorf("of the chain it is said %+v, %v", verdict, err)
					}
				}
			})
			if last := used(); last.LastUsedIP != "" || last.LastUsedAgent != "" || last.LastUsedAt == nil {
				t.Errorf("the last use is %+v", last)
			}
			if left := origins(); len(left) != 0 {
				t.Errorf("the audit log has %q", left)
			}
		})
	}
}

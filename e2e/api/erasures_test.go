package api

import (
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"parley/app"
	"parley/core/chatbot"
	"parley/core/plan"
	"parley/core/privacy"
	"parley/core/webhook"
	"parley/e2e/harness"
	"parley/llm/llmtest"
	"parley/store/storetest"
)

// nothingRemains checks a receipt.
func nothingRemains(w *harness.Instance, receipt map[string]any) {
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

// cacheAnswers lets a chatbot give equal answers again.
func cacheAnswers(w *harness.Instance, tn harness.Tenant) {
	w.Helper()
	bot, err := w.Server.Chatbots.Get(w.Context(), tn.Workspace, tn.Chatbot)
	w.Must(err)
	settings := bot.Settings()
	settings.CacheAnswers = true
	w.Must(w.Server.Chatbots.Update(w.Context(), tn.Workspace, tn.Chatbot, settings))
}

func TestPrivacyOfAnEndUser(t *testing.T) {
	t.Parallel()
	harness.OnBothDatabases(t, func(t *testing.T, start func(...func(*app.Config)) *harness.Instance) {
		w := start()
		const alice, question = "alice/%+canary", "When does the bakery open? I am canaryperson."
		baker := w.NewTenant("baker", plan.Standard, harness.Opening)
		cacheAnswers(w, baker)
		_, _, err := w.Server.Webhooks.Endpoints.Create(t.Context(), baker.Workspace, webhook.Settings{URL: "http://" + harness.NobodyListens, Kinds: webhook.Kinds()})
		w.Must(err)
		message, conversation := w.AskedFor(baker.Token, alice, question)
		_, others := w.AskedFor(baker.Token, "bob", "When does the bakery open?")
		r := w.Call("POST", "/api/v1/messages/"+message+"/feedback", `{"rating":"down","comment":"canarycomment"}`, harness.Bearer(baker.Token))
		w.CheckAnswer(r, 200, 0)
		w.Must(w.Server.Insight.Roller.Roll(t.Context()))
		owner := w.OwnerOf(baker)
		path := "/api/workspaces/" + baker.Workspace + "/end-users/" + url.PathEscape(alice)

		t.Run("an export has all of theirs and nothing of others", func(t *testing.T) {
			w := w.Within(t)
			files := w.Unpacked(w.Call("GET", path, "", owner))
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
			w := w.Within(t)
			r := w.Call("DELETE", path, "", owner)
			w.CheckAnswer(r, 200, 0)
			receipt = r.Data
			nothingRemains(w, receipt)
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
			if receipt["subject_hash"] != privacy.EndUserHash(baker.Workspace, alice) {
				t.Error("who knows the end user does not find the receipt")
			}
		})
		t.Run("nobody finds them any more, and others have theirs", func(t *testing.T) {
			w := w.Within(t)
			w.CheckAnswer(w.Call("GET", harness.MessagesPath(conversation), "", harness.Bearer(baker.Token)), 404, 3)
			w.CheckAnswer(w.Call("GET", harness.MessagesPath(others), "", harness.Bearer(baker.Token)), 200, 0)
			w.CheckAnswer(w.Call("GET", path, "", owner), 404, 3)
		})
		t.Run("the receipt is listed, and names nobody", func(t *testing.T) {
			w := w.Within(t)
			r := w.Call("GET", "/api/workspaces/"+baker.Workspace+"/erasures", "", owner)
			w.CheckAnswer(r, 200, 0)
			if strings.Contains(r.Text, "canary") || !strings.Contains(r.Text, receipt["id"].(string)) {
				t.Errorf("the receipts are %s", r.Text)
			}
			for _, entry := range w.Entries() {
				if strings.Contains(entry.Detail+entry.Object.Name+entry.Object.ID, "canary") {
					t.Errorf("the audit log names them: %+v", entry)
				}
			}
		})
		t.Run("statistics and usage count on", func(t *testing.T) {
			w := w.Within(t)
			spent, err := w.Server.Chat.Spent(t.Context(), baker.Workspace, time.Now())
			w.Must(err)
			answers := 0
			for _, s := range spent {
				answers += s.Answers
			}
			if answers != 2 {
				t.Errorf("%d answers are counted", answers)
			}
		})
		t.Run("what was erased is in no log and no file of the data folder", func(t *testing.T) {
			w := w.Within(t)
			w.NotLogged("canaryperson", "canarycomment")
			w.NotInFiles("canaryperson", "canarycomment", "alice/%+canary")
		})
		t.Run("erasing somebody of whom nothing is stored gives an empty receipt", func(t *testing.T) {
			w := w.Within(t)
			r := w.Call("DELETE", "/api/workspaces/"+baker.Workspace+"/end-users/nobody", "", owner)
			w.CheckAnswer(r, 200, 0)
			nothingRemains(w, r.Data)
		})
	})
}

func TestErasingDuringAnAnswer(t *testing.T) {
	t.Parallel()
	harness.OnBothDatabases(t, func(t *testing.T, start func(...func(*app.Config)) *harness.Instance) {
		gate := llmtest.NewGate()
		upstream := llmtest.NewServer(t, llmtest.Reply{Pieces: []string{"late canaryanswer"}, Hold: gate})
		w := start(harness.WithModel(upstream))
		baker := w.NewTenant("baker", plan.Standard, harness.Opening)
		answered := make(chan harness.Reply, 1)
		go func() {
			answered <- w.Call("POST", harness.ChatPath, `{"message":"Tell me, canaryquestion","external_user_id":"alice"}`, harness.Bearer(baker.Token))
		}()
		w.Comes("the model's request", gate.Reached())

		r := w.Call("DELETE", "/api/workspaces/"+baker.Workspace+"/end-users/alice", "", w.OwnerOf(baker))
		w.CheckAnswer(r, 200, 0)
		if r.Data["done_at"] != nil {
			t.Error("the erasure is done, and an answer is still being generated")
		}
		list := w.Call("GET", "/api/v1/conversations?external_user_id=alice", "", harness.Bearer(baker.Token))
		w.CheckAnswer(list, 200, 0)
		if found := list.Data["conversations"].([]any); len(found) != 0 {
			t.Errorf("the conversations are found: %v", found)
		}
		gate.Release()
		<-answered
		// Another process goes on with it, as after a crash.
		w.Later(time.Minute, func(p *app.Program) { w.Must(p.Privacy.Work(t.Context())) })
		receipts, err := w.Server.Privacy.Receipts.Of(t.Context(), baker.Workspace)
		w.Must(err)
		if len(receipts) != 1 || receipts[0].DoneAt == nil || receipts[0].Remaining.Total() != 0 {
			t.Errorf("the receipts are %+v", receipts)
		}
		w.NotInFiles("canaryquestion", "canaryanswer")
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
			w := harness.StartWith(t, app.Options{Now: func() time.Time { return harness.Now().Add(-29*day - time.Hour) }}, func(c *app.Config) { c.DatabaseURL = url })
			baker := w.NewTenant("baker", plan.Standard, harness.Opening)
			w.AskedFor(baker.Token, "alice", "When does the bakery open?")
			w.Must(w.Server.Chatbots.Uses.WriteUses(t.Context()))
			v := w.SignedIn(baker.Email, baker.Password)
			w.Expect(v.Post("/workspaces/"+baker.Workspace+"/settings", harness.Pairs{"name", "The bakery"}), http.StatusSeeOther)
			used := func() chatbot.LastUse {
				tokens, err := w.Server.Chatbots.Tokens.List(t.Context(), baker.Workspace, baker.Chatbot)
				w.Must(err)
				return tokens[0].LastUse
			}
			// origins are the addresses in the audit log.
			origins := func() (addresses []string) {
				for e, err := range w.Server.Tenants.Audit.AuditLog(t.Context(), "", time.Time{}) {
					w.Must(err)
					if e.Origin.Address != "" {
						addresses = append(addresses, string(e.Action)+" "+e.Origin.Address)
					}
				}
				return addresses
			}
			before := origins()
			w.Later(-day, func(p *app.Program) { w.Must(p.Privacy.ForgetAddresses(t.Context())) })
			if used().LastUsedIP == "" || len(before) < 2 || !slices.Equal(origins(), before) {
				t.Errorf("addresses were forgotten too early: of %q there are %q", before, origins())
			}
			w.Later(0, func(p *app.Program) {
				w.Must(p.Privacy.ForgetAddresses(t.Context()))
				for verdict, err := range p.AuditVerifier().All(t.Context(), nil) {
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

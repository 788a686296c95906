package e2e

import (
	"archive/zip"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"io"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"parley/core/account"
	"parley/core/audit"
	"parley/core/chatbot"
	"parley/core/fault"
	"parley/core/plan"
	"parley/core/privacy"
	"parley/core/tenant"
	"parley/core/webhook"
	"parley/internal/app"
	"parley/llm/llmtest"
	"parley/store/storetest"
)

// unpacked are the files of an export, whose manifest is right.
func (w *instance) unpacked(r reply) map[string]string {
	w.Helper()
	w.expect(r, http.StatusOK)
	archive, err := zip.NewReader(strings.NewReader(r.body), int64(len(r.body)))
	w.must(err)
	files := map[string]string{}
	for _, f := range archive.File {
		from, err := f.Open()
		w.must(err)
		content, err := io.ReadAll(from)
		w.must(err)
		files[f.Name] = string(content)
	}
	var manifest struct {
		Version int
		Files   []struct {
			Name, SHA256 string
			Rows         int
			Bytes        int64
		}
	}
	w.must(json.Unmarshal([]byte(files["manifest.json"]), &manifest))
	if manifest.Version != privacy.ExportVersion || len(manifest.Files) != len(files)-1 {
		w.Errorf("the manifest has version %d and %d files of %d", manifest.Version, len(manifest.Files), len(files)-1)
	}
	for _, f := range manifest.Files {
		content, there := files[f.Name]
		sum := sha256.Sum256([]byte(content))
		if !there || hex.EncodeToString(sum[:]) != f.SHA256 || int64(len(content)) != f.Bytes {
			w.Errorf("%s is not as the manifest says", f.Name)
		}
		if strings.HasSuffix(f.Name, ".jsonl") && strings.Count(content, "\n") != f.Rows {
			w.Errorf("%s has not %d rows", f.Name, f.Rows)
		}
		for line := range strings.Lines(content) {
			if strings.HasSuffix(f.Name, ".jsonl") && !json.Valid([]byte(line)) {
				w.Errorf("%s has %q", f.Name, line)
			}
		}
	}
	return files
}

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

func TestWorkspaceExport(t *testing.T) {
	t.Parallel()
	onBothDatabases(t, func(t *testing.T, start func(...func(*app.Config)) *instance) {
		w := start()
		baker, other := w.newTenant("baker", plan.Standard, opening), w.newTenant("other", plan.Standard, "The other shop opens at nine.")
		w.putsFile(w.editor(baker), "menu", "menu.docx", "A roll costs two.")
		w.settled(baker)
		w.askedFor(baker.token, "alice", "When does the bakery open?")
		w.askedFor(other.token, "eve", "When does the other shop open?")
		colleague := w.colleague(baker, "colleague", tenant.RoleAdmin)
		w.tries(baker, colleague, `{"message":"A trial of the colleague"}`)
		v := w.visitor()
		v.signIn(baker.email, baker.password)
		files := w.unpacked(v.post("/workspaces/"+baker.workspace+"/privacy/export", nil))
		all := strings.Join(slices.Collect(maps.Values(files)), "\n")

		t.Run("it has what the workspace has", func(t *testing.T) {
			for name, has := range map[string]string{
				"workspace.jsonl": baker.workspace, "chatbots.jsonl": baker.chatbot, "documents.jsonl": "The bakery opens at seven", "conversations.jsonl": "alice",
				"messages.jsonl": "When does the bakery open?", "members.jsonl": baker.email, "api_tokens.jsonl": baker.tokenID, "audit_log.jsonl": "chatbot.created",
				"usage_records.jsonl": baker.chatbot, "uploads.jsonl": "menu.docx",
			} {
				if !strings.Contains(files[name], has) {
					t.Errorf("%s lacks %q: %q", name, has, files[name])
				}
			}
			if !slices.ContainsFunc(slices.Collect(maps.Keys(files)), func(name string) bool {
				return strings.HasPrefix(name, "uploads/doc_") && strings.HasSuffix(name, "/menu.docx") && files[name] == "A roll costs two."
			}) {
				t.Errorf("the uploaded file is not as it was: %v", slices.Collect(maps.Keys(files)))
			}
		})
		t.Run("it has nothing of others, and no secret", func(t *testing.T) {
			for _, foreign := range []string{other.workspace, other.email, "other shop", "A trial of the colleague", baker.token, "$argon2", "_hash\":\"$"} {
				if strings.Contains(all, foreign) {
					t.Errorf("it has %q", foreign)
				}
			}
		})
		t.Run("an admin gets none", func(t *testing.T) {
			w := w.within(t)
			w.expect(w.call("POST", "/workspaces/"+baker.workspace+"/privacy/export", "", colleague, header{"Content-Type", ""}, formType, header{"Sec-Fetch-Site", "same-origin"}), http.StatusForbidden)
		})
	})
}

func TestDeletionWaits(t *testing.T) {
	t.Parallel()
	onBothDatabases(t, func(t *testing.T, start func(...func(*app.Config)) *instance) {
		w := start()
		baker := w.newTenant("baker", plan.Standard, opening, "The canarydocument says that rolls are warm.")
		gone := w.newTenant("gone", plan.Standard, opening)
		w.settled(baker)
		w.askedFor(baker.token, "alice", "Are rolls warm, canaryquestion?")
		home := "/workspaces/" + baker.workspace
		v := w.visitor()
		v.signIn(baker.email, baker.password)
		ask := func(w *instance, tn tenantOf) reply {
			return w.call("POST", chatPath, `{"message":"When does the bakery open?"}`, bearer(tn.token), header{"X-Request-Id", "the-same"})
		}
		same := func(t *testing.T, got, want reply) {
			t.Helper()
			if got.StatusCode != want.StatusCode || got.body != want.body {
				t.Errorf("%d %s, want %d %s", got.StatusCode, got.body, want.StatusCode, want.body)
			}
		}
		_, err := w.server.Privacy.Workspaces.DeleteNow(t.Context(), gone.workspace)
		w.must(err)

		t.Run("its programs and people get what those of a deleted one get", func(t *testing.T) {
			v := v.in(t)
			v.expect(v.post(home+"/delete", pairs{"confirm_name", "baker"}), http.StatusSeeOther)
			same(t, ask(v.instance, baker), ask(v.instance, gone))
			session := header{"X-Request-Id", "the-same"}
			same(t, v.ask("GET", "/api/chatbots/"+baker.chatbot+"/documents", "", session), v.ask("GET", "/api/chatbots/"+gone.chatbot+"/documents", "", session))
			same(t, v.ask("GET", "/api/workspaces/"+baker.workspace+"/find?q=a", "", session), v.ask("GET", "/api/workspaces/"+gone.workspace+"/find?q=a", "", session))
			page := v.get(home + "/deletion")
			v.expect(page, http.StatusOK)
			if !strings.Contains(page.body, "restore-workspace") {
				t.Error("the owner cannot restore it")
			}
		})
		t.Run("before its time nothing is erased", func(t *testing.T) {
			w := w.within(t)
			w.later(6*24*time.Hour, func(p *app.Program) { w.must(p.Privacy.Work(t.Context())) })
			if _, err := w.server.Tenants.Workspaces.Workspace(t.Context(), baker.workspace); err != nil {
				t.Errorf("the workspace is gone: %v", err)
			}
		})
		t.Run("restored, it answers again at once", func(t *testing.T) {
			v := v.in(t)
			v.expect(v.post(home+"/restore", nil), http.StatusSeeOther)
			v.checkAnswer(ask(v.instance, baker), 200, 0)
			v.expect(v.get(home), http.StatusOK)
		})
		t.Run("after seven days all is erased, with a receipt that stays", func(t *testing.T) {
			v := v.in(t)
			v.expect(v.post(home+"/delete", pairs{"confirm_name", "baker"}), http.StatusSeeOther)
			v.later(7*24*time.Hour+time.Minute, func(p *app.Program) { v.must(p.Privacy.Work(t.Context())) })
			if _, err := v.server.Tenants.Workspaces.Workspace(t.Context(), baker.workspace); !fault.Is(err, fault.NotFound) {
				t.Errorf("the workspace gives %v", err)
			}
			receipts, err := v.server.Privacy.Receipts.Find(t.Context(), privacy.WorkspaceHash(baker.workspace))
			v.must(err)
			if len(receipts) != 1 || receipts[0].DoneAt == nil {
				t.Fatalf("the receipts are %+v", receipts)
			}
			r := receipts[0]
			for _, kind := range []string{"workspaces", "members", "chatbots", "tokens", "documents", "passages", "conversations", "messages", "receipts", privacy.IndexEntries} {
				if r.Erased[kind] < 1 {
					t.Errorf("no %s were erased: %v", kind, r.Erased)
				}
			}
			for _, table := range privacy.Erased() {
				if n, counted := r.Remaining[table.Name]; n != 0 || !counted {
					t.Errorf("%s: %d remain (counted: %v)", table.Name, n, counted)
				}
			}
			same(t, ask(v.instance, baker), ask(v.instance, gone))
			v.notInFiles("canarydocument", "canaryquestion")
		})
	})
}

func TestDeleteAccount(t *testing.T) {
	t.Parallel()
	onBothDatabases(t, func(t *testing.T, start func(...func(*app.Config)) *instance) {
		w := start()
		baker := w.newTenant("baker", plan.Standard, opening)
		user, err := w.server.Tenants.Users.ByEmail(t.Context(), baker.email)
		w.must(err)
		alone, err := w.server.Tenants.Workspaces.Create(t.Context(), user, "Alone")
		w.must(err)
		w.colleague(baker, "colleague", tenant.RoleAdmin)
		v := w.visitor()
		v.signIn(baker.email, baker.password)
		w.tries(baker, w.ownerOf(baker), `{"message":"A trial, canarytrial"}`)

		t.Run("the only owner of a workspace with others is told what to do", func(t *testing.T) {
			v := v.in(t)
			page := v.get("/account/privacy")
			if !strings.Contains(page.body, "only owner of “baker”") || strings.Contains(page.body, "delete-account\"") {
				t.Errorf("the page says %s", text(v.page(page)))
			}
			v.expect(v.post("/account/privacy/delete", pairs{"password", baker.password}), http.StatusConflict)
		})
		next := account.User{}
		for _, m := range members(w, baker.workspace) {
			if m.Email != baker.email {
				next.ID = m.UserID
			}
		}
		w.must(w.server.Tenants.Members.ChangeRole(t.Context(), baker.workspace, user.ID, next.ID, tenant.RoleOwner))
		t.Run("a copy of the account has no secret", func(t *testing.T) {
			v := v.in(t)
			files := v.unpacked(v.post("/account/privacy/export", nil))
			if !strings.Contains(files["profile.jsonl"], baker.email) || !strings.Contains(files["memberships.jsonl"], `"owner"`) ||
				!strings.Contains(files["sessions.jsonl"], "second_factor") || !strings.Contains(files["audit_log.jsonl"], "sign_in.succeeded") {
				t.Errorf("the export is %v", files)
			}
			for name, content := range files {
				if strings.Contains(content, "$argon2") {
					t.Errorf("%s has the hash of the password", name)
				}
			}
		})
		t.Run("a wrong password deletes nothing", func(t *testing.T) {
			v := v.in(t)
			page := v.get("/account/privacy")
			if !strings.Contains(page.body, "“Alone”") {
				t.Error("the page does not say which workspace goes with the account")
			}
			v.expect(v.post("/account/privacy/delete", pairs{"password", "a wrong guess"}), http.StatusUnprocessableEntity)
		})
		t.Run("with the password the account is erased, and what others use stays", func(t *testing.T) {
			v := v.in(t)
			v.expect(v.post("/account/privacy/delete", pairs{"password", baker.password}), http.StatusSeeOther)
			v.expect(v.get("/account"), http.StatusSeeOther)
			v.expect(v.signIn(baker.email, baker.password), http.StatusUnauthorized)
			receipts, err := v.server.Privacy.Receipts.Find(t.Context(), privacy.AccountHash(baker.email))
			v.must(err)
			if len(receipts) != 1 || receipts[0].DoneAt == nil || receipts[0].Erased["users"] != 1 || receipts[0].Erased["sessions"] < 1 || receipts[0].Remaining.Total() != 0 {
				t.Errorf("the receipts are %+v", receipts)
			}
			tokens, err := v.server.Chatbots.Tokens.List(t.Context(), baker.workspace, baker.chatbot)
			v.must(err)
			if len(tokens) != 1 || tokens[0].CreatedBy != "deleted account" {
				t.Errorf("the tokens are %+v", tokens)
			}
			v.checkAnswer(v.call("POST", chatPath, `{"message":"When does the bakery open?"}`, bearer(baker.token)), 200, 0)
			ending, err := v.server.Tenants.Workspaces.Workspace(t.Context(), alone.ID)
			v.must(err)
			if !ending.Ending() {
				t.Error("the workspace in which nobody else is stays")
			}
			v.notInFiles("canarytrial")
		})
	})
}

func members(w *instance, workspaceID string) []tenant.Member {
	w.Helper()
	all, err := w.server.Tenants.Members.List(w.Context(), workspaceID)
	w.must(err)
	return all
}

func TestDiscardedMessages(t *testing.T) {
	t.Parallel()
	onBothDatabases(t, func(t *testing.T, start func(...func(*app.Config)) *instance) {
		reply := llmtest.Reply{Pieces: []string{"Warm ", "canaryanswer."}}
		upstream := llmtest.NewServer(t, reply)
		upstream.Always(reply)
		w := start(withModel(upstream))
		baker := w.newTenant("baker", plan.Standard, opening)
		w.keeps(baker, chatbot.Keeping{DiscardMessages: true})
		message, conversation := w.askedFor(baker.token, "alice", "Are rolls warm, canaryfirst?")

		t.Run("the caller reads the answer, and nothing of it is stored", func(t *testing.T) {
			w := w.within(t)
			r := w.call("POST", chatPath, `{"message":"And the canarysecond?","conversation_id":`+conversation+`,"external_user_id":"alice"}`, bearer(baker.token))
			w.checkAnswer(r, 200, 0)
			if !strings.Contains(r.Data["message"].(string), "canaryanswer") {
				t.Errorf("the answer is %v", r.Data["message"])
			}
			messages := w.messages(baker.token, conversation, "?include=sources")
			if len(messages) != 2 { // an answer without text is not listed
				t.Errorf("there are %d messages", len(messages))
			}
			for _, m := range messages {
				if m["content"] != "" || m["outcome"] == nil {
					t.Errorf("a message is %v", m)
				}
			}
		})
		t.Run("a question knows nothing of those before it", func(t *testing.T) {
			if asked := strings.Join(w.within(t).prompt(upstream, 1), " "); strings.Contains(asked, "canaryfirst") || !strings.Contains(asked, "canarysecond") {
				t.Errorf("the model reads %s", asked)
			}
		})
		t.Run("a stream with ids can be read to its end, and stores nothing either", func(t *testing.T) {
			w := w.within(t)
			r := w.call("POST", streamPath, `{"message":"And the canarythird?","include":["ids"]}`, bearer(baker.token), keyed("third"))
			w.expect(r, http.StatusOK)
			if !strings.Contains(r.body, "canaryanswer") {
				t.Errorf("the stream is %s", r.body)
			}
		})
		t.Run("feedback counts without its comment, and makes no gap", func(t *testing.T) {
			w := w.within(t)
			r := w.call("POST", "/api/v1/messages/"+message+"/feedback", `{"rating":"down","comment":"canarycomment"}`, bearer(baker.token))
			w.checkAnswer(r, 200, 0)
			if r.Data["comment"] != "" || r.Data["rating"] != "down" {
				t.Errorf("the feedback is %v", r.Data)
			}
			w.must(w.server.Insight.Roller.Roll(t.Context()))
			if n, err := w.server.Insight.Gaps.Count(t.Context(), baker.workspace, baker.chatbot); err != nil || n != 0 {
				t.Errorf("there are %d gaps, %v", n, err)
			}
			spent, err := w.server.Chat.Spent(t.Context(), baker.workspace, time.Now())
			w.must(err)
			if len(spent) == 0 || spent[0].Answers != 3 {
				t.Errorf("the usage is %+v", spent)
			}
		})
		t.Run("no text is in a file", func(t *testing.T) {
			w.within(t).notInFiles("canaryfirst", "canarysecond", "canarythird", "canaryanswer", "canarycomment")
		})
	})
}

// keeps sets what is kept of a chatbot's conversations.
func (w *instance) keeps(tn tenantOf, keeping chatbot.Keeping) {
	w.Helper()
	bot, err := w.server.Chatbots.Get(w.Context(), tn.workspace, tn.chatbot)
	w.must(err)
	settings := bot.Settings()
	settings.Keeping = keeping
	w.must(w.server.Chatbots.Update(w.Context(), tn.workspace, tn.chatbot, settings))
}

func TestRetentionOfAChatbot(t *testing.T) {
	t.Parallel()
	onBothDatabases(t, func(t *testing.T, start func(...func(*app.Config)) *instance) {
		w := start()
		baker := w.newTenant("baker", plan.Standard, opening)
		other, err := w.server.Chatbots.Create(t.Context(), baker.workspace, chatbot.Settings{Name: "other"})
		w.must(err)
		second := baker
		second.chatbot = other.ID
		_, second.token = w.issue(second, chatbot.NewToken{})
		w.keeps(baker, chatbot.Keeping{RetentionDays: 2})
		_, short := w.askedFor(baker.token, "alice", "When does the bakery open?")
		_, long := w.askedFor(second.token, "alice", "When does the bakery open?")
		status := func(tn tenantOf, conversation string) int {
			return w.call("GET", messagesPath(conversation), "", bearer(tn.token)).StatusCode
		}
		for _, step := range []struct {
			after       time.Duration
			short, long int
		}{{47 * time.Hour, 200, 200}, {49 * time.Hour, 404, 200}, {366 * 24 * time.Hour, 404, 404}} {
			w.later(step.after, func(p *app.Program) { w.must(p.Chat.DeleteExpired(t.Context())) })
			if gotShort, gotLong := status(baker, short), status(second, long); gotShort != step.short || gotLong != step.long {
				t.Errorf("after %s they get %d and %d, want %d and %d", step.after, gotShort, gotLong, step.short, step.long)
			}
		}
		bot, err := w.server.Chatbots.Get(t.Context(), baker.workspace, baker.chatbot)
		w.must(err)
		settings := bot.Settings()
		settings.RetentionDays = 366
		if err := w.server.Chatbots.Update(t.Context(), baker.workspace, baker.chatbot, settings); fault.As(err).Field != "retention_days" {
			t.Errorf("longer than the plan keeps them gives %v", err)
		}
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
			w.must(w.server.Chatbots.Tokens.WriteUses(t.Context()))
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

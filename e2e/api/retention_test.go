package api

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"parley/app"
	"parley/core/account"
	"parley/core/audit"
	"parley/core/chatbot"
	"parley/core/fault"
	"parley/core/plan"
	"parley/e2e/harness"
	"parley/llm/llmtest"
)

func TestDiscardedMessages(t *testing.T) {
	t.Parallel()
	harness.OnBothDatabases(t, func(t *testing.T, start func(...func(*app.Config)) *harness.Instance) {
		reply := llmtest.Reply{Pieces: []string{"Warm ", "canaryanswer."}}
		upstream := llmtest.NewServer(t, reply)
		upstream.Always(reply)
		w := start(harness.WithModel(upstream))
		baker := w.NewTenant("baker", plan.Standard, harness.Opening)
		setRetention(w, baker, chatbot.Retention{DiscardMessages: true})
		message, conversation := w.AskedFor(baker.Token, "alice", "Are rolls warm, canaryfirst?")

		t.Run("the caller reads the answer, and nothing of it is stored", func(t *testing.T) {
			w := w.Within(t)
			r := w.Call("POST", harness.ChatPath, `{"message":"And the canarysecond?","conversation_id":`+conversation+`,"external_user_id":"alice"}`, harness.Bearer(baker.Token))
			w.CheckAnswer(r, 200, 0)
			if !strings.Contains(r.Data["message"].(string), "canaryanswer") {
				t.Errorf("the answer is %v", r.Data["message"])
			}
			messages := w.Messages(baker.Token, conversation, "?include=sources")
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
			if asked := strings.Join(promptOf(w.Within(t), upstream, 1), " "); strings.Contains(asked, "canaryfirst") || !strings.Contains(asked, "canarysecond") {
				t.Errorf("the model reads %s", asked)
			}
		})
		t.Run("a stream with ids can be read to its end, and stores nothing either", func(t *testing.T) {
			w := w.Within(t)
			r := w.Call("POST", harness.StreamPath, `{"message":"And the canarythird?","include":["ids"]}`, harness.Bearer(baker.Token), harness.Keyed("third"))
			w.Expect(r, http.StatusOK)
			if !strings.Contains(r.Text, "canaryanswer") {
				t.Errorf("the stream is %s", r.Text)
			}
		})
		t.Run("feedback counts without its comment, and makes no gap", func(t *testing.T) {
			w := w.Within(t)
			r := w.Call("POST", "/api/v1/messages/"+message+"/feedback", `{"rating":"down","comment":"canarycomment"}`, harness.Bearer(baker.Token))
			w.CheckAnswer(r, 200, 0)
			if r.Data["comment"] != "" || r.Data["rating"] != "down" {
				t.Errorf("the feedback is %v", r.Data)
			}
			w.Must(w.Server.Insight.Roller.Roll(t.Context()))
			if n, err := w.Server.Insight.Gaps.Count(t.Context(), baker.Workspace, baker.Chatbot); err != nil || n != 0 {
				t.Errorf("there are %d gaps, %v", n, err)
			}
			spent, err := w.Server.Chat.Spent(t.Context(), baker.Workspace, time.Now())
			w.Must(err)
			if len(spent) == 0 || spent[0].Answers != 3 {
				t.Errorf("the usage is %+v", spent)
			}
		})
		t.Run("no text is in a file", func(t *testing.T) {
			w.Within(t).NotInFiles("canaryfirst", "canarysecond", "canarythird", "canaryanswer", "canarycomment")
		})
	})
}

// setRetention sets what is kept of a chatbot's conversations.
func setRetention(w *harness.Instance, tn harness.Tenant, retention chatbot.Retention) {
	w.Helper()
	bot, err := w.Server.Chatbots.Get(w.Context(), tn.Workspace, tn.Chatbot)
	w.Must(err)
	settings := bot.Settings()
	settings.Retention = retention
	w.Must(w.Server.Chatbots.Update(w.Context(), tn.Workspace, tn.Chatbot, settings))
}

func TestRetentionOfAChatbot(t *testing.T) {
	t.Parallel()
	harness.OnBothDatabases(t, func(t *testing.T, start func(...func(*app.Config)) *harness.Instance) {
		w := start()
		baker := w.NewTenant("baker", plan.Standard, harness.Opening)
		other, err := w.Server.Chatbots.Create(t.Context(), baker.Workspace, chatbot.Settings{Name: "other"})
		w.Must(err)
		second := baker
		second.Chatbot = other.ID
		_, second.Token = w.Issue(second, chatbot.NewToken{})
		setRetention(w, baker, chatbot.Retention{RetentionDays: 2})
		_, short := w.AskedFor(baker.Token, "alice", "When does the bakery open?")
		_, long := w.AskedFor(second.Token, "alice", "When does the bakery open?")
		status := func(tn harness.Tenant, conversation string) int {
			return w.Call("GET", harness.MessagesPath(conversation), "", harness.Bearer(tn.Token)).StatusCode
		}
		for _, step := range []struct {
			after       time.Duration
			short, long int
		}{{47 * time.Hour, 200, 200}, {49 * time.Hour, 404, 200}, {366 * 24 * time.Hour, 404, 404}} {
			w.Later(step.after, func(p *app.Program) {
				// A conversation whose answers are being counted waits for the next time.
				w.Eventually(fmt.Sprintf("after %s they get %d and %d", step.after, step.short, step.long), func() bool {
					w.Must(p.Chat.DeleteExpired(t.Context()))
					return status(baker, short) == step.short && status(second, long) == step.long
				})
			})
		}
		bot, err := w.Server.Chatbots.Get(t.Context(), baker.Workspace, baker.Chatbot)
		w.Must(err)
		settings := bot.Settings()
		settings.RetentionDays = 366
		if err := w.Server.Chatbots.Update(t.Context(), baker.Workspace, baker.Chatbot, settings); fault.As(err).Field != "retention_days" {
			t.Errorf("longer than the plan keeps them gives %v", err)
		}
	})
}

func TestRetentionByTheAPI(t *testing.T) {
	t.Parallel()
	harness.OnBothDatabases(t, func(t *testing.T, start func(...func(*app.Config)) *harness.Instance) {
		w := start()
		baker := w.NewTenant("baker", plan.Standard, harness.Opening)
		owner := w.SignedIn(baker.Email, baker.Password)
		path := "/api/chatbots/" + baker.Chatbot + "/retention"
		kept := func(v *harness.Visitor, r harness.Reply, stores bool, days any) {
			v.Helper()
			v.CheckAnswer(r, 200, 0)
			if r.Data["store_messages"] != stores || r.Data["retention_days"] != days {
				v.Errorf("kept is %s, want %v and %v", r.Text, stores, days)
			}
		}

		t.Run("a new chatbot stores messages for as long as the plan says", func(t *testing.T) {
			v := owner.In(t)
			kept(v, v.Ask("GET", path, ""), true, nil)
		})
		t.Run("what is named changes, what is left out stays, and each change is recorded", func(t *testing.T) {
			v := owner.In(t)
			kept(v, v.Ask("PATCH", path, `{"retention_days":30}`), true, 30.0)
			kept(v, v.Ask("PATCH", path, `{"store_messages":false}`), false, 30.0)
			kept(v, v.Ask("PATCH", path, `{}`), false, 30.0)
			kept(v, v.Ask("GET", path, ""), false, 30.0)
			if n := v.Recorded(audit.ChatbotChanged); n != 2 {
				t.Errorf("%d changes are recorded", n)
			}
			_, conversation := v.AskedFor(baker.Token, "alice", "Is it open, canaryquestion?")
			for _, m := range v.Messages(baker.Token, conversation, "") {
				if m["content"] != "" {
					t.Errorf("a message is stored: %v", m)
				}
			}
			kept(v, v.Ask("PATCH", path, `{"store_messages":true,"retention_days":null}`), true, nil)
		})
		t.Run("wrong input is refused with a sentence, and changes nothing", func(t *testing.T) {
			v := owner.In(t)
			for body, says := range map[string]string{
				`{"retention_days":0}`:                           "from 1, or null",
				`{"retention_days":-1}`:                          "from 1 to",
				`{"retention_days":366}`:                         "from 1 to 365",
				`{"retention_days":1.5}`:                         "retention_days",
				`{"retention_days":"30"}`:                        "retention_days",
				`{"retention_days":99999999999999999999}`:        "retention_days",
				`{"store_messages":null}`:                        "must not be null",
				`{"store_messages":"no"}`:                        "store_messages",
				`{"store_messages":false,"retention_days":366}`:  "from 1 to 365",
				`{"store_messages":false,"store_messages":true}`: "twice",
				`[]`:                   "object",
				`{"retention_days":30`: "not valid JSON",
			} {
				v.IsRefused(v.Ask("PATCH", path, body), 400, "invalid_request", says)
			}
			kept(v, v.Ask("GET", path, ""), true, nil)
		})
	})
}

// What is kept for less is lost: whoever holds somebody's open browser cannot do that.
func TestShorteningRetentionAsksAgain(t *testing.T) {
	t.Parallel()
	var ahead atomic.Int64
	w := harness.StartWith(t, app.Options{Now: func() time.Time { return app.Now().Add(time.Duration(ahead.Load())) }})
	tn := w.NewTenant("baker", plan.Standard)
	old := w.SignedIn(tn.Email, tn.Password)
	ahead.Store(int64(account.ProofLifetime))
	proved := w.SignedIn(tn.Email, tn.Password)
	for _, c := range []struct {
		by     *harness.Visitor
		change string
		asks   bool
	}{
		{old, `{"retention_days":60}`, true},
		{proved, `{"retention_days":60}`, false},
		{old, `{"retention_days":30}`, true},
		{old, `{"retention_days":60}`, false},
		{old, `{"retention_days":90}`, false},
		{old, `{"store_messages":false}`, true},
		{old, `{"retention_days":null}`, false},
		{old, `{"retention_days":90}`, true},
		{proved, `{"store_messages":false}`, false},
		{old, `{"store_messages":true}`, false},
	} {
		r := c.by.Ask("PATCH", "/api/chatbots/"+tn.Chatbot+"/retention", c.change)
		if asks := r.StatusCode == http.StatusForbidden && r.Header.Get("X-Error-Code") == "reauthentication_required"; asks != c.asks || !asks && r.StatusCode != http.StatusOK {
			t.Errorf("%s answers %d: %s", c.change, r.StatusCode, harness.Shortened(r.Text))
		}
	}
	settings := "/chatbots/" + tn.Chatbot + "/settings"
	r := old.Post(settings, harness.Pairs{"name", "Bakery", "retention_days", "1"})
	if r.StatusCode != http.StatusTemporaryRedirect || harness.Location(r) != "/confirm?to="+url.QueryEscape(settings) {
		t.Errorf("the page answers %d, %s", r.StatusCode, harness.Location(r))
	}
	w.Expect(proved.Post(settings, harness.Pairs{"name", "Bakery", "retention_days", "1"}), http.StatusSeeOther)
	w.Expect(old.Post(settings, harness.Pairs{"name", "Bakery", "retention_days", "2"}), http.StatusSeeOther)
}

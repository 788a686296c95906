package e2e

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"parley/app"
	"parley/core/audit"
	"parley/core/chatbot"
	"parley/core/fault"
	"parley/core/plan"
	"parley/llm/llmtest"
)

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

func TestRetentionByTheAPI(t *testing.T) {
	t.Parallel()
	onBothDatabases(t, func(t *testing.T, start func(...func(*app.Config)) *instance) {
		w := start()
		baker := w.newTenant("baker", plan.Standard, opening)
		owner := w.signedIn(baker.email, baker.password)
		path := "/api/chatbots/" + baker.chatbot + "/retention"
		kept := func(v *visitor, r reply, stores bool, days any) {
			v.Helper()
			v.checkAnswer(r, 200, 0)
			if r.Data["store_messages"] != stores || r.Data["retention_days"] != days {
				v.Errorf("kept is %s, want %v and %v", r.body, stores, days)
			}
		}

		t.Run("a new chatbot stores messages for as long as the plan says", func(t *testing.T) {
			v := owner.in(t)
			kept(v, v.ask("GET", path, ""), true, nil)
		})
		t.Run("what is named changes, what is left out stays, and each change is recorded", func(t *testing.T) {
			v := owner.in(t)
			kept(v, v.ask("PATCH", path, `{"retention_days":30}`), true, 30.0)
			kept(v, v.ask("PATCH", path, `{"store_messages":false}`), false, 30.0)
			kept(v, v.ask("PATCH", path, `{}`), false, 30.0)
			kept(v, v.ask("GET", path, ""), false, 30.0)
			if n := v.recorded(audit.ChatbotChanged); n != 2 {
				t.Errorf("%d changes are recorded", n)
			}
			_, conversation := v.askedFor(baker.token, "alice", "Is it open, canaryquestion?")
			for _, m := range v.messages(baker.token, conversation, "") {
				if m["content"] != "" {
					t.Errorf("a message is stored: %v", m)
				}
			}
			kept(v, v.ask("PATCH", path, `{"store_messages":true,"retention_days":null}`), true, nil)
		})
		t.Run("wrong input is refused with a sentence, and changes nothing", func(t *testing.T) {
			v := owner.in(t)
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
				v.isRefused(v.ask("PATCH", path, body), 400, "invalid_request", says)
			}
			kept(v, v.ask("GET", path, ""), true, nil)
		})
	})
}

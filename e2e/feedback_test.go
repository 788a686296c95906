package e2e

import (
	"encoding/csv"
	"fmt"
	"strconv"
	"strings"
	"testing"

	"parley/app"
	"parley/core/chat"
	"parley/core/chat/turn"
	"parley/core/chatbot"
	"parley/core/plan"
)

// askedFor asks for an end user, and returns the answer's identifier and its
// conversation's.
func (w *instance) askedFor(token, user, question string) (message, conversation string) {
	w.Helper()
	r := w.call("POST", "/api/v1/chat", fmt.Sprintf(`{"message":%q,"external_user_id":%q}`, question, user), bearer(token))
	w.checkAnswer(r, 200, 0)
	return written(int64(r.Data["message_id"].(float64))), written(int64(r.Data["conversation_id"].(float64)))
}

func TestFeedback(t *testing.T) {
	t.Parallel()
	onBothDatabases(t, func(t *testing.T, start func(...func(*app.Config)) *instance) {
		w := start()
		baker, other := w.newTenant("baker", plan.Standard, opening), w.newTenant("other", plan.Standard, opening)
		message, conversation := w.askedFor(baker.token, "ann", "When does the bakery open?")
		give := func(w *instance, token, message, body string) reply {
			return w.call("POST", "/api/v1/messages/"+message+"/feedback", body, bearer(token))
		}
		gaps := func(w *instance) int {
			n, err := w.server.Insight.Gaps.Count(w.Context(), baker.workspace, baker.chatbot)
			w.must(err)
			return n
		}

		t.Run("the last one stands, and a thumb down makes a gap until it is taken back", func(t *testing.T) {
			w := w.within(t)
			for _, step := range []struct {
				body, rating, comment string
				gaps                  int
			}{
				{`{"rating":"down","comment":" Too short. "}`, "down", "Too short.", 1},
				{`{"rating":"down","comment":"Too short."}`, "down", "Too short.", 1},
				{`{"rating":"up"}`, "up", "", 0},
				{`{"rating":"down","external_user_id":"ann"}`, "down", "", 1},
				{`{"rating":null,"comment":"gone"}`, "<nil>", "", 0},
			} {
				r := give(w, baker.token, message, step.body)
				w.checkAnswer(r, 200, 0)
				if fmt.Sprint(r.Data["rating"]) != step.rating || r.Data["comment"] != step.comment || written(int64(r.Data["message_id"].(float64))) != message {
					t.Errorf("%s is stored as %v", step.body, r.Data)
				}
				if n := gaps(w); n != step.gaps {
					t.Errorf("after %s there are %d gaps", step.body, n)
				}
			}
		})
		t.Run("what is not understood is refused", func(t *testing.T) {
			w := w.within(t)
			for body, says := range map[string]string{
				`{}`: "rating is required", `{"rating":"good"}`: `"up", "down" or null`, `{"rating":1}`: `"up", "down" or null`,
				`{"rating":"up","comment":"` + strings.Repeat("é", 2001) + `"}`: "longer than 2000 characters", `{"rating":"up","comment":"a\u0000b"}`: "NUL",
				`{"rating":"up","comment":7}`: "comment", `[]`: "object",
			} {
				r := give(w, baker.token, message, body)
				w.checkAnswer(r, 400, 4)
				if !strings.Contains(r.ErrorMessage, says) {
					t.Errorf("%.40s is refused with %q", body, r.ErrorMessage)
				}
			}
			w.checkAnswer(give(w, baker.token, message, `{"rating":"up","comment":"`+strings.Repeat("é", 2000)+`"}`), 200, 0)
		})
		t.Run("what is not one's own is not found, in the same words", func(t *testing.T) {
			w := w.within(t)
			id, err := w.server.ConversationID(conversation)
			w.must(err)
			all, err := w.server.Chat.LastMessages(w.Context(), baker.workspace, id, 0, 10)
			w.must(err)
			question := written(w.server.IDs.Message(all[0].ID))
			bot, err := w.server.Chatbots.Get(w.Context(), baker.workspace, baker.chatbot)
			w.must(err)
			owner, err := w.server.Tenants.Users.ByEmail(w.Context(), baker.email)
			w.must(err)
			plans, err := w.server.Tenants.Plans.All(w.Context())
			w.must(err)
			begun, err := w.server.Turns.Begin(w.Context(), &chatbot.Principal{Chatbot: bot, MemberID: owner.ID, Plan: plans[len(plans)-1]}, turn.Ask{Message: "In the playground?"})
			w.must(err)
			tried, err := begun.Run(w.Context(), nil)
			w.must(err)
			if tried.Origin != chat.Playground {
				t.Fatalf("its origin is %s", tried.Origin)
			}
			for name, try := range map[string][3]string{
				"a stranger's token":   {other.token, message, `{"rating":"up"}`},
				"another end user":     {baker.token, message, `{"rating":"up","external_user_id":"bob"}`},
				"a question":           {baker.token, question, `{"rating":"up"}`},
				"the playground":       {baker.token, written(w.server.IDs.Message(tried.MessageID)), `{"rating":"up"}`},
				"one that is not":      {baker.token, "9007199254740990", `{"rating":"up"}`},
				"no identifier at all": {baker.token, "0", `{"rating":"up"}`},
			} {
				r := give(w, try[0], try[1], try[2])
				if r.StatusCode != 404 || r.body != `{"error":3,"error_message":"Message not found.","data":null}` {
					t.Errorf("%s: %s %s", name, r.Status, r.body)
				}
			}
			v := w.signedIn(baker.email, baker.password)
			r := v.ask("POST", "/api/chatbots/"+baker.chatbot+"/messages/"+written(w.server.IDs.Message(tried.MessageID))+"/feedback", `{"rating":"down"}`)
			v.checkAnswer(r, 200, 0)
		})
	})
}

func TestConversationsPage(t *testing.T) {
	t.Parallel()
	onBothDatabases(t, func(t *testing.T, start func(...func(*app.Config)) *instance) {
		w := start()
		baker := w.newTenant("baker", plan.Standard, opening)
		for i := range 35 {
			w.askedFor(baker.token, "user "+strconv.Itoa(i), "When does the bakery open, round "+strconv.Itoa(i)+"?")
		}
		hostile := `=HYPERLINK("http://evil.example")`
		message, conversation := w.askedFor(baker.token, "mallory", hostile)
		w.checkAnswer(w.call("POST", "/api/v1/messages/"+message+"/feedback", `{"rating":"down","comment":"@bad"}`, bearer(baker.token)), 200, 0)
		v := w.signedIn(baker.email, baker.password)
		base := "/chatbots/" + baker.chatbot + "/conversations"

		t.Run("the list has pages, and a conversation its messages", func(t *testing.T) {
			v := v.in(t)
			first := v.get(base)
			v.expect(first, 200)
			if n := strings.Count(first.body, `class="title"`); n != 30 {
				t.Errorf("the first page has %d conversations", n)
			}
			at := strings.Index(first.body, base+"?before=")
			next := first.body[at : at+strings.IndexByte(first.body[at:], '"')]
			second := v.get(next)
			if n := strings.Count(second.body, `class="title"`); n != 6 {
				t.Errorf("the second page has %d conversations", n)
			}
			thread := v.get(base + "/" + conversation)
			v.expect(thread, 200)
			for _, part := range []string{"@bad", "Fix this answer", "extractive", "Delete this conversation?"} {
				if !strings.Contains(thread.body, part) {
					t.Errorf("the thread lacks %q", part)
				}
			}
		})
		t.Run("filters stand in the address", func(t *testing.T) {
			v := v.in(t)
			for query, n := range map[string]int{
				"?q=ROUND+3": 6, "?user=mallory": 1, "?rating=down": 1, "?rating=up": 0, "?origin=playground": 0, "?outcome=failed": 0,
				"?token=" + baker.tokenID + "&q=round+34": 1, "?from=2000-01-01&to=2000-01-02": 0, "?to=2000-01-01&from=2001-01-01": 0,
			} {
				r := v.get(base + query)
				v.expect(r, 200)
				if got := strings.Count(r.body, `class="title"`); got != n {
					t.Errorf("%s has %d conversations, want %d", query, got, n)
				}
			}
		})
		t.Run("an export has a row for each message, and no formula", func(t *testing.T) {
			v := v.in(t)
			r := v.get(base + "/export?format=csv")
			v.expect(r, 200)
			rows, err := csv.NewReader(strings.NewReader(r.body)).ReadAll()
			if err != nil || len(rows) != 1+2*36 {
				t.Errorf("it has %d rows: %v", len(rows), err)
			}
			if strings.Contains(r.body, ",=HYP") || !strings.Contains(r.body, `"'=HYPERLINK(""http://evil.example"")"`) || !strings.Contains(r.body, "'@bad") {
				t.Errorf("a formula is one still: %s", r.body[:400])
			}
			if got := r.Header.Get("Content-Disposition"); !strings.HasPrefix(got, `attachment; filename="conversations-`) {
				t.Errorf("it is %q", got)
			}
			lines := v.get(base + "/export?format=jsonl&user=mallory")
			if strings.Count(lines.body, "\n") != 2 || !strings.Contains(lines.body, `"rating":"down"`) {
				t.Errorf("got %s", lines.body)
			}
		})
		t.Run("a deleted conversation is gone with what was thought of it", func(t *testing.T) {
			v := v.in(t)
			v.expect(v.post(base+"/"+conversation+"/delete", nil), 303)
			v.expect(v.get(base+"/"+conversation), 404)
			v.expect(v.post(base+"/"+conversation+"/delete", nil), 404)
			if n, err := w.server.Insight.Gaps.Count(t.Context(), baker.workspace, baker.chatbot); err != nil || n != 0 {
				t.Errorf("%d gaps are left, %v", n, err)
			}
		})
	})
}

package api

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
	"parley/e2e/harness"
)

func TestFeedback(t *testing.T) {
	t.Parallel()
	harness.OnAnyDatabase(t, func(t *testing.T, start func(...func(*app.Config)) *harness.Instance) {
		w := start()
		baker, other := w.NewTenant("baker", plan.Standard, harness.Opening), w.NewTenant("other", plan.Standard, harness.Opening)
		message, conversation := w.AskedFor(baker.Token, "ann", "When does the bakery open?")
		give := func(w *harness.Instance, token, message, body string) harness.Reply {
			return w.Call("POST", "/api/v1/messages/"+message+"/feedback", body, harness.Bearer(token))
		}
		gaps := func(w *harness.Instance) int {
			n, err := w.Server.Insight.Gaps.Count(w.Context(), baker.Workspace, baker.Chatbot)
			w.Must(err)
			return n
		}

		t.Run("the last one stands, and a thumb down makes a gap until it is taken back", func(t *testing.T) {
			w := w.Within(t)
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
				r := give(w, baker.Token, message, step.body)
				w.CheckAnswer(r, 200, 0)
				if fmt.Sprint(r.Data["rating"]) != step.rating || r.Data["comment"] != step.comment || harness.Written(int64(r.Data["message_id"].(float64))) != message {
					t.Errorf("%s is stored as %v", step.body, r.Data)
				}
				if n := gaps(w); n != step.gaps {
					t.Errorf("after %s there are %d gaps", step.body, n)
				}
			}
		})
		t.Run("what is not understood is refused", func(t *testing.T) {
			w := w.Within(t)
			for body, says := range map[string]string{
				`{}`: "rating is required", `{"rating":"good"}`: `"up", "down" or null`, `{"rating":1}`: `"up", "down" or null`,
				`{"rating":"up","comment":"` + strings.Repeat("é", 2001) + `"}`: "longer than 2000 characters", `{"rating":"up","comment":"a\u0000b"}`: "NUL",
				`{"rating":"up","comment":7}`: "comment", `[]`: "object",
			} {
				r := give(w, baker.Token, message, body)
				w.CheckAnswer(r, 400, 4)
				if !strings.Contains(r.ErrorMessage, says) {
					t.Errorf("%.40s is refused with %q", body, r.ErrorMessage)
				}
			}
			w.CheckAnswer(give(w, baker.Token, message, `{"rating":"up","comment":"`+strings.Repeat("é", 2000)+`"}`), 200, 0)
		})
		t.Run("what is not one's own is not found, in the same words", func(t *testing.T) {
			w := w.Within(t)
			id, err := w.Server.ConversationID(conversation)
			w.Must(err)
			all, err := w.Server.Chat.LastMessages(w.Context(), baker.Workspace, id, 0, 10)
			w.Must(err)
			question := harness.Written(w.Server.IDs.Message(all[0].ID))
			bot, err := w.Server.Chatbots.Get(w.Context(), baker.Workspace, baker.Chatbot)
			w.Must(err)
			owner, err := w.Server.Tenants.Users.ByEmail(w.Context(), baker.Email)
			w.Must(err)
			plans, err := w.Server.Tenants.Plans.All(w.Context())
			w.Must(err)
			begun, err := w.Server.Turns.Begin(w.Context(), &chatbot.Principal{Chatbot: bot, MemberID: owner.ID, Plan: plans[len(plans)-1]}, turn.Ask{Message: "In the playground?"})
			w.Must(err)
			tried, err := begun.Run(w.Context(), nil)
			w.Must(err)
			if tried.Origin != chat.Playground {
				t.Fatalf("its origin is %s", tried.Origin)
			}
			for name, try := range map[string][3]string{
				"a stranger's token":   {other.Token, message, `{"rating":"up"}`},
				"another end user":     {baker.Token, message, `{"rating":"up","external_user_id":"bob"}`},
				"a question":           {baker.Token, question, `{"rating":"up"}`},
				"the playground":       {baker.Token, harness.Written(w.Server.IDs.Message(tried.MessageID)), `{"rating":"up"}`},
				"one that is not":      {baker.Token, "9007199254740990", `{"rating":"up"}`},
				"no identifier at all": {baker.Token, "0", `{"rating":"up"}`},
			} {
				r := give(w, try[0], try[1], try[2])
				if r.StatusCode != 404 || r.Text != `{"error":3,"error_message":"Message not found.","data":null}` {
					t.Errorf("%s: %s %s", name, r.Status, r.Text)
				}
			}
			v := w.SignedIn(baker.Email, baker.Password)
			r := v.Ask("POST", "/api/chatbots/"+baker.Chatbot+"/messages/"+harness.Written(w.Server.IDs.Message(tried.MessageID))+"/feedback", `{"rating":"down"}`)
			v.CheckAnswer(r, 200, 0)
		})
	})
}

func TestConversationsPage(t *testing.T) {
	t.Parallel()
	harness.OnAnyDatabase(t, func(t *testing.T, start func(...func(*app.Config)) *harness.Instance) {
		w := start()
		baker := w.NewTenant("baker", plan.Standard, harness.Opening)
		for i := range 35 {
			w.AskedFor(baker.Token, "user "+strconv.Itoa(i), "When does the bakery open, round "+strconv.Itoa(i)+"?")
		}
		hostile := `=HYPERLINK("http://evil.example")`
		message, conversation := w.AskedFor(baker.Token, "mallory", hostile)
		w.CheckAnswer(w.Call("POST", "/api/v1/messages/"+message+"/feedback", `{"rating":"down","comment":"@bad"}`, harness.Bearer(baker.Token)), 200, 0)
		v := w.SignedIn(baker.Email, baker.Password)
		base := "/chatbots/" + baker.Chatbot + "/conversations"

		t.Run("the list has pages, and a conversation its messages", func(t *testing.T) {
			v := v.In(t)
			first := v.Get(base)
			v.Expect(first, 200)
			if n := strings.Count(first.Text, `class="title"`); n != 30 {
				t.Errorf("the first page has %d conversations", n)
			}
			at := strings.Index(first.Text, base+"?before=")
			next := first.Text[at : at+strings.IndexByte(first.Text[at:], '"')]
			second := v.Get(next)
			if n := strings.Count(second.Text, `class="title"`); n != 6 {
				t.Errorf("the second page has %d conversations", n)
			}
			thread := v.Get(base + "/" + conversation)
			v.Expect(thread, 200)
			for _, part := range []string{"@bad", "Fix this answer", "extractive", "Delete this conversation?"} {
				if !strings.Contains(thread.Text, part) {
					t.Errorf("the thread lacks %q", part)
				}
			}
		})
		t.Run("filters stand in the address", func(t *testing.T) {
			v := v.In(t)
			for query, n := range map[string]int{
				"?q=ROUND+3": 6, "?user=mallory": 1, "?rating=down": 1, "?rating=up": 0, "?origin=playground": 0, "?outcome=failed": 0,
				"?token=" + baker.TokenID + "&q=round+34": 1, "?from=2000-01-01&to=2000-01-02": 0, "?to=2000-01-01&from=2001-01-01": 0,
			} {
				r := v.Get(base + query)
				v.Expect(r, 200)
				if got := strings.Count(r.Text, `class="title"`); got != n {
					t.Errorf("%s has %d conversations, want %d", query, got, n)
				}
			}
		})
		t.Run("an export has a row for each message, and no formula", func(t *testing.T) {
			v := v.In(t)
			r := v.Get(base + "/export?format=csv")
			v.Expect(r, 200)
			rows, err := csv.NewReader(strings.NewReader(r.Text)).ReadAll()
			if err != nil || len(rows) != 1+2*36 {
				t.Errorf("it has %d rows: %v", len(rows), err)
			}
			if strings.Contains(r.Text, ",=HYP") || !strings.Contains(r.Text, `"'=HYPERLINK(""http://evil.example"")"`) || !strings.Contains(r.Text, "'@bad") {
				t.Errorf("a formula is one still: %s", r.Text[:400])
			}
			if got := r.Header.Get("Content-Disposition"); !strings.HasPrefix(got, `attachment; filename="conversations-`) {
				t.Errorf("it is %q", got)
			}
			lines := v.Get(base + "/export?format=jsonl&user=mallory")
			if strings.Count(lines.Text, "\n") != 2 || !strings.Contains(lines.Text, `"rating":"down"`) {
				t.Errorf("got %s", lines.Text)
			}
		})
		t.Run("a deleted conversation is gone with what was thought of it", func(t *testing.T) {
			v := v.In(t)
			v.Expect(v.Post(base+"/"+conversation+"/delete", nil), 303)
			v.Expect(v.Get(base+"/"+conversation), 404)
			v.Expect(v.Post(base+"/"+conversation+"/delete", nil), 404)
			if n, err := w.Server.Insight.Gaps.Count(t.Context(), baker.Workspace, baker.Chatbot); err != nil || n != 0 {
				t.Errorf("%d gaps are left, %v", n, err)
			}
		})
	})
}

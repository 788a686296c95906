package turns

import (
	"reflect"
	"strconv"
	"strings"
	"testing"

	"parley/e2e/harness"
	"parley/llm/llmtest"
)

// TestCutAnswers checks that nobody takes an answer without its end for a whole one.
func TestCutAnswers(t *testing.T) {
	t.Parallel()
	harness.OnModelAndBothDatabases(t, func(b harness.Bakery, upstream *llmtest.Server) {
		token := b.Baker.Token
		for _, reason := range []string{"length", "content_filter"} {
			upstream.Always(llmtest.Reply{Pieces: []string{"It opens", " at"}, Finish: reason})
			id := harness.Written(b.NewConversation(token, ""))
			b.Run("an answer that ended by "+reason+" says so", func(t *testing.T) {
				w := b.Within(t)
				r := w.Call("POST", harness.ChatPath, harness.Asking(id), harness.Bearer(token))
				w.CheckAnswer(r, 200, 0)
				if r.Data["status"] != "incomplete" || r.Data["finish_reason"] != reason || r.Data["outcome"] != "answered" {
					t.Errorf("the answer is %s", r.Text)
				}
			})
			b.Run("its stream says so when asked for the usage", func(t *testing.T) {
				w := b.Within(t)
				body := w.Call("POST", harness.StreamPath, harness.Including(`["usage"]`), harness.Bearer(token)).Text
				w.CheckParts(body, []string{`"status":"incomplete","outcome":"answered","finish_reason":"` + reason + `"`})
			})
			b.Run("who stops it afterward is told so", func(t *testing.T) {
				w := b.Within(t)
				conversation, err := strconv.ParseInt(id, 10, 64)
				w.Must(err)
				checkEnding(w, w.Call("POST", harness.ConversationsPath+"/"+id+"/stop", "", harness.Bearer(token)), conversation, "incomplete")
			})
			b.Run("the conversation says so", func(t *testing.T) {
				last := b.Within(t).Messages(token, id, "")[1]
				if last["status"] != "incomplete" || last["finish_reason"] != reason || last["outcome"] != "answered" || last["format"] != "markdown" {
					t.Errorf("the message is %v", last)
				}
			})
		}
		b.Run("a whole answer is complete", func(t *testing.T) {
			w := b.Within(t)
			upstream.Always(llmtest.Reply{Pieces: []string{"At seven."}})
			id := harness.Written(w.NewConversation(token, ""))
			r := w.Call("POST", harness.ChatPath, harness.Asking(id), harness.Bearer(token))
			if r.Data["status"] != nil || r.Data["finish_reason"] != "stop" || r.Data["outcome"] != "answered" {
				t.Errorf("the answer is %s", r.Text)
			}
			seen := w.Messages(token, id, "")
			if seen[0]["outcome"] != nil || seen[0]["format"] != "plain_text" || seen[1]["status"] != "complete" || seen[1]["finish_reason"] != "stop" {
				t.Errorf("the messages are %v", seen)
			}
		})
		b.Run("an answer that a filter withheld whole is a failure", func(t *testing.T) {
			w := b.Within(t)
			upstream.Next(llmtest.Reply{Finish: "content_filter"})
			r := w.Call("POST", harness.ChatPath, harness.OpeningQuestion, harness.Bearer(token))
			w.CheckAnswer(r, 500, 5)
			if got := r.Header.Get("X-Error-Code"); got != "model_declined" {
				t.Errorf("the code is %q", got)
			}
		})
		b.Run("a question whose answer failed shows it", func(t *testing.T) {
			w := b.Within(t)
			id := harness.Written(w.NewConversation(token, ""))
			w.CheckAnswer(w.Call("POST", harness.ChatPath, harness.Asking(id), harness.Bearer(token)), 200, 0)
			upstream.Always(llmtest.Reply{Status: 401})
			w.CheckAnswer(w.Call("POST", harness.ChatPath, harness.Asking(id), harness.Bearer(token)), 500, 5)
			seen := w.Messages(token, id, "")
			if len(seen) != 3 || seen[0]["outcome"] != nil || seen[2]["outcome"] != "failed" {
				t.Errorf("the messages are %v", seen)
			}
			last := w.Messages(token, id, "?limit=1&include=usage,sources&after="+harness.Written(int64(seen[1]["id"].(float64))))[0]
			if usage, _ := last["usage"].(map[string]any); usage["status"] != "failed" || usage["outcome"] != "failed" || last["sources"] != nil {
				t.Errorf("with its usage it is %v", last)
			}
		})
		b.Run("messages have what their answers had, if that is included", func(t *testing.T) {
			w := b.Within(t)
			upstream.Always(llmtest.Reply{Pieces: []string{"At seven [1]."}})
			id := harness.Written(w.NewConversation(token, ""))
			r := w.Call("POST", harness.ChatPath, harness.Asking(id), harness.Bearer(token))
			w.CheckAnswer(r, 200, 0)
			for query, has := range map[string][2]bool{"": {}, "?include=": {}, "?include=sources": {true, false}, "?include=usage": {false, true}, "?include=usage,sources": {true, true}} {
				seen := w.Messages(token, id, query)
				if seen[0]["sources"] != nil || seen[0]["usage"] != nil || (seen[1]["sources"] != nil) != has[0] || (seen[1]["usage"] != nil) != has[1] {
					t.Errorf("%q gives %v", query, seen)
				}
				if has[0] && !reflect.DeepEqual(seen[1]["sources"], r.Data["sources"]) {
					t.Errorf("the sources are %v, those of the answer %v", seen[1]["sources"], r.Data["sources"])
				}
				if usage, _ := seen[1]["usage"].(map[string]any); has[1] && (usage["total_tokens"] != r.Data["usage"].(map[string]any)["total_tokens"] || usage["model"] != "double" || usage["status"] != "complete") {
					t.Errorf("the usage is %v", usage)
				}
			}
		})
		b.Run("an answer without its end is not given again", func(t *testing.T) {
			w := b.Within(t)
			bot, err := w.Server.Chatbots.Get(w.Context(), b.Baker.Workspace, b.Baker.Chatbot)
			w.Must(err)
			settings := bot.Settings()
			settings.Answering.CacheAnswers = true
			w.Must(w.Server.Chatbots.Update(w.Context(), b.Baker.Workspace, b.Baker.Chatbot, settings))
			upstream.Next(llmtest.Reply{Pieces: []string{"At"}, Finish: "length"}, llmtest.Reply{Pieces: []string{"At seven."}})
			for _, want := range []string{"At", "At seven.", "At seven."} {
				if got := harness.Message(w.Call("POST", harness.ChatPath, harness.OpeningQuestion, harness.Bearer(token))); strings.TrimSpace(got) != want {
					t.Errorf("the answer is %q, want %q", got, want)
				}
			}
		})
	})
}

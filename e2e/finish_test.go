package e2e

import (
	"reflect"
	"strconv"
	"strings"
	"testing"

	"parley/llm/llmtest"
)

// TestCutAnswers checks that nobody takes an answer without its end for a whole one.
func TestCutAnswers(t *testing.T) {
	t.Parallel()
	onModel(t, func(b bakery, upstream *llmtest.Server) {
		token := b.baker.token
		for _, reason := range []string{"length", "content_filter"} {
			upstream.Always(llmtest.Reply{Pieces: []string{"It opens", " at"}, Finish: reason})
			id := written(b.newConversation(token, ""))
			b.Run("an answer that ended by "+reason+" says so", func(t *testing.T) {
				w := b.within(t)
				r := w.call("POST", chatPath, asking(id), bearer(token))
				w.checkAnswer(r, 200, 0)
				if r.Data["status"] != "incomplete" || r.Data["finish_reason"] != reason || r.Data["outcome"] != "answered" {
					t.Errorf("the answer is %s", r.body)
				}
			})
			b.Run("its stream says so when asked for the usage", func(t *testing.T) {
				w := b.within(t)
				body := w.call("POST", streamPath, including(`["usage"]`), bearer(token)).body
				w.checkParts(body, []string{`"status":"incomplete","outcome":"answered","finish_reason":"` + reason + `"`})
			})
			b.Run("who stops it afterward is told so", func(t *testing.T) {
				w := b.within(t)
				conversation, err := strconv.ParseInt(id, 10, 64)
				w.must(err)
				w.checkEnding(w.call("POST", conversationsPath+"/"+id+"/stop", "", bearer(token)), conversation, "incomplete")
			})
			b.Run("the conversation says so", func(t *testing.T) {
				last := b.within(t).messages(token, id, "")[1]
				if last["status"] != "incomplete" || last["finish_reason"] != reason || last["outcome"] != "answered" || last["format"] != "markdown" {
					t.Errorf("the message is %v", last)
				}
			})
		}
		b.Run("a whole answer is complete", func(t *testing.T) {
			w := b.within(t)
			upstream.Always(llmtest.Reply{Pieces: []string{"At seven."}})
			id := written(w.newConversation(token, ""))
			r := w.call("POST", chatPath, asking(id), bearer(token))
			if r.Data["status"] != nil || r.Data["finish_reason"] != "stop" || r.Data["outcome"] != "answered" {
				t.Errorf("the answer is %s", r.body)
			}
			seen := w.messages(token, id, "")
			if seen[0]["outcome"] != nil || seen[0]["format"] != "plain_text" || seen[1]["status"] != "complete" || seen[1]["finish_reason"] != "stop" {
				t.Errorf("the messages are %v", seen)
			}
		})
		b.Run("an answer that a filter withheld whole is a failure", func(t *testing.T) {
			w := b.within(t)
			upstream.Next(llmtest.Reply{Finish: "content_filter"})
			r := w.call("POST", chatPath, openingQuestion, bearer(token))
			w.checkAnswer(r, 500, 5)
			if got := r.Header.Get("X-Error-Code"); got != "model_declined" {
				t.Errorf("the code is %q", got)
			}
		})
		b.Run("a question whose answer failed shows it", func(t *testing.T) {
			w := b.within(t)
			id := written(w.newConversation(token, ""))
			w.checkAnswer(w.call("POST", chatPath, asking(id), bearer(token)), 200, 0)
			upstream.Always(llmtest.Reply{Status: 401})
			w.checkAnswer(w.call("POST", chatPath, asking(id), bearer(token)), 500, 5)
			seen := w.messages(token, id, "")
			if len(seen) != 3 || seen[0]["outcome"] != nil || seen[2]["outcome"] != "failed" {
				t.Errorf("the messages are %v", seen)
			}
			last := w.messages(token, id, "?limit=1&include=usage,sources&after="+written(int64(seen[1]["id"].(float64))))[0]
			if usage, _ := last["usage"].(map[string]any); usage["status"] != "failed" || usage["outcome"] != "failed" || last["sources"] != nil {
				t.Errorf("with its usage it is %v", last)
			}
		})
		b.Run("messages have what their answers had, if that is included", func(t *testing.T) {
			w := b.within(t)
			upstream.Always(llmtest.Reply{Pieces: []string{"At seven [1]."}})
			id := written(w.newConversation(token, ""))
			r := w.call("POST", chatPath, asking(id), bearer(token))
			w.checkAnswer(r, 200, 0)
			for query, has := range map[string][2]bool{"": {}, "?include=": {}, "?include=sources": {true, false}, "?include=usage": {false, true}, "?include=usage,sources": {true, true}} {
				seen := w.messages(token, id, query)
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
			w := b.within(t)
			bot, err := w.server.Chatbots.Get(w.Context(), b.baker.workspace, b.baker.chatbot)
			w.must(err)
			settings := bot.Settings()
			settings.Answering.CacheAnswers = true
			w.must(w.server.Chatbots.Update(w.Context(), b.baker.workspace, b.baker.chatbot, settings))
			upstream.Next(llmtest.Reply{Pieces: []string{"At"}, Finish: "length"}, llmtest.Reply{Pieces: []string{"At seven."}})
			for _, want := range []string{"At", "At seven.", "At seven."} {
				if got := message(w.call("POST", chatPath, openingQuestion, bearer(token))); strings.TrimSpace(got) != want {
					t.Errorf("the answer is %q, want %q", got, want)
				}
			}
		})
	})
}

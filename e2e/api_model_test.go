package e2e

import (
	"cmp"
	"context"
	"net/http"
	"net/http/httptrace"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"

	"parley/app"
	"parley/core/answer"
	"parley/core/answer/prompt"
	"parley/core/chat"
	"parley/core/fault"
	"parley/core/plan"
	"parley/llm/llmtest"
)

// prompt is what a model's server was asked, one line a message.
func (w *instance) prompt(upstream *llmtest.Server, n int) []string {
	w.Helper()
	var body struct {
		Messages []struct{ Role, Content string }
	}
	w.must(json.Unmarshal(upstream.Request(n).Body(), &body, json.MatchCaseInsensitiveNames(true)))
	var lines []string
	for _, m := range body.Messages {
		lines = append(lines, m.Role+": "+m.Content)
	}
	return lines
}

func (w *instance) askIn(conversation, message, token string) reply {
	w.Helper()
	body := `{"message":"` + message + `"`
	if conversation != "" {
		body += `,"conversation_id":"` + conversation + `"`
	}
	r := w.call("POST", chatPath, body+"}", bearer(token))
	w.checkAnswer(r, 200, 0)
	return r
}

func TestHistory(t *testing.T) {
	t.Parallel()
	onModel(t, func(b bakery, upstream *llmtest.Server) {
		token := b.baker.token
		for _, text := range []string{"At *seven*.", "Why does the bakery open at seven?", "At noon.", "Then never."} {
			upstream.Next(llmtest.Reply{Pieces: []string{text}})
		}
		id := written(b.number(b.askIn("", "When does the bakery open?", token), "conversation_id"))
		b.askIn(id, "Why so?", token)
		b.askIn("", "Why so?", token)

		b.Run("a first question comes with its passages and nothing before it", func(t *testing.T) {
			lines := b.within(t).prompt(upstream, 0)
			if len(lines) != 2 || !strings.HasPrefix(lines[0], "system: ") {
				t.Fatalf("got %q", lines)
			}
			b.within(t).checkParts(lines[1], []string{"When does the bakery open?", "seven in the morning"}, "pretzel", "rival")
		})
		b.Run("a follow-up question is rewritten so that it stands on its own", func(t *testing.T) {
			w := b.within(t)
			w.checkParts(strings.Join(w.prompt(upstream, 1), "\n"), []string{"When does the bakery open?", "At *seven*.", "Why so?"}, "pretzel", "closes at noon")
		})
		b.Run("an implicit conversation continues what was said", func(t *testing.T) {
			lines := b.within(t).prompt(upstream, 2)
			if len(lines) != 4 || lines[1] != "user: When does the bakery open?" || lines[2] != "assistant: At *seven*." {
				t.Fatalf("got %q", lines)
			}
		})
		b.Run("a question without content of its own is searched for with the earlier ones", func(t *testing.T) {
			w := b.within(t)
			w.checkParts(w.prompt(upstream, 2)[3], []string{"Why so?", "seven in the morning"})
			w.checkParts(strings.Join(w.prompt(upstream, 3), "\n"), []string{"Why so?"}, "When does the bakery open?") // in another conversation
		})
		b.Run("the model is told the texts and not the names of those who ask", func(t *testing.T) {
			w := b.within(t)
			r := w.call("POST", chatPath, `{"message":"When does it open?","external_user_id":"alice-4711"}`, bearer(token))
			w.checkAnswer(r, 200, 0)
			w.checkParts(string(upstream.Request(4).Body()), []string{"When does it open?"}, "alice-4711", token, b.baker.workspace, b.baker.chatbot)
		})
	})
}

func TestUsage(t *testing.T) {
	t.Parallel()
	onModel(t, func(b bakery, upstream *llmtest.Server) {
		usage := func(w *instance, r reply) (prompt, completion, total float64) {
			u, _ := r.Data["usage"].(map[string]any)
			w.checkFields(u, "prompt_tokens", "completion_tokens", "total_tokens")
			prompt, _ = u["prompt_tokens"].(float64)
			completion, _ = u["completion_tokens"].(float64)
			total, _ = u["total_tokens"].(float64)
			return prompt, completion, total
		}
		b.play(scenario{name: "it is the model's", body: openingQuestion, headers: as(b.baker.token), then: func(w *instance, r reply) {
			w.checkFields(r.Data, "message", "conversation_id", "format", "usage", "message_id", "sources", "outcome", "finish_reason")
			w.number(r, "message_id")
			want := llmtest.DefaultUsage
			if p, c, sum := usage(w, r); p != float64(want.PromptTokens) || c != float64(want.CompletionTokens) || sum != p+c {
				w.Errorf("got %s", r.body)
			}
		}})
		upstream.Always(llmtest.Reply{Pieces: []string{"At seven, ", "each day."}, OmitUsage: true})
		b.play(scenario{name: "it is estimated for a model that does not say", body: openingQuestion, headers: as(b.baker.token), then: func(w *instance, r reply) {
			// The prompt has more than 50 words, the answer 4 and two marks.
			if p, c, sum := usage(w, r); p < 50 || p > 1_000 || c < 4 || c > 12 || sum != p+c {
				w.Errorf("got %s", r.body)
			}
		}})
	})
}

// failing are the ways in which a model fails, and what it says before.
var failing = []struct {
	name string
	llmtest.Reply
	// streamed says that only an answer in pieces can fail so.
	streamed bool
	// means is the error code, unless that is model_failed.
	means fault.Code
}{
	{"is broken", llmtest.Reply{Status: 500, RetryAfter: "0"}, false, ""},
	{"does not take our key", llmtest.Reply{Status: 401}, false, fault.ModelKeyRejected},
	{"is not known", llmtest.Reply{Status: 404}, false, fault.ModelUnknown},
	{"is not paid", llmtest.Reply{Status: 429, ErrorBody: `{"error":{"code":"insufficient_quota"}}`, RetryAfter: "0"}, false, fault.ModelUnpaid},
	{"has too short a context", llmtest.Reply{Status: 400, ErrorBody: `{"error":{"code":"context_length_exceeded"}}`}, false, fault.ContextTooLong},
	{"is busy", llmtest.Reply{Status: 429, RetryAfter: "0"}, false, fault.ModelBusy},
	{"answers nothing", llmtest.Reply{}, false, ""},
	{"breaks off", llmtest.Reply{Pieces: []string{"It opens", " at"}, OmitFinish: true, OmitDone: true}, true, ""},
	{"is cut off", llmtest.Reply{Pieces: []string{"It opens", " at"}, OmitFinish: true, OmitDone: true, CutAtEnd: true}, false, ""},
	{"sends what is not JSON", llmtest.Reply{Pieces: []string{"It opens", " at"}, Raw: []string{"{nonsense"}}, false, ""},
	{"reports an error inside", llmtest.Reply{Pieces: []string{"It opens", " at"}, Raw: []string{`{"error":{"message":"scripted failure"}}`}}, false, ""},
}

func TestModelFailures(t *testing.T) {
	t.Parallel()
	onModel(t, func(b bakery, upstream *llmtest.Server) {
		token := b.baker.token
		for _, f := range failing {
			upstream.Always(f.Reply)
			means, status, code := string(cmp.Or(f.means, fault.ModelFailed)), 500, 5
			if f.means == fault.ModelBusy {
				status, code = 503, 8
			}
			if !f.streamed {
				id := written(b.newConversation(token, ""))
				b.play(scenario{name: "a model that " + f.name + " is a failure", body: asking(id), headers: as(token), status: status, code: code, answers: []header{{"X-Error-Code", means}}, lacks: []string{"scripted", "It opens", upstream.BaseURL()}})
				b.Run("the question to a model that "+f.name+" is kept", func(t *testing.T) { b.within(t).checkFailed(b.baker, id, "") })
			}
			id := written(b.newConversation(token, ""))
			b.Run("a stream of a model that "+f.name+" has one error and then [DONE]", func(t *testing.T) {
				w := b.within(t)
				s := w.story(w.stream(`{"message":"When does the bakery open?","format":"html","conversation_id":`+id+`}`, bearer(token)))
				if len(s.failures) != 1 || s.failures[0].Error != code || s.failures[0].ErrorCode != means || s.failures[0].ErrorMessage == "" || !strings.HasSuffix(s.kinds, "error [DONE] ") {
					t.Fatalf("got %s %+v", s.kinds, s.failures)
				}
				w.checkParts(s.failures[0].ErrorMessage, nil, "scripted", "http", "It opens")
				said := strings.Join(f.Pieces, "")
				if s.text != said {
					t.Errorf("the deltas make %q, want %q", s.text, said)
				}
				w.checkFailed(b.baker, id, said)
			})
			upstream.Always(llmtest.Reply{Pieces: []string{"At seven."}})
			b.play(scenario{name: "the conversation goes on after a model that " + f.name, body: asking(id), headers: as(token), has: []string{"At seven."}})
		}
	})
}

// checkFailed fails unless the last answer of a conversation is stored as
// failed, with what was said, and its question beside it.
func (w *instance) checkFailed(tn tenantOf, conversation, said string) {
	w.Helper()
	seen := w.messages(tn.token, conversation, "")
	want := []string{"When does the bakery open?"}
	if said != "" {
		want = append(want, said)
	}
	if len(seen) != len(want) {
		w.Fatalf("%d messages, want %q: %v", len(seen), want, seen)
	}
	for i, text := range want {
		if seen[i]["content"] != text {
			w.Errorf("message %d is %q, want %q", i, seen[i]["content"], text)
		}
	}
	id, err := w.server.ConversationID(conversation)
	w.must(err)
	stored, err := w.server.Chat.LastMessages(w.Context(), tn.workspace, id, 0, 10_000)
	w.must(err)
	if last := stored[len(stored)-1]; said != "" && last.Status != chat.Failed {
		w.Errorf("the answer is stored as %s", last.Status)
	}
}

func TestOneAnswerAtATime(t *testing.T) {
	t.Parallel()
	onModel(t, func(b bakery, upstream *llmtest.Server) {
		token, gate := b.baker.token, llmtest.NewGate()
		defer gate.Release()
		id := written(b.newConversation(token, ""))
		upstream.Next(llmtest.Reply{Pieces: []string{"The first ", "answer."}, Hold: gate, HoldAt: llmtest.AfterPieces(1)})
		first := make(chan reply, 1)
		go func() { first <- b.call("POST", chatPath, asking(id), bearer(token)) }()
		<-gate.Reached()
		second, sent := b.callWhenSent(asking(id), token)
		<-sent
		b.play(scenario{name: "another conversation does not wait", body: openingQuestion, headers: as(token), has: []string{"At seven."}})
		b.Run("the second question has not reached the model", func(t *testing.T) {
			if n := upstream.Arrived(); n != 2 { // the first one's and the other conversation's
				t.Errorf("%d questions have", n)
			}
		})
		gate.Release()
		b.checkAnswer(<-first, 200, 0)
		b.checkAnswer(<-second, 200, 0)
		b.Run("the second is answered with the first answer before it", func(t *testing.T) {
			lines := b.within(t).prompt(upstream, 3) // 2 makes it stand on its own
			if len(lines) != 4 || lines[2] != "assistant: The first answer." {
				t.Errorf("got %q", lines)
			}
		})
		b.Run("questions and answers alternate", func(t *testing.T) {
			all := b.within(t).messages(token, id, "")
			if len(all) != 4 || all[1]["content"] != "The first answer." || all[3]["content"] != "At seven." {
				t.Errorf("got %v", all)
			}
		})
	})
}

// callWhenSent asks on a connection of its own; sent is closed when the server
// has been sent the whole question.
func (w *instance) callWhenSent(body, token string) (answer <-chan reply, sent <-chan struct{}) {
	answered, wrote := make(chan reply, 1), make(chan struct{})
	ctx := httptrace.WithClientTrace(w.Context(), &httptrace.ClientTrace{WroteRequest: func(httptrace.WroteRequestInfo) { close(wrote) }})
	request, err := http.NewRequestWithContext(ctx, "POST", w.base+chatPath, strings.NewReader(body))
	w.must(err)
	request.Header.Set("Authorization", "Bearer "+token)
	go func() {
		response, err := new(http.Transport).RoundTrip(request)
		if err != nil {
			w.Error(err)
			close(answered)
			return
		}
		defer response.Body.Close()
		answered <- w.read(response)
	}()
	return answered, wrote
}

// panicking is a model with a defect.
type panicking struct{ answer.Model }

func (panicking) Generate(_ context.Context, _ prompt.Prompt, emit func(string) error) (answer.Generated, error) {
	if err := emit("It opens at"); err != nil {
		return answer.Generated{}, err
	}
	panic("a defect of the model, secret-1234")
}

func TestPanics(t *testing.T) {
	t.Parallel()
	onBothDatabases(t, func(t *testing.T, start func(...func(*app.Config)) *instance) {
		w := startWith(t, app.Options{Model: func(m answer.Model) answer.Model { return panicking{m} }}, func(c *app.Config) {
			c.DatabaseURL = start().server.Config.DatabaseURL
		})
		baker := w.newTenant("baker", plan.Standard, opening)
		id := written(w.newConversation(baker.token, ""))
		w.play(scenario{name: "a panic of the model is a 500", body: asking(id), headers: as(baker.token), status: 500, code: 5, lacks: []string{"secret-1234", "It opens"}})
		w.Run("its request is in the log", func(t *testing.T) {
			w.within(t).eventually("the log has it", func() bool { return strings.Contains(w.log.String(), "secret-1234") })
		})
		w.Run("a panic in a stream is one error and then [DONE]", func(t *testing.T) {
			s := w.within(t).story(w.within(t).stream(asking(id), bearer(baker.token)))
			if s.text != "It opens at" || len(s.failures) != 1 || s.failures[0].Error != 5 || strings.Contains(s.failures[0].ErrorMessage, "secret-1234") {
				t.Errorf("got %+v", s)
			}
		})
		w.play(scenario{name: "the server goes on", method: "GET", path: messagesPath(id), headers: as(baker.token), has: []string{"It opens at"}})
	})
}

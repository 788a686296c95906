package api

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
	"parley/e2e/harness"
	"parley/llm/llmtest"
)

// promptOf is what a model's server was asked, one line a message.
func promptOf(w *harness.Instance, upstream *llmtest.Server, n int) []string {
	w.Helper()
	var body struct {
		Messages []struct{ Role, Content string }
	}
	w.Must(json.Unmarshal(upstream.Request(n).Body(), &body, json.MatchCaseInsensitiveNames(true)))
	var lines []string
	for _, m := range body.Messages {
		lines = append(lines, m.Role+": "+m.Content)
	}
	return lines
}

func askIn(w *harness.Instance, conversation, message, token string) harness.Reply {
	w.Helper()
	body := `{"message":"` + message + `"`
	if conversation != "" {
		body += `,"conversation_id":"` + conversation + `"`
	}
	r := w.Call("POST", harness.ChatPath, body+"}", harness.Bearer(token))
	w.CheckAnswer(r, 200, 0)
	return r
}

func TestHistory(t *testing.T) {
	t.Parallel()
	harness.OnModel(t, func(b harness.Bakery, upstream *llmtest.Server) {
		token := b.Baker.Token
		for _, text := range []string{"At *seven*.", "Why does the bakery open at seven?", "At noon.", "Then never."} {
			upstream.Next(llmtest.Reply{Pieces: []string{text}})
		}
		id := harness.Written(b.Number(askIn(b.Instance, "", "When does the bakery open?", token), "conversation_id"))
		askIn(b.Instance, id, "Why so?", token)
		askIn(b.Instance, "", "Why so?", token)

		b.Run("a first question comes with its passages and nothing before it", func(t *testing.T) {
			lines := promptOf(b.Within(t), upstream, 0)
			if len(lines) != 2 || !strings.HasPrefix(lines[0], "system: ") {
				t.Fatalf("got %q", lines)
			}
			b.Within(t).CheckParts(lines[1], []string{"When does the bakery open?", "seven in the morning"}, "pretzel", "rival")
		})
		b.Run("a follow-up question is rewritten so that it stands on its own", func(t *testing.T) {
			w := b.Within(t)
			w.CheckParts(strings.Join(promptOf(w, upstream, 1), "\n"), []string{"When does the bakery open?", "At *seven*.", "Why so?"}, "pretzel", "closes at noon")
		})
		b.Run("an implicit conversation continues what was said", func(t *testing.T) {
			lines := promptOf(b.Within(t), upstream, 2)
			if len(lines) != 4 || lines[1] != "user: When does the bakery open?" || lines[2] != "assistant: At *seven*." {
				t.Fatalf("got %q", lines)
			}
		})
		b.Run("a question without content of its own is searched for with the earlier ones", func(t *testing.T) {
			w := b.Within(t)
			w.CheckParts(promptOf(w, upstream, 2)[3], []string{"Why so?", "seven in the morning"})
			w.CheckParts(strings.Join(promptOf(w, upstream, 3), "\n"), []string{"Why so?"}, "When does the bakery open?") // in another conversation
		})
		b.Run("the model is told the texts and not the names of those who ask", func(t *testing.T) {
			w := b.Within(t)
			r := w.Call("POST", harness.ChatPath, `{"message":"When does it open?","external_user_id":"alice-4711"}`, harness.Bearer(token))
			w.CheckAnswer(r, 200, 0)
			w.CheckParts(string(upstream.Request(4).Body()), []string{"When does it open?"}, "alice-4711", token, b.Baker.Workspace, b.Baker.Chatbot)
		})
	})
}

func TestUsage(t *testing.T) {
	t.Parallel()
	harness.OnModel(t, func(b harness.Bakery, upstream *llmtest.Server) {
		usage := func(w *harness.Instance, r harness.Reply) (prompt, completion, total float64) {
			u, _ := r.Data["usage"].(map[string]any)
			w.CheckFields(u, "prompt_tokens", "completion_tokens", "total_tokens")
			prompt, _ = u["prompt_tokens"].(float64)
			completion, _ = u["completion_tokens"].(float64)
			total, _ = u["total_tokens"].(float64)
			return prompt, completion, total
		}
		b.Play(harness.Scenario{Name: "it is the model's", Body: harness.OpeningQuestion, Headers: harness.As(b.Baker.Token), Then: func(w *harness.Instance, r harness.Reply) {
			w.CheckFields(r.Data, "message", "conversation_id", "format", "usage", "message_id", "sources", "outcome", "finish_reason")
			w.Number(r, "message_id")
			want := llmtest.DefaultUsage
			if p, c, sum := usage(w, r); p != float64(want.PromptTokens) || c != float64(want.CompletionTokens) || sum != p+c {
				w.Errorf("got %s", r.Text)
			}
		}})
		upstream.Always(llmtest.Reply{Pieces: []string{"At seven, ", "each day."}, OmitUsage: true})
		b.Play(harness.Scenario{Name: "it is estimated for a model that does not say", Body: harness.OpeningQuestion, Headers: harness.As(b.Baker.Token), Then: func(w *harness.Instance, r harness.Reply) {
			// The prompt has more than 50 words, the answer 4 and two marks.
			if p, c, sum := usage(w, r); p < 50 || p > 1_000 || c < 4 || c > 12 || sum != p+c {
				w.Errorf("got %s", r.Text)
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
	harness.OnModel(t, func(b harness.Bakery, upstream *llmtest.Server) {
		token := b.Baker.Token
		for _, f := range failing {
			upstream.Always(f.Reply)
			means, status, code := string(cmp.Or(f.means, fault.ModelFailed)), 500, 5
			if f.means == fault.ModelBusy {
				status, code = 503, 8
			}
			if !f.streamed {
				id := harness.Written(b.NewConversation(token, ""))
				b.Play(harness.Scenario{Name: "a model that " + f.name + " is a failure", Body: harness.Asking(id), Headers: harness.As(token), Status: status, Code: code, Answers: []harness.Header{{Name: "X-Error-Code", Value: means}}, Lacks: []string{"scripted", "It opens", upstream.BaseURL()}})
				b.Run("the question to a model that "+f.name+" is kept", func(t *testing.T) { checkFailed(b.Within(t), b.Baker, id, "") })
			}
			id := harness.Written(b.NewConversation(token, ""))
			b.Run("a stream of a model that "+f.name+" has one error and then [DONE]", func(t *testing.T) {
				w := b.Within(t)
				s := w.Story(w.Stream(`{"message":"When does the bakery open?","format":"html","conversation_id":`+id+`}`, harness.Bearer(token)))
				if len(s.Failures) != 1 || s.Failures[0].Error != code || s.Failures[0].ErrorCode != means || s.Failures[0].ErrorMessage == "" || !strings.HasSuffix(s.Kinds, "error [DONE] ") {
					t.Fatalf("got %s %+v", s.Kinds, s.Failures)
				}
				w.CheckParts(s.Failures[0].ErrorMessage, nil, "scripted", "http", "It opens")
				said := strings.Join(f.Pieces, "")
				if s.Text != said {
					t.Errorf("the deltas make %q, want %q", s.Text, said)
				}
				checkFailed(w, b.Baker, id, said)
			})
			upstream.Always(llmtest.Reply{Pieces: []string{"At seven."}})
			b.Play(harness.Scenario{Name: "the conversation goes on after a model that " + f.name, Body: harness.Asking(id), Headers: harness.As(token), Has: []string{"At seven."}})
		}
	})
}

// checkFailed fails unless the last answer of a conversation is stored as
// failed, with what was said, and its question beside it.
func checkFailed(w *harness.Instance, tn harness.Tenant, conversation, said string) {
	w.Helper()
	seen := w.Messages(tn.Token, conversation, "")
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
	id, err := w.Server.ConversationID(conversation)
	w.Must(err)
	stored, err := w.Server.Chat.LastMessages(w.Context(), tn.Workspace, id, 0, 10_000)
	w.Must(err)
	if last := stored[len(stored)-1]; said != "" && last.Status != chat.Failed {
		w.Errorf("the answer is stored as %s", last.Status)
	}
}

func TestOneAnswerAtATime(t *testing.T) {
	t.Parallel()
	harness.OnModel(t, func(b harness.Bakery, upstream *llmtest.Server) {
		token, gate := b.Baker.Token, llmtest.NewGate()
		defer gate.Release()
		id := harness.Written(b.NewConversation(token, ""))
		upstream.Next(llmtest.Reply{Pieces: []string{"The first ", "answer."}, Hold: gate, HoldAt: llmtest.AfterPieces(1)})
		first := make(chan harness.Reply, 1)
		go func() { first <- b.Call("POST", harness.ChatPath, harness.Asking(id), harness.Bearer(token)) }()
		<-gate.Reached()
		second, sent := callWhenSent(b.Instance, harness.Asking(id), token)
		<-sent
		b.Play(harness.Scenario{Name: "another conversation does not wait", Body: harness.OpeningQuestion, Headers: harness.As(token), Has: []string{"At seven."}})
		b.Run("the second question has not reached the model", func(t *testing.T) {
			if n := upstream.Arrived(); n != 2 { // the first one's and the other conversation's
				t.Errorf("%d questions have", n)
			}
		})
		gate.Release()
		b.CheckAnswer(<-first, 200, 0)
		b.CheckAnswer(<-second, 200, 0)
		b.Run("the second is answered with the first answer before it", func(t *testing.T) {
			lines := promptOf(b.Within(t), upstream, 3) // 2 makes it stand on its own
			if len(lines) != 4 || lines[2] != "assistant: The first answer." {
				t.Errorf("got %q", lines)
			}
		})
		b.Run("questions and answers alternate", func(t *testing.T) {
			all := b.Within(t).Messages(token, id, "")
			if len(all) != 4 || all[1]["content"] != "The first answer." || all[3]["content"] != "At seven." {
				t.Errorf("got %v", all)
			}
		})
	})
}

// callWhenSent asks on a connection of its own; sent is closed when the server
// has been sent the whole question.
func callWhenSent(w *harness.Instance, body, token string) (answer <-chan harness.Reply, sent <-chan struct{}) {
	answered, wrote := make(chan harness.Reply, 1), make(chan struct{})
	ctx := httptrace.WithClientTrace(w.Context(), &httptrace.ClientTrace{WroteRequest: func(httptrace.WroteRequestInfo) { close(wrote) }})
	request, err := http.NewRequestWithContext(ctx, "POST", w.Base+harness.ChatPath, strings.NewReader(body))
	w.Must(err)
	request.Header.Set("Authorization", "Bearer "+token)
	go func() {
		response, err := new(http.Transport).RoundTrip(request)
		if err != nil {
			w.Error(err)
			close(answered)
			return
		}
		defer response.Body.Close()
		answered <- w.Read(response)
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
	harness.OnAnyDatabase(t, func(t *testing.T, start func(...func(*app.Config)) *harness.Instance) {
		w := harness.StartWith(t, app.Options{Model: func(m answer.Model) answer.Model { return panicking{m} }}, func(c *app.Config) {
			c.DatabaseURL = start().Server.Config.DatabaseURL
		})
		baker := w.NewTenant("baker", plan.Standard, harness.Opening)
		id := harness.Written(w.NewConversation(baker.Token, ""))
		w.Play(harness.Scenario{Name: "a panic of the model is a 500", Body: harness.Asking(id), Headers: harness.As(baker.Token), Status: 500, Code: 5, Lacks: []string{"secret-1234", "It opens"}})
		w.Run("its request is in the log", func(t *testing.T) {
			w.Within(t).Eventually("the log has it", func() bool { return strings.Contains(w.ServerLog.String(), "secret-1234") })
		})
		w.Run("a panic in a stream is one error and then [DONE]", func(t *testing.T) {
			s := w.Within(t).Story(w.Within(t).Stream(harness.Asking(id), harness.Bearer(baker.Token)))
			if s.Text != "It opens at" || len(s.Failures) != 1 || s.Failures[0].Error != 5 || strings.Contains(s.Failures[0].ErrorMessage, "secret-1234") {
				t.Errorf("got %+v", s)
			}
		})
		w.Play(harness.Scenario{Name: "the server goes on", Method: "GET", Path: harness.MessagesPath(id), Headers: harness.As(baker.Token), Has: []string{"It opens at"}})
	})
}

package turns

import (
	"fmt"
	"net/http"
	"net/http/httptrace"
	"strings"
	"sync"
	"testing"
	"time"

	"parley/app"
	"parley/core/chat"
	"parley/core/chat/turn"
	"parley/core/plan"
	"parley/e2e/harness"
	"parley/llm/llmtest"
	"parley/store/storetest"
)

// checkAnswered fails unless so many questions were answered since before, each
// by one call of the model.
func checkAnswered(w *harness.Instance, n int, tn harness.Tenant, upstream *llmtest.Server, before harness.Tally) {
	w.Helper()
	want := harness.Tally{Asked: before.Asked + n, Counted: before.Counted + n, Records: before.Records + n}
	if got := w.Tally(tn, upstream); got != want {
		w.Errorf("asked, counted and usage records are %v, want %v", got, want)
	}
}

// atOnce sends a request so often, each time on a connection of its own, and
// returns when the server has been sent them all.
func atOnce(w *harness.Instance, times int, path, body string, headers ...harness.Header) <-chan harness.Reply {
	w.Helper()
	var sent sync.WaitGroup
	answers := make(chan harness.Reply, times)
	for range times {
		sent.Add(1)
		trace := &httptrace.ClientTrace{WroteRequest: func(httptrace.WroteRequestInfo) { sent.Done() }}
		request, err := http.NewRequestWithContext(httptrace.WithClientTrace(w.Context(), trace), "POST", w.Base+path, strings.NewReader(body))
		w.Must(err)
		for _, h := range headers {
			request.Header.Set(h.Name, h.Value)
		}
		go func() {
			response, err := new(http.Transport).RoundTrip(request)
			if err != nil {
				w.Error(err)
				answers <- harness.Reply{}
				return
			}
			defer response.Body.Close()
			answers <- w.Read(response)
		}()
	}
	sent.Wait()
	return answers
}

// kept are requests that are executed once: by path, with a body in which %s
// stands for a conversation.
var kept = []struct{ name, path, body string }{
	{"a question", harness.ChatPath, harness.OpeningQuestion},
	{"a question in a conversation", harness.ChatPath, `{"message":"When does the bakery open?","conversation_id":%s}`},
	{"a question for HTML", harness.ChatPath, harness.InFormat("html")},
	{"a stream", harness.StreamPath, harness.OpeningQuestion},
	{"a stream in a conversation", harness.StreamPath, `{"message":"When does the bakery open?","conversation_id":%s}`},
	{"a stream of HTML with all that it may include", harness.StreamPath, `{"message":"When does the bakery open?","format":"html","include":["usage","sources"]}`},
}

func inNew(w *harness.Instance, body, token string) string {
	w.Helper()
	if !strings.Contains(body, "%s") {
		return body
	}
	return fmt.Sprintf(body, harness.Written(w.NewConversation(token, "")))
}

func TestIdempotency(t *testing.T) {
	t.Parallel()
	harness.OnModelAndBothDatabases(t, func(b harness.Bakery, upstream *llmtest.Server) {
		token := b.Baker.Token
		upstream.Always(harness.SevenInPieces)
		for _, k := range kept {
			b.Run("twenty times "+k.name+" at once is one question, one answer and one message", func(t *testing.T) {
				w := b.Within(t)
				body := inNew(w, k.body, token)
				before, gate := w.Tally(b.Baker, upstream), llmtest.NewGate()
				held := harness.SevenInPieces
				held.Hold, held.HoldAt = gate, llmtest.AfterPieces(1)
				upstream.Next(held)
				answers := atOnce(w, 20, k.path, body, harness.Bearer(token), harness.Keyed("at once"+k.name))
				gate.Release()
				first := w.Said(<-answers)
				for range 19 {
					if other := w.Said(<-answers); other != first {
						t.Errorf("one gets\n%s\nand another\n%s", first, other)
					}
				}
				checkAnswered(w, 1, b.Baker, upstream, before)
				if conversation := conversationOf(first); len(w.Messages(token, conversation, "")) != 2 {
					t.Errorf("stored is %v", w.Messages(token, conversation, ""))
				}
			})
			b.Run(k.name+" that was answered is given again as it was, without a model", func(t *testing.T) {
				w := b.Within(t)
				body, before := inNew(w, k.body, token), w.Tally(b.Baker, upstream)
				first := w.Said(w.Call("POST", k.path, body, harness.Bearer(token), harness.Keyed("again "+k.name)))
				for range 2 {
					if again := w.Said(w.Call("POST", k.path, body, harness.Bearer(token), harness.Keyed("again "+k.name))); again != first {
						t.Errorf("first it was\n%s\nand then\n%s", first, again)
					}
				}
				checkAnswered(w, 1, b.Baker, upstream, before)
			})
			b.Run(k.name+" that failed is answered when it is sent again, in the same place", func(t *testing.T) {
				w := b.Within(t)
				body, before := inNew(w, k.body, token), w.Tally(b.Baker, upstream)
				upstream.Next(llmtest.Reply{Status: 400})
				failed := w.Call("POST", k.path, body, harness.Bearer(token), harness.Keyed("failing "+k.name))
				if !strings.Contains(failed.Text, `"error":5`) {
					t.Fatalf("it did not fail: %s", failed.Text)
				}
				second := w.Said(w.Call("POST", k.path, body, harness.Bearer(token), harness.Keyed("failing "+k.name)))
				if !strings.Contains(second, "seven") {
					t.Errorf("then it was %s", second)
				}
				after := w.Tally(b.Baker, upstream)
				if want := (harness.Tally{Asked: before.Asked + 2, Counted: before.Counted + 1, Records: before.Records + 2}); after != want {
					t.Errorf("asked, counted and usage records are %v, want %v", after, want)
				}
				if all := w.Messages(token, conversationOf(second), ""); len(all) != 2 || !strings.Contains(fmt.Sprint(all[1]["content"]), "seven") {
					t.Errorf("stored is %v", all)
				}
			})
		}
		b.Run("a conversation is created once", func(t *testing.T) {
			w := b.Within(t)
			answers := atOnce(w, 20, harness.ConversationsPath, `{"external_user_id":"alice"}`, harness.Bearer(token), harness.Keyed("conversation"))
			first := w.Said(<-answers)
			for range 19 {
				if other := w.Said(<-answers); other != first {
					t.Errorf("one is %s and another %s", first, other)
				}
			}
			w.CheckAnswer(w.Call("POST", harness.ConversationsPath, "", harness.Bearer(token), harness.Keyed("conversation")), 409, 6)
		})
	})
}

// conversationOf reads the conversation from what an answer or a stream says.
func conversationOf(said string) string {
	_, rest, _ := strings.Cut(said, `"conversation_id":`)
	return rest[:strings.IndexAny(rest, ",}")]
}

func TestIdempotencyKeys(t *testing.T) {
	t.Parallel()
	harness.OnModelAndBothDatabases(t, func(b harness.Bakery, upstream *llmtest.Server) {
		with := func(key string) []harness.Header {
			return []harness.Header{harness.Bearer(b.Baker.Token), harness.Keyed(key)}
		}
		raw := func(w *harness.Instance, lines string) harness.Reply {
			return w.Raw("POST " + harness.ChatPath + " HTTP/1.1\r\nHost: parley\r\nAuthorization: Bearer " + b.Baker.Token + "\r\n" + lines +
				fmt.Sprintf("Content-Length: %d\r\n\r\n%s", len(harness.OpeningQuestion), harness.OpeningQuestion))
		}
		for name, lines := range map[string]string{
			"an empty key":                        "Idempotency-Key:\r\n",
			"a key of blanks":                     "Idempotency-Key:   \r\n",
			"a key of 256 characters":             "Idempotency-Key: " + strings.Repeat("x", 256) + "\r\n",
			"a key with an umlaut":                "Idempotency-Key: schl\u00fcssel\r\n",
			"a key with a byte that is no letter": "Idempotency-Key: \xff\r\n",
			"two different keys":                  "Idempotency-Key: one\r\nidempotency-key: other\r\n",
		} {
			b.Run(name+" is refused", func(t *testing.T) {
				w := b.Within(t)
				w.CheckAnswer(raw(w, lines), 400, 4)
			})
		}
		b.Run("the same key in two header lines is one", func(t *testing.T) {
			w := b.Within(t)
			w.CheckAnswer(raw(w, "Idempotency-Key: same\r\nIDEMPOTENCY-KEY: same\r\n"), 200, 0)
		})
		b.Play(
			harness.Scenario{Name: "a key of 255 characters is taken", Body: harness.OpeningQuestion, Headers: with(strings.Repeat("~", 255))},
			harness.Scenario{Name: "a key is no credential", Body: harness.OpeningQuestion, Headers: []harness.Header{harness.Keyed("first")}, Status: 401, Code: 1},
			harness.Scenario{Name: "a blank message is refused", Body: `{"message":" "}`, Headers: with("refused"), Status: 400, Code: 4},
			harness.Scenario{Name: "and refused again", Body: `{"message":" "}`, Headers: with("refused"), Status: 400, Code: 4},
			harness.Scenario{Name: "an unknown conversation is refused", Body: harness.Asking("9007199254740991"), Headers: with("refused"), Status: 404, Code: 3},
			harness.Scenario{Name: "and the same key is good for a request that is not refused", Body: harness.OpeningQuestion, Headers: with("refused"), Has: []string{"At seven."}},
			harness.Scenario{Name: "another body is a conflict then", Body: `{"message":"When does it close?"}`, Headers: with("refused"), Status: 409, Code: 6},
			harness.Scenario{Name: "and the same with one blank more, too", Body: harness.OpeningQuestion + " ", Headers: with("refused"), Status: 409, Code: 6},
			harness.Scenario{Name: "the first is not touched by it", Body: harness.OpeningQuestion, Headers: with("refused"), Has: []string{"At seven."}},
		)
		b.Run("the same key of another token or for another path is another key", func(t *testing.T) {
			w := b.Within(t)
			_, second := w.NewToken(b.Baker.Workspace, b.Baker.Chatbot, "second")
			before := w.Tally(b.Baker, upstream)
			seen := map[string]bool{}
			for _, path := range []string{harness.ChatPath, harness.StreamPath} {
				for _, token := range []string{b.Baker.Token, second} {
					for range 2 {
						seen[conversationOf(w.Said(w.Call("POST", path, harness.OpeningQuestion, harness.Bearer(token), harness.Keyed("shared"))))] = true
					}
				}
			}
			seen[conversationOf(w.Said(w.Call("POST", harness.ChatPath, harness.OpeningQuestion, harness.Bearer(b.Rival.Token), harness.Keyed("shared"))))] = true
			seen[conversationOf(w.Said(w.Call("POST", harness.ChatPath, harness.OpeningQuestion, harness.Bearer(second))))] = true
			if len(seen) != 6 {
				t.Errorf("there are %d conversations", len(seen))
			}
			before.Asked++ // the rival's
			checkAnswered(w, 5, b.Baker, upstream, before)
		})
		b.Run("a key stands for 24 hours", func(t *testing.T) { keyStands(b.Within(t), b.Baker) })
	})
}

// keyStands asks with a key at later times, in processes whose clocks say so.
func keyStands(w *harness.Instance, tn harness.Tenant) {
	principal, err := w.Server.Chatbots.Callers.Authenticate(w.Context(), tn.Token)
	w.Must(err)
	key := chat.Key{TokenID: principal.Token.ID, Route: "POST " + harness.ChatPath, Value: "a day", BodyHash: strings.Repeat("0", 64)}
	answerAfter := func(by time.Duration) (id int64) {
		w.Later(by, func(p *app.Program) {
			turn, err := p.Turns.Begin(w.Context(), principal, turn.Ask{Message: "When?", Key: &key})
			w.Must(err)
			answer, err := turn.Run(w.Context(), nil)
			w.Must(err)
			id = answer.MessageID
		})
		return id
	}
	first := answerAfter(0)
	if again := answerAfter(24*time.Hour - time.Minute); again != first {
		w.Errorf("after a day less a minute it is answer %d, want %d", again, first)
	}
	if again := answerAfter(24*time.Hour + time.Minute); again == first {
		w.Error("after a day and a minute it is the same answer")
	}
}

func TestIdempotencyOnTwoServers(t *testing.T) {
	t.Parallel()
	url := storetest.Postgres(t)
	upstream := llmtest.NewServer(t, harness.SevenInPieces)
	on := func(c *app.Config) { c.DatabaseURL = url }
	here, there := harness.Start(t, harness.WithModel(upstream), on), harness.Start(t, harness.WithModel(upstream), on)
	here.HasNoHurry()
	tn := here.NewTenant("baker", plan.Standard, harness.Opening)
	for _, k := range kept {
		t.Run(k.name+" with one key on two servers at once is answered once, to all", func(t *testing.T) {
			w := here.Within(t)
			body, before := inNew(w, k.body, tn.Token), w.Tally(tn, upstream)
			var answers []<-chan harness.Reply
			for _, server := range []*harness.Instance{w, there.Within(t)} {
				answers = append(answers, atOnce(server, 10, k.path, body, harness.Bearer(tn.Token), harness.Keyed("both "+k.name)))
			}
			first := w.Said(<-answers[0])
			for i := range 19 {
				if other := w.Said(<-answers[(i+1)%2]); other != first {
					t.Errorf("one gets\n%s\nand another\n%s", first, other)
				}
			}
			checkAnswered(w, 1, tn, upstream, before)
		})
	}
}

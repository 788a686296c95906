package e2e

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
	"parley/llm/llmtest"
	"parley/store/storetest"
)

// tally is what of a tenant must not double.
type tally struct {
	// asked is how often the model was, counted is the month's messages, and
	// records how many there are.
	asked, counted, records int
}

func (w *instance) tally(tn tenantOf, upstream *llmtest.Server) tally {
	w.Helper()
	used, err := w.server.Tenants.Holdings.Usage(w.Context(), tn.workspace)
	w.must(err)
	all, err := w.server.Chat.Spent(w.Context(), tn.workspace, now())
	w.must(err)
	records := 0
	for _, spent := range all {
		records += spent.Answers
	}
	return tally{upstream.Arrived(), used.MessagesPerMonth, records}
}

// checkAnswered fails unless so many questions were answered since before, each
// by one call of the model.
func (w *instance) checkAnswered(n int, tn tenantOf, upstream *llmtest.Server, before tally) {
	w.Helper()
	want := tally{before.asked + n, before.counted + n, before.records + n}
	if got := w.tally(tn, upstream); got != want {
		w.Errorf("asked, counted and usage records are %v, want %v", got, want)
	}
}

// atOnce sends a request so often, each time on a connection of its own, and
// returns when the server has been sent them all.
func (w *instance) atOnce(times int, path, body string, headers ...header) <-chan reply {
	w.Helper()
	var sent sync.WaitGroup
	answers := make(chan reply, times)
	for range times {
		sent.Add(1)
		trace := &httptrace.ClientTrace{WroteRequest: func(httptrace.WroteRequestInfo) { sent.Done() }}
		request, err := http.NewRequestWithContext(httptrace.WithClientTrace(w.Context(), trace), "POST", w.base+path, strings.NewReader(body))
		w.must(err)
		for _, h := range headers {
			request.Header.Set(h.name, h.value)
		}
		go func() {
			response, err := new(http.Transport).RoundTrip(request)
			if err != nil {
				w.Error(err)
				answers <- reply{}
				return
			}
			defer response.Body.Close()
			answers <- w.read(response)
		}()
	}
	sent.Wait()
	return answers
}

// said is what of an answer is the same whenever it is given.
func (w *instance) said(r reply) string {
	w.Helper()
	if r.Response == nil || r.StatusCode != http.StatusOK {
		w.Fatalf("it is refused: %s", r.body)
	}
	if strings.HasPrefix(r.Header.Get("Content-Type"), "text/event-stream") {
		return gistOf(w.T, r.body)
	}
	return r.body
}

// kept are requests that are executed once: by path, with a body in which %s
// stands for a conversation.
var kept = []struct{ name, path, body string }{
	{"a question", chatPath, openingQuestion},
	{"a question in a conversation", chatPath, `{"message":"When does the bakery open?","conversation_id":%s}`},
	{"a question for HTML", chatPath, inFormat("html")},
	{"a stream", streamPath, openingQuestion},
	{"a stream in a conversation", streamPath, `{"message":"When does the bakery open?","conversation_id":%s}`},
	{"a stream of HTML with all that it may include", streamPath, `{"message":"When does the bakery open?","format":"html","include":["usage","sources"]}`},
}

func (w *instance) inNew(body, token string) string {
	w.Helper()
	if !strings.Contains(body, "%s") {
		return body
	}
	return fmt.Sprintf(body, written(w.newConversation(token, "")))
}

var sevenInPieces = llmtest.Reply{Pieces: []string{"At **sev", "en** in ", "the morning [1]."}}

func TestIdempotency(t *testing.T) {
	t.Parallel()
	onModel(t, func(b bakery, upstream *llmtest.Server) {
		token := b.baker.token
		upstream.Always(sevenInPieces)
		for _, k := range kept {
			b.Run("twenty times "+k.name+" at once is one question, one answer and one message", func(t *testing.T) {
				w := b.within(t)
				body := w.inNew(k.body, token)
				before, gate := w.tally(b.baker, upstream), llmtest.NewGate()
				held := sevenInPieces
				held.Hold, held.HoldAt = gate, llmtest.AfterPieces(1)
				upstream.Next(held)
				answers := w.atOnce(20, k.path, body, bearer(token), keyed("at once"+k.name))
				gate.Release()
				first := w.said(<-answers)
				for range 19 {
					if other := w.said(<-answers); other != first {
						t.Errorf("one gets\n%s\nand another\n%s", first, other)
					}
				}
				w.checkAnswered(1, b.baker, upstream, before)
				if conversation := conversationOf(first); len(w.messages(token, conversation, "")) != 2 {
					t.Errorf("stored is %v", w.messages(token, conversation, ""))
				}
			})
			b.Run(k.name+" that was answered is given again as it was, without a model", func(t *testing.T) {
				w := b.within(t)
				body, before := w.inNew(k.body, token), w.tally(b.baker, upstream)
				first := w.said(w.call("POST", k.path, body, bearer(token), keyed("again "+k.name)))
				for range 2 {
					if again := w.said(w.call("POST", k.path, body, bearer(token), keyed("again "+k.name))); again != first {
						t.Errorf("first it was\n%s\nand then\n%s", first, again)
					}
				}
				w.checkAnswered(1, b.baker, upstream, before)
			})
			b.Run(k.name+" that failed is answered when it is sent again, in the same place", func(t *testing.T) {
				w := b.within(t)
				body, before := w.inNew(k.body, token), w.tally(b.baker, upstream)
				upstream.Next(llmtest.Reply{Status: 400})
				failed := w.call("POST", k.path, body, bearer(token), keyed("failing "+k.name))
				if !strings.Contains(failed.body, `"error":5`) {
					t.Fatalf("it did not fail: %s", failed.body)
				}
				second := w.said(w.call("POST", k.path, body, bearer(token), keyed("failing "+k.name)))
				if !strings.Contains(second, "seven") {
					t.Errorf("then it was %s", second)
				}
				after := w.tally(b.baker, upstream)
				if want := (tally{before.asked + 2, before.counted + 1, before.records + 2}); after != want {
					t.Errorf("asked, counted and usage records are %v, want %v", after, want)
				}
				if all := w.messages(token, conversationOf(second), ""); len(all) != 2 || !strings.Contains(fmt.Sprint(all[1]["content"]), "seven") {
					t.Errorf("stored is %v", all)
				}
			})
		}
		b.Run("a conversation is created once", func(t *testing.T) {
			w := b.within(t)
			answers := w.atOnce(20, conversationsPath, `{"external_user_id":"alice"}`, bearer(token), keyed("conversation"))
			first := w.said(<-answers)
			for range 19 {
				if other := w.said(<-answers); other != first {
					t.Errorf("one is %s and another %s", first, other)
				}
			}
			w.checkAnswer(w.call("POST", conversationsPath, "", bearer(token), keyed("conversation")), 409, 6)
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
	onModel(t, func(b bakery, upstream *llmtest.Server) {
		with := func(key string) []header { return []header{bearer(b.baker.token), keyed(key)} }
		raw := func(w *instance, lines string) reply {
			return w.raw("POST " + chatPath + " HTTP/1.1\r\nHost: parley\r\nAuthorization: Bearer " + b.baker.token + "\r\n" + lines +
				fmt.Sprintf("Content-Length: %d\r\n\r\n%s", len(openingQuestion), openingQuestion))
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
				w := b.within(t)
				w.checkAnswer(raw(w, lines), 400, 4)
			})
		}
		b.Run("the same key in two header lines is one", func(t *testing.T) {
			w := b.within(t)
			w.checkAnswer(raw(w, "Idempotency-Key: same\r\nIDEMPOTENCY-KEY: same\r\n"), 200, 0)
		})
		b.play(
			scenario{name: "a key of 255 characters is taken", body: openingQuestion, headers: with(strings.Repeat("~", 255))},
			scenario{name: "a key is no credential", body: openingQuestion, headers: []header{keyed("first")}, status: 401, code: 1},
			scenario{name: "a blank message is refused", body: `{"message":" "}`, headers: with("refused"), status: 400, code: 4},
			scenario{name: "and refused again", body: `{"message":" "}`, headers: with("refused"), status: 400, code: 4},
			scenario{name: "an unknown conversation is refused", body: asking("9007199254740991"), headers: with("refused"), status: 404, code: 3},
			scenario{name: "and the same key is good for a request that is not refused", body: openingQuestion, headers: with("refused"), has: []string{"At seven."}},
			scenario{name: "another body is a conflict then", body: `{"message":"When does it close?"}`, headers: with("refused"), status: 409, code: 6},
			scenario{name: "and the same with one blank more, too", body: openingQuestion + " ", headers: with("refused"), status: 409, code: 6},
			scenario{name: "the first is not touched by it", body: openingQuestion, headers: with("refused"), has: []string{"At seven."}},
		)
		b.Run("the same key of another token or for another path is another key", func(t *testing.T) {
			w := b.within(t)
			_, second := w.newToken(b.baker.workspace, b.baker.chatbot, "second")
			before := w.tally(b.baker, upstream)
			seen := map[string]bool{}
			for _, path := range []string{chatPath, streamPath} {
				for _, token := range []string{b.baker.token, second} {
					for range 2 {
						seen[conversationOf(w.said(w.call("POST", path, openingQuestion, bearer(token), keyed("shared"))))] = true
					}
				}
			}
			seen[conversationOf(w.said(w.call("POST", chatPath, openingQuestion, bearer(b.rival.token), keyed("shared"))))] = true
			seen[conversationOf(w.said(w.call("POST", chatPath, openingQuestion, bearer(second))))] = true
			if len(seen) != 6 {
				t.Errorf("there are %d conversations", len(seen))
			}
			before.asked++ // the rival's
			w.checkAnswered(5, b.baker, upstream, before)
		})
		b.Run("a key stands for 24 hours", func(t *testing.T) { keyStands(b.within(t), b.baker) })
	})
}

// keyStands asks with a key at later times, in processes whose clocks say so.
func keyStands(w *instance, tn tenantOf) {
	principal, err := w.server.Chatbots.Callers.Authenticate(w.Context(), tn.token)
	w.must(err)
	key := chat.Key{TokenID: principal.Token.ID, Route: "POST " + chatPath, Value: "a day", BodyHash: strings.Repeat("0", 64)}
	answerAfter := func(by time.Duration) (id int64) {
		w.later(by, func(p *app.Program) {
			turn, err := p.Turns.Begin(w.Context(), principal, turn.Ask{Message: "When?", Key: &key})
			w.must(err)
			answer, err := turn.Run(w.Context(), nil)
			w.must(err)
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
	upstream := llmtest.NewServer(t, sevenInPieces)
	on := func(c *app.Config) { c.DatabaseURL = url }
	here, there := start(t, withModel(upstream), on), start(t, withModel(upstream), on)
	here.hasNoHurry()
	tn := here.newTenant("baker", plan.Standard, opening)
	for _, k := range kept {
		t.Run(k.name+" with one key on two servers at once is answered once, to all", func(t *testing.T) {
			w := here.within(t)
			body, before := w.inNew(k.body, tn.token), w.tally(tn, upstream)
			var answers []<-chan reply
			for _, server := range []*instance{w, there.within(t)} {
				answers = append(answers, server.atOnce(10, k.path, body, bearer(tn.token), keyed("both "+k.name)))
			}
			first := w.said(<-answers[0])
			for i := range 19 {
				if other := w.said(<-answers[(i+1)%2]); other != first {
					t.Errorf("one gets\n%s\nand another\n%s", first, other)
				}
			}
			w.checkAnswered(1, tn, upstream, before)
		})
	}
}

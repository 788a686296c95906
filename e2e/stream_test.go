package e2e

import (
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"parley/app"
	"parley/core/chat"
	"parley/core/plan"
	"parley/llm/llmtest"
)

// onlyTheWatch takes away every other thing that would end a silent turn.
func onlyTheWatch(c *app.Config) { c.LLMTimeout, c.LLMFirst = time.Hour, time.Hour }

// patientStreams writes nothing into silence.
var patientStreams = app.StreamTimes{KeepAlive: time.Hour, Recheck: time.Hour, WriteWait: time.Hour}

func TestDeadClient(t *testing.T) {
	t.Parallel()
	onBothDatabases(t, func(t *testing.T, start func(...func(*app.Config)) *instance) {
		upstream := llmtest.NewServer(t, llmtest.Reply{Pieces: []string{"Yes."}})
		outer := start(withModel(upstream), onlyTheWatch)
		outer.server.API.Streams = patientStreams
		tn := outer.newTenant("baker", plan.Standard, opening)

		for _, way := range leaving {
			for pieces := range 3 {
				t.Run(fmt.Sprintf("a client of a stream who %s after %d pieces cancels the model", way.name, pieces), func(t *testing.T) {
					w := outer.within(t)
					gate := llmtest.NewGate()
					model := upstream.Request(upstream.Arrived())
					upstream.Next(llmtest.Reply{Pieces: []string{"At", " seven", " in the morning."}, Hold: gate, HoldAt: llmtest.AfterPieces(pieces)})
					client := w.dial()
					client.write(request("POST", streamPath, tn.token, openingQuestion))
					stream := client.events()
					conversation := stream.until("conversation").ConversationID
					generated := ""
					for range pieces {
						generated += stream.until("delta").Content
					}
					w.comes("the model waits", gate.Reached())
					w.must(way.leave(client))
					w.comes("the model is canceled", model.Canceled())
					next := w.call("POST", chatPath, `{"message":"And now?","conversation_id":`+written(conversation)+`}`, bearer(tn.token))
					if next.StatusCode != http.StatusOK {
						t.Fatalf("the conversation cannot be continued: %s", next.body)
					}
					all, err := w.server.Chat.LastMessages(t.Context(), tn.workspace, w.sequence(conversation), 0, 10_000)
					w.must(err)
					if generated == "" {
						if len(all) != 3 || all[1].Role != chat.User {
							t.Fatalf("stored is %v", all)
						}
						return
					}
					if len(all) != 4 || all[1].Status != chat.Interrupted || all[1].Content != generated {
						t.Fatalf("stored is %v, generated was %q", all, generated)
					}
				})
			}
			t.Run("a client of /chat who "+way.name+" in silence cancels the model", func(t *testing.T) {
				w := outer.within(t)
				conversation := w.newConversation(tn.token, "")
				gate := llmtest.NewGate()
				model := upstream.Request(upstream.Arrived())
				upstream.Next(llmtest.Reply{Hold: gate, HoldAt: llmtest.BeforeHeaders})
				client := w.dial()
				client.write(request("POST", chatPath, tn.token, `{"message":"When?","conversation_id":`+written(conversation)+`}`))
				w.comes("the model waits", gate.Reached())
				w.must(way.leave(client))
				w.comes("the model is canceled", model.Canceled())
				next := w.call("POST", chatPath, `{"message":"And now?","conversation_id":`+written(conversation)+`}`, bearer(tn.token))
				if next.StatusCode != http.StatusOK {
					t.Fatalf("the conversation cannot be continued: %s", next.body)
				}
			})
		}

		t.Run("a client that goes away while a request waits behind the stream cancels the model", func(t *testing.T) {
			w := outer.within(t)
			gate := llmtest.NewGate()
			model := upstream.Request(upstream.Arrived())
			upstream.Next(llmtest.Reply{Hold: gate, HoldAt: llmtest.BeforeHeaders})
			client := w.dial()
			client.write(request("POST", streamPath, tn.token, openingQuestion))
			w.comes("the model waits", gate.Reached())
			client.write(request("POST", streamPath, tn.token, openingQuestion))
			w.must(client.Close())
			w.comes("the model is canceled", model.Canceled())
		})

		// TCP does not tell a client that stops sending from one that goes away. A client who
		// wants the answer keeps its side open, as for net/http.
		t.Run("a client of a stream that only stops sending is told so, and cancels the model", func(t *testing.T) {
			w := outer.within(t)
			gate := llmtest.NewGate()
			model := upstream.Request(upstream.Arrived())
			upstream.Next(llmtest.Reply{Pieces: []string{"At"}, Hold: gate, HoldAt: llmtest.AfterPieces(1)})
			client := w.dial()
			client.write(request("POST", streamPath, tn.token, openingQuestion))
			stream := client.events()
			stream.until("delta")
			w.must(client.CloseWrite())
			w.comes("the model is canceled", model.Canceled())
			rest := stream.rest()
			if len(rest) != 2 || rest[0].Error != 4 || !rest[1].done {
				t.Fatalf("the stream went on with %v", rest)
			}
		})
		t.Run("a client of /chat that only stops sending is told so, and cancels the model", func(t *testing.T) {
			w := outer.within(t)
			gate := llmtest.NewGate()
			model := upstream.Request(upstream.Arrived())
			upstream.Next(llmtest.Reply{Hold: gate, HoldAt: llmtest.BeforeHeaders})
			client := w.dial()
			client.write(request("POST", chatPath, tn.token, openingQuestion))
			w.comes("the model waits", gate.Reached())
			w.must(client.CloseWrite())
			w.comes("the model is canceled", model.Canceled())
			w.checkAnswer(w.read(client.answer()), http.StatusBadRequest, 4)
		})

		t.Run("no client that went away is an error in the log, and nothing is left over", func(t *testing.T) {
			w := outer.within(t)
			w.end()
			w.noneGenerating()
			if log := w.log.String(); strings.Contains(log, "level=ERROR") {
				t.Fatalf("the log has errors:\n%s", log)
			}
		})
	})
}

func TestDeadClientAfterReadTimeout(t *testing.T) {
	t.Run("the server's read timeout does not end the watch of a long stream", func(t *testing.T) {
		gate := llmtest.NewGate()
		upstream := llmtest.NewServer(t, llmtest.Reply{Hold: gate, HoldAt: llmtest.BeforeHeaders})
		w := startPrepared(t, app.Options{}, func(s *app.Server) {
			s.App.Server().ReadTimeout = 100 * time.Millisecond
			s.API.Streams = app.StreamTimes{KeepAlive: 200 * time.Millisecond, Recheck: time.Hour, WriteWait: time.Hour}
		}, withModel(upstream), onlyTheWatch)
		tn := w.newTenant("baker", plan.Standard, opening)
		client := w.dial()
		client.write(request("POST", streamPath, tn.token, openingQuestion))
		stream := client.events()
		for range 3 { // the first is at once, the others pass the timeout
			stream.until("waiting")
		}
		w.must(client.Close())
		w.comes("the model is canceled", upstream.Request(0).Canceled())
	})
}

func TestKeptConnection(t *testing.T) {
	t.Parallel()
	onBothDatabases(t, func(t *testing.T, start func(...func(*app.Config)) *instance) {
		answer := strings.TrimSpace(strings.Repeat("The bakery opens at seven. ", 40))
		upstream := llmtest.NewServer(t, llmtest.Reply{Pieces: strings.SplitAfter(answer, " ")})
		outer := start(withModel(upstream))
		outer.hasNoHurry()
		tn := outer.newTenant("baker", plan.Standard, opening)
		stream := request("POST", streamPath, tn.token, openingQuestion)
		whole := request("POST", chatPath, tn.token, openingQuestion)
		checkStream := func(w *instance, client *line) {
			w.Helper()
			if s := w.story(client.events()); s.kinds != "conversation waiting delta [DONE] " || s.text != answer {
				w.Fatalf("the stream was %s %q", s.kinds, s.text)
			}
		}
		checkWhole := func(w *instance, client *line) {
			w.Helper()
			if r := w.read(client.answer()); r.StatusCode != http.StatusOK || r.Data["message"] != answer {
				w.Fatalf("the answer was %d %s", r.StatusCode, r.body)
			}
		}

		t.Run("200 streams one after another on one connection, and JSON between them, are all whole", func(t *testing.T) {
			w := outer.within(t)
			client := w.dial()
			for range 200 {
				client.write(stream)
				checkStream(w, client)
				client.write(whole)
				checkWhole(w, client)
			}
		})

		t.Run("pipelined requests are answered in order", func(t *testing.T) {
			w := outer.within(t)
			client := w.dial()
			client.write(stream + whole + stream + stream + whole)
			checkStream(w, client)
			checkWhole(w, client)
			checkStream(w, client)
			checkStream(w, client)
			checkWhole(w, client)
		})

		t.Run("requests that arrive while a stream is open are answered after it", func(t *testing.T) {
			w := outer.within(t)
			gate := llmtest.NewGate()
			upstream.Next(llmtest.Reply{Pieces: []string{answer}, Hold: gate, HoldAt: llmtest.BeforeFirstPiece})
			client := w.dial()
			client.write(stream)
			open := client.events()
			open.until("waiting")
			client.write(whole + stream)
			gate.Release()
			if got := open.until("delta").Content; got != answer {
				t.Fatalf("the stream was %q", got)
			}
			if rest := open.rest(); len(rest) != 1 || !rest[0].done {
				t.Fatalf("the stream went on with %v", rest)
			}
			checkWhole(w, client)
			checkStream(w, client)
		})
	})
}

func TestFirstByte(t *testing.T) {
	t.Parallel()
	onBothDatabases(t, func(t *testing.T, start func(...func(*app.Config)) *instance) {
		upstream := llmtest.NewServer(t, llmtest.Reply{})
		outer := start(withModel(upstream))
		tn := outer.newTenant("baker", plan.Standard, opening)
		for _, format := range []string{"markdown", "plain_text", "html"} {
			for _, encoding := range []string{"identity", "gzip, deflate, br"} {
				t.Run("the first events of a "+format+" stream come while the model is silent, with Accept-Encoding "+encoding, func(t *testing.T) {
					w := outer.within(t)
					gate := llmtest.NewGate()
					upstream.Next(llmtest.Reply{Pieces: []string{"At", " seven."}, Hold: gate, HoldAt: llmtest.BeforeHeaders})
					body := `{"message":"When?","format":"` + format + `"}`
					stream := w.stream(body, bearer(tn.token), header{"Accept-Encoding", encoding})
					stream.until("conversation")
					stream.until("waiting")
					gate.Release()
					rest := stream.rest()
					if len(rest) < 3 || rest[0].Content != "At" || !rest[len(rest)-1].done {
						t.Fatalf("the stream went on with %v", rest)
					}
				})
			}
		}
		t.Run("each piece comes while the model holds the next one back", func(t *testing.T) {
			w := outer.within(t)
			gate := llmtest.NewGate()
			upstream.Next(llmtest.Reply{Pieces: []string{"At", " seven."}, Hold: gate, HoldAt: llmtest.AfterPieces(1)})
			stream := w.stream(openingQuestion, bearer(tn.token))
			if got := stream.until("delta").Content; got != "At" {
				t.Fatalf("the piece is %q", got)
			}
			gate.Release()
			if rest := stream.rest(); len(rest) != 2 || rest[0].Content != " seven." || !rest[1].done {
				t.Fatalf("the stream went on with %v", rest)
			}
		})
	})
}

func TestStalledReader(t *testing.T) {
	t.Parallel()
	onBothDatabases(t, func(t *testing.T, start func(...func(*app.Config)) *instance) {
		const pieces, size = 120, 8 << 10
		// Each character takes 6 bytes in JSON.
		long := make([]string, pieces)
		for i := range long {
			long[i] = strings.Repeat("\x01", size)
		}
		upstream := llmtest.NewServer(t, llmtest.Reply{Pieces: []string{"Yes."}})
		w := start(withModel(upstream), onlyTheWatch)
		w.server.API.Streams.WriteWait = 500 * time.Millisecond
		tn := w.newTenant("baker", plan.Standard, opening)
		conversation := w.newConversation(tn.token, "")
		model := upstream.Request(0)
		upstream.Next(llmtest.Reply{Pieces: long, Hold: llmtest.NewGate(), HoldAt: llmtest.AfterPieces(pieces)})

		stalled := w.dialNarrow()
		stalled.write(request("POST", streamPath, tn.token, `{"message":"When?","conversation_id":`+written(conversation)+`}`))
		w.comes("the model is asked", model.Arrived())
		if s := w.story(w.stream(openingQuestion, bearer(tn.token))); s.text != "Yes." {
			t.Errorf("another stream is affected: %s %q", s.kinds, s.text)
		}

		w.comes("the model is canceled", model.Canceled())
		stored := w.answered(tn, conversation)
		if stored.Status != chat.Interrupted || len(stored.Content) == 0 || len(stored.Content) >= pieces*size {
			t.Errorf("%d of %d bytes were taken from the model, %s", len(stored.Content), pieces*size, stored.Status)
		}
		if text, err := io.ReadAll(stalled.in); err == nil && strings.Contains(string(text), "[DONE]") {
			t.Error("the stalled reader was not dropped")
		}
		next := w.call("POST", chatPath, `{"message":"And now?","conversation_id":`+written(conversation)+`}`, bearer(tn.token))
		if next.StatusCode != http.StatusOK {
			t.Errorf("the conversation cannot be continued: %s", next.body)
		}
		w.end()
		w.noneGenerating()
	})
}

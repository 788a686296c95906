package turns

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
	"parley/e2e/harness"
	"parley/llm/llmtest"
)

// onlyTheWatch takes away every other thing that would end a silent turn.
func onlyTheWatch(c *app.Config) { c.LLMTimeout, c.LLMFirst = time.Hour, time.Hour }

// patientStreams writes nothing into silence.
var patientStreams = app.StreamTimes{KeepAlive: time.Hour, Recheck: time.Hour, WriteWait: time.Hour}

func TestDeadClient(t *testing.T) {
	t.Parallel()
	harness.OnAnyDatabase(t, func(t *testing.T, start func(...func(*app.Config)) *harness.Instance) {
		upstream := llmtest.NewServer(t, llmtest.Reply{Pieces: []string{"Yes."}})
		outer := start(harness.WithModel(upstream), onlyTheWatch)
		outer.Server.API.Streams = patientStreams
		tn := outer.NewTenant("baker", plan.Standard, harness.Opening)

		for _, way := range leaving {
			for pieces := range 3 {
				t.Run(fmt.Sprintf("a client of a stream who %s after %d pieces cancels the model", way.name, pieces), func(t *testing.T) {
					w := outer.Within(t)
					gate := llmtest.NewGate()
					model := upstream.Request(upstream.Arrived())
					upstream.Next(llmtest.Reply{Pieces: []string{"At", " seven", " in the morning."}, Hold: gate, HoldAt: llmtest.AfterPieces(pieces)})
					client := w.Dial()
					client.Send(harness.Request("POST", harness.StreamPath, tn.Token, harness.OpeningQuestion))
					stream := client.Events()
					conversation := stream.Until("conversation").ConversationID
					generated := ""
					for range pieces {
						generated += stream.Until("delta").Content
					}
					w.Comes("the model waits", gate.Reached())
					w.Must(way.leave(client))
					w.Comes("the model is canceled", model.Canceled())
					next := w.Call("POST", harness.ChatPath, `{"message":"And now?","conversation_id":`+harness.Written(conversation)+`}`, harness.Bearer(tn.Token))
					if next.StatusCode != http.StatusOK {
						t.Fatalf("the conversation cannot be continued: %s", next.Text)
					}
					all, err := w.Server.Chat.LastMessages(t.Context(), tn.Workspace, w.Sequence(conversation), 0, 10_000)
					w.Must(err)
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
				w := outer.Within(t)
				conversation := w.NewConversation(tn.Token, "")
				gate := llmtest.NewGate()
				model := upstream.Request(upstream.Arrived())
				upstream.Next(llmtest.Reply{Hold: gate, HoldAt: llmtest.BeforeHeaders})
				client := w.Dial()
				client.Send(harness.Request("POST", harness.ChatPath, tn.Token, `{"message":"When?","conversation_id":`+harness.Written(conversation)+`}`))
				w.Comes("the model waits", gate.Reached())
				w.Must(way.leave(client))
				w.Comes("the model is canceled", model.Canceled())
				next := w.Call("POST", harness.ChatPath, `{"message":"And now?","conversation_id":`+harness.Written(conversation)+`}`, harness.Bearer(tn.Token))
				if next.StatusCode != http.StatusOK {
					t.Fatalf("the conversation cannot be continued: %s", next.Text)
				}
			})
		}

		t.Run("a client that goes away while a request waits behind the stream cancels the model", func(t *testing.T) {
			w := outer.Within(t)
			gate := llmtest.NewGate()
			model := upstream.Request(upstream.Arrived())
			upstream.Next(llmtest.Reply{Hold: gate, HoldAt: llmtest.BeforeHeaders})
			client := w.Dial()
			client.Send(harness.Request("POST", harness.StreamPath, tn.Token, harness.OpeningQuestion))
			w.Comes("the model waits", gate.Reached())
			client.Send(harness.Request("POST", harness.StreamPath, tn.Token, harness.OpeningQuestion))
			w.Must(client.Close())
			w.Comes("the model is canceled", model.Canceled())
		})

		// TCP does not tell a client that stops sending from one that goes away. A client who
		// wants the answer keeps its side open, as for net/http.
		t.Run("a client of a stream that only stops sending is told so, and cancels the model", func(t *testing.T) {
			w := outer.Within(t)
			gate := llmtest.NewGate()
			model := upstream.Request(upstream.Arrived())
			upstream.Next(llmtest.Reply{Pieces: []string{"At"}, Hold: gate, HoldAt: llmtest.AfterPieces(1)})
			client := w.Dial()
			client.Send(harness.Request("POST", harness.StreamPath, tn.Token, harness.OpeningQuestion))
			stream := client.Events()
			stream.Until("delta")
			w.Must(client.CloseWrite())
			w.Comes("the model is canceled", model.Canceled())
			rest := stream.Rest()
			if len(rest) != 2 || rest[0].Error != 4 || !rest[1].Done {
				t.Fatalf("the stream went on with %v", rest)
			}
		})
		t.Run("a client of /chat that only stops sending is told so, and cancels the model", func(t *testing.T) {
			w := outer.Within(t)
			gate := llmtest.NewGate()
			model := upstream.Request(upstream.Arrived())
			upstream.Next(llmtest.Reply{Hold: gate, HoldAt: llmtest.BeforeHeaders})
			client := w.Dial()
			client.Send(harness.Request("POST", harness.ChatPath, tn.Token, harness.OpeningQuestion))
			w.Comes("the model waits", gate.Reached())
			w.Must(client.CloseWrite())
			w.Comes("the model is canceled", model.Canceled())
			w.CheckAnswer(w.Read(client.Answer()), http.StatusBadRequest, 4)
		})

		t.Run("no client that went away is an error in the log, and nothing is left over", func(t *testing.T) {
			w := outer.Within(t)
			w.End()
			w.NoneGenerating()
			if log := w.ServerLog.String(); strings.Contains(log, "level=ERROR") {
				t.Fatalf("the log has errors:\n%s", log)
			}
		})
	})
}

func TestDeadClientAfterReadTimeout(t *testing.T) {
	t.Run("the server's read timeout does not end the watch of a long stream", func(t *testing.T) {
		gate := llmtest.NewGate()
		upstream := llmtest.NewServer(t, llmtest.Reply{Hold: gate, HoldAt: llmtest.BeforeHeaders})
		w := harness.StartPrepared(t, app.Options{}, func(s *app.Server) {
			s.App.Server().ReadTimeout = 100 * time.Millisecond
			s.API.Streams = app.StreamTimes{KeepAlive: 200 * time.Millisecond, Recheck: time.Hour, WriteWait: time.Hour}
		}, harness.WithModel(upstream), onlyTheWatch)
		tn := w.NewTenant("baker", plan.Standard, harness.Opening)
		client := w.Dial()
		client.Send(harness.Request("POST", harness.StreamPath, tn.Token, harness.OpeningQuestion))
		stream := client.Events()
		for range 3 { // the first is at once, the others pass the timeout
			stream.Until("waiting")
		}
		w.Must(client.Close())
		w.Comes("the model is canceled", upstream.Request(0).Canceled())
	})
}

func TestKeptConnection(t *testing.T) {
	t.Parallel()
	harness.OnAnyDatabase(t, func(t *testing.T, start func(...func(*app.Config)) *harness.Instance) {
		answer := strings.TrimSpace(strings.Repeat("The bakery opens at seven. ", 40))
		upstream := llmtest.NewServer(t, llmtest.Reply{Pieces: strings.SplitAfter(answer, " ")})
		outer := start(harness.WithModel(upstream))
		outer.HasNoHurry()
		tn := outer.NewTenant("baker", plan.Standard, harness.Opening)
		stream := harness.Request("POST", harness.StreamPath, tn.Token, harness.OpeningQuestion)
		whole := harness.Request("POST", harness.ChatPath, tn.Token, harness.OpeningQuestion)
		checkStream := func(w *harness.Instance, client *harness.Line) {
			w.Helper()
			if s := w.Story(client.Events()); s.Kinds != "conversation waiting delta [DONE] " || s.Text != answer {
				w.Fatalf("the stream was %s %q", s.Kinds, s.Text)
			}
		}
		checkWhole := func(w *harness.Instance, client *harness.Line) {
			w.Helper()
			if r := w.Read(client.Answer()); r.StatusCode != http.StatusOK || r.Data["message"] != answer {
				w.Fatalf("the answer was %d %s", r.StatusCode, r.Text)
			}
		}

		t.Run("200 streams one after another on one connection, and JSON between them, are all whole", func(t *testing.T) {
			w := outer.Within(t)
			client := w.Dial()
			for range 200 {
				client.Send(stream)
				checkStream(w, client)
				client.Send(whole)
				checkWhole(w, client)
			}
		})

		t.Run("pipelined requests are answered in order", func(t *testing.T) {
			w := outer.Within(t)
			client := w.Dial()
			client.Send(stream + whole + stream + stream + whole)
			checkStream(w, client)
			checkWhole(w, client)
			checkStream(w, client)
			checkStream(w, client)
			checkWhole(w, client)
		})

		t.Run("requests that arrive while a stream is open are answered after it", func(t *testing.T) {
			w := outer.Within(t)
			gate := llmtest.NewGate()
			upstream.Next(llmtest.Reply{Pieces: []string{answer}, Hold: gate, HoldAt: llmtest.BeforeFirstPiece})
			client := w.Dial()
			client.Send(stream)
			open := client.Events()
			open.Until("waiting")
			client.Send(whole + stream)
			gate.Release()
			if got := open.Until("delta").Content; got != answer {
				t.Fatalf("the stream was %q", got)
			}
			if rest := open.Rest(); len(rest) != 1 || !rest[0].Done {
				t.Fatalf("the stream went on with %v", rest)
			}
			checkWhole(w, client)
			checkStream(w, client)
		})
	})
}

func TestFirstByte(t *testing.T) {
	t.Parallel()
	harness.OnAnyDatabase(t, func(t *testing.T, start func(...func(*app.Config)) *harness.Instance) {
		upstream := llmtest.NewServer(t, llmtest.Reply{})
		outer := start(harness.WithModel(upstream))
		tn := outer.NewTenant("baker", plan.Standard, harness.Opening)
		for _, format := range []string{"markdown", "plain_text", "html"} {
			for _, encoding := range []string{"identity", "gzip, deflate, br"} {
				t.Run("the first events of a "+format+" stream come while the model is silent, with Accept-Encoding "+encoding, func(t *testing.T) {
					w := outer.Within(t)
					gate := llmtest.NewGate()
					upstream.Next(llmtest.Reply{Pieces: []string{"At", " seven."}, Hold: gate, HoldAt: llmtest.BeforeHeaders})
					body := `{"message":"When?","format":"` + format + `"}`
					stream := w.Stream(body, harness.Bearer(tn.Token), harness.Header{Name: "Accept-Encoding", Value: encoding})
					stream.Until("conversation")
					stream.Until("waiting")
					gate.Release()
					rest := stream.Rest()
					if len(rest) < 3 || rest[0].Content != "At" || !rest[len(rest)-1].Done {
						t.Fatalf("the stream went on with %v", rest)
					}
				})
			}
		}
		t.Run("each piece comes while the model holds the next one back", func(t *testing.T) {
			w := outer.Within(t)
			gate := llmtest.NewGate()
			upstream.Next(llmtest.Reply{Pieces: []string{"At", " seven."}, Hold: gate, HoldAt: llmtest.AfterPieces(1)})
			stream := w.Stream(harness.OpeningQuestion, harness.Bearer(tn.Token))
			if got := stream.Until("delta").Content; got != "At" {
				t.Fatalf("the piece is %q", got)
			}
			gate.Release()
			if rest := stream.Rest(); len(rest) != 2 || rest[0].Content != " seven." || !rest[1].Done {
				t.Fatalf("the stream went on with %v", rest)
			}
		})
	})
}

func TestStalledReader(t *testing.T) {
	t.Parallel()
	harness.OnAnyDatabase(t, func(t *testing.T, start func(...func(*app.Config)) *harness.Instance) {
		const pieces, size = 120, 8 << 10
		// Each character takes 6 bytes in JSON.
		long := make([]string, pieces)
		for i := range long {
			long[i] = strings.Repeat("\x01", size)
		}
		upstream := llmtest.NewServer(t, llmtest.Reply{Pieces: []string{"Yes."}})
		w := start(harness.WithModel(upstream), onlyTheWatch)
		w.Server.API.Streams.WriteWait = 500 * time.Millisecond
		tn := w.NewTenant("baker", plan.Standard, harness.Opening)
		conversation := w.NewConversation(tn.Token, "")
		model := upstream.Request(0)
		upstream.Next(llmtest.Reply{Pieces: long, Hold: llmtest.NewGate(), HoldAt: llmtest.AfterPieces(pieces)})

		stalled := w.DialNarrow()
		stalled.Send(harness.Request("POST", harness.StreamPath, tn.Token, `{"message":"When?","conversation_id":`+harness.Written(conversation)+`}`))
		w.Comes("the model is asked", model.Arrived())
		if s := w.Story(w.Stream(harness.OpeningQuestion, harness.Bearer(tn.Token))); s.Text != "Yes." {
			t.Errorf("another stream is affected: %s %q", s.Kinds, s.Text)
		}

		w.Comes("the model is canceled", model.Canceled())
		stored := waitForAnswer(w, tn, conversation)
		if stored.Status != chat.Interrupted || len(stored.Content) == 0 || len(stored.Content) >= pieces*size {
			t.Errorf("%d of %d bytes were taken from the model, %s", len(stored.Content), pieces*size, stored.Status)
		}
		if text, err := io.ReadAll(stalled.In); err == nil && strings.Contains(string(text), "[DONE]") {
			t.Error("the stalled reader was not dropped")
		}
		next := w.Call("POST", harness.ChatPath, `{"message":"And now?","conversation_id":`+harness.Written(conversation)+`}`, harness.Bearer(tn.Token))
		if next.StatusCode != http.StatusOK {
			t.Errorf("the conversation cannot be continued: %s", next.Text)
		}
		w.End()
		w.NoneGenerating()
	})
}

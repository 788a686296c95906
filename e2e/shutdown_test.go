package e2e

import (
	"fmt"
	"net/http"
	"testing"
	"time"

	"parley/core/chat"
	"parley/core/plan"
	"parley/llm/llmtest"
)

func TestTermination(t *testing.T) {
	t.Parallel()
	onInstallations(t, func(s *installation) {
		upstream := llmtest.NewServer(s.T, llmtest.Reply{Pieces: []string{"Yes."}})
		s.answeredBy(upstream)
		var tn tenantOf
		s.inside(func(w *instance) { tn = w.newTenant("baker", plan.Standard, opening) })
		twoPieces := func(gate *llmtest.Gate) llmtest.Reply {
			return llmtest.Reply{Pieces: []string{"At", " seven."}, Hold: gate, HoldAt: llmtest.AfterPieces(1)}
		}
		begun := func(p *process, gate *llmtest.Gate) *events {
			p.Helper()
			upstream.Next(twoPieces(gate))
			stream := p.stream(openingQuestion, bearer(tn.token))
			stream.until("delta")
			return stream
		}
		draining := func(p *process) {
			p.Helper()
			p.eventually("/readyz says that the server is draining", func() bool {
				r := p.call("GET", "/readyz", "")
				return r.StatusCode == http.StatusServiceUnavailable && contains(r.body, `"status":"draining"`)
			})
		}

		s.Run("an answer that ends in time ends normally, and the process with it, whatever connections idle", func(t *testing.T) {
			p := s.serve("DRAIN_TIMEOUT=1h").in(t)
			gate := llmtest.NewGate()
			stream := begun(p, gate)
			idle := make([]*line, 20)
			for i := range idle {
				idle[i] = p.dial()
				idle[i].write(request("GET", "/healthz", "", ""))
				p.read(idle[i].answer())
			}
			p.terminate()
			draining(p)
			for _, path := range []string{chatPath, streamPath, conversationsPath} {
				r := p.call("POST", path, openingQuestion, bearer(tn.token))
				p.checkAnswer(r, http.StatusServiceUnavailable, 8)
				if r.Header.Get("Retry-After") == "" || !r.Close {
					t.Errorf("%s: Retry-After is %q, Connection: close is %t", path, r.Header.Get("Retry-After"), r.Close)
				}
			}
			kept := idle[0]
			kept.write(request("POST", chatPath, tn.token, openingQuestion))
			p.checkAnswer(p.read(kept.answer()), http.StatusServiceUnavailable, 8)
			gate.Release()
			if rest := stream.rest(); len(rest) != 2 || rest[0].Content != " seven." || !rest[1].done {
				t.Errorf("the stream went on with %+v", rest)
			}
			p.endsWithin(2800 * time.Millisecond) // what a connection in use would take
			for _, l := range idle {
				if _, err := l.in.ReadByte(); err == nil {
					t.Error("an idle connection was sent something")
				}
			}
		})

		s.Run("answers that do not end in time end with a terminal event, and are stored", func(t *testing.T) {
			p := s.serve("DRAIN_TIMEOUT=1s").in(t)
			var streams []*events
			for range 5 {
				streams = append(streams, begun(p, llmtest.NewGate()))
			}
			upstream.Next(llmtest.Reply{Hold: llmtest.NewGate(), HoldAt: llmtest.BeforeHeaders})
			whole := p.dial()
			asked := upstream.Request(upstream.Arrived())
			whole.write(request("POST", chatPath, tn.token, openingQuestion))
			p.comes("the model is asked", asked.Arrived())
			stalled := p.dialNarrow() // reads nothing, and holds nobody up
			upstream.Next(llmtest.Reply{Pieces: []string{fmt.Sprintf("%0900000d", 0)}, Hold: llmtest.NewGate(), HoldAt: llmtest.AfterPieces(1)})
			asked = upstream.Request(upstream.Arrived())
			stalled.write(request("POST", streamPath, tn.token, openingQuestion))
			p.comes("the model is asked", asked.Arrived())

			p.terminate()
			for _, stream := range streams {
				rest := stream.rest()
				if len(rest) != 2 || rest[0].Type != "error" || rest[0].Error != 8 || rest[0].ErrorMessage == "" || !rest[1].done {
					t.Errorf("the stream went on with %+v", rest)
				}
			}
			p.checkAnswer(p.read(whole.answer()), http.StatusServiceUnavailable, 8)
			p.endsWithin(patience)
			p.eventually("the model is let go", func() bool { return upstream.Open() == 0 })
			s.inside(func(w *instance) {
				w.noneGenerating()
				interrupted := 0
				for id := range int64(100) {
					all, err := w.server.Chat.LastMessages(t.Context(), tn.workspace, id, 0, 10_000)
					w.must(err)
					for _, m := range all {
						if m.Status == chat.Interrupted && m.Content == "At" {
							interrupted++
						}
					}
				}
				if interrupted != len(streams) {
					t.Errorf("%d of %d answers are stored as interrupted", interrupted, len(streams))
				}
			})
		})

		s.Run("an idle server stops at once", func(t *testing.T) {
			p := s.serve("DRAIN_TIMEOUT=1h").in(t)
			p.terminate()
			p.endsWithin(patience)
		})
	})
}

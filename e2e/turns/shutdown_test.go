package turns

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"parley/core/chat"
	"parley/core/plan"
	"parley/e2e/harness"
	"parley/llm/llmtest"
)

func TestTermination(t *testing.T) {
	t.Parallel()
	harness.OnInstallations(t, func(s *harness.Installation) {
		upstream := llmtest.NewServer(s.T, llmtest.Reply{Pieces: []string{"Yes."}})
		s.AnsweredBy(upstream)
		var tn harness.Tenant
		s.Inside(func(w *harness.Instance) { tn = w.NewTenant("baker", plan.Standard, harness.Opening) })
		twoPieces := func(gate *llmtest.Gate) llmtest.Reply {
			return llmtest.Reply{Pieces: []string{"At", " seven."}, Hold: gate, HoldAt: llmtest.AfterPieces(1)}
		}
		begun := func(p *harness.Process, gate *llmtest.Gate) *harness.Events {
			p.Helper()
			upstream.Next(twoPieces(gate))
			stream := p.Stream(harness.OpeningQuestion, harness.Bearer(tn.Token))
			stream.Until("delta")
			return stream
		}
		draining := func(p *harness.Process) {
			p.Helper()
			p.Eventually("/readyz says that the server is draining", func() bool {
				r := p.Call("GET", "/readyz", "")
				return r.StatusCode == http.StatusServiceUnavailable && strings.Contains(r.Text, `"status":"not_ready"`) && strings.Contains(r.Text, "draining")
			})
		}

		s.Run("an answer that ends in time ends normally, and the process with it, whatever connections idle", func(t *testing.T) {
			p := s.Serve("DRAIN_TIMEOUT=1h").In(t)
			gate := llmtest.NewGate()
			stream := begun(p, gate)
			idle := make([]*harness.Line, 20)
			for i := range idle {
				idle[i] = p.Dial()
				idle[i].Send(harness.Request("GET", "/healthz", "", ""))
				p.Read(idle[i].Answer())
			}
			p.Terminate()
			draining(p)
			for _, path := range []string{harness.ChatPath, harness.StreamPath, harness.ConversationsPath} {
				r := p.Call("POST", path, harness.OpeningQuestion, harness.Bearer(tn.Token))
				p.CheckAnswer(r, http.StatusServiceUnavailable, 8)
				if r.Header.Get("Retry-After") == "" || !r.Close {
					t.Errorf("%s: Retry-After is %q, Connection: close is %t", path, r.Header.Get("Retry-After"), r.Close)
				}
			}
			kept := idle[0]
			kept.Send(harness.Request("POST", harness.ChatPath, tn.Token, harness.OpeningQuestion))
			p.CheckAnswer(p.Read(kept.Answer()), http.StatusServiceUnavailable, 8)
			gate.Release()
			if rest := stream.Rest(); len(rest) != 2 || rest[0].Content != " seven." || !rest[1].Done {
				t.Errorf("the stream went on with %+v", rest)
			}
			p.EndsWithin(2800 * time.Millisecond) // what a connection in use would take
			for _, l := range idle {
				if _, err := l.In.ReadByte(); err == nil {
					t.Error("an idle connection was sent something")
				}
			}
		})

		s.Run("answers that do not end in time end with a terminal event, and are stored", func(t *testing.T) {
			p := s.Serve("DRAIN_TIMEOUT=1s").In(t)
			var streams []*harness.Events
			for range 5 {
				streams = append(streams, begun(p, llmtest.NewGate()))
			}
			upstream.Next(llmtest.Reply{Hold: llmtest.NewGate(), HoldAt: llmtest.BeforeHeaders})
			whole := p.Dial()
			asked := upstream.Request(upstream.Arrived())
			whole.Send(harness.Request("POST", harness.ChatPath, tn.Token, harness.OpeningQuestion))
			p.Comes("the model is asked", asked.Arrived())
			stalled := p.DialNarrow() // reads nothing, and holds nobody up
			upstream.Next(llmtest.Reply{Pieces: []string{fmt.Sprintf("%0900000d", 0)}, Hold: llmtest.NewGate(), HoldAt: llmtest.AfterPieces(1)})
			asked = upstream.Request(upstream.Arrived())
			stalled.Send(harness.Request("POST", harness.StreamPath, tn.Token, harness.OpeningQuestion))
			p.Comes("the model is asked", asked.Arrived())

			p.Terminate()
			for _, stream := range streams {
				rest := stream.Rest()
				if len(rest) != 2 || rest[0].Type != "error" || rest[0].Error != 8 || rest[0].ErrorMessage == "" || !rest[1].Done {
					t.Errorf("the stream went on with %+v", rest)
				}
			}
			p.CheckAnswer(p.Read(whole.Answer()), http.StatusServiceUnavailable, 8)
			p.EndsWithin(harness.Patience)
			p.Eventually("the model is let go", func() bool { return upstream.Open() == 0 })
			s.Inside(func(w *harness.Instance) {
				w.NoneGenerating()
				interrupted := 0
				for id := range int64(100) {
					all, err := w.Server.Chat.LastMessages(t.Context(), tn.Workspace, id, 0, 10_000)
					w.Must(err)
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
			p := s.Serve("DRAIN_TIMEOUT=1h").In(t)
			p.Terminate()
			p.EndsWithin(harness.Patience)
		})
	})
}

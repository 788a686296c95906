package turns

import (
	"io"
	"net"
	"net/url"
	"sync"
	"testing"
	"time"

	"parley/app"
	"parley/core/chat"
	"parley/core/plan"
	"parley/e2e/harness"
	"parley/llm/llmtest"
	"parley/store/storetest"
)

// openStream starts a stream that has said one piece and is then silent until
// the test ends.
func openStream(w *harness.Instance, upstream *llmtest.Server, tn harness.Tenant) (*harness.Events, int64, *llmtest.Request) {
	w.Helper()
	model := upstream.Request(upstream.Arrived())
	upstream.Next(llmtest.Reply{Pieces: []string{"At", " seven."}, Hold: llmtest.NewGate(), HoldAt: llmtest.AfterPieces(1)})
	stream := w.Stream(harness.OpeningQuestion, harness.Bearer(tn.Token))
	conversation := stream.Until("conversation").ConversationID
	stream.Until("delta")
	return stream, conversation, model
}

// streamEndsWith checks that a stream ends with one error, and what is stored then.
func streamEndsWith(w *harness.Instance, stream *harness.Events, code int, tn harness.Tenant, conversation int64, model *llmtest.Request) {
	w.Helper()
	rest := stream.Rest()
	if len(rest) != 2 || rest[0].Type != "error" || rest[0].Error != code || rest[0].ErrorMessage == "" || !rest[1].Done {
		w.Fatalf("the stream went on with %+v", rest)
	}
	w.Comes("the model is canceled", model.Canceled())
	if got := waitForAnswer(w, tn, conversation); got.Status != chat.Interrupted || got.Content != "At" {
		w.Fatalf("stored is %v", got)
	}
}

func TestRevokedInMidStream(t *testing.T) {
	t.Parallel()
	harness.OnAnyDatabase(t, func(t *testing.T, start func(...func(*app.Config)) *harness.Instance) {
		upstream := llmtest.NewServer(t, llmtest.Reply{})
		outer := start(harness.WithModel(upstream))
		p := outer.Server.Program
		outer.Server.API.Streams.Recheck = 20 * time.Millisecond

		t.Run("revoking a token ends its open streams with code 1", func(t *testing.T) {
			w := outer.Within(t)
			tn := w.NewTenant("baker", plan.Standard, harness.Opening)
			stream, conversation, model := openStream(w, upstream, tn)
			w.Must(p.Chatbots.Tokens.Revoke(t.Context(), tn.Workspace, tn.Chatbot, tn.TokenID))
			streamEndsWith(w, stream, 1, tn, conversation, model)
		})
		t.Run("a plan without API access ends open streams with code 2", func(t *testing.T) {
			w := outer.Within(t)
			tn := w.NewTenant("butcher", plan.Standard, harness.Opening)
			stream, conversation, model := openStream(w, upstream, tn)
			w.Must(p.Tenants.Grants.SetPlan(t.Context(), tn.Workspace, plan.Basic))
			streamEndsWith(w, stream, 2, tn, conversation, model)
		})
		t.Run("deleting a chatbot ends its open streams with code 1", func(t *testing.T) {
			w := outer.Within(t)
			tn := w.NewTenant("grocer", plan.Standard, harness.Opening)
			stream, _, model := openStream(w, upstream, tn)
			w.Must(p.Chatbots.Delete(t.Context(), tn.Workspace, tn.Chatbot))
			rest := stream.Rest()
			if len(rest) != 2 || rest[0].Error != 1 || !rest[1].Done {
				t.Fatalf("the stream went on with %+v", rest)
			}
			w.Comes("the model is canceled", model.Canceled())
		})
		t.Run("the streams of other tokens go on", func(t *testing.T) {
			w := outer.Within(t)
			tn := w.NewTenant("florist", plan.Standard, harness.Opening)
			gate := llmtest.NewGate()
			upstream.Next(llmtest.Reply{Pieces: []string{"At", " seven."}, Hold: gate, HoldAt: llmtest.AfterPieces(1)})
			stream := w.Stream(harness.OpeningQuestion, harness.Bearer(tn.Token))
			stream.Until("delta")
			other, secret := w.NewToken(tn.Workspace, tn.Chatbot, "other")
			revoked := tn
			revoked.Token = secret
			ends, _, _ := openStream(w, upstream, revoked)
			w.Must(p.Chatbots.Tokens.Revoke(t.Context(), tn.Workspace, tn.Chatbot, other))
			if rest := ends.Rest(); len(rest) != 2 || rest[0].Error != 1 {
				t.Fatalf("the other stream went on with %+v", rest)
			}
			gate.Release()
			if rest := stream.Rest(); len(rest) != 2 || rest[0].Content != " seven." || !rest[1].Done {
				t.Fatalf("the stream went on with %+v", rest)
			}
		})
	})
}

func TestRevokedByAnotherProcess(t *testing.T) {
	t.Run("an open stream of one server ends within 5 s of a revocation on another", func(t *testing.T) {
		url := storetest.Postgres(t)
		upstream := llmtest.NewServer(t, llmtest.Reply{})
		here := harness.Start(t, harness.WithModel(upstream), func(c *app.Config) { c.DatabaseURL = url })
		there := harness.Start(t, func(c *app.Config) { c.DatabaseURL = url })
		tn := here.NewTenant("baker", plan.Standard, harness.Opening)
		stream, conversation, model := openStream(here, upstream, tn)
		ended := make(chan struct{})
		there.Must(there.Server.Chatbots.Tokens.Revoke(t.Context(), tn.Workspace, tn.Chatbot, tn.TokenID))
		go func() {
			defer close(ended)
			<-model.Done()
		}()
		select {
		case <-ended:
		case <-time.After(5 * time.Second):
			t.Error("5 s have passed")
		}
		streamEndsWith(here, stream, 1, tn, conversation, model)
	})
}

// relay stands between a server and PostgreSQL, and can be cut.
type relay struct {
	net.Listener
	target  string
	refused chan struct{}

	mu   sync.Mutex
	cut  bool
	open map[net.Conn]struct{}
}

func newRelay(t *testing.T, target string) *relay {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	r := &relay{Listener: l, target: target, refused: make(chan struct{}, 1), open: map[net.Conn]struct{}{}}
	go r.run()
	t.Cleanup(func() {
		l.Close()
		r.set(true)
	})
	return r
}

func (r *relay) run() {
	for {
		client, err := r.Accept()
		if err != nil {
			return
		}
		server, err := net.Dial("unix", r.target)
		if err != nil || !r.keep(client, server) {
			client.Close()
			if server != nil {
				server.Close()
			}
			continue
		}
		go copyAndClose(client, server)
		go copyAndClose(server, client)
	}
}

func copyAndClose(to, from net.Conn) {
	_, _ = io.Copy(to, from)
	to.Close()
	from.Close()
}

// keep remembers connections, unless the relay is cut.
func (r *relay) keep(conns ...net.Conn) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.cut {
		select {
		case r.refused <- struct{}{}:
		default:
		}
		return false
	}
	for _, c := range conns {
		r.open[c] = struct{}{}
	}
	return true
}

// set cuts the relay or lets it pass again.
func (r *relay) set(cut bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.cut = cut
	if cut {
		for c := range r.open {
			c.Close()
		}
		clear(r.open)
	}
}

func TestOutageInMidStream(t *testing.T) {
	address, err := url.Parse(storetest.Postgres(t))
	if err != nil {
		t.Fatal(err)
	}
	database := newRelay(t, address.Query().Get("host")+"/.s.PGSQL."+harness.OrDefault(address.Query().Get("port"), "5432"))
	upstream := llmtest.NewServer(t, llmtest.Reply{Pieces: []string{"Yes."}})
	outer := harness.Start(t, harness.WithModel(upstream), func(c *app.Config) {
		c.DatabaseURL = "postgres://postgres@" + database.Addr().String() + address.Path
	})
	outer.Server.API.Streams.Recheck = 20 * time.Millisecond
	tn := outer.NewTenant("baker", plan.Standard, harness.Opening)

	outage := func(t *testing.T, during func(w *harness.Instance, release func())) {
		w := outer.Within(t)
		w.Eventually("questions are answered, on connections of after the last outage", func() bool {
			return w.Call("POST", harness.ChatPath, harness.OpeningQuestion, harness.Bearer(tn.Token)).StatusCode == 200
		})
		gate := llmtest.NewGate()
		upstream.Next(llmtest.Reply{Pieces: []string{"At", " seven."}, Hold: gate, HoldAt: llmtest.AfterPieces(1)})
		stream := w.Stream(harness.OpeningQuestion, harness.Bearer(tn.Token))
		conversation := stream.Until("conversation").ConversationID
		stream.Until("delta")
		database.set(true)
		w.Comes("the token is looked at in vain", database.refused)
		during(w, gate.Release)
		if rest := stream.Rest(); len(rest) != 2 || rest[0].Content != " seven." || !rest[1].Done {
			t.Fatalf("the stream went on with %+v", rest)
		}
		if got := waitForAnswer(w, tn, conversation); got.Status != chat.Complete || got.Content != "At seven." {
			t.Fatalf("stored is %v", got)
		}
	}
	t.Run("a database that goes away and comes back does not end a stream", func(t *testing.T) {
		outage(t, func(_ *harness.Instance, release func()) {
			database.set(false)
			release()
		})
	})
	t.Run("an answer that ends during the outage is stored after it", func(t *testing.T) {
		outage(t, func(w *harness.Instance, release func()) {
			release()
			w.Eventually("the answer is in vain", func() bool {
				select {
				case <-database.refused:
					return upstream.Open() == 0
				default:
					return false
				}
			})
			database.set(false)
		})
	})
}

package e2e

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
	"parley/llm/llmtest"
	"parley/store/storetest"
)

// openStream starts a stream that has said one piece and is then silent until
// the test ends.
func (w *instance) openStream(upstream *llmtest.Server, tn tenantOf) (*events, int64, *llmtest.Request) {
	w.Helper()
	model := upstream.Request(upstream.Arrived())
	upstream.Next(llmtest.Reply{Pieces: []string{"At", " seven."}, Hold: llmtest.NewGate(), HoldAt: llmtest.AfterPieces(1)})
	stream := w.stream(openingQuestion, bearer(tn.token))
	conversation := stream.until("conversation").ConversationID
	stream.until("delta")
	return stream, conversation, model
}

// endsWith checks that a stream ends with one error, and what is stored then.
func (w *instance) endsWith(stream *events, code int, tn tenantOf, conversation int64, model *llmtest.Request) {
	w.Helper()
	rest := stream.rest()
	if len(rest) != 2 || rest[0].Type != "error" || rest[0].Error != code || rest[0].ErrorMessage == "" || !rest[1].done {
		w.Fatalf("the stream went on with %+v", rest)
	}
	w.comes("the model is canceled", model.Canceled())
	if got := w.answered(tn, conversation); got.Status != chat.Interrupted || got.Content != "At" {
		w.Fatalf("stored is %v", got)
	}
}

func TestRevokedInMidStream(t *testing.T) {
	t.Parallel()
	onBothDatabases(t, func(t *testing.T, start func(...func(*app.Config)) *instance) {
		upstream := llmtest.NewServer(t, llmtest.Reply{})
		outer := start(withModel(upstream))
		p := outer.server.Program
		outer.server.API.Streams.Recheck = 20 * time.Millisecond

		t.Run("revoking a token ends its open streams with code 1", func(t *testing.T) {
			w := outer.within(t)
			tn := w.newTenant("baker", plan.Standard, opening)
			stream, conversation, model := w.openStream(upstream, tn)
			w.must(p.Chatbots.Tokens.Revoke(t.Context(), tn.workspace, tn.chatbot, tn.tokenID))
			w.endsWith(stream, 1, tn, conversation, model)
		})
		t.Run("a plan without API access ends open streams with code 2", func(t *testing.T) {
			w := outer.within(t)
			tn := w.newTenant("butcher", plan.Standard, opening)
			stream, conversation, model := w.openStream(upstream, tn)
			w.must(p.Tenants.Grants.SetPlan(t.Context(), tn.workspace, plan.Basic))
			w.endsWith(stream, 2, tn, conversation, model)
		})
		t.Run("deleting a chatbot ends its open streams with code 1", func(t *testing.T) {
			w := outer.within(t)
			tn := w.newTenant("grocer", plan.Standard, opening)
			stream, _, model := w.openStream(upstream, tn)
			w.must(p.Chatbots.Delete(t.Context(), tn.workspace, tn.chatbot))
			rest := stream.rest()
			if len(rest) != 2 || rest[0].Error != 1 || !rest[1].done {
				t.Fatalf("the stream went on with %+v", rest)
			}
			w.comes("the model is canceled", model.Canceled())
		})
		t.Run("the streams of other tokens go on", func(t *testing.T) {
			w := outer.within(t)
			tn := w.newTenant("florist", plan.Standard, opening)
			gate := llmtest.NewGate()
			upstream.Next(llmtest.Reply{Pieces: []string{"At", " seven."}, Hold: gate, HoldAt: llmtest.AfterPieces(1)})
			stream := w.stream(openingQuestion, bearer(tn.token))
			stream.until("delta")
			other, secret := w.newToken(tn.workspace, tn.chatbot, "other")
			revoked := tn
			revoked.token = secret
			ends, _, _ := w.openStream(upstream, revoked)
			w.must(p.Chatbots.Tokens.Revoke(t.Context(), tn.workspace, tn.chatbot, other))
			if rest := ends.rest(); len(rest) != 2 || rest[0].Error != 1 {
				t.Fatalf("the other stream went on with %+v", rest)
			}
			gate.Release()
			if rest := stream.rest(); len(rest) != 2 || rest[0].Content != " seven." || !rest[1].done {
				t.Fatalf("the stream went on with %+v", rest)
			}
		})
	})
}

func TestRevokedByAnotherProcess(t *testing.T) {
	t.Run("an open stream of one server ends within 5 s of a revocation on another", func(t *testing.T) {
		url := storetest.Postgres(t)
		upstream := llmtest.NewServer(t, llmtest.Reply{})
		here := start(t, withModel(upstream), func(c *app.Config) { c.DatabaseURL = url })
		there := start(t, func(c *app.Config) { c.DatabaseURL = url })
		tn := here.newTenant("baker", plan.Standard, opening)
		stream, conversation, model := here.openStream(upstream, tn)
		ended := make(chan struct{})
		there.must(there.server.Chatbots.Tokens.Revoke(t.Context(), tn.workspace, tn.chatbot, tn.tokenID))
		go func() {
			defer close(ended)
			<-model.Done()
		}()
		select {
		case <-ended:
		case <-time.After(5 * time.Second):
			t.Error("5 s have passed")
		}
		here.endsWith(stream, 1, tn, conversation, model)
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
	database := newRelay(t, address.Query().Get("host")+"/.s.PGSQL."+orDefault(address.Query().Get("port"), "5432"))
	upstream := llmtest.NewServer(t, llmtest.Reply{Pieces: []string{"Yes."}})
	outer := start(t, withModel(upstream), func(c *app.Config) {
		c.DatabaseURL = "postgres://postgres@" + database.Addr().String() + address.Path
	})
	outer.server.API.Streams.Recheck = 20 * time.Millisecond
	tn := outer.newTenant("baker", plan.Standard, opening)

	outage := func(t *testing.T, during func(w *instance, release func())) {
		w := outer.within(t)
		w.eventually("questions are answered, on connections of after the last outage", func() bool {
			return w.call("POST", chatPath, openingQuestion, bearer(tn.token)).StatusCode == 200
		})
		gate := llmtest.NewGate()
		upstream.Next(llmtest.Reply{Pieces: []string{"At", " seven."}, Hold: gate, HoldAt: llmtest.AfterPieces(1)})
		stream := w.stream(openingQuestion, bearer(tn.token))
		conversation := stream.until("conversation").ConversationID
		stream.until("delta")
		database.set(true)
		w.comes("the token is looked at in vain", database.refused)
		during(w, gate.Release)
		if rest := stream.rest(); len(rest) != 2 || rest[0].Content != " seven." || !rest[1].done {
			t.Fatalf("the stream went on with %+v", rest)
		}
		if got := w.answered(tn, conversation); got.Status != chat.Complete || got.Content != "At seven." {
			t.Fatalf("stored is %v", got)
		}
	}
	t.Run("a database that goes away and comes back does not end a stream", func(t *testing.T) {
		outage(t, func(_ *instance, release func()) {
			database.set(false)
			release()
		})
	})
	t.Run("an answer that ends during the outage is stored after it", func(t *testing.T) {
		outage(t, func(w *instance, release func()) {
			release()
			w.eventually("the answer is in vain", func() bool {
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

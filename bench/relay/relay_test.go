package relay

import (
	"context"
	"fmt"
	"net"
	"sync"
	"testing"
	"time"

	"parley/bench/load"
	"parley/bench/upstream"
	"parley/internal/pgtest"
)

func listen(t *testing.T) net.Listener {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = listener.Close() })
	return listener
}

// start starts a relay before a fake model server.
func start(t *testing.T, ledger Ledger, streamChat bool) string {
	t.Helper()
	model := listen(t)
	go func() { _ = upstream.New().Serve(model) }()
	listener := listen(t)
	app := New(Options{Upstream: model.Addr().String(), StreamChat: streamChat, Ledger: ledger})
	go func() { _ = app.Listener(listener) }()
	t.Cleanup(func() { _ = app.Shutdown() })
	return listener.Addr().String()
}

// ask puts some load on a relay and returns what came of it.
func ask(t *testing.T, address, token string, stream bool) load.Result {
	t.Helper()
	path := "/api/v1/chat"
	if stream {
		path += "/stream"
	}
	exchange := &load.Exchange{
		Address: address, Request: load.Post(address, path, token, `{"message":"How do I revoke a token?"}`),
		Stream: stream, Format: load.Conversation, Want: upstream.Text(),
	}
	none := func() (time.Duration, error) { return 0, nil }
	for { // A busy machine may need more than one try to get an answer.
		got, err := load.Run(context.Background(), exchange, load.Plan{Clients: 4, For: 50 * time.Millisecond, CPU: none})
		if err != nil {
			t.Fatal(err)
		}
		if got.Requests+got.Failures > 0 {
			return got
		}
	}
}

func wantWhole(t *testing.T, got load.Result) {
	t.Helper()
	if got.Requests == 0 || got.Failures > 0 {
		t.Fatalf("%d answers, %d failures: %s", got.Requests, got.Failures, got.Failure)
	}
}

func TestBareRelay(t *testing.T) {
	for _, streamChat := range []bool{false, true} {
		address := start(t, nil, streamChat)
		for _, stream := range []bool{false, true} {
			t.Run(fmt.Sprintf("its answers are whole, streamed: %v, from a stream always: %v", stream, streamChat), func(t *testing.T) {
				wantWhole(t, ask(t, address, "", stream))
			})
		}
	}
}

// counting counts what a ledger committed.
type counting struct {
	Ledger
	mu    sync.Mutex
	roles map[string]int
}

func (c *counting) Append(ctx context.Context, chatbot, role, text string) error {
	err := c.Ledger.Append(ctx, chatbot, role, text)
	c.mu.Lock()
	defer c.mu.Unlock()
	if err == nil && chatbot == "cb_bench" && text != "" {
		c.roles[role]++
	}
	return err
}

// take returns what was committed since it was last called.
func (c *counting) take() map[string]int {
	c.mu.Lock()
	defer c.mu.Unlock()
	taken := c.roles
	c.roles = map[string]int{}
	return taken
}

func TestDurableRelay(t *testing.T) {
	ctx := context.Background()
	for name, open := range map[string]func(*testing.T) (Ledger, error){
		"SQLite":                    func(t *testing.T) (Ledger, error) { return SQLite(ctx, t.TempDir()) },
		"SQLite with group commits": func(t *testing.T) (Ledger, error) { return GroupedSQLite(ctx, t.TempDir()) },
		"PostgreSQL":                func(t *testing.T) (Ledger, error) { return Postgres(ctx, pgtest.New(t)) },
	} {
		ledger, err := open(t)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = ledger.Close() })
		counted := &counting{Ledger: ledger, roles: map[string]int{}}
		address := start(t, counted, false)
		for _, stream := range []bool{false, true} {
			t.Run(fmt.Sprintf("on %s it stores a question and an answer for each request, streamed: %v", name, stream), func(t *testing.T) {
				counted.take()
				got := ask(t, address, Token, stream)
				wantWhole(t, got)
				stored := counted.take()
				if stored["user"] < got.Requests || stored["user"] != stored["assistant"] {
					t.Fatalf("%d answers, but stored %v", got.Requests, stored)
				}
			})
		}
		t.Run("on "+name+" an unknown token gets no answer", func(t *testing.T) {
			if got := ask(t, address, "unknown", false); got.Requests > 0 {
				t.Fatalf("%d answers", got.Requests)
			}
		})
	}
}

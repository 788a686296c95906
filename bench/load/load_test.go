package load

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"parley/bench/upstream"
)

// serve answers every request with what a handler of the standard library
// writes, and returns the exchange that asks it.
func serve(t *testing.T, stream bool, want string, handler http.HandlerFunc) *Exchange {
	t.Helper()
	server := httptest.NewServer(handler)
	t.Cleanup(server.Close)
	address := server.Listener.Addr().String()
	return &Exchange{
		Address: address, Request: Post(address, "/", "secret", `{"message":"hi"}`),
		Stream: stream, Format: Conversation, Want: want,
	}
}

func events(lines ...string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		for _, line := range lines {
			_, _ = fmt.Fprintf(w, "data: %s\n\n", line)
			w.(http.Flusher).Flush()
		}
	}
}

// ask exchanges twice over one connection.
func ask(t *testing.T, exchange *Exchange) error {
	t.Helper()
	c, err := dial(exchange)
	if err != nil {
		t.Fatal(err)
	}
	defer c.close()
	for range 2 {
		if err := c.start(); err != nil {
			return err
		}
		if err := c.finish(); err != nil {
			return err
		}
	}
	return nil
}

func TestStreams(t *testing.T) {
	const conversation = `{"type":"conversation","conversation_id":7}`
	for _, test := range []struct {
		name  string
		lines []string
	}{
		{"a stream of deltas is whole", []string{conversation, `{"type":"delta","content":"Hello, "}`, `{"type":"delta","content":"world"}`, "[DONE]"}},
		{"pieces may have any size, and escapes", []string{`{"type":"delta","content":"Hell\u006f"}`, `{"content":", world","type":"delta"}`, "[DONE]"}},
		{"other events are passed over", []string{conversation, `{"type":"waiting","content":"Hello"}`, `{"type":"delta","content":"Hello, world"}`, `{"type":"usage"}`, "[DONE]"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			if err := ask(t, serve(t, true, "Hello, world", events(test.lines...))); err != nil {
				t.Fatal(err)
			}
		})
	}
	for _, test := range []struct {
		name, says string
		lines      []string
	}{
		{"a stream without [DONE] was cut", "without [DONE]", []string{`{"type":"delta","content":"Hello, world"}`}},
		{"a stream that lacks text is not whole", "5 of 12", []string{`{"type":"delta","content":"Hello"}`, "[DONE]"}},
		{"a stream with another text is not whole", `"Goodbye"`, []string{`{"type":"delta","content":"Goodbye"}`, "[DONE]"}},
		{"a stream with too much text is not whole", "not the text", []string{`{"type":"delta","content":"Hello, world!"}`, "[DONE]"}},
		{"a stream without text is not whole", "there is none", []string{conversation, "[DONE]"}},
		{"an error event is a failure", "Try again.", []string{`{"type":"delta","content":"Hello"}`, `{"type":"error","error":5,"error_message":"Try again."}`, "[DONE]"}},
		{"nothing may come after [DONE]", "after [DONE]", []string{`{"type":"delta","content":"Hello, world"}`, "[DONE]", "[DONE]"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			err := ask(t, serve(t, true, "Hello, world", events(test.lines...)))
			if err == nil || !strings.Contains(err.Error(), test.says) {
				t.Fatalf("got %v", err)
			}
		})
	}
}

func TestWholeAnswers(t *testing.T) {
	for _, test := range []struct {
		name, body, says string
		status           int
	}{
		{"an answer with the text is whole", `{"error":0,"error_message":"","data":{"message":"Hello","conversation_id":7}}`, "", 200},
		{"the order of fields does not matter", `{"data":{"message":"Hell\u006f"},"error":0}`, "", 200},
		{"an answer with another text is a failure", `{"error":0,"data":{"message":"Goodbye"}}`, "Goodbye", 200},
		{"an answer with an error code is a failure", `{"error":5,"error_message":"Try again.","data":null}`, "Try again.", 200},
		{"an answer without an error code is a failure", `{"data":{"message":"Hello"}}`, "reported an error", 200},
		{"another status is a failure", `{"error":7,"error_message":"Slow down."}`, "429", 429},
	} {
		t.Run(test.name, func(t *testing.T) {
			err := ask(t, serve(t, false, "Hello", func(w http.ResponseWriter, _ *http.Request) {
				w.WriteHeader(test.status)
				_, _ = w.Write([]byte(test.body))
			}))
			if test.says == "" && err != nil {
				t.Fatal(err)
			}
			if test.says != "" && (err == nil || !strings.Contains(err.Error(), test.says)) {
				t.Fatalf("got %v", err)
			}
		})
	}
}

// fake starts the fake model server.
func fake(t *testing.T) string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	go func() { _ = upstream.New().Serve(listener) }()
	t.Cleanup(func() { _ = listener.Close() })
	return listener.Addr().String()
}

func asked(address string, stream bool) *Exchange {
	body := fmt.Sprintf(`{"stream":%v}`, stream)
	return &Exchange{
		Address: address, Request: Post(address, "/v1/chat/completions", "", body),
		Stream: stream, Format: Completion, Want: upstream.Text(),
	}
}

// runUntil runs until there is an answer: a busy machine may need more than
// one try.
func runUntil(t *testing.T, exchange *Exchange, plan Plan) Result {
	t.Helper()
	for {
		got, err := Run(context.Background(), exchange, plan)
		if err != nil {
			t.Fatal(err)
		}
		if got.Requests+got.Failures > 0 {
			return got
		}
	}
}

func TestLoad(t *testing.T) {
	address := fake(t)
	plan := Plan{Clients: 3, For: 50 * time.Millisecond, CPU: func() (time.Duration, error) { return time.Second, nil }}
	for _, stream := range []bool{false, true} {
		t.Run(fmt.Sprintf("every answer of the fake model server is whole, streamed: %v", stream), func(t *testing.T) {
			got := runUntil(t, asked(address, stream), plan)
			if got.Failures > 0 {
				t.Fatalf("%d failures: %s", got.Failures, got.Failure)
			}
			if got.Requests == 0 || len(got.First) != got.Requests || len(got.Whole) != got.Requests {
				t.Fatalf("%d requests, %d and %d times", got.Requests, len(got.First), len(got.Whole))
			}
		})
	}
	t.Run("failures are counted, and the first is told", func(t *testing.T) {
		exchange := asked(address, true)
		exchange.Want = "Another text"
		got := runUntil(t, exchange, plan)
		if got.Requests > 0 || !strings.Contains(got.Failure, "not the text") {
			t.Fatalf("got %d requests, %d failures, %q", got.Requests, got.Failures, got.Failure)
		}
	})
	t.Run("a load ends with its context", func(t *testing.T) {
		ctx, cancel := context.WithCancel(context.Background())
		cancel()
		if _, err := Run(ctx, asked(address, true), Plan{Clients: 1, For: time.Hour, CPU: plan.CPU}); err == nil {
			t.Fatal("it ended without an error")
		}
	})
}

func TestHeldStreams(t *testing.T) {
	address := fake(t)
	control := func(path string) {
		response, err := http.Get("http://" + address + path)
		if err != nil {
			t.Fatal(err)
		}
		_ = response.Body.Close()
	}
	t.Run("held streams have some text, and are whole once released", func(t *testing.T) {
		control(upstream.StallPath)
		held, err := Hold(asked(address, true), 40)
		if err != nil {
			t.Fatal(err)
		}
		defer held.Close()
		for _, c := range held.clients {
			if c.at == 0 || c.at == len(c.exchange.Want) {
				t.Fatalf("%d bytes have come", c.at)
			}
		}
		control(upstream.ReleasePath)
		if err := held.Finish(); err != nil {
			t.Fatal(err)
		}
	})
}

func TestQuantile(t *testing.T) {
	times := []time.Duration{1, 2, 3, 4, 5}
	for q, want := range map[float64]time.Duration{0: 1, 0.5: 3, 0.99: 5, 1: 5} {
		if got := Quantile(times, q); got != want {
			t.Errorf("%v of them is %d, not %d", q, got, want)
		}
	}
	if Quantile(nil, 0.5) != 0 {
		t.Error("of no times it is 0")
	}
}

package upstreamtest

import (
	"context"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"

	"parley/core/answer"
	"parley/llm/llmtest"
	"parley/llm/upstream"
)

func (a *Adapter) connections(t *testing.T) {
	t.Run("one connection carries one answer after another", func(t *testing.T) {
		server := a.Serve(t, llmtest.Reply{Pieces: []string{"Yes."}})
		dials := 0
		model := a.at(t, server, func(c *Config) {
			c.HTTPClient = dialing(func(address string) string {
				dials++
				return address
			})
		})
		for range 5 {
			if _, _, err := generate(t.Context(), model); err != nil {
				t.Fatalf("Generate: %v", err)
			}
		}
		if dials != 1 {
			t.Errorf("%d connections were made, want 1", dials)
		}
	})
	t.Run("an unreachable server is a fault", func(t *testing.T) {
		_, _, err := generate(t.Context(), a.once(t, "http://user:"+Key+"@"+deaf))
		found := WantFault(t, err, NotAnswered)
		if !strings.Contains(found.Cause.Error(), "connection refused") {
			t.Errorf("cause = %v", found.Cause)
		}
	})
	t.Run("a server that echoes the request cannot get it into the error", func(t *testing.T) {
		listener, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = listener.Close() }()
		go echoAll(listener)
		_, _, err = generate(t.Context(), a.once(t, "http://"+listener.Addr().String()+"/"+Key))
		WantFault(t, err, NotAnswered)
	})
}

// deaf is an address at which nothing listens.
const deaf = "127.0.0.1:1"

// once returns a model that never retries.
func (a *Adapter) once(t *testing.T, address string) answer.Model {
	t.Helper()
	limits := patient()
	limits.Retries = -1
	return a.Open(t, Config{BaseURL: address, Limits: limits})
}

// dialing returns a client that lets instead replace the address to dial.
func dialing(instead func(address string) string) *http.Client {
	client := upstream.NewHTTPClient()
	transport := client.Transport.(*http.Transport)
	dial := transport.DialContext
	transport.DialContext = func(ctx context.Context, network, address string) (net.Conn, error) {
		return dial(ctx, network, instead(address))
	}
	return client
}

func echoAll(listener net.Listener) {
	for {
		connection, err := listener.Accept()
		if err != nil {
			return
		}
		go func() {
			_, _ = io.CopyN(connection, connection, 200)
			_ = connection.Close()
		}()
	}
}

func (a *Adapter) characters(t *testing.T) {
	long := strings.Repeat("word ", 10_000)
	for name, c := range map[string]struct{ pieces, want []string }{
		"split over two pieces are emitted whole":           {[]string{"a\xf0\x9f", "\x91", "\x8d", "b"}, []string{"a", "👍", "b"}},
		"that are invalid become the replacement character": {[]string{"a\xffb", "\xe4\xbd"}, []string{"a\ufffdb", "\ufffd"}},
		"may exceed the buffers":                            {[]string{long, "end"}, []string{long, "end"}},
		"may be split after the size of the buffers":        {[]string{long + "\xf0\x9f", "\x91\x8d"}, []string{long, "👍"}},
		"that look like an event are still text":            {[]string{"It is\n\ndata: {\"error\":{}}\n\n"}, []string{"It is\n\ndata: {\"error\":{}}\n\n"}},
		"may fill a line of 1 MiB":                          {[]string{strings.Repeat("word ", mebibyte/5-100)}, []string{strings.Repeat("word ", mebibyte/5-100)}},
		"of thoughts are left out":                          {[]string{"<think>They ", "ask.</think>", "\n", "At seven."}, []string{"At seven."}},
	} {
		t.Run(name, func(t *testing.T) {
			got, _, err := generate(t.Context(), a.at(t, a.Serve(t, llmtest.Reply{Pieces: c.pieces}), nil))
			if err != nil || strings.Join(got, "|") != strings.Join(c.want, "|") {
				t.Errorf("got %d pieces and %v", len(got), err)
			}
		})
	}
}

package api

import (
	"bytes"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"parley/core/chatbot"
	"parley/core/plan"
	"parley/e2e/harness"
	"parley/llm/llmtest"
)

// clients are the folders under clients with the command that runs each one's tests
// against the server of this test.
var clients = []struct {
	folder  string
	command []string
}{
	{"go", []string{"go", "test", "-count=1", "./..."}},
	{"typescript", []string{"./test.sh"}},
	{"python", []string{"./test.sh"}},
}

// TestClients runs the tests of the published clients against the program, and against
// the ways in which a network and a busy server fail.
func TestClients(t *testing.T) {
	t.Parallel()
	upstream := llmtest.NewServer(t, llmtest.Reply{})
	hold := llmtest.NewGate()
	upstream.Answers(func(body []byte) llmtest.Reply { return replyToClients(body, hold) })
	site := harness.NewSite(t)
	w := harness.Start(t, harness.WithModel(upstream), site.Allowed)
	owner := w.NewTenant("clients", plan.Enterprise, harness.RouterManual)
	w.WantReady(owner, 1)
	_, all := w.Issue(owner, chatbot.NewToken{Scopes: chatbot.AllScopes()})
	_, chatting := w.Issue(owner, chatbot.NewToken{Scopes: []chatbot.Scope{chatbot.ScopeChat}})
	for _, c := range clients {
		site.Put("/"+c.folder, "We open at seven.")
		t.Run(c.folder, func(t *testing.T) {
			t.Parallel()
			environment := append(os.Environ(),
				"PARLEY_URL="+w.Base+"/api/v1", "PARLEY_TOKEN="+all, "PARLEY_CHAT_TOKEN="+chatting, "PARLEY_PAGE_URL="+site.Address("/"+c.folder),
				"PARLEY_CUT_URL="+cuttingProxy(t, w.Base)+"/api/v1", "PARLEY_LOSS_URL="+losingProxy(t, w.Base)+"/api/v1",
				"PARLEY_BUSY_URL="+busyProxy(t, w.Base)+"/api/v1", "PARLEY_GONE_URL="+gone(t)+"/api/v1")
			command := exec.CommandContext(t.Context(), c.command[0], c.command[1:]...)
			command.Dir, command.Env = filepath.Join("..", "..", "clients", c.folder), environment
			if out, err := command.CombinedOutput(); err != nil {
				t.Errorf("%v\n%s", err, out)
			}
		})
	}
}

// replyToClients answers in pieces. It fails and waits when asked to.
func replyToClients(body []byte, hold *llmtest.Gate) llmtest.Reply {
	switch {
	case bytes.Contains(body, []byte("Please fail.")):
		return llmtest.Reply{Status: http.StatusBadRequest}
	case bytes.Contains(body, []byte("Talk slowly.")):
		return llmtest.Reply{Pieces: []string{"Hold it ", "for long [1]."}, Hold: hold, HoldAt: llmtest.AfterPieces(1)}
	}
	return llmtest.Reply{Pieces: strings.SplitAfter("Hold the button of the router for ten seconds [1].", " ")}
}

// cuttingProxy is the address of a proxy that ends each of the first connections in the
// middle of an answer, each a little later than the one before.
func cuttingProxy(t *testing.T, base string) string {
	var connections atomic.Int64
	t.Cleanup(func() {
		if n := connections.Load(); n < 3 && !t.Failed() {
			t.Errorf("the clients made %d connections: nothing was cut", n)
		}
	})
	return proxied(t, base, func(client, server net.Conn) {
		n := connections.Add(1)
		if n > 8 {
			_, _ = io.Copy(client, server)
			return
		}
		_, _ = io.CopyN(client, server, 500+60*n)
	})
}

// proxied is the address of a proxy. Back copies what the server sends, and ends the
// connection by returning.
func proxied(t *testing.T, base string, back func(client, server net.Conn)) string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = listener.Close() })
	go func() {
		for {
			client, err := listener.Accept()
			if err != nil {
				return
			}
			server, err := net.Dial("tcp", strings.TrimPrefix(base, "http://"))
			if err != nil {
				_ = client.Close()
				continue
			}
			go func() { _, _ = io.Copy(server, client) }()
			go func() {
				back(client, server)
				_ = client.Close()
				_ = server.Close()
			}()
		}
	}()
	return "http://" + listener.Addr().String()
}

// losingProxy is the address of a proxy that passes every request on, and breaks the
// connection in the middle of the first answer to each.
func losingProxy(t *testing.T, base string) string {
	t.Helper()
	address, err := url.Parse(base)
	if err != nil {
		t.Fatal(err)
	}
	proxy := httputil.NewSingleHostReverseProxy(address)
	var seen sync.Map
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if _, again := seen.LoadOrStore(r.Method+r.URL.String()+r.Header.Get("Idempotency-Key"), true); again {
			proxy.ServeHTTP(w, r)
			return
		}
		answer := httptest.NewRecorder()
		proxy.ServeHTTP(answer, r)
		w.Header().Set("Content-Length", strconv.Itoa(answer.Body.Len()))
		w.WriteHeader(answer.Code)
		_, _ = w.Write(answer.Body.Bytes()[:answer.Body.Len()/2])
		_ = http.NewResponseController(w).Flush()
		panic(http.ErrAbortHandler)
	}))
	t.Cleanup(server.Close)
	return server.URL
}

// busyProxy is the address of a proxy that refuses every key the first time, as a server
// that is starting does, and asks to come back in a second.
func busyProxy(t *testing.T, base string) string {
	t.Helper()
	address, err := url.Parse(base)
	if err != nil {
		t.Fatal(err)
	}
	proxy := httputil.NewSingleHostReverseProxy(address)
	proxy.FlushInterval = -1
	var seen sync.Map
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	server := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		key := r.Header.Get("Idempotency-Key")
		if _, again := seen.LoadOrStore(key, true); key != "" && !again {
			w.Header().Set("Retry-After", "1")
			w.Header().Set("X-Error-Code", "overloaded")
			w.Header().Set("Content-Type", "application/json")
			w.WriteHeader(http.StatusServiceUnavailable)
			fmt.Fprint(w, `{"error":8,"error_message":"Try again.","data":null}`)
			return
		}
		proxy.ServeHTTP(w, r)
	})}
	go func() { _ = server.Serve(listener) }()
	t.Cleanup(func() { _ = server.Close() })
	return "http://" + listener.Addr().String()
}

// gone is an address at which nobody listens.
func gone(t *testing.T) string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	return "http://" + listener.Addr().String()
}

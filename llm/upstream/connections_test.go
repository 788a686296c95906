package upstream

import (
	"bufio"
	"context"
	"errors"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"reflect"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// server answers each request with the next of its scripts, on whatever connection
// it comes.
type server struct {
	address string
	// dials counts connections.
	dials atomic.Int32
	// gone receives when a client has closed a connection.
	gone chan struct{}
}

// script is what a server does after it has read a request. It returns false to
// close the connection.
type script func(conn net.Conn) bool

// says sends a text and keeps the connection.
func says(text string) script {
	return func(conn net.Conn) bool { _, _ = io.WriteString(conn, text); return true }
}

// saysAndCloses sends a text and closes the connection.
func saysAndCloses(text string) script {
	return func(conn net.Conn) bool { _, _ = io.WriteString(conn, text); return false }
}

// serve starts a server, and returns it with a client that never retries.
func serve(t *testing.T, scripts ...script) (*server, *Client) {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s := &server{address: listener.Addr().String(), gone: make(chan struct{}, 10)}
	next := make(chan script, len(scripts))
	for _, script := range scripts {
		next <- script
	}
	go func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			s.dials.Add(1)
			go s.answer(conn, next)
		}
	}()
	t.Cleanup(func() { _ = listener.Close() })
	return s, clientOf(t, s.address, nil)
}

// clientOf returns a client of a server that never retries.
func clientOf(t *testing.T, address string, header http.Header) *Client {
	t.Helper()
	server := Server{
		BaseURL: "http://" + address, Header: header, HTTP: NewHTTPClient(),
		API: &API{Known: func(string) bool { return false }, Busy: func(int) bool { return false }},
	}
	client, err := NewClient(server, Limits{Retries: -1}.Complete())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(client.http.CloseIdleConnections)
	return client
}

// transportOf returns what carries a client's requests.
func transportOf(client *Client) *http.Transport { return client.http.Transport.(*http.Transport) }

// watchClosing closes a channel when a client closes its first connection.
func watchClosing(client *Client, closed chan struct{}) {
	transport := transportOf(client)
	dial, once := transport.DialContext, new(sync.Once)
	transport.DialContext = func(ctx context.Context, network, address string) (net.Conn, error) {
		conn, err := dial(ctx, network, address)
		return watched{conn, func() { once.Do(func() { close(closed) }) }}, err
	}
}

// watched is a connection that tells when its client closes it.
type watched struct {
	net.Conn
	closed func()
}

func (w watched) Close() error {
	w.closed()
	return w.Conn.Close()
}

func (s *server) answer(conn net.Conn, next <-chan script) {
	defer func() { s.gone <- struct{}{} }()
	defer func() { _ = conn.Close() }()
	r := bufio.NewReader(conn)
	for {
		request, err := http.ReadRequest(r)
		if err != nil {
			return
		}
		if _, err := io.Copy(io.Discard, request.Body); err != nil {
			return
		}
		if !(<-next)(conn) {
			return
		}
	}
}

// askAs returns the answer of a server to a question.
func askAs(ctx context.Context, client *Client) (*http.Response, error) {
	return client.Post(ctx, "/v1?a=b", "application/json", []byte("a question"))
}

// ask returns the body of an answer, and what ended it.
func ask(t *testing.T, client *Client) (string, error) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	response, err := askAs(ctx, client)
	if err != nil {
		return "", err
	}
	defer func() { _ = response.Body.Close() }()
	body, err := io.ReadAll(response.Body)
	return string(body), err
}

const yes = "HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nyes"

func TestAnswers(t *testing.T) {
	for name, answer := range map[string]string{
		"with a length":                 yes,
		"in chunks":                     "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1;a=b\r\ny\r\n2\r\nes\r\n0\r\nX: y\r\n\r\n",
		"after an informational one":    "HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n" + yes,
		"longer than a buffer":          "HTTP/1.1 200 OK\r\nX: " + strings.Repeat("x", 8<<10) + "\r\nContent-Length: 3\r\n\r\nyes",
		"with two lengths that agree":   "HTTP/1.1 200 OK\r\nContent-Length: 3\r\nContent-Length: 3\r\n\r\nyes",
		"of HTTP/1.0 that stays open":   "HTTP/1.0 200 OK\r\nConnection: keep-alive\r\nContent-Length: 3\r\n\r\nyes",
		"whose body the server left in": "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n",
	} {
		t.Run("one connection carries one answer after another, "+name, func(t *testing.T) {
			s, client := serve(t, says(answer), says(answer), says(answer))
			for range 3 {
				body, err := ask(t, client)
				if err != nil || body != "yes" && !strings.Contains(answer, "Length: 0") {
					t.Fatalf("got %q and %v", body, err)
				}
			}
			if got := s.dials.Load(); got != 1 {
				t.Errorf("%d connections", got)
			}
		})
	}
	t.Run("a body without a length ends with its connection", func(t *testing.T) {
		s, client := serve(t, saysAndCloses("HTTP/1.0 200 OK\r\n\r\nyes"), says(yes))
		for range 2 {
			if body, err := ask(t, client); err != nil || body != "yes" {
				t.Fatalf("got %q and %v", body, err)
			}
		}
		if got := s.dials.Load(); got != 2 {
			t.Errorf("%d connections", got)
		}
	})
	t.Run("a server that says that it closes is not asked there again", func(t *testing.T) {
		closing := strings.Replace(yes, "OK\r\n", "OK\r\nConnection: close\r\n", 1)
		s, client := serve(t, says(closing), says(yes))
		for range 2 {
			if body, err := ask(t, client); err != nil || body != "yes" {
				t.Fatalf("got %q and %v", body, err)
			}
		}
		if got := s.dials.Load(); got != 2 {
			t.Errorf("%d connections", got)
		}
	})
	t.Run("a connection that the server closed meanwhile is not used", func(t *testing.T) {
		s, client := serve(t, saysAndCloses(yes), says(yes))
		closed := make(chan struct{})
		watchClosing(client, closed)
		if body, err := ask(t, client); err != nil || body != "yes" {
			t.Fatalf("got %q and %v", body, err)
		}
		<-closed
		if body, err := ask(t, client); err != nil || body != "yes" {
			t.Fatalf("then got %q and %v", body, err)
		}
		if got := s.dials.Load(); got != 2 {
			t.Errorf("%d connections", got)
		}
	})
	t.Run("a hundred answers at the same time leave their connections to the next hundred", func(t *testing.T) {
		const streams = 100
		scripts := make([]script, 2*streams)
		for i := range scripts {
			scripts[i] = says(yes)
		}
		s, client := serve(t, scripts...)
		for range 2 {
			open := make([]*http.Response, streams)
			for i := range open {
				response, err := askAs(t.Context(), client)
				if err != nil {
					t.Fatal(err)
				}
				open[i] = response
			}
			for _, response := range open {
				if body, err := io.ReadAll(response.Body); err != nil || string(body) != "yes" {
					t.Fatalf("got %q and %v", body, err)
				}
				_ = response.Body.Close()
			}
		}
		if got := s.dials.Load(); got != streams {
			t.Errorf("%d connections", got)
		}
	})
	t.Run("an open answer keeps at most two goroutines", func(t *testing.T) {
		const streams = 50
		first := says("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\ny\r\n")
		scripts := make([]script, streams)
		for i := range scripts {
			scripts[i] = first
		}
		_, client := serve(t, scripts...)
		before := runtime.NumGoroutine()
		for range streams {
			response, err := askAs(t.Context(), client)
			if err != nil {
				t.Fatal(err)
			}
			defer func() { _ = response.Body.Close() }()
		}
		if more := runtime.NumGoroutine() - before; more > 3*streams {
			t.Errorf("%d goroutines for %d answers and as many connections of the server", more, streams)
		}
	})
}

func TestHostileServers(t *testing.T) {
	const head = "HTTP/1.1 200 OK\r\n"
	chunked := head + "Transfer-Encoding: chunked\r\n\r\n"
	for name, answer := range map[string]string{
		"closes at once":                                       "",
		"closes within the head":                               head + "Content-Length: 3\r\n",
		"closes within a body with a length":                   head + "Content-Length: 30\r\n\r\nyes",
		"closes within a chunk":                                chunked + "5\r\nyes",
		"closes between chunks":                                chunked + "3\r\nyes\r\n",
		"closes before the end of the last chunk":              chunked + "3\r\nyes\r\n0\r\n",
		"sends a size that is none":                            chunked + "yes\r\nyes\r\n0\r\n\r\n",
		"sends a negative size":                                chunked + "-3\r\nyes\r\n0\r\n\r\n",
		"sends a size that overflows":                          chunked + "10000000000000003\r\nyes\r\n0\r\n\r\n",
		"sends more than the size of a chunk":                  chunked + "2\r\nyes\r\n0\r\n\r\n",
		"sends a line of a size that never ends":               chunked + "3;" + strings.Repeat("a", 8<<10) + "\r\nyes\r\n0\r\n\r\n",
		"sends trailers that never end":                        chunked + "3\r\nyes\r\n0\r\n" + strings.Repeat("A: b\r\n", 1<<10),
		"sends two lengths that differ":                        head + "Content-Length: 3\r\nContent-Length: 4\r\n\r\nyes!",
		"sends a negative length":                              head + "Content-Length: -3\r\n\r\nyes",
		"sends a list as its length":                           head + "Content-Length: 3, 4\r\n\r\nyes!",
		"sends an encoding that nobody knows":                  head + "Transfer-Encoding: gzip, chunked\r\n\r\n3\r\nyes\r\n0\r\n\r\n",
		"sends headers that never end":                         head + strings.Repeat("A: b\r\n", maxHead/6+1),
		"sends a header line that never ends":                  head + "A: " + strings.Repeat("b", maxHead) + "\r\n\r\n",
		"sends headers that are none":                          head + "no colon\r\n\r\nyes",
		"speaks another protocol":                              "SSH-2.0-OpenSSH_9.2\r\n",
		"changes the protocol":                                 "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n",
		"sends informational answers without end":              strings.Repeat("HTTP/1.1 102 Processing\r\n\r\n", maxHead/20),
		"sends a status that is none":                          "HTTP/1.1 2x0 OK\r\nContent-Length: 3\r\n\r\nyes",
		"sends informational answers with headers without end": "HTTP/1.1 103 Early Hints\r\n" + strings.Repeat("A: b\r\n", maxHead/6+1) + "\r\n" + yes,
	} {
		t.Run("a server that "+name+" is an error, and is not asked there again", func(t *testing.T) {
			s, client := serve(t, saysAndCloses(answer), says(yes))
			if body, err := ask(t, client); err == nil {
				t.Errorf("got %q", body)
			}
			if body, err := ask(t, client); err != nil || body != "yes" {
				t.Errorf("then got %q and %v", body, err)
			}
			if got := s.dials.Load(); got != 2 {
				t.Errorf("%d connections", got)
			}
		})
	}
	for name, answer := range map[string]string{
		"with a length": yes,
		"in chunks":     "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nyes\r\n0\r\n\r\n",
		"with both":     "HTTP/1.1 200 OK\r\nContent-Length: 30\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nyes\r\n0\r\n\r\n",
	} {
		t.Run("an answer that nobody asked for, behind one "+name+", is nobody's", func(t *testing.T) {
			var logged strings.Builder
			log.SetOutput(WithoutQuotes(&logged))
			defer log.SetOutput(os.Stderr)
			s, client := serve(t, says(answer+"HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\nhidden"), says(yes))
			if body, err := ask(t, client); err != nil || body != "yes" {
				t.Errorf("got %q and %v", body, err)
			}
			<-s.gone // The client closes the connection as soon as it has seen more.
			if body, err := ask(t, client); err != nil || body != "yes" {
				t.Errorf("then got %q and %v", body, err)
			}
			if got := s.dials.Load(); got != 2 {
				t.Errorf("%d connections", got)
			}
			log.SetOutput(os.Stderr)
			if got := logged.String(); !strings.HasSuffix(got, "starting with ...\n") || strings.Contains(got, "hidden") {
				t.Errorf("the log says %q", got)
			}
		})
	}
}

func TestChangeOfProtocol(t *testing.T) {
	for name, head := range map[string]string{
		"with what belongs to it": "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n",
		"without":                 "HTTP/1.1 101 Switching Protocols\r\n\r\n",
	} {
		t.Run("a server that changes the protocol and stays silent is not waited for, "+name, func(t *testing.T) {
			s, client := serve(t, says(head))
			if _, err := askAs(t.Context(), client); !errors.Is(err, errSwitch) {
				t.Errorf("err = %v", err)
			}
			<-s.gone
		})
	}
}

func TestRequestsThatEnd(t *testing.T) {
	opening := says("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nyes")
	t.Run("a caller who leaves before the answer closes the connection", func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		s, client := serve(t, func(net.Conn) bool { cancel(); return true })
		if _, err := askAs(ctx, client); !errors.Is(err, context.Canceled) {
			t.Errorf("err = %v", err)
		}
		<-s.gone
	})
	t.Run("a caller who leaves within the answer closes the connection", func(t *testing.T) {
		s, client := serve(t, opening)
		left := errors.New("left")
		ctx, cancel := context.WithCancelCause(t.Context())
		response, err := askAs(ctx, client)
		if err != nil {
			t.Fatal(err)
		}
		begun := make([]byte, 3)
		if _, err := io.ReadFull(response.Body, begun); err != nil || string(begun) != "yes" {
			t.Errorf("got %q and %v", begun, err)
		}
		cancel(left)
		if _, err := response.Body.Read(begun); !errors.Is(err, left) {
			t.Errorf("err = %v", err)
		}
		<-s.gone
	})
	t.Run("an answer that is closed early closes the connection", func(t *testing.T) {
		s, client := serve(t, opening)
		response, err := askAs(t.Context(), client)
		if err != nil {
			t.Fatal(err)
		}
		if err := response.Body.Close(); err != nil {
			t.Error(err)
		}
		<-s.gone
	})
	t.Run("a context that has ended sends nothing", func(t *testing.T) {
		_, client := serve(t, says(yes))
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if _, err := askAs(ctx, client); !errors.Is(err, context.Canceled) {
			t.Errorf("err = %v", err)
		}
	})
	t.Run("the end of a context after the answer leaves the connection alone", func(t *testing.T) {
		s, client := serve(t, says(yes), says(yes))
		for range 2 {
			if body, err := ask(t, client); err != nil || body != "yes" { // ends its context
				t.Fatalf("got %q and %v", body, err)
			}
		}
		if got := s.dials.Load(); got != 1 {
			t.Errorf("%d connections", got)
		}
	})
}

func TestRequests(t *testing.T) {
	t.Run("a request arrives whole", func(t *testing.T) {
		arrived := make(chan string, 1)
		s := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
			body, _ := io.ReadAll(r.Body)
			arrived <- r.Method + r.RequestURI + r.Header.Get("Authorization") + r.Header.Get("Content-Length") + string(body)
		}))
		defer s.Close()
		client := clientOf(t, s.Listener.Addr().String()+"/a%20b", http.Header{"Authorization": {"Bearer key"}})
		if _, err := ask(t, client); err != nil {
			t.Fatal(err)
		}
		if got := <-arrived; got != "POST/a%20b/v1?a=bBearer key10a question" {
			t.Errorf("%q arrived", got)
		}
	})
	for name, value := range map[string]string{"a line break": "a\r\nX: y", "a zero byte": "a\x00b"} {
		t.Run("a header field with "+name+" is not sent, and not told", func(t *testing.T) {
			s, _ := serve(t)
			client := clientOf(t, s.address, http.Header{"Authorization": {value}})
			if _, err := ask(t, client); err == nil || strings.Contains(err.Error(), value[len(value)-2:]) || s.dials.Load() != 0 {
				t.Errorf("err = %v after %d connections", err, s.dials.Load())
			}
		})
	}
	t.Run("requests take the proxy that the environment names", func(t *testing.T) {
		proxy := transportOf(clientOf(t, "model.test", nil)).Proxy
		if reflect.ValueOf(proxy).Pointer() != reflect.ValueOf(http.ProxyFromEnvironment).Pointer() {
			t.Error("they take another one")
		}
	})
}

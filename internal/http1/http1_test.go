package http1

import (
	"bufio"
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"runtime"
	"strings"
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

func serve(t *testing.T, scripts ...script) (*server, *Transport) {
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
	transport := &Transport{Dial: new(net.Dialer).DialContext, Other: &http.Transport{}}
	t.Cleanup(func() {
		_ = listener.Close()
		transport.CloseIdleConnections()
	})
	return s, transport
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

// post sends a question and returns the answer.
func (s *server) post(ctx context.Context, t *testing.T, transport http.RoundTripper) (*http.Response, error) {
	t.Helper()
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, "http://"+s.address+"/v1?a=b", strings.NewReader("a question"))
	if err != nil {
		t.Fatal(err)
	}
	return transport.RoundTrip(request)
}

// ask returns the body of an answer, and what ended it.
func (s *server) ask(t *testing.T, transport http.RoundTripper) (string, error) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	response, err := s.post(ctx, t, transport)
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
			s, transport := serve(t, says(answer), says(answer), says(answer))
			for range 3 {
				body, err := s.ask(t, transport)
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
		s, transport := serve(t, saysAndCloses("HTTP/1.0 200 OK\r\n\r\nyes"), says(yes))
		for range 2 {
			if body, err := s.ask(t, transport); err != nil || body != "yes" {
				t.Fatalf("got %q and %v", body, err)
			}
		}
		if got := s.dials.Load(); got != 2 {
			t.Errorf("%d connections", got)
		}
	})
	t.Run("a server that says that it closes is not asked there again", func(t *testing.T) {
		closing := strings.Replace(yes, "OK\r\n", "OK\r\nConnection: close\r\n", 1)
		s, transport := serve(t, says(closing), says(yes))
		for range 2 {
			if body, err := s.ask(t, transport); err != nil || body != "yes" {
				t.Fatalf("got %q and %v", body, err)
			}
		}
		if got := s.dials.Load(); got != 2 {
			t.Errorf("%d connections", got)
		}
	})
	t.Run("a connection that the server closed meanwhile is not used", func(t *testing.T) {
		s, transport := serve(t, saysAndCloses(yes), says(yes))
		for range 2 {
			if body, err := s.ask(t, transport); err != nil || body != "yes" {
				t.Fatalf("got %q and %v", body, err)
			}
			if s.dials.Load() == 1 {
				<-s.gone
			}
		}
	})
	t.Run("an open answer keeps no goroutine of its own", func(t *testing.T) {
		const streams = 50
		first := says("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\ny\r\n")
		scripts := make([]script, streams)
		for i := range scripts {
			scripts[i] = first
		}
		s, transport := serve(t, scripts...)
		before := runtime.NumGoroutine()
		for range streams {
			response, err := s.post(t.Context(), t, transport)
			if err != nil {
				t.Fatal(err)
			}
			defer func() { _ = response.Body.Close() }()
		}
		if more := runtime.NumGoroutine() - before; more >= 2*streams {
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
		"sends a line of a size that never ends":               chunked + "3;" + strings.Repeat("a", 2*readSize) + "\r\nyes\r\n0\r\n\r\n",
		"sends trailers that never end":                        chunked + "3\r\nyes\r\n0\r\n" + strings.Repeat("A: b\r\n", readSize),
		"sends two lengths that differ":                        head + "Content-Length: 3\r\nContent-Length: 4\r\n\r\nyes!",
		"sends a negative length":                              head + "Content-Length: -3\r\n\r\nyes",
		"sends a list as its length":                           head + "Content-Length: 3, 4\r\n\r\nyes!",
		"sends an encoding that nobody knows":                  head + "Transfer-Encoding: gzip, chunked\r\n\r\n3\r\nyes\r\n0\r\n\r\n",
		"sends headers that never end":                         head + strings.Repeat("A: b\r\n", maxHead/6+1),
		"sends a header line that never ends":                  head + "A: " + strings.Repeat("b", maxHead) + "\r\n\r\n",
		"sends headers that are none":                          head + "no colon\r\n\r\nyes",
		"speaks another protocol":                              "SSH-2.0-OpenSSH_9.2\r\n",
		"changes the protocol":                                 "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n",
		"sends informational answers without end":              strings.Repeat("HTTP/1.1 102 Processing\r\n\r\n", 2*maxInformed),
		"sends a status that is none":                          "HTTP/1.1 2x0 OK\r\nContent-Length: 3\r\n\r\nyes",
		"sends informational answers with headers without end": "HTTP/1.1 103 Early Hints\r\n" + strings.Repeat("A: b\r\n", maxHead/6+1) + "\r\n" + yes,
	} {
		t.Run("a server that "+name+" is an error, and is not asked there again", func(t *testing.T) {
			s, transport := serve(t, saysAndCloses(answer), says(yes))
			if body, err := s.ask(t, transport); err == nil || errors.Is(err, io.EOF) {
				t.Errorf("got %q and %v", body, err)
			}
			if body, err := s.ask(t, transport); err != nil || body != "yes" {
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
			s, transport := serve(t, says(answer+"HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\nhidden"), says(yes))
			for range 2 {
				if body, err := s.ask(t, transport); err != nil || body != "yes" {
					t.Errorf("got %q and %v", body, err)
				}
			}
			if got := s.dials.Load(); got != 2 {
				t.Errorf("%d connections", got)
			}
		})
	}
}

func TestRequestsThatEnd(t *testing.T) {
	silence := func(net.Conn) bool { return true }
	opening := says("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nyes")
	t.Run("a caller who leaves before the answer closes the connection", func(t *testing.T) {
		s, transport := serve(t, silence)
		left := errors.New("left")
		ctx, cancel := context.WithCancelCause(t.Context())
		time.AfterFunc(20*time.Millisecond, func() { cancel(left) })
		if _, err := s.post(ctx, t, transport); !errors.Is(err, left) {
			t.Errorf("err = %v", err)
		}
		<-s.gone
	})
	t.Run("a caller who leaves within the answer closes the connection", func(t *testing.T) {
		s, transport := serve(t, opening)
		left := errors.New("left")
		ctx, cancel := context.WithCancelCause(t.Context())
		response, err := s.post(ctx, t, transport)
		if err != nil {
			t.Fatal(err)
		}
		time.AfterFunc(20*time.Millisecond, func() { cancel(left) })
		if body, err := io.ReadAll(response.Body); string(body) != "yes" || !errors.Is(err, left) {
			t.Errorf("got %q and %v", body, err)
		}
		<-s.gone
	})
	t.Run("an answer that is closed early closes the connection", func(t *testing.T) {
		s, transport := serve(t, opening)
		response, err := s.post(t.Context(), t, transport)
		if err != nil {
			t.Fatal(err)
		}
		if err := response.Body.Close(); err != nil {
			t.Error(err)
		}
		<-s.gone
	})
	t.Run("a context that has ended sends nothing", func(t *testing.T) {
		s, transport := serve(t, says(yes))
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if _, err := s.post(ctx, t, transport); !errors.Is(err, context.Canceled) {
			t.Errorf("err = %v", err)
		}
	})
	t.Run("the end of a context after the answer leaves the connection alone", func(t *testing.T) {
		s, transport := serve(t, says(yes), says(yes))
		for range 2 {
			if body, err := s.ask(t, transport); err != nil || body != "yes" { // ends its context
				t.Fatalf("got %q and %v", body, err)
			}
		}
		if got := s.dials.Load(); got != 1 {
			t.Errorf("%d connections", got)
		}
	})
}

func TestRequests(t *testing.T) {
	t.Run("a request arrives as net/http would send it", func(t *testing.T) {
		arrived := make(chan string, 2)
		s := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
			body, _ := io.ReadAll(r.Body)
			arrived <- r.Method + r.RequestURI + r.Host + r.Header.Get("Authorization") + r.Header.Get("Content-Length") + string(body)
		}))
		defer s.Close()
		own := &Transport{Dial: new(net.Dialer).DialContext, Other: &http.Transport{}}
		defer own.CloseIdleConnections()
		for _, transport := range []http.RoundTripper{own, own.Other} {
			request, _ := http.NewRequestWithContext(t.Context(), http.MethodPost, s.URL+"/a%20b?c=d", strings.NewReader("a question"))
			request.Header.Set("Authorization", "Bearer key")
			response, err := transport.RoundTrip(request)
			if err != nil {
				t.Fatal(err)
			}
			_ = response.Body.Close()
		}
		if one, other := <-arrived, <-arrived; one != other || !strings.HasSuffix(one, "Bearer key10a question") {
			t.Errorf("%q arrived, and by net/http %q", one, other)
		}
	})
	for name, value := range map[string]string{"a line break": "a\r\nX: y", "a zero byte": "a\x00b"} {
		t.Run("a header field with "+name+" is not sent", func(t *testing.T) {
			s, transport := serve(t)
			request, _ := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://"+s.address, http.NoBody)
			request.Header.Set("Authorization", value)
			if _, err := transport.RoundTrip(request); !errors.Is(err, errHeader) || s.dials.Load() != 0 {
				t.Errorf("err = %v after %d connections", err, s.dials.Load())
			}
		})
	}
	for name, c := range map[string]struct {
		url  string
		size int
	}{
		"to an https address":  {"https://127.0.0.1:1/", 10},
		"with a long body":     {"http://127.0.0.1:1/", maxRequest + 1},
		"to a foreign name":    {"http://ü.test/", 10},
		"that a proxy is for":  {"http://proxied.test/", 10},
		"of an unknown length": {"http://127.0.0.1:1/", -1},
	} {
		t.Run("a request "+name+" takes the other transport", func(t *testing.T) {
			taken := errors.New("taken")
			transport := &Transport{Dial: new(net.Dialer).DialContext, Other: &http.Transport{
				Proxy: func(r *http.Request) (*url.URL, error) {
					if r.URL.Host == "proxied.test" {
						return url.Parse("http://127.0.0.1:2")
					}
					return nil, nil
				},
				DialContext: func(context.Context, string, string) (net.Conn, error) { return nil, taken },
			}}
			var content io.Reader = strings.NewReader(strings.Repeat("a", max(c.size, 0)))
			if c.size < 0 {
				content = io.MultiReader(content)
			}
			request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, c.url, content)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := transport.RoundTrip(request); !errors.Is(err, taken) {
				t.Errorf("err = %v", err)
			}
		})
	}
}

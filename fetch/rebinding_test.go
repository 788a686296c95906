package fetch

import (
	"context"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"

	"golang.org/x/net/dns/dnsmessage"

	"parley/core/fault"
)

// nameServer is a DNS server over UDP. It returns one list of addresses after
// another, and repeats the last.
type nameServer struct {
	mu      sync.Mutex
	answers [][]netip.Addr
	asked   int
}

// resolver starts the server and returns a resolver that uses only it.
func (s *nameServer) resolver(t *testing.T) *net.Resolver {
	t.Helper()
	conn, err := net.ListenPacket("udp4", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		s.serve(conn)
	}()
	t.Cleanup(func() {
		_ = conn.Close()
		<-done
	})
	return &net.Resolver{PreferGo: true, Dial: func(ctx context.Context, _, _ string) (net.Conn, error) {
		return new(net.Dialer).DialContext(ctx, "udp4", conn.LocalAddr().String())
	}}
}

func (s *nameServer) serve(conn net.PacketConn) {
	buffer := make([]byte, 1500)
	for {
		n, from, err := conn.ReadFrom(buffer)
		if err != nil {
			return
		}
		var query dnsmessage.Message
		if query.Unpack(buffer[:n]) != nil || len(query.Questions) != 1 {
			continue
		}
		if answer, err := s.answer(query); err == nil {
			_, _ = conn.WriteTo(answer, from)
		}
	}
}

func (s *nameServer) answer(query dnsmessage.Message) ([]byte, error) {
	question := query.Questions[0]
	reply := dnsmessage.Message{
		Header:    dnsmessage.Header{ID: query.ID, Response: true, Authoritative: true, RecursionAvailable: true},
		Questions: query.Questions,
	}
	if question.Type == dnsmessage.TypeA {
		for _, address := range s.next() {
			reply.Answers = append(reply.Answers, dnsmessage.Resource{
				Header: dnsmessage.ResourceHeader{Name: question.Name, Type: dnsmessage.TypeA, Class: dnsmessage.ClassINET},
				Body:   &dnsmessage.AResource{A: address.As4()},
			})
		}
	}
	return reply.Pack()
}

func (s *nameServer) next() []netip.Addr {
	s.mu.Lock()
	defer s.mu.Unlock()
	answer := s.answers[min(s.asked, len(s.answers)-1)]
	s.asked++
	return answer
}

func (s *nameServer) count() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.asked
}

// serveAt serves at an address and port in loopback's 127.0.0.0/8.
func serveAt(t *testing.T, address string, handler http.HandlerFunc) *httptest.Server {
	t.Helper()
	listener, err := net.Listen("tcp4", address)
	if err != nil {
		t.Fatal(err)
	}
	server := &httptest.Server{Listener: listener, Config: &http.Server{Handler: handler}}
	server.Start()
	t.Cleanup(server.Close)
	return server
}

// TestRebinding allows 127.0.0.1, which plays the public network. 127.0.0.2, where
// another server listens on the same port, plays the private one.
func TestRebinding(t *testing.T) {
	public, private := netip.MustParseAddr("127.0.0.1"), netip.MustParseAddr("127.0.0.2")
	var reached atomic.Int64
	outside := serve(t, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/away" {
			http.Redirect(w, r, "/secret", http.StatusFound)
			w.(http.Flusher).Flush()
			return
		}
		html(w, "public")
	})
	at := strconv.Itoa(port(t, outside.URL))
	serveAt(t, "127.0.0.2:"+at, func(w http.ResponseWriter, _ *http.Request) {
		reached.Add(1)
		html(w, "secret")
	})
	site := "http://rebind.example:" + at
	const sentence = "There is no public site at this address. Check the address."

	t.Run("a public name that becomes private is refused", func(t *testing.T) {
		names := &nameServer{answers: [][]netip.Addr{{public}, {public}, {private}}}
		f := open(t, Config{Resolver: names.resolver(t)}, outside.URL)
		if got := page(t, f, site+"/first"); string(got.Body) != "public" {
			t.Fatalf("%q", got.Body)
		}
		refused(t, f, site+"/second", fault.Invalid, sentence)
		if asked := names.count(); asked < 3 {
			t.Errorf("the name was looked up %d times", asked)
		}
	})
	t.Run("a name that becomes private between a redirect and its target is refused", func(t *testing.T) {
		names := &nameServer{answers: [][]netip.Addr{{public}, {public}, {private}}}
		f := open(t, Config{Resolver: names.resolver(t)}, outside.URL)
		refused(t, f, site+"/away", fault.Invalid, sentence)
	})
	t.Run("if a name has both, the public address is used", func(t *testing.T) {
		names := &nameServer{answers: [][]netip.Addr{{private, public}}}
		f := open(t, Config{Resolver: names.resolver(t)}, outside.URL)
		if got := page(t, f, site+"/"); string(got.Body) != "public" {
			t.Fatalf("%q", got.Body)
		}
	})
	t.Run("a private name is refused", func(t *testing.T) {
		names := &nameServer{answers: [][]netip.Addr{{private}}}
		f := open(t, Config{Resolver: names.resolver(t)}, outside.URL)
		refused(t, f, site+"/", fault.Invalid, sentence)
	})
	t.Run("a name without addresses is refused", func(t *testing.T) {
		names := &nameServer{answers: [][]netip.Addr{{}}}
		f := open(t, Config{Resolver: names.resolver(t)}, outside.URL)
		refused(t, f, site+"/", fault.Invalid, "There is no public site at this address. Check the address.")
	})
	if reached.Load() > 0 {
		t.Errorf("the private server was reached %d times", reached.Load())
	}
}

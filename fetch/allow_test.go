package fetch

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/netip"
	"strconv"
	"testing"
	"testing/synctest"
	"time"

	"code.dny.dev/ssrf"
	"golang.org/x/net/dns/dnsmessage"

	"parley/core/fault"
)

func TestTargets(t *testing.T) {
	for text, reaches := range map[string]map[string]bool{
		"10.0.0.0/8:8443":       {"10.1.2.3:8443": true, "10.1.2.3:443": false, "10.1.2.3:80": false, "192.168.0.1:8443": false},
		"10.0.0.0/8":            {"10.1.2.3:80": true, "10.1.2.3:443": true, "10.1.2.3:22": false, "10.1.2.3:5432": false},
		"10.1.2.3:11434":        {"10.1.2.3:11434": true, "10.1.2.4:11434": false},
		"10.1.2.3:*":            {"10.1.2.3:1": true, "10.1.2.3:65535": true},
		"[fd00::/8]:443":        {"[fd12::1]:443": true, "[fd12::1]:80": false},
		"[fd12::1]:443":         {"[fd12::1]:443": true, "[fd12::2]:443": false},
		"fd00::/8":              {"[fd12::1]:80": true, "[fd12::1]:8080": false, "[::1]:80": false},
		"fd12::1":               {"[fd12::1]:443": true},
		" 127.0.0.1:8080 ":      {"127.0.0.1:8080": true},
		"::ffff:10.0.0.1":       {"10.0.0.1:80": true},
		"192.168.1.77/24:8080":  {"192.168.1.3:8080": true},
		"169.254.169.254/32:80": {"169.254.169.254:80": true, "169.254.169.253:80": false},
	} {
		t.Run(text+" opens no other address and no other port", func(t *testing.T) {
			target, err := ParseTarget(text)
			if err != nil {
				t.Fatal(err)
			}
			g := newGuard(Config{Allow: []Target{target}, Ports: []int{8080, 8443, 5432, 22}})
			for address, want := range reaches {
				if err := g.judge(netip.MustParseAddrPort(address)); (err == nil) != want {
					t.Errorf("%s: %v", address, err)
				}
			}
		})
	}
	for _, text := range []string{
		"", " ", ":80", "10.0.0.0/33", "10.0.0.0/8:", "10.0.0.0/8:0", "10.0.0.0/8:65536", "10.0.0.0/8:http", "http://wiki.internal",
		"wiki.internal/docs", "wiki.internal:80:81", "[fd00::/8", "[fd00::/8]443", "[fd00::/8]:", "fe80::1%eth0", "wiki internal", "wiki.internal:-1", "127.1:80", "*",
	} {
		t.Run("refused: "+text, func(t *testing.T) {
			if target, err := ParseTarget(text); err == nil {
				t.Errorf("it is %+v", target)
			}
		})
	}
}

func TestNamedTargets(t *testing.T) {
	server := serve(t, func(w http.ResponseWriter, _ *http.Request) { html(w, "intranet") })
	at := port(t, server.URL)
	names := &nameServer{answers: [][]netip.Addr{{netip.MustParseAddr("127.0.0.1")}}}
	target, err := ParseTarget("Wiki.Internal:" + strconv.Itoa(at))
	if err != nil {
		t.Fatal(err)
	}
	f := New(Config{Allow: []Target{target}, Resolver: names.resolver(t), Delay: -1})
	t.Run("a host that the operator names can be read, whatever its address", func(t *testing.T) {
		if got := page(t, f, "http://wiki.internal:"+strconv.Itoa(at)+"/"); string(got.Body) != "intranet" {
			t.Errorf("%q", got.Body)
		}
	})
	t.Run("another name of the same address cannot", func(t *testing.T) {
		refused(t, f, "http://other.internal:"+strconv.Itoa(at)+"/", fault.Invalid, "There is no public site at this address. Check the address.")
	})
	t.Run("neither can the address itself", func(t *testing.T) {
		refused(t, f, server.URL, fault.Invalid, "There is no public site at this address. Check the address.")
	})
}

// TestNamesTellNothing compares, in synthetic time, the responses for an internal
// name and for one that does not exist.
func TestNamesTellNothing(t *testing.T) {
	outcome := func(answer func(dnsmessage.Message) dnsmessage.Message, ports []int) (took time.Duration, err error) {
		synctest.Test(t, func(t *testing.T) {
			d := &dialer{guard: newGuard(Config{Ports: ports}), refuseAfter: refusalTime}
			d.judged = net.Dialer{Resolver: &net.Resolver{PreferGo: true, Dial: pipeTo(answer)}, Control: d.guard.control}
			began := time.Now()
			_, err = d.dial(t.Context(), "tcp", "maybe.internal.example:8080")
			took = time.Since(began)
		})
		return took, err
	}
	internal := func(query dnsmessage.Message) dnsmessage.Message {
		if query.Questions[0].Type == dnsmessage.TypeA {
			query.Answers = []dnsmessage.Resource{{
				Header: dnsmessage.ResourceHeader{Name: query.Questions[0].Name, Type: dnsmessage.TypeA, Class: dnsmessage.ClassINET},
				Body:   &dnsmessage.AResource{A: [4]byte{10, 1, 2, 3}},
			}}
		}
		return query
	}
	nowhere := func(query dnsmessage.Message) dnsmessage.Message {
		query.RCode = dnsmessage.RCodeNameError
		return query
	}
	for name, ports := range map[string][]int{"any port": nil, "an open port": {8080}, "a closed port": {80}} {
		t.Run("nobody learns whether an internal host exists, on "+name, func(t *testing.T) {
			tookInside, inside := outcome(internal, ports)
			tookNowhere, none := outcome(nowhere, ports)
			f := &Fetcher{}
			a, b := fault.As(f.failure(t.Context(), inside)), fault.As(f.failure(t.Context(), none))
			if a.Kind != b.Kind || a.Message != b.Message || a.RetryAfter != b.RetryAfter {
				t.Errorf("one is refused with %q, the other with %q", a.Message, b.Message)
			}
			var dns *net.DNSError
			if errors.As(inside, &dns) || errors.As(none, &dns) || errors.Is(inside, ssrf.ErrProhibitedIP) != errors.Is(none, ssrf.ErrProhibitedIP) {
				t.Errorf("programs can tell %v from %v", inside, none)
			}
			if tookInside != tookNowhere {
				t.Errorf("one takes %s, the other %s", tookInside, tookNowhere)
			}
		})
	}
}

// pipeTo returns a dialer to a DNS server that answers over pipes.
func pipeTo(answer func(dnsmessage.Message) dnsmessage.Message) func(context.Context, string, string) (net.Conn, error) {
	return func(context.Context, string, string) (net.Conn, error) {
		ours, theirs := net.Pipe()
		go func() {
			defer theirs.Close()
			for {
				var length [2]byte
				if _, err := io.ReadFull(theirs, length[:]); err != nil {
					return
				}
				body := make([]byte, int(length[0])<<8|int(length[1]))
				if _, err := io.ReadFull(theirs, body); err != nil {
					return
				}
				var query dnsmessage.Message
				if query.Unpack(body) != nil {
					return
				}
				query.Response, query.Additionals = true, nil
				reply := answer(query)
				packed, err := reply.Pack()
				if err != nil {
					return
				}
				if _, err := theirs.Write(append([]byte{byte(len(packed) >> 8), byte(len(packed))}, packed...)); err != nil {
					return
				}
			}
		}()
		return ours, nil
	}
}

package servers

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"parley/app"
	"parley/core/plan"
	"parley/e2e/harness"
)

// flood is many connections to one server.
type flood struct {
	*testing.T
	address string
	conns   []net.Conn
}

func newFlood(p *harness.Process, t *testing.T) *flood {
	f := &flood{T: t, address: strings.TrimPrefix(p.Base, "http://")}
	t.Cleanup(func() {
		for _, c := range f.conns {
			c.Close()
		}
	})
	return f
}

// opens opens n connections and sends the same on each, which the server need
// not take.
func (f *flood) opens(n int, text string) {
	f.Helper()
	for range n {
		c, err := net.Dial("tcp", f.address)
		if err != nil {
			f.Fatal(err)
		}
		f.conns = append(f.conns, c)
		_, _ = io.WriteString(c, text)
	}
}

// answers returns how many of the connections are answered with a status.
func (f *flood) answers(status int) (n int) {
	for _, c := range f.conns {
		_ = c.SetReadDeadline(time.Now().Add(harness.Patience))
		r, err := http.ReadResponse(bufio.NewReader(c), nil)
		if err == nil && r.StatusCode == status {
			n++
		}
	}
	return n
}

// memory returns the most memory that a process has had, in bytes, or has.
func memory(p *harness.Process, field string) int64 {
	p.Helper()
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", p.Command.Process.Pid))
	if err != nil {
		p.Fatal(err)
	}
	_, after, _ := strings.Cut(string(status), field+":")
	text, _, _ := strings.Cut(strings.TrimSpace(after), " ")
	kib, err := strconv.ParseInt(text, 10, 64)
	p.Must(err)
	return kib << 10
}

// mostMemory is what a flood may cost.
const mostMemory = 64 << 20

// wave is many requests without sign-in.
type wave struct {
	name     string
	n        int
	text     string
	answered int
}

// wavesWithoutSignIn are what anybody can send.
var wavesWithoutSignIn = []wave{
	{"60 documents of which one byte comes", 60, documentBegun, 401},
	{"2,000 documents of which one byte comes", 2000, documentBegun, 0},
	{"2,000 documents in chunks", 2000, "POST /api/chatbots/x/documents HTTP/1.1\r\nHost: parley\r\nTransfer-Encoding: chunked\r\n\r\n1500000\r\nx", 0},
	{"2,000 questions of which half comes", 2000, "POST /api/v1/chat HTTP/1.1\r\nHost: parley\r\nContent-Length: 1048576\r\n\r\n" + strings.Repeat("x", 64<<10), 0},
	{"2,000 forms of which half comes", 2000, "POST /sign-in HTTP/1.1\r\nHost: parley\r\nContent-Type: application/x-www-form-urlencoded\r\nContent-Length: 16384\r\n\r\n" + strings.Repeat("x", 8<<10), 0},
	{"2,000 headers that do not end", 2000, "GET / HTTP/1.1\r\nHost: parley\r\nX-A: " + strings.Repeat("x", 7<<10), 0},
	{"2,000 requests that wait for 100 Continue", 2000, "POST /sign-in HTTP/1.1\r\nHost: parley\r\nExpect: 100-continue\r\nContent-Length: 16384\r\n\r\n", 0},
}

const documentBegun = "POST /api/chatbots/x/documents HTTP/1.1\r\nHost: parley\r\nContent-Length: 22020096\r\n\r\nx"

func TestMemoryWithoutSignIn(t *testing.T) {
	if _, err := os.Stat("/proc/self/status"); err != nil {
		t.Log("the memory of a process cannot be seen here")
		return
	}
	s := &harness.Installation{T: t, Dir: t.TempDir()}
	p := s.Serve()
	for range 20 { // what a first request loads is no attacker's
		p.Call("GET", "/sign-in", "")
	}
	withstands(p, t, memory(p, "VmRSS"), wavesWithoutSignIn)
}

// withstands checks that each of the waves costs little memory beyond what there is before.
func withstands(p *harness.Process, t *testing.T, before int64, waves []wave) {
	for _, wave := range waves {
		t.Run(wave.name+" cost less than 64 MiB", func(t *testing.T) {
			f := newFlood(p, t)
			f.opens(wave.n, wave.text)
			if wave.answered != 0 {
				if n := f.answers(wave.answered); n != wave.n {
					t.Errorf("%d of %d are answered with %d", n, wave.n, wave.answered)
				}
			}
			p := &harness.Process{Instance: p.Within(t), Command: p.Command}
			if r := p.Call("GET", "/sign-in", ""); r.StatusCode != http.StatusOK {
				t.Errorf("a healthy client is answered %d", r.StatusCode)
			}
			costs(p, before)
		})
	}
}

// costs fails if a process has had much more memory than before.
func costs(p *harness.Process, before int64) {
	p.Helper()
	cost := memory(p, "VmHWM") - before
	p.Logf("%d MiB more than at rest", cost>>20)
	if cost > mostMemory {
		p.Errorf("it costs %d MiB", cost>>20)
	}
}

func TestSilentConnections(t *testing.T) {
	s := &harness.Installation{T: t, Dir: t.TempDir(), Files: 150}
	p := s.Serve()
	for name, text := range map[string]string{
		"that say nothing":              "",
		"whose header does not end":     "GET / HTTP/1.1\r\nHost: parley\r\n",
		"that are kept after an answer": "GET /healthz HTTP/1.1\r\nHost: parley\r\n\r\n",
	} {
		t.Run("a client is answered throughout while there are 160 connections "+name, func(t *testing.T) {
			p := &harness.Process{Instance: p.Within(t), Command: p.Command, Ended: p.Ended}
			f := newFlood(p, t)
			healthy := http.Client{Timeout: harness.Patience}
			kept := p.Dial() // a connection in use is not closed for them
			for range 16 {
				f.opens(10, text)
				kept.Send("GET /healthz HTTP/1.1\r\nHost: parley\r\n\r\n")
				if r := p.Read(kept.Answer()); r.StatusCode != http.StatusOK {
					t.Fatalf("answered %d", r.StatusCode)
				}
				healthy.CloseIdleConnections()
				r, err := healthy.Get(p.Base + "/sign-in")
				if err != nil {
					t.Fatal(err)
				}
				r.Body.Close()
			}
			select {
			case <-p.Ended:
				t.Fatalf("the server ended with %d:\n%s", p.ExitCode, p.ServerLog.String())
			default:
			}
		})
	}
}

func TestConnectionsOfOneClient(t *testing.T) {
	w := harness.Start(t, func(c *app.Config) { c.MaxPerClient = 2 })
	tn := w.NewTenant("baker", plan.Standard, harness.Opening)
	for range 2 {
		busy := w.Dial()
		busy.Send("POST /api/v1/chat HTTP/1.1\r\nHost: parley\r\nAuthorization: Bearer " + tn.Token + "\r\nExpect: 100-continue\r\nContent-Length: 20\r\n\r\n")
		if r := busy.Answer(); r.StatusCode != http.StatusContinue {
			t.Fatalf("the body is not awaited: %s", r.Status)
		}
	}
	for name, row := range map[string]struct {
		request string
		api     bool
	}{
		"a program": {"POST /api/v1/chat HTTP/1.1\r\nHost: parley\r\nContent-Length: 2\r\n\r\n{}", true},
		"a browser": {"GET /sign-in HTTP/1.1\r\nHost: parley\r\n\r\n", false},
	} {
		t.Run(name+" of whose address there are too many requests is told so, and when to come back", func(t *testing.T) {
			w := w.Within(t)
			client := w.Dial()
			client.Send(row.request)
			r := w.Read(client.Answer())
			w.Expect(r, http.StatusTooManyRequests)
			if r.Header.Get("Retry-After") == "" || r.Header.Get("X-Request-Id") == "" || !r.Close {
				t.Errorf("the headers are %v", r.Header)
			}
			if row.api {
				w.CheckAnswer(r, http.StatusTooManyRequests, 7)
			} else if !strings.Contains(r.Header.Get("Content-Type"), "html") || !strings.Contains(r.Text, "too many requests") {
				t.Errorf("the page is %s", r.Text)
			}
		})
	}
}

func TestSecurityHeaders(t *testing.T) {
	w := harness.Start(t)
	for _, path := range []string{"/api/v1/chat", "/api/v1/nowhere", "/api/chatbots/x/api-tokens", "/api/nowhere", "/api/webhooks/stripe"} {
		t.Run("caches keep no answer of "+path+", and browsers do not guess its type", func(t *testing.T) {
			w := w.Within(t)
			r := w.Call("GET", path, "")
			if r.Header.Get("Cache-Control") != "no-store" || r.Header.Get("X-Content-Type-Options") != "nosniff" {
				t.Errorf("the headers are %v", r.Header)
			}
			if r.Header.Get("Strict-Transport-Security") != "" {
				t.Error("a server without HTTPS asks for it")
			}
		})
	}
	t.Run("the same holds for a request that cannot be read", func(t *testing.T) {
		w := w.Within(t)
		r := w.Raw("nonsense\r\n\r\n")
		if r.Header.Get("Cache-Control") != "no-store" || r.Header.Get("X-Content-Type-Options") != "nosniff" {
			t.Errorf("the headers are %v", r.Header)
		}
	})
	t.Run("a stream says no-cache", func(t *testing.T) {
		w := w.Within(t)
		tn := w.NewTenant("baker", "standard", harness.Opening)
		r := w.Call("POST", harness.StreamPath, harness.OpeningQuestion, harness.Bearer(tn.Token))
		if r.Header.Get("Cache-Control") != "no-cache" || r.Header.Get("X-Content-Type-Options") != "nosniff" {
			t.Errorf("the headers are %v", r.Header)
		}
	})
	t.Run("browsers that came by HTTPS keep using it, on pages and elsewhere", func(t *testing.T) {
		w := harness.Start(t, func(c *app.Config) { c.BaseURL = "https://parley.example.com" })
		for _, path := range []string{"/sign-in", "/api/v1/chat", "/static/app.css", "/nowhere"} {
			if got := w.Call("GET", path, "").Header.Get("Strict-Transport-Security"); got != "max-age=31536000" {
				t.Errorf("%s says %q", path, got)
			}
		}
	})
}

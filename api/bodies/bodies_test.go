package bodies

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"strings"
	"testing"
	"time"

	"github.com/gofiber/fiber/v2"

	"parley/core/fault"
	"parley/internal/socket"
)

const wait = 20 * time.Second

// newServer serves routes with different limits, each of which echoes its body.
func newServer(t *testing.T, memory int64, set ...func(*fiber.App)) (all *Bodies, address string) {
	t.Helper()
	all = New(memory, func(*fiber.Ctx) netip.Addr { return netip.MustParseAddr("192.0.2.1") })
	app := fiber.New(fiber.Config{
		Immutable: true, DisableStartupMessage: true, ReduceMemoryUsage: true, DisablePreParseMultipartForm: true,
		ErrorHandler: func(c *fiber.Ctx, err error) error {
			status := map[fault.Kind]int{fault.RateLimited: 429, fault.Unavailable: 503, fault.Invalid: 422}[fault.As(err).Kind]
			if refused, ok := err.(*fiber.Error); ok {
				status = refused.Code
			}
			return c.SendStatus(status)
		},
	})
	app.Server().HeaderReceived = HeadOnly
	app.Use(all.Middleware)
	for _, change := range set {
		change(app)
	}
	echo := func(c *fiber.Ctx) error {
		if err := Read(c); err != nil {
			return err
		}
		return c.SendString(fmt.Sprintf("[%s]", c.Request().Body()))
	}
	app.Post("/small", UpTo(10), echo)
	app.Post("/large", UpTo(20<<20), echo)
	app.Post("/open", OpenUpTo(20<<20), echo)
	app.Post("/unread", UpTo(20<<20), func(c *fiber.Ctx) error { return c.SendString("not read") })
	app.Post("/form", UpTo(20<<20), func(c *fiber.Ctx) error {
		form, err := Form(c)
		if err != nil {
			return err
		}
		var said strings.Builder
		for _, p := range form {
			fmt.Fprintf(&said, "%s(%s)=%d;", p.Name, p.FileName, len(p.Content))
		}
		return c.SendString(said.String())
	})
	app.Get("/", func(c *fiber.Ctx) error { return c.SendString("next") })
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	served := make(chan error, 1)
	go func() { served <- app.Listener(socket.Listen(l, socket.Limits{})) }()
	t.Cleanup(func() {
		if err := app.ShutdownWithTimeout(wait); err != nil {
			t.Error(err)
		}
		<-served
	})
	return all, l.Addr().String()
}

// client is one connection.
type client struct {
	*testing.T
	net.Conn
	in *bufio.Reader
}

func dial(t *testing.T, address string) client {
	t.Helper()
	conn, err := net.Dial("tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	if err := conn.SetDeadline(time.Now().Add(wait)); err != nil {
		t.Fatal(err)
	}
	return client{t, conn, bufio.NewReader(conn)}
}

func (c client) sends(format string, values ...any) {
	c.Helper()
	if _, err := fmt.Fprintf(c, format, values...); err != nil {
		c.Fatal(err)
	}
}

// reads fails the test unless the next response is this one.
func (c client) reads(status int, body string) *http.Response {
	c.Helper()
	response, err := http.ReadResponse(c.in, nil)
	if err != nil {
		c.Fatalf("no answer: %v", err)
	}
	got, err := io.ReadAll(response.Body)
	if err != nil || response.StatusCode != status || body != "" && string(got) != body {
		c.Fatalf("%d %.80q, %v; want %d %.80q", response.StatusCode, got, err, status, body)
	}
	return response
}

func (c client) isClosed() {
	c.Helper()
	if rest, err := io.ReadAll(c.in); err != nil || len(rest) > 0 {
		c.Fatalf("there is more: %.80q, %v", rest, err)
	}
}

const (
	get  = "GET / HTTP/1.1\r\nHost: a\r\n\r\n"
	post = "POST /%s HTTP/1.1\r\nHost: a\r\nContent-Length: %d\r\n\r\n"
)

func TestBodies(t *testing.T) {
	_, address := newServer(t, MinMemory)
	large := strings.Repeat("x", 300<<10)

	t.Run("pipelined requests are answered one after the other", func(t *testing.T) {
		c := dial(t, address)
		c.sends(post+"%s"+get+post+"%s"+get, "large", 3, "abc", "small", 2, "de")
		c.reads(200, "[abc]")
		c.reads(200, "next")
		c.reads(200, "[de]")
		c.reads(200, "next")
	})
	t.Run("a body that arrives in pieces is read completely", func(t *testing.T) {
		c := dial(t, address)
		c.sends(post, "large", len(large))
		for i := 0; i < len(large); i += 100 << 10 {
			c.sends("%s", large[i:i+100<<10])
		}
		c.reads(200, "["+large+"]")
		c.sends(get)
		c.reads(200, "next")
	})
	t.Run("chunks are joined, and the bytes after them are the next request", func(t *testing.T) {
		c := dial(t, address)
		c.sends("POST /large HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n2;x=y\r\nde\r\n0\r\nTrailer: x\r\n\r\n" + get)
		c.reads(200, "[abcde]")
		c.reads(200, "next")
	})
	t.Run("a body that is announced as too large is refused before it arrives, and the connection is closed", func(t *testing.T) {
		c := dial(t, address)
		c.sends(post, "large", 20<<20+1)
		if r := c.reads(413, ""); !r.Close {
			t.Error("the connection stays open")
		}
	})
	t.Run("chunks above the limit are refused", func(t *testing.T) {
		c := dial(t, address)
		c.sends("POST /small HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\nb\r\n12345678901\r\n0\r\n\r\n" + get)
		c.reads(413, "")
		c.isClosed()
	})
	t.Run("a client that waits for 100 Continue gets it", func(t *testing.T) {
		c := dial(t, address)
		c.sends("POST /large HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nContent-Length: 3\r\n\r\n")
		c.reads(100, "")
		c.sends("abc" + get)
		c.reads(200, "[abc]")
		c.reads(200, "next")
	})
	for name, path := range map[string]string{"too large": "small", "not wanted": "unread"} {
		t.Run("it does not get it if the body is "+name, func(t *testing.T) {
			c := dial(t, address)
			c.sends("POST /%s HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nContent-Length: 30\r\n\r\n", path)
			r, err := http.ReadResponse(c.in, nil)
			if err != nil || r.StatusCode == 100 || !r.Close {
				t.Errorf("%+v, %v", r, err)
			}
		})
	}
	t.Run("a small unwanted body is skipped", func(t *testing.T) {
		c := dial(t, address)
		c.sends(post+"%s"+get, "unread", 3, "abc")
		c.reads(200, "not read")
		c.reads(200, "next")
	})
	t.Run("so is one that is too large for its route, even if it arrives late", func(t *testing.T) {
		c := dial(t, address)
		c.sends(post, "small", 11)
		c.reads(413, "")
		c.sends("12345678901" + get)
		c.reads(200, "next")
	})
	t.Run("a large unwanted body closes the connection, but the client can read the response", func(t *testing.T) {
		c := dial(t, address)
		c.sends(post+"%s"+get, "unread", len(large), large)
		c.reads(200, "not read")
		c.isClosed()
	})
	for name, broken := range map[string]string{
		"no size": "\r\nabc\r\n0\r\n\r\n", "a size in letters": "zz\r\nabc\r\n0\r\n\r\n", "a sign": "+3\r\nabc\r\n0\r\n\r\n",
		"a prefix": "0x3\r\nabc\r\n0\r\n\r\n", "a size of 17 digits": "10000000000000003\r\nabc\r\n0\r\n\r\n",
		"a bare LF behind the size": "3\nabc\r\n0\r\n\r\n", "a bare LF behind the data": "3\r\nabc\n0\r\n\r\n",
		"data longer than the size": "3\r\nabcd\r\n0\r\n\r\n", "a bare LF at the end": "3\r\nabc\r\n0\r\n\n",
		"a bare LF in the trailer": "3\r\nabc\r\n0\r\nA: b\n\r\n", "a blank before the size": " 3\r\nabc\r\n0\r\n\r\n",
		"an endless trailer": "3\r\nabc\r\n0\r\n" + strings.Repeat("A: b\r\n", 1000) + "\r\n",
		"an endless size":    strings.Repeat("0", 10_000) + "3\r\nabc\r\n0\r\n\r\n",
	} {
		t.Run("chunks with "+name+" are refused, and nothing after them is answered", func(t *testing.T) {
			c := dial(t, address)
			c.sends("%s", "POST /large HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n"+broken+get)
			c.reads(400, "")
			c.isClosed()
		})
	}
}

func TestSlowBody(t *testing.T) {
	all, address := newServer(t, MinMemory)
	all.patience = 20 * time.Millisecond
	c := dial(t, address)
	c.sends(post, "large", 100)
	c.reads(408, "")
	c.isClosed()
}

func TestMemory(t *testing.T) {
	const size = 4 << 20
	held := func(m *memory) int64 {
		m.mu.Lock()
		defer m.mu.Unlock()
		return m.held
	}
	t.Run("one client gets no more than its share, and others get theirs", func(t *testing.T) {
		m := newMemory(10, 4)
		one, other, third := netip.MustParsePrefix("192.0.2.1/32"), netip.MustParsePrefix("192.0.2.2/32"), netip.MustParsePrefix("192.0.2.3/32")
		for _, step := range []struct {
			client netip.Prefix
			n      int64
			want   error
		}{{one, 4, nil}, {one, 1, errTooManyOfClient}, {other, 4, nil}, {third, 3, errTooMany}, {third, 2, nil}} {
			if err := m.reserve(step.client, step.n); err != step.want {
				t.Fatalf("%d for %v: %v", step.n, step.client, err)
			}
		}
		m.release(one, 4)
		m.release(other, 4)
		m.release(third, 2)
		if m.held != 0 || len(m.clients) != 0 {
			t.Errorf("%d are held by %v", m.held, m.clients)
		}
	})
	for _, path := range []string{"large", "open"} {
		t.Run("bodies in transit to /"+path+" take memory for what has arrived, up to the share, and release it", func(t *testing.T) {
			all, address := newServer(t, MinMemory)
			bound := all.signedIn
			if path == "open" {
				bound = all.open
			}
			half := strings.Repeat("x", size/2)
			var sending []client
			for held(bound)+size/2 <= bound.perClient {
				c := dial(t, address)
				c.sends(post+"%s", path, size, half)
				sending = append(sending, c)
				for before := time.Now(); held(bound) < int64(len(sending))*size/2; {
					if time.Since(before) > wait {
						t.Fatalf("%d of %d are held", held(bound), len(sending)*size/2)
					}
					time.Sleep(time.Millisecond)
				}
			}
			late := dial(t, address)
			late.sends(post+"%s", path, size, half)
			late.reads(429, "")
			announced := dial(t, address)
			announced.sends(post+"%s", path, size, "x") // a small part
			small := dial(t, address)
			small.sends(post+"abc", path, 3)
			small.reads(200, "[abc]")
			for _, c := range sending {
				c.Close()
			}
			for before := time.Now(); held(bound) > 0; {
				if time.Since(before) > wait {
					t.Fatalf("%d bytes are held for nobody", held(bound))
				}
				time.Sleep(time.Millisecond)
			}
		})
	}
}

func TestForm(t *testing.T) {
	_, address := newServer(t, MinMemory)
	const head = "POST /form HTTP/1.1\r\nHost: a\r\nContent-Type: multipart/form-data; boundary=b\r\nContent-Length: %d\r\n\r\n"
	field := func(name, value string) string {
		return "--b\r\nContent-Disposition: form-data; name=\"" + name + "\"\r\n\r\n" + value + "\r\n"
	}
	file := func(name, value string) string {
		return "--b\r\nContent-Disposition: form-data; name=\"" + name + "\"; filename=\"f.txt\"\r\n\r\n" + value + "\r\n"
	}
	for name, row := range map[string]struct {
		form   string
		status int
		want   string
	}{
		"fields and files are distinguished":      {field("a", "12") + file("b", strings.Repeat("x", 100<<10)) + "--b--\r\n", 200, "a()=2;b(f.txt)=102400;"},
		"data after the form is not read":         {field("a", "12") + "--b--\r\nbehind", 200, "a()=2;"},
		"a truncated form is refused":             {field("a", "12"), 422, ""},
		"a form of a thousand parts and one more": {strings.Repeat(field("a", ""), 1001) + "--b--\r\n", 422, ""},
		"something other than a form":             {"abc", 422, ""},
	} {
		t.Run(name, func(t *testing.T) {
			c := dial(t, address)
			c.sends(head+"%s", len(row.form), row.form)
			c.reads(row.status, row.want)
		})
	}
	t.Run("a form in chunks is read, and the next request, too", func(t *testing.T) {
		c := dial(t, address)
		form := field("a", "12") + "--b--\r\n"
		c.sends("POST /form HTTP/1.1\r\nHost: a\r\nContent-Type: multipart/form-data; boundary=b\r\nTransfer-Encoding: chunked\r\n\r\n%x\r\n%s\r\n0\r\n\r\n"+get, len(form), form)
		c.reads(200, "a()=2;")
		c.reads(200, "next")
	})
}

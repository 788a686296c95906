package bodies

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/netip"
	"runtime"
	"strings"
	"testing"

	"github.com/gofiber/fiber/v2"
)

// holds is how much the answers hold.
func (all *Answers) holds() int64 {
	all.memory.mu.Lock()
	defer all.memory.mu.Unlock()
	return all.memory.held
}

func TestAnswers(t *testing.T) {
	sent := NewAnswers(MinMemory, func(*fiber.Ctx) netip.Addr { return netip.MustParseAddr("192.0.2.1") })
	share := sent.memory.perClient
	large := bytes.Repeat([]byte("x"), 10<<20)
	_, address := newServer(t, MinMemory, func(app *fiber.App) {
		app.Use(sent.Middleware)
		app.Get("/large", func(c *fiber.Ctx) error { return c.Send(large) })
		app.Get("/text", func(c *fiber.Ctx) error { return c.SendString(string(large)) })
		app.Get("/shared", func(c *fiber.Ctx) error { return SendShared(c, large) })
		app.Get("/owed", func(c *fiber.Ctx) error { Owe(c); return c.Send(large) })
		app.Get("/stream", func(c *fiber.Ctx) error {
			return Stream(c, StreamHolds, io.LimitReader(endless{}, 1<<20), always)
		})
		app.Get("/broken", func(c *fiber.Ctx) error {
			return Stream(c, StreamHolds, io.MultiReader(strings.NewReader(`{"list":[1`), broken{}), always)
		})
		app.Get("/times/:n", func(c *fiber.Ctx) error {
			left, _ := c.ParamsInt("n")
			return Stream(c, StreamHolds, io.LimitReader(endless{}, 1<<20), func(context.Context) error {
				if left--; left < 0 {
					return errors.New("the session has ended")
				}
				return nil
			})
		})
		app.Get("/held", func(c *fiber.Ctx) error { return c.SendString(fmt.Sprint(sent.holds())) })
	})
	get := func(path string) string { return "GET " + path + " HTTP/1.1\r\nHost: a\r\n\r\n" }
	for _, path := range []string{"/large", "/text"} {
		t.Run(path+" is whole, has its length, and is released when it is read", func(t *testing.T) {
			c := dial(t, address)
			c.sends("%s", get(path))
			if r := c.reads(200, string(large)); r.ContentLength != int64(len(large)) {
				t.Errorf("the length is %d", r.ContentLength)
			}
			c.sends("%s", get("/held"))
			c.reads(200, "0")
		})
	}
	t.Run("a stream is whole, and released when it is read", func(t *testing.T) {
		c := dial(t, address)
		c.sends("%s", get("/stream"))
		c.reads(200, strings.Repeat("x", 1<<20))
		c.sends("%s", get("/held"))
		c.reads(200, "0")
	})
	t.Run("a stream that fails ends without its last chunk", func(t *testing.T) {
		c := dial(t, address)
		c.sends("%s", get("/broken"))
		rest, err := io.ReadAll(c.in)
		if err != nil || !strings.Contains(string(rest), `{"list":[1`) || strings.HasSuffix(string(rest), "0\r\n\r\n") {
			t.Errorf("%q, %v", rest, err)
		}
	})
	for n, most := range []int{0, 64 << 10, 128 << 10} {
		t.Run(fmt.Sprintf("a stream whose reader may read on %d times ends soon after, without its last chunk", n), func(t *testing.T) {
			c := dial(t, address)
			c.sends("%s", get(fmt.Sprintf("/times/%d", n)))
			rest, err := io.ReadAll(c.in)
			if got := strings.Count(string(rest), "x"); err != nil || got > most || got == 0 && n > 0 || strings.HasSuffix(string(rest), "0\r\n\r\n") {
				t.Errorf("%d bytes, %v", got, err)
			}
		})
	}
	t.Run("a client that reads nothing gets no more than its share, what is owed excepted, and gives it back when it goes", func(t *testing.T) {
		unread := dial(t, address)
		unread.sends("%s", get("/large"))
		for sent.holds() == 0 { // the answer is being made
			runtime.Gosched()
		}
		if sent.holds()+int64(len(large)) <= share {
			t.Fatalf("the share of %d is too large for this test", share)
		}
		for _, path := range []string{"/large", "/text"} {
			refused := dial(t, address)
			refused.sends("%s", get(path))
			refused.reads(429, "")
		}
		small := dial(t, address)
		small.sends("%s", get("/held"))
		small.reads(200, "")
		shared := dial(t, address)
		shared.sends("%s", get("/shared"))
		shared.reads(200, string(large))
		owed := dial(t, address)
		owed.sends("%s", get("/owed"))
		owed.reads(200, string(large))
		unread.Close()
		for sent.holds() > 0 {
			runtime.Gosched()
		}
	})
}

func always(context.Context) error { return nil }

type endless struct{}

func (endless) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = 'x'
	}
	return len(p), nil
}

type broken struct{}

func (broken) Read([]byte) (int, error) { return 0, errors.New("the disk is gone") }

func TestManySmallThings(t *testing.T) {
	_, address := newServer(t, MinMemory, func(app *fiber.App) {
		app.Post("/pairs", UpTo(1<<20), func(c *fiber.Ctx) error {
			if err := Pairs(c); err != nil {
				return err
			}
			return c.SendString("taken")
		})
	})
	const parts = "multipart/form-data; boundary=b"
	for name, row := range map[string]struct {
		path, kind, headers, body string
		status                    int
	}{
		"a thousand pairs":                       {"/pairs", "", "", strings.Repeat("a&", 999), 200},
		"a thousand pairs and one more":          {"/pairs", "", "", strings.Repeat("a&", 1000), 422},
		"a part with a name of a kilobyte":       {"/form", parts, "", "--b\r\nContent-Disposition: form-data; name=" + strings.Repeat("a", 1<<10) + "\r\n\r\n\r\n--b--\r\n", 200},
		"a part with endless parameters":         {"/form", parts, "", "--b\r\nContent-Disposition: form-data; name=a" + strings.Repeat("; a=b", 10_000) + "\r\n\r\n\r\n--b--\r\n", 422},
		"a part with endless headers":            {"/form", parts, "", "--b\r\nContent-Disposition: form-data; name=a\r\n" + strings.Repeat("a: b\r\n", 10_000) + "\r\n\r\n--b--\r\n", 422},
		"the second part with endless headers":   {"/form", parts, "", "--b\r\nContent-Disposition: form-data; name=a\r\n\r\n" + strings.Repeat("x", 100<<10) + "\r\n--b\r\n" + strings.Repeat("a: b\r\n", 10_000) + "\r\n\r\n--b--\r\n", 422},
		"a hundred parameters":                   {"/large?" + strings.Repeat("a&", 99), "", "", "x", 200},
		"a hundred parameters and one more":      {"/large?" + strings.Repeat("a&", 100), "", "", "x", 431},
		"ninety headers":                         {"/large", "", strings.Repeat("A: b\r\n", 90), "x", 200},
		"a hundred headers and some more":        {"/large", "", strings.Repeat("A: b\r\n", 100), "x", 431},
		"two hundred cookies":                    {"/large", "", "Cookie: " + strings.Repeat("a;", 199) + "\r\n", "x", 200},
		"two hundred cookies and one more":       {"/large", "", "Cookie: " + strings.Repeat("a;", 200) + "\r\n", "x", 431},
		"two hundred and more in two of Cookies": {"/large", "", strings.Repeat("cookie: "+strings.Repeat("a;", 150)+"\r\n", 2), "x", 431},
	} {
		t.Run(fmt.Sprintf("%s: %d", name, row.status), func(t *testing.T) {
			c := dial(t, address)
			c.sends("POST %s HTTP/1.1\r\nHost: a\r\nContent-Type: %s\r\n%sContent-Length: %d\r\n\r\n%s", row.path, row.kind, row.headers, len(row.body), row.body)
			c.reads(row.status, "")
		})
	}
}

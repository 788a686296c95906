package api

import (
	"io"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/gofiber/fiber/v2"
	"github.com/valyala/fasthttp"
)

func TestLongListsAreCompressed(t *testing.T) {
	app, long := fiber.New(), strings.Repeat("token ", 2000)
	app.Get("/:length", func(c *fiber.Ctx) error {
		if c.Params("length") == "short" {
			return succeedPacked(c, "token")
		}
		return succeedPacked(c, long)
	})
	for name, want := range map[string]struct{ path, accepts, encoding string }{
		"for a browser that takes Brotli":       {"/long", "gzip, deflate, br", "br"},
		"for a program that takes gzip":         {"/long", "gzip", "gzip"},
		"not for a program that takes neither":  {"/long", "", ""},
		"not where it would save next to none":  {"/short", "br", ""},
		"not where the caller does not want it": {"/long", "br;q=0", ""},
	} {
		t.Run(name, func(t *testing.T) {
			request := httptest.NewRequest("GET", want.path, nil)
			request.Header.Set("Accept-Encoding", want.accepts)
			response, err := app.Test(request)
			if err != nil {
				t.Fatal(err)
			}
			defer response.Body.Close()
			if got := response.Header.Get("Content-Encoding"); got != want.encoding {
				t.Fatalf("it is encoded as %q", got)
			}
			if response.Header.Get("Vary") != "Accept-Encoding" {
				t.Error("a cache may give it to others")
			}
			text, err := io.ReadAll(response.Body)
			if err == nil && want.encoding == "br" {
				text, err = fasthttp.AppendUnbrotliBytes(nil, text)
			} else if err == nil && want.encoding == "gzip" {
				text, err = fasthttp.AppendGunzipBytes(nil, text)
			}
			if err != nil || want.path == "/long" && !strings.Contains(string(text), long[:len(long)-1]) {
				t.Errorf("it unpacks to %d bytes: %v", len(text), err)
			}
		})
	}
}

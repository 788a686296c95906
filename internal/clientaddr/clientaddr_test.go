package clientaddr

import (
	"net/http/httptest"
	"testing"

	"github.com/gofiber/fiber/v2"
)

func TestParse(t *testing.T) {
	t.Run("addresses and networks are read", func(t *testing.T) {
		got, err := Parse([]string{"10.0.0.1", "192.168.0.0/16", "fd00::/8"}, "")
		if err != nil || len(got.networks) != 3 {
			t.Errorf("got %v, %v", got, err)
		}
	})
	for _, wrong := range []string{"", "proxy.example.com", "10.0.0.1:80", "10.0.0.0/40", "*"} {
		t.Run("it refuses "+wrong, func(t *testing.T) {
			if got, err := Parse([]string{wrong}, ""); err == nil {
				t.Errorf("got %v", got)
			}
		})
	}
}

func TestClientAddress(t *testing.T) {
	// Requests in tests come from 0.0.0.0.
	var direct []string
	behind := []string{"0.0.0.0", "10.0.0.0/8", "fd00::/8"}
	for sentence, c := range map[string]struct {
		proxies   []string
		forwarded []string
		want      string
	}{
		"without proxies it is the connection's":         {direct, []string{"192.0.2.1"}, "0.0.0.0"},
		"behind a proxy it is the proxy's value":         {behind, []string{"192.0.2.1"}, "192.0.2.1"},
		"values that the client wrote are ignored":       {behind, []string{"203.0.113.9, 192.0.2.1"}, "192.0.2.1"},
		"even in a separate line":                        {behind, []string{"203.0.113.9", "192.0.2.1"}, "192.0.2.1"},
		"proxies behind proxies are skipped":             {behind, []string{"192.0.2.1, 10.1.2.3,fd00::1"}, "192.0.2.1"},
		"nothing before an invalid value is considered":  {behind, []string{"192.0.2.1, unknown"}, "0.0.0.0"},
		"a proxy that names nobody counts as the client": {behind, nil, "0.0.0.0"},
		"IPv4 within IPv6 is the same address":           {behind, []string{"::ffff:192.0.2.1"}, "192.0.2.1"},
		"IPv6 is normalized":                             {behind, []string{"2001:DB8:0:0::1"}, "2001:db8::1"},
	} {
		t.Run(sentence, func(t *testing.T) {
			proxies, err := Parse(c.proxies, "")
			if err != nil {
				t.Fatal(err)
			}
			app, got := fiber.New(), ""
			app.Get("/", func(c *fiber.Ctx) error {
				got = proxies.Of(c).String()
				return nil
			})
			request := httptest.NewRequest("GET", "/", nil)
			request.Header[fiber.HeaderXForwardedFor] = c.forwarded
			if _, err := app.Test(request); err != nil {
				t.Fatal(err)
			}
			if got != c.want {
				t.Errorf("got %s, want %s", got, c.want)
			}
		})
	}
}

func TestClientAddressInAnotherHeader(t *testing.T) {
	proxies, err := Parse([]string{"0.0.0.0"}, "Fly-Client-IP")
	if err != nil {
		t.Fatal(err)
	}
	app, got := fiber.New(), ""
	app.Get("/", func(c *fiber.Ctx) error {
		got = proxies.Of(c).String()
		return nil
	})
	ask := func(t *testing.T, header, value string) {
		request := httptest.NewRequest("GET", "/", nil)
		request.Header.Set(fiber.HeaderXForwardedFor, "203.0.113.9")
		request.Header.Set(header, value)
		if _, err := app.Test(request); err != nil {
			t.Fatal(err)
		}
	}
	t.Run("the proxy's own header names the client", func(t *testing.T) {
		if ask(t, "Fly-Client-IP", "2001:db8::1"); got != "2001:db8::1" {
			t.Errorf("it is %s", got)
		}
	})
	t.Run("no other header is trusted", func(t *testing.T) {
		if ask(t, "X-Real-IP", "192.0.2.1"); got != "0.0.0.0" {
			t.Errorf("it is %s", got)
		}
	})
	t.Run("an invalid header name is refused", func(t *testing.T) {
		for _, wrong := range []string{"X Forwarded", "X-Forwarded-For:", "\r\n"} {
			if _, err := Parse(nil, wrong); err == nil {
				t.Errorf("%q is accepted", wrong)
			}
		}
	})
}

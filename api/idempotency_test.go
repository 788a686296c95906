package api

import (
	"errors"
	"log/slog"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/gofiber/fiber/v2"

	"parley/core/chat"
	"parley/core/chat/turn"
	"parley/core/chatbot"
	"parley/core/fault"
)

func discarded() *slog.Logger { return slog.New(slog.DiscardHandler) }

// within runs a look at a request inside a handler of a route.
func within(t *testing.T, route, path, body string, headers [][2]string, look func(*fiber.Ctx)) {
	t.Helper()
	app := fiber.New(fiber.Config{Immutable: true})
	looked := false
	app.Post(route, func(c *fiber.Ctx) error {
		looked = true
		look(c)
		return nil
	})
	request := httptest.NewRequest("POST", path, strings.NewReader(body))
	for _, h := range headers {
		request.Header.Add(h[0], h[1])
	}
	response, err := app.Test(request, -1)
	must(t, err)
	must(t, response.Body.Close())
	if !looked {
		t.Fatalf("the request was not handled: %s", response.Status)
	}
}

func TestIdempotencyKey(t *testing.T) {
	const route, path = "/api/v1/conversations/:conversation_id/stop", "/api/v1/conversations/17/stop"
	principal := &chatbot.Principal{Token: chatbot.Token{ID: "tok_1"}}
	keys := func(values ...string) (headers [][2]string) {
		for _, value := range values {
			headers = append(headers, [2]string{"idempotency-key", value})
		}
		return headers
	}

	t.Run("a key is of the token, the route with its ids, the body and the end user", func(t *testing.T) {
		within(t, route, path, "hello", keys("a key"), func(c *fiber.Ctx) {
			key, err := keyOf(c, principal, "")
			must(t, err)
			want := chat.Key{
				TokenID: "tok_1", Route: "POST " + path, Value: "a key",
				BodyHash: key.BodyHash,
			}
			if *key != want || len(key.BodyHash) != 64 {
				t.Errorf("got %+v", *key)
			}
			for _, user := range []string{"ada", "bob", "ad", "a"} {
				other, err := keyOf(c, principal, user)
				must(t, err)
				if other.BodyHash == key.BodyHash {
					t.Errorf("%s gets what somebody else asked for", user)
				}
				key = other
			}
		})
	})
	t.Run("a request without one has none", func(t *testing.T) {
		within(t, route, path, "hello", nil, func(c *fiber.Ctx) {
			if key, err := keyOf(c, principal, ""); key != nil || err != nil {
				t.Errorf("got %v, %v", key, err)
			}
		})
	})
	for name, values := range map[string][]string{
		"one character":           {"x"},
		"255 characters":          {strings.Repeat("~", 255)},
		"a key in quotes":         {`"8e03978e-40d5-43dd-bc93-6894a57f9324"`},
		"the same key twice":      {"same", "same"},
		"a key with blanks in it": {"a  b"},
	} {
		t.Run(name+" is taken as it is", func(t *testing.T) {
			within(t, route, path, "", keys(values...), func(c *fiber.Ctx) {
				key, err := keyOf(c, principal, "")
				if must(t, err); key.Value != values[0] {
					t.Errorf("got %q", key.Value)
				}
			})
		})
	}
	for name, values := range map[string][]string{
		"an empty key":           {""},
		"256 characters":         {strings.Repeat("x", 256)},
		"a tab":                  {"a\tb"},
		"a character beyond":     {"schlüssel"},
		"two different keys":     {"one", "other"},
		"a key and an empty one": {"one", ""},
		"an empty one and a key": {"", "one"},
	} {
		t.Run(name+" is refused", func(t *testing.T) {
			within(t, route, path, "", keys(values...), func(c *fiber.Ctx) {
				_, err := keyOf(c, principal, "")
				if !fault.Is(err, fault.Invalid) || !strings.Contains(err.Error(), idempotencyHeader) {
					t.Errorf("got %v", err)
				}
			})
		})
	}
}

func TestClientGone(t *testing.T) {
	t.Run("a client that has gone is told from other ends of a turn", func(t *testing.T) {
		if !errors.Is(errClientGone, turn.ErrLeft) || errors.Is(errDraining, turn.ErrLeft) {
			t.Errorf("got %v, %v", errClientGone, errDraining)
		}
	})
}

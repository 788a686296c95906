// Package requestid gives every request an identifier for responses, error pages and log
// lines.
package requestid

import (
	"crypto/rand"

	"github.com/gofiber/fiber/v2"

	"parley/internal/id"
)

const (
	header  = "X-Request-Id"
	maxLen  = 128
	localID = "request_id"
)

// Middleware keeps a caller's own identifier of up to 128 safe characters, or creates
// one, and returns it in the response.
func Middleware(c *fiber.Ctx) error {
	requestID := c.Get(header)
	if !safe(requestID) {
		requestID = id.New(rand.Reader, "req")
	}
	c.Locals(localID, requestID)
	c.Set(header, requestID)
	return c.Next()
}

// Of returns the identifier of a request. A request that failed before the
// middleware gets one here.
func Of(c *fiber.Ctx) string {
	if requestID, ok := c.Locals(localID).(string); ok {
		return requestID
	}
	requestID := id.New(rand.Reader, "req")
	c.Locals(localID, requestID)
	c.Set(header, requestID)
	return requestID
}

func safe(requestID string) bool {
	if requestID == "" || len(requestID) > maxLen {
		return false
	}
	for i := range len(requestID) {
		switch c := requestID[i]; {
		case 'a' <= c && c <= 'z', 'A' <= c && c <= 'Z', '0' <= c && c <= '9', c == '-', c == '_', c == '.':
		default:
			return false
		}
	}
	return true
}

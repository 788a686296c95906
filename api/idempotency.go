package api

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"

	"github.com/gofiber/fiber/v2"

	"parley/api/bodies"
	"parley/core/chat"
	"parley/core/chatbot"
	"parley/core/fault"
)

const (
	idempotencyHeader = "Idempotency-Key"
	// maxIdempotencyKey is how many characters a key may have.
	maxIdempotencyKey = 255
)

var errBadKey = fault.New(fault.Invalid, "%s must have from 1 to %d characters, each a visible one of ASCII or a space. Send a random one, such as a UUID, for each request that you would repeat.",
	idempotencyHeader, maxIdempotencyKey)

// keyOf returns the idempotency key of a request for an end user, or nil when
// it has none.
// (draft-ietf-httpapi-idempotency-key-header. The key is all of the header:
// quotes are part of it.)
func keyOf(c *fiber.Ctx, principal *chatbot.Principal, externalUserID string) (*chat.Key, error) {
	value, given, err := headerOf(c, idempotencyHeader)
	if err != nil || !given {
		return nil, err
	}
	if !isIdempotencyKey(value) {
		return nil, errBadKey
	}
	if err := bodies.Read(c); err != nil {
		return nil, err
	}
	return &chat.Key{
		TokenID: principal.Token.ID, Route: filledRoute(c), Value: value, BodyHash: fingerprint(c.Request().Body(), externalUserID),
	}, nil
}

// fingerprint tells requests apart that have the same key. The end user may
// come from outside the body.
func fingerprint(body []byte, externalUserID string) string {
	user := sha256.Sum256([]byte(externalUserID))
	hash := sha256.New()
	hash.Write(user[:])
	hash.Write(body)
	return hex.EncodeToString(hash.Sum(nil))
}

func isIdempotencyKey(value string) bool {
	if value == "" || len(value) > maxIdempotencyKey {
		return false
	}
	for i := range len(value) {
		if value[i] < ' ' || value[i] > '~' {
			return false
		}
	}
	return true
}

// headerOf returns a header that a request may have once. Several that are
// equal are one.
func headerOf(c *fiber.Ctx, name string) (value string, given bool, err error) {
	for i, line := range c.Request().Header.PeekAll(name) {
		if i > 0 && string(line) != value {
			return "", true, fault.New(fault.Invalid, "The request has two different %s headers. Send one.", name)
		}
		value, given = string(line), true
	}
	return value, given, nil
}

// filledRoute is the method and the route of a request, with the identifiers
// of its path in it. They must have been looked at.
func filledRoute(c *fiber.Ctx) string {
	route := c.Route()
	path := route.Path
	for _, name := range route.Params {
		path = strings.Replace(path, ":"+name, pathID(c, name), 1)
	}
	return c.Method() + " " + path
}

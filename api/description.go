package api

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/gofiber/fiber/v2"

	"parley/api/bodies"
)

const (
	// exampleServer is in the description where the server's own address belongs.
	exampleServer = "https://parley.example.com"
	// describedFor is how long a reader may keep the description: it changes when another
	// version of the program starts.
	describedFor = "public, max-age=300"
)

// description is the handler of what describes this interface: openapi.yaml, with the
// address of this server.
type description struct {
	text []byte
	etag string
}

// describe returns the description of the server at an address.
func describe(text, address string) description {
	if quoted, err := json.Marshal(address); err == nil && address != "" { // a text of JSON is one of YAML
		text = strings.Replace(text, "- url: "+exampleServer, "- url: "+string(quoted), 1)
	}
	sum := sha256.Sum256([]byte(text))
	return description{[]byte(text), `"` + hex.EncodeToString(sum[:16]) + `"`}
}

// show answers with the description, unless the caller has it.
func (h description) show(c *fiber.Ctx) error {
	c.Set(fiber.HeaderCacheControl, describedFor)
	c.Set(fiber.HeaderETag, h.etag)
	if matches(c.Get(fiber.HeaderIfNoneMatch), h.etag) {
		c.Status(fiber.StatusNotModified)
		return nil
	}
	c.Set(fiber.HeaderContentType, "application/yaml")
	return bodies.SendShared(c, h.text)
}

// matches reports whether If-None-Match names a tag: RFC 9110, section 13.1.2.
func matches(header, etag string) bool {
	for tag := range strings.SplitSeq(header, ",") {
		if tag = strings.TrimSpace(tag); tag == "*" || strings.TrimPrefix(tag, "W/") == etag {
			return true
		}
	}
	return false
}

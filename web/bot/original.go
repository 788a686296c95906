package bot

import (
	"net/url"
	"strings"

	"github.com/gofiber/fiber/v2"

	"parley/api/bodies"
	"parley/internal/id"
	"parley/web/page"
)

// original sends the file of a document as it was uploaded. No browser shows it: it may hold scripts of
// strangers.
func (s knowledgePages) original(c *fiber.Ctx, v page.Visit) error {
	found, body, err := s.Knowledge.Documents.Original(c.UserContext(), v.WorkspaceID(), v.Chatbot.ID, id.Parse(c.Params("document")))
	if err != nil {
		return err
	}
	if err := bodies.Stream(c, bodies.StreamHolds, body, v.Again(c)); err != nil {
		return err
	}
	c.Set(fiber.HeaderContentType, fiber.MIMEOctetStream)
	c.Set(fiber.HeaderContentDisposition, attachment(found.Name))
	c.Set(fiber.HeaderXContentTypeOptions, "nosniff")
	c.Set(fiber.HeaderContentSecurityPolicy, "sandbox; default-src 'none'")
	c.Set(fiber.HeaderCacheControl, "no-store")
	return nil
}

// attachment is the header that has a file saved under its name (RFC 6266). Programs that do not know
// filename* get ASCII.
func attachment(name string) string {
	if name == "" {
		name = "document"
	}
	plain := strings.Map(func(r rune) rune {
		if r < ' ' || r > '~' || strings.ContainsRune(`"\\/;%`, r) {
			return '_'
		}
		return r
	}, name)
	return `attachment; filename="` + plain + `"; filename*=UTF-8''` + strings.ReplaceAll(url.QueryEscape(name), "+", "%20")
}

package person

import (
	"fmt"
	"strings"
	"time"

	"github.com/gofiber/fiber/v2"

	"parley/text/markdown"
	views "parley/views/person"
	"parley/views/shell"
	"parley/web/page"
)

const (
	securityTxtPath    = "/.well-known/security.txt"
	securityPolicyPath = "/security-policy"
	// securityTxtDays is how long a copy of security.txt may be believed: less
	// than a year, as RFC 9116, section 2.5.5, recommends.
	securityTxtDays = 180
)

// securityPages are the handlers of reports of vulnerabilities.
type securityPages struct{ *page.Base }

// securityTxt says whom to tell of a vulnerability: RFC 9116.
func (s securityPages) securityTxt(c *fiber.Ctx) error {
	if s.Security.Contact == "" {
		return fiber.ErrNotFound
	}
	c.Set(fiber.HeaderContentType, fiber.MIMETextPlainCharsetUTF8)
	return c.SendString(securityTxt(s.Security.Contact, s.BaseURL, s.Now()))
}

// securityPolicy shows what the operator promises to people who report vulnerabilities.
func (s securityPages) securityPolicy(c *fiber.Ctx) error {
	if s.Security.Contact == "" {
		return fiber.ErrNotFound
	}
	return page.Render(c, fiber.StatusOK, views.SecurityPolicyPage(s.wide(c), policyHTML(s.Security.Policy)))
}

// policyHTML returns the part of the policy that people outside need: without its
// title, which the page has, and without the list of tests, which links to
// files of the repository.
func policyHTML(policy string) string {
	_, policy, _ = strings.Cut(policy, "\n")
	policy, _, _ = strings.Cut(policy, "\n## Defenses")
	return markdown.Render(policy, markdown.HTML, nil)
}

// securityTxt writes the file. Web addresses in it must be https: where the
// server is reached otherwise, such as on a developer's machine, they are left
// out.
func securityTxt(contact, baseURL string, now time.Time) string {
	expires := now.UTC().Truncate(24*time.Hour).AddDate(0, 0, securityTxtDays)
	var b strings.Builder
	fmt.Fprintf(&b, "Contact: %s\nExpires: %s\nPreferred-Languages: en\n", contact, expires.Format(time.RFC3339))
	if strings.HasPrefix(baseURL, "https://") {
		fmt.Fprintf(&b, "Canonical: %s\nPolicy: %s\n", baseURL+securityTxtPath, baseURL+securityPolicyPath)
	}
	return b.String()
}

// wide is a page of text for everybody.
func (s securityPages) wide(c *fiber.Ctx) shell.Layout {
	l := s.PlainLayout(c, "Security policy")
	l.Broad = true
	return l
}

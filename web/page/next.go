package page

import (
	"net/url"
	"strings"

	"github.com/gofiber/fiber/v2"
)

// LocalPath returns a path of this server as it is, and "/" for anything that
// a browser could take for another server's address.
func LocalPath(path string) string {
	if !strings.HasPrefix(path, "/") || strings.HasPrefix(path, "//") {
		return "/"
	}
	// Browsers read a backslash as a slash, and leave control characters out.
	if strings.ContainsFunc(path, func(r rune) bool { return r == '\\' || r <= ' ' || r == 0x7f }) {
		return "/"
	}
	u, err := url.Parse(path)
	if err != nil || u.IsAbs() || u.Host != "" {
		return "/"
	}
	return path
}

// signInFirst sends a browser to sign in and back to where it was.
func signInFirst(c *fiber.Ctx) error {
	back := LocalPath(c.OriginalURL())
	if back == "/" {
		return SeeOther(c, "/sign-in")
	}
	return SeeOther(c, "/sign-in?next="+url.QueryEscape(back))
}

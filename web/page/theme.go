package page

import (
	"time"

	"github.com/gofiber/fiber/v2"
)

// themeLifetime is how long a browser keeps the choice of light or dark.
const themeLifetime = 365 * 24 * time.Hour

// Theme is "light" or "dark" where that was chosen in this browser, and empty for
// the system's. It is in the page from its first byte on, so that nothing flashes.
func (s *Base) Theme(c *fiber.Ctx) string {
	switch theme := c.Cookies(s.Sessions.named("theme")); theme {
	case "light", "dark":
		return theme
	}
	return ""
}

// SetTheme keeps the choice in this browser. Anything but light and dark is the
// system's.
func (s *Base) SetTheme(c *fiber.Ctx, theme string) {
	if theme != "light" && theme != "dark" {
		theme = ""
	}
	c.Cookie(s.Sessions.cookie(s.Sessions.named("theme"), theme, themeLifetime))
}

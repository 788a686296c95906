package bot

import (
	"github.com/gofiber/fiber/v2"

	views "parley/views/bot"
	"parley/views/shell"
	"parley/web/site"
)

// overviewPages are the handlers of a chatbot's first page.
type overviewPages struct{ *site.Site }

func (s overviewPages) overviewPage(c *fiber.Ctx, v site.Visit) error {
	return site.Render(c, fiber.StatusOK, views.OverviewPage(v.Layout(c, shell.OverviewSection, "Overview"), views.Overview{}))
}

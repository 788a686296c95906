package web

import (
	"bytes"

	"github.com/a-h/templ"
	"github.com/gofiber/fiber/v2"

	"parley/static"
	"parley/views/gallery"
	"parley/views/shell"
	"parley/web/site"
)

// Gallery adds every page and component with invented data to an app: / lists
// them. What a form sends is thrown away.
func Gallery(app *fiber.App) {
	pages := gallery.Pages()
	show := func(c *fiber.Ctx, status int, page templ.Component) error {
		site.SetHeaders(c)
		var whole bytes.Buffer
		if err := page.Render(c.UserContext(), &whole); err != nil {
			return err
		}
		c.Type("html", "utf-8")
		return c.Status(status).Send(whole.Bytes())
	}
	app.Get("/static/*", func(c *fiber.Ctx) error {
		file, _, found := static.Open(c.Params("*"))
		if !found {
			return fiber.ErrNotFound
		}
		c.Set(fiber.HeaderContentType, file.Type)
		return c.Send(file.Content)
	})
	app.Get("/", func(c *fiber.Ctx) error { return show(c, fiber.StatusOK, pages["index"]) })
	app.Get("/pages/:name", func(c *fiber.Ctx) error {
		if page, found := pages[c.Params("name")]; found {
			return show(c, fiber.StatusOK, page)
		}
		return fiber.ErrNotFound
	})
	app.Post("/*", func(c *fiber.Ctx) error { return c.Redirect("/", fiber.StatusSeeOther) })
	app.Use(func(c *fiber.Ctx) error {
		return show(c, fiber.StatusNotFound, shell.FailurePage(shell.Failure{Title: "Not found", Message: "The gallery has no page at this address."}))
	})
}

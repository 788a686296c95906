package web

import (
	"bytes"

	"github.com/a-h/templ"
	"github.com/gofiber/fiber/v2"

	"parley/static"
	"parley/views/gallery"
	"parley/views/shell"
	"parley/web/page"
)

// SampleMail is a mail about invented things.
type SampleMail struct{ Subject, Text, HTML string }

// mailPolicy lets a mail be shown as mail programs show it: with its own styles, and
// nothing fetched.
const mailPolicy = "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'"

// Gallery adds every page and component with invented data, and mails, to an app: /
// lists them. What a form sends is thrown away.
func Gallery(app *fiber.App, mails []SampleMail) {
	pages := gallery.Pages()
	var subjects []string
	for _, mail := range mails {
		subjects = append(subjects, mail.Subject)
	}
	show := func(c *fiber.Ctx, status int, shown templ.Component) error {
		page.SetHeaders(c)
		var whole bytes.Buffer
		if err := shown.Render(c.UserContext(), &whole); err != nil {
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
	app.Get("/", func(c *fiber.Ctx) error { return show(c, fiber.StatusOK, gallery.Index(subjects)) })
	app.Get("/mails/:number/:part", func(c *fiber.Ctx) error {
		n, err := c.ParamsInt("number")
		if err != nil || n < 1 || n > len(mails) {
			return fiber.ErrNotFound
		}
		page.SetHeaders(c)
		switch c.Params("part") {
		case "html":
			c.Set(fiber.HeaderContentSecurityPolicy, mailPolicy)
			c.Type("html", "utf-8")
			return c.SendString(mails[n-1].HTML)
		case "text":
			c.Type("txt", "utf-8")
			return c.SendString(mails[n-1].Text)
		}
		return fiber.ErrNotFound
	})
	app.Get("/pages/:name", func(c *fiber.Ctx) error {
		if shown, found := pages[c.Params("name")]; found {
			return show(c, fiber.StatusOK, shown)
		}
		return fiber.ErrNotFound
	})
	app.Post("/*", func(c *fiber.Ctx) error { return c.Redirect("/", fiber.StatusSeeOther) })
	app.Use(func(c *fiber.Ctx) error {
		return show(c, fiber.StatusNotFound, shell.FailurePage(shell.Failure{Title: "Not found", Message: "The gallery has no page at this address."}))
	})
}

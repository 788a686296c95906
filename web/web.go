// Package web owns the addresses of the dashboard: it registers every page, and
// serves the files of package static.
//
// The handlers are in packages bot (pages of a chatbot), workspace and person,
// one file a page, named as in the sidebar, signon (single sign-on), privacy (what is stored of whom, and its end), and reference (of the API); what they share is in package page.
// It does not own the JSON routes that a page's script calls (package api).
package web

import (
	"time"

	"github.com/gofiber/fiber/v2"

	"parley/api/route"
	"parley/web/auditlog"
	"parley/web/bot"
	"parley/web/page"
	"parley/web/person"
	"parley/web/privacy"
	"parley/web/reference"
	"parley/web/signon"
	"parley/web/workspace"
)

// Register adds every page and /static to an app, which must be made with
// Immutable, and what they declare to a table. It needs [Sessions.SameOrigin] and
// requestid.Middleware in front.
func Register(app *fiber.App, table *route.Table, deps page.Deps) {
	if deps.Now == nil {
		deps.Now = time.Now
	}
	s := &page.Base{Deps: deps}
	route.Add(table, app, "", s.Anyone, route.Get("/static/*", files{s}.static, route.Open))
	person.Register(s, app, table)
	signon.Register(s, app, table)
	workspace.Register(s, app, table)
	privacy.Register(s, app, table)
	auditlog.Register(s, app, table)
	bot.Register(s, app, table)
	reference.Register(s, app, table)
	app.Use(s.NotFound)
}

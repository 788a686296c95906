package web

import (
	"crypto/rand"
	"log/slog"
	"time"

	"github.com/gofiber/fiber/v2"

	"parley/api/route"
	"parley/core/system/grant"
	"parley/internal/requestid"
	"parley/store/tenancy"
	"parley/web/page"
	"parley/web/webtest"
)

// signedOut is the pages without a database: those that a person who is not
// signed in reaches before one is asked.
func signedOut() *fiber.App {
	tenants := tenancy.Open(nil, grant.Because("a test"), time.Now, rand.Reader, tenancy.Options{})
	app := fiber.New(fiber.Config{Immutable: true})
	app.Use(requestid.Middleware)
	Register(app, &route.Table{}, page.Deps{
		Accounts: tenants.Accounts, Tenants: tenants.Tenants, Team: tenants.Team, Sessions: page.NewSessions(tenants.Sessions, tenants.People, false, webtest.BaseURL), BaseURL: webtest.BaseURL, SignUp: true, Log: slog.New(slog.DiscardHandler),
	})
	return app
}

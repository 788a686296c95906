// Package signon owns the handlers of single sign-on, both for a visit to an identity
// provider and for the connection between a workspace and its own provider.
package signon

import (
	"github.com/gofiber/fiber/v2"

	"parley/api/route"
	"parley/core/sso"
	"parley/core/tenant"
	"parley/web/page"
)

// callback is the page to which identity providers send browsers back.
const callback = "/sign-in/sso/callback"

// returnURL returns that page's address for each workspace.
func returnURL(s *page.Base) sso.Return {
	return func(workspaceID string) string {
		if workspaceID == "" {
			return s.Address(callback)
		}
		return s.Address(callback + "/" + workspaceID)
	}
}

// Register adds the routes.
func Register(s *page.Base, app *fiber.App, table *route.Table) {
	visits, connections := visitPages{s}, connectionPages{s}
	route.Add(table, app, "/sign-in", s.Anyone,
		route.Post("/provider", visits.begin, route.Open, route.Body(page.MaxCredentials), route.On("/sso")),
		route.Get("/sso", visits.page, route.Open),
		route.Post("/sso", visits.find, route.Open, route.Body(page.MaxCredentials)),
		route.Get("/sso/callback", visits.arrive, route.Open),
		route.Get("/sso/callback/:workspace", visits.arrive, route.Open),
	)
	route.Add(table, app, "/confirm", s.WithPerson,
		route.Post("/provider", visits.beginProof, route.SignedIn, route.Body(page.MaxForm), route.On("/"), route.Frees),
	)
	route.Add(table, app, "/workspaces/:workspace/settings/sso", s.WithMember,
		route.Get("", connections.page, route.May(tenant.ManageSSO)),
		route.Post("", connections.save, route.May(tenant.ManageSSO), route.Body(page.MaxForm), route.Sensitive),
		route.Post("/try", connections.try, route.May(tenant.ManageSSO), route.Body(page.MaxForm), route.Costly, route.On("/")),
		route.Post("/domain", connections.checkDomain, route.May(tenant.ManageSSO), route.Body(page.MaxForm), route.Costly, route.On("/"), route.Sensitive),
		route.Post("/delete", connections.remove, route.May(tenant.ManageSSO), route.Body(page.MaxForm), route.On("/"), route.Sensitive, route.Frees),
	)
}

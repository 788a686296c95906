// Package privacy owns the handlers of what people may ask for about a workspace's data:
// the page of what is stored, copies, erasures, and the workspace's own end. What a page
// shows is in views/workspace. Those of an account are in package person.
package privacy

import (
	"github.com/gofiber/fiber/v2"

	"parley/api/route"
	"parley/core/tenant"
	"parley/web/page"
)

func Register(s *page.Base, app *fiber.App, table *route.Table) {
	deletions, pages := deletionPages{s}, privacyPages{s}
	route.Add(table, app, "/workspaces/:workspace", s.WithEnding,
		route.Get("/deletion", deletions.deletionPage, route.May(tenant.Read)),
		route.Post("/restore", deletions.restore, route.May(tenant.ChangePlan), route.Body(page.MaxForm), route.On("/deletion")),
	)
	route.Add(table, app, "/workspaces/:workspace", s.WithMember,
		route.Get("/privacy", pages.privacyPage, route.May(tenant.Read)),
		route.Post("/privacy/export", pages.export, route.May(tenant.ChangePlan), route.Body(page.MaxForm), route.Costly, route.On("/privacy"), route.Sensitive, route.Download, route.Frees),
		route.Post("/privacy/end-user/export", pages.exportEndUser, route.May(tenant.ManageChatbots), route.Body(page.MaxForm), route.Costly, route.On("/privacy"), route.Sensitive, route.Download, route.Frees),
		route.Post("/privacy/end-user/erase", pages.eraseEndUser, route.May(tenant.ManageChatbots), route.Body(page.MaxForm), route.Costly, route.On("/privacy"), route.Sensitive, route.Frees),
	)
}

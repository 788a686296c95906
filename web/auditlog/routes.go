// Package auditlog owns the handlers of what was done in a workspace: the list of entries, an
// entry with all that it says, and files. What the pages show is in views/auditlog.
package auditlog

import (
	"github.com/gofiber/fiber/v2"

	"parley/api/route"
	"parley/core/tenant"
	"parley/web/page"
)

func Register(s *page.Base, app *fiber.App, table *route.Table) {
	log := pages{s}
	route.Add(table, app, "/workspaces/:workspace", s.WithMember,
		route.Get("/audit", log.list, route.May(tenant.ManageMembers)),
		route.Get("/audit/export", log.export, route.May(tenant.ManageMembers), route.Costly, route.Sensitive),
		route.Get("/audit/:entry", log.entry, route.May(tenant.ManageMembers)),
	)
}

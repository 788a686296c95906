// Package bot owns the handlers of a chatbot's pages, one file a page, named as in
// the sidebar. What a page shows is in views/bot, in a file of the same name.
package bot

import (
	"github.com/gofiber/fiber/v2"

	"parley/core/tenant"
	"parley/internal/route"
	"parley/web/site"
)

func Register(s *site.Site, app *fiber.App, table *route.Table) {
	settings, knowledge, evaluations, tokens := settingsPages{s}, knowledgePages{s}, evaluationPages{s}, tokenPages{s}
	overview, welcome := overviewPages{s}, welcomePages{s}
	additions := additionPages{knowledge}
	route.Add(table, app, "/chatbots/:chatbot", s.WithMember,
		route.Get("", overview.overviewPage, route.May(tenant.Read)),
		route.Get("/welcome", welcome.welcomePage, route.May(tenant.Read)),
		route.Post("/welcome", welcome.add, route.May(tenant.EditKnowledge), route.Body(site.MaxUpload), route.Costly),
		route.Get("/settings", settings.settingsPage, route.May(tenant.Read)),
		route.Post("/settings", settings.saveSettings, route.May(tenant.ManageChatbots), route.Body(site.MaxForm)),
		route.Post("/delete", settings.deleteChatbot, route.May(tenant.ManageChatbots), route.Body(site.MaxForm)),
		route.Get("/knowledge", knowledge.knowledgePage, route.May(tenant.Read)),
		route.Post("/knowledge", additions.addDocument, route.May(tenant.EditKnowledge), route.Body(site.MaxUpload), route.Costly),
		route.Post("/knowledge/pairs", additions.addPairs, route.May(tenant.EditKnowledge), route.Body(site.MaxUpload), route.Costly),
		route.Post("/knowledge/files", additions.addFiles, route.May(tenant.EditKnowledge), route.Body(site.MaxUpload), route.Costly),
		route.Post("/knowledge/sources", additions.addSource, route.May(tenant.EditKnowledge), route.Body(site.MaxForm), route.Costly),
		route.Post("/knowledge/sources/:source/sync", knowledge.syncSource, route.May(tenant.EditKnowledge), route.Body(site.MaxForm), route.Costly),
		route.Post("/knowledge/sources/:source/remove", knowledge.removeSource, route.May(tenant.EditKnowledge), route.Body(site.MaxForm)),
		route.Get("/knowledge/removed", knowledge.removedPage, route.May(tenant.Read)),
		route.Post("/knowledge/:document/remove", knowledge.removeDocument, route.May(tenant.EditKnowledge), route.Body(site.MaxForm)),
		route.Post("/knowledge/:document/retry", knowledge.retryDocument, route.May(tenant.EditKnowledge), route.Body(site.MaxForm), route.Costly),
		route.Post("/knowledge/:document/cancel", knowledge.cancelDocument, route.May(tenant.EditKnowledge), route.Body(site.MaxForm)),
		route.Get("/evaluate", evaluations.evaluatePage, route.May(tenant.Read)),
		route.Post("/evaluate", evaluations.evaluate, route.May(tenant.Read), route.Body(site.MaxForm), route.Costly),
		route.Get("/tokens", tokens.tokensPage, route.May(tenant.Read)),
	)
}

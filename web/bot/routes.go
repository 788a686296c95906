// Package bot owns the handlers of a chatbot's pages, one file a page, named as in
// the sidebar. What a page shows is in views/bot, in a file of the same name.
package bot

import (
	"github.com/gofiber/fiber/v2"

	"parley/api/route"
	"parley/core/insight/testrun"
	"parley/core/tenant"
	"parley/web/page"
)

func Register(s *page.Base, app *fiber.App, table *route.Table) {
	settings, evaluations, tokens := settingsPages{s}, evaluationPages{s}, tokenPages{s}
	overview, welcome, playground, deploy := overviewPages{s}, welcomePages{s}, playgroundPages{s}, deployPages{s}
	conversations, improve, tests, analytics := conversationPages{s}, improvePages{s}, testPages{s}, analyticsPages{s}
	route.Add(table, app, "/chatbots/:chatbot", s.WithMember,
		route.Get("", overview.overviewPage, route.May(tenant.Read)),
		route.Get("/welcome", welcome.welcomePage, route.May(tenant.Read)),
		route.Post("/welcome", welcome.add, route.May(tenant.EditKnowledge), route.Body(page.MaxUpload), route.Costly),
		route.Get("/settings", settings.settingsPage, route.May(tenant.Read)),
		route.Post("/settings", settings.saveSettings, route.May(tenant.ManageChatbots), route.Body(page.MaxForm)),
		route.Get("/playground", playground.playgroundPage, route.May(tenant.Read)),
		route.Post("/playground/publish", playground.publish, route.May(tenant.ManageChatbots), route.Body(page.MaxForm), route.On("/playground")),
		route.Post("/delete", settings.deleteChatbot, route.May(tenant.ManageChatbots), route.Body(page.MaxForm), route.On("/settings"), route.Sensitive, route.Frees),
		route.Get("/evaluate", evaluations.evaluatePage, route.May(tenant.Read)),
		route.Post("/evaluate", evaluations.evaluate, route.May(tenant.Read), route.Body(page.MaxForm), route.Costly),
		route.Get("/conversations", conversations.list, route.May(tenant.Read)),
		route.Get("/conversations/export", conversations.export, route.May(tenant.Read), route.Costly, route.Sensitive),
		route.Get("/messages/:message", conversations.message, route.May(tenant.Read)),
		route.Get("/conversations/:conversation", conversations.thread, route.May(tenant.Read), route.Heavy),
		route.Post("/conversations/:conversation/:message/rate", conversations.rate, route.May(tenant.Read), route.Body(page.MaxForm), route.On("/conversations/:conversation")),
		route.Post("/conversations/:conversation/delete", conversations.remove, route.May(tenant.ManageChatbots), route.Body(page.MaxForm), route.On("/conversations/:conversation"), route.Frees),
		route.Get("/improve", improve.groups, route.May(tenant.Read)),
		route.Post("/improve/:message/dismiss", improve.dismiss, route.May(tenant.EditKnowledge), route.Body(page.MaxForm), route.On("/improve")),
		route.Get("/improve/answer", improve.answerPage, route.May(tenant.EditKnowledge)),
		route.Post("/improve/answer", improve.answer, route.May(tenant.EditKnowledge), route.Body(page.MaxForm), route.Costly),
		route.Get("/improve/check/:document", improve.checkPage, route.May(tenant.EditKnowledge)),
		route.Post("/improve/check/:document", improve.check, route.May(tenant.EditKnowledge), route.Body(page.MaxForm), route.Costly),
		route.Get("/improve/tests", tests.show, route.May(tenant.Read), route.Heavy),
		route.Post("/improve/tests", tests.add, route.May(tenant.EditKnowledge), route.Body(page.MaxForm)),
		route.Post("/improve/tests/run", tests.run, route.May(tenant.EditKnowledge), route.Body(page.MaxForm), route.Costly, route.On("/improve/tests")),
		route.Post("/improve/tests/undo", tests.undo, route.May(tenant.EditKnowledge), route.Body(page.MaxForm), route.On("/improve/tests")),
		route.Get("/improve/tests/export", tests.export, route.May(tenant.Read), route.Heavy),
		route.Get("/improve/tests/import", tests.importPage, route.May(tenant.EditKnowledge)),
		route.Post("/improve/tests/import", tests.importFrom, route.May(tenant.EditKnowledge), route.Body(testrun.MaxFile+page.MaxForm)),
		route.Get("/improve/tests/compare", tests.compare, route.May(tenant.Read), route.Heavy),
		route.Post("/improve/tests/runs/:run/cancel", tests.cancel, route.May(tenant.EditKnowledge), route.Body(page.MaxForm), route.On("/improve/tests"), route.Frees),
		route.Get("/improve/tests/:question", tests.editPage, route.May(tenant.EditKnowledge)),
		route.Post("/improve/tests/:question", tests.edit, route.May(tenant.EditKnowledge), route.Body(page.MaxForm)),
		route.Post("/improve/tests/:question/remove", tests.remove, route.May(tenant.EditKnowledge), route.Body(page.MaxForm), route.On("/improve/tests"), route.Frees),
		route.Get("/analytics", analytics.show, route.May(tenant.Read)),
		route.Get("/deploy", deploy.deployPage, route.May(tenant.Read)),
		route.Get("/tokens", tokens.tokensPage, route.May(tenant.Read)),
	)
	registerKnowledge(s, app, table)
}

func registerKnowledge(s *page.Base, app *fiber.App, table *route.Table) {
	knowledge := knowledgePages{s}
	route.Add(table, app, "/chatbots/:chatbot", s.WithMember,
		route.Get("/knowledge", knowledge.knowledgePage, route.May(tenant.Read)),
		route.Get("/knowledge/add", knowledge.addPage, route.May(tenant.EditKnowledge)),
		route.Post("/knowledge", knowledge.addDocument, route.May(tenant.EditKnowledge), route.Body(page.MaxUpload), route.Costly),
		route.Post("/knowledge/pairs", knowledge.addPairs, route.May(tenant.EditKnowledge), route.Body(page.MaxUpload), route.Costly, route.On("/knowledge/add?way=pairs")),
		route.Post("/knowledge/files", knowledge.addFiles, route.May(tenant.EditKnowledge), route.Body(page.MaxUpload), route.Costly, route.On("/knowledge/add?way=files")),
		route.Post("/knowledge/remove", knowledge.remove, route.May(tenant.EditKnowledge), route.Body(page.MaxForm), route.On("/knowledge"), route.Frees),
		route.Post("/knowledge/undo", knowledge.undo, route.May(tenant.EditKnowledge), route.Body(page.MaxForm), route.On("/knowledge")),
		route.Post("/knowledge/again", knowledge.readAgain, route.May(tenant.EditKnowledge), route.Body(page.MaxForm), route.Costly, route.On("/knowledge")),
		route.Get("/knowledge/addresses", knowledge.addressesPage, route.May(tenant.Read)),
		route.Post("/knowledge/sources", knowledge.addSource, route.May(tenant.EditKnowledge), route.Body(page.MaxForm), route.Costly, route.On("/knowledge/add?way=website")),
		route.Post("/knowledge/sources/:source/sync", knowledge.syncSource, route.May(tenant.EditKnowledge), route.Body(page.MaxForm), route.Costly, route.On("/knowledge/addresses")),
		route.Post("/knowledge/sources/:source/remove", knowledge.removeSource, route.May(tenant.EditKnowledge), route.Body(page.MaxForm), route.On("/knowledge/addresses"), route.Frees),
		route.Get("/knowledge/removed", knowledge.removedPage, route.May(tenant.Read)),
		route.Get("/knowledge/:document", knowledge.documentPage, route.May(tenant.Read), route.Heavy),
		route.Get("/knowledge/:document/original", knowledge.original, route.May(tenant.Read), route.Heavy),
		route.Post("/knowledge/:document/remove", knowledge.removeDocument, route.May(tenant.EditKnowledge), route.Body(page.MaxForm), route.On("/knowledge/:document"), route.Frees),
		route.Post("/knowledge/:document/retry", knowledge.retryDocument, route.May(tenant.EditKnowledge), route.Body(page.MaxForm), route.Costly, route.On("/knowledge/:document")),
		route.Post("/knowledge/:document/cancel", knowledge.cancelDocument, route.May(tenant.EditKnowledge), route.Body(page.MaxForm), route.On("/knowledge/:document"), route.Frees),
	)
}

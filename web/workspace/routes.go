// Package workspace owns the handlers of a workspace's pages, one file a page,
// named as in the sidebar. What a page shows is in views/workspace, in a file of
// the same name.
package workspace

import (
	"strings"

	"github.com/gofiber/fiber/v2"

	"parley/api/route"
	"parley/core/tenant"
	"parley/views/shell"
	"parley/web/page"
)

func Register(s *page.Base, app *fiber.App, table *route.Table) {
	chatbots, workspace, models, members := chatbotPages{s}, workspacePages{s}, modelPages{s}, memberPages{s}
	plans, limits := planPages{s}, limitPages{s}
	hooks := webhookPages{s}
	route.Add(table, app, "/workspaces/:workspace", s.WithMember,
		route.Get("", chatbots.chatbotsPage, route.May(tenant.Read)),
		route.Post("/chatbots", chatbots.createChatbot, route.May(tenant.ManageChatbots), route.Body(page.MaxForm), route.On("/")),
		route.Get("/settings", workspace.workspacePage, route.May(tenant.Read)),
		route.Post("/settings", workspace.rename, route.May(tenant.ManageMembers), route.Body(page.MaxForm)),
		route.Post("/settings/second-factor", workspace.requireSecondFactor, route.May(tenant.ChangePlan), route.Body(page.MaxForm), route.On("/settings"), route.Sensitive),
		route.Get("/webhooks", hooks.listPage, route.May(tenant.ManageTokens)),
		route.Post("/webhooks", hooks.create, route.May(tenant.ManageTokens), route.Body(page.MaxForm), route.Costly, route.Sensitive),
		route.Get("/webhooks/:webhook", hooks.page, route.May(tenant.ManageTokens)),
		route.Post("/webhooks/:webhook", hooks.save, route.May(tenant.ManageTokens), route.Body(page.MaxForm), route.Costly, route.Sensitive),
		route.Post("/webhooks/:webhook/rotate", hooks.rotate, route.May(tenant.ManageTokens), route.Body(page.MaxForm), route.On("/webhooks/:webhook"), route.Sensitive),
		route.Post("/webhooks/:webhook/pause", hooks.pause, route.May(tenant.ManageTokens), route.Body(page.MaxForm), route.On("/webhooks/:webhook"), route.Frees),
		route.Post("/webhooks/:webhook/resume", hooks.resume, route.May(tenant.ManageTokens), route.Body(page.MaxForm), route.On("/webhooks/:webhook")),
		route.Post("/webhooks/:webhook/test", hooks.test, route.May(tenant.ManageTokens), route.Body(page.MaxForm), route.Costly, route.On("/webhooks/:webhook")),
		route.Post("/webhooks/:webhook/delete", hooks.remove, route.May(tenant.ManageTokens), route.Body(page.MaxForm), route.On("/webhooks/:webhook"), route.Frees),
		route.Post("/webhooks/:webhook/deliveries/:delivery/send", hooks.sendAgain, route.May(tenant.ManageTokens), route.Body(page.MaxForm), route.Costly, route.On("/webhooks/:webhook")),
		route.Post("/delete", workspace.deleteWorkspace, route.May(tenant.ChangePlan), route.Body(page.MaxForm), route.On("/settings"), route.Sensitive, route.Frees),
		route.Get("/models", models.modelsPage, route.May(tenant.Read)),
		route.Post("/models", models.createProvider, route.May(tenant.ManageChatbots), route.Body(page.MaxForm), route.Costly, route.Sensitive),
		route.Post("/models/try", models.tryProvider, route.May(tenant.ManageChatbots), route.Body(page.MaxForm), route.Costly, route.On("/models")),
		route.Get("/models/:provider", models.providerPage, route.May(tenant.ManageChatbots)),
		route.Post("/models/:provider", models.saveProvider, route.May(tenant.ManageChatbots), route.Body(page.MaxForm), route.Costly, route.Sensitive),
		route.Post("/models/:provider/try", models.tryKept, route.May(tenant.ManageChatbots), route.Body(page.MaxForm), route.Costly, route.On("/models/:provider")),
		route.Post("/models/:provider/delete", models.deleteProvider, route.May(tenant.ManageChatbots), route.Body(page.MaxForm), route.On("/models/:provider"), route.Sensitive, route.Frees),
		route.Get("/members", members.membersPage, route.May(tenant.Read)),
		route.Post("/members/:user/role", members.changeRole, route.May(tenant.ManageMembers), route.Body(page.MaxForm), route.On("/members"), route.Sensitive),
		route.Post("/members/:user/remove", members.removeMember, route.May(tenant.ManageMembers), route.Body(page.MaxForm), route.On("/members"), route.Frees),
		route.Post("/leave", members.leave, route.May(tenant.Read), route.Body(page.MaxForm), route.On("/members"), route.Frees),
		route.Post("/invitations", members.invite, route.May(tenant.Invite), route.Body(page.MaxForm), route.Costly, route.On("/members"), route.Sensitive),
		route.Post("/invitations/:invitation/cancel", members.cancelInvitation, route.May(tenant.ManageMembers), route.Body(page.MaxForm), route.On("/members"), route.Frees),
		route.Get("/billing", plans.billingPage, route.May(tenant.Read)),
		route.Post("/billing", plans.changePlan, route.May(tenant.TakePlan), route.Body(page.MaxForm)),
		route.Get("/billing/change", plans.changePage, route.May(tenant.Pay)),
		route.Get("/billing/invoices", plans.invoicesPage, route.May(tenant.Pay), route.Costly),
		route.Post("/billing/checkout", plans.checkout, route.May(tenant.TakePlan), route.Body(page.MaxForm), route.Costly, route.On("/billing")),
		route.Post("/billing/portal", plans.portal, route.May(tenant.Pay), route.Body(page.MaxForm), route.Costly, route.On("/billing")),
		route.Get("/billing/return", plans.fromStripe, route.May(tenant.Pay)),
		route.Get("/plan", moved("/plan", "/billing"), route.May(tenant.Read)),
		route.Post("/plan", moved("/plan", "/billing"), route.May(tenant.ChangePlan), route.Body(page.MaxForm)),
		route.Post("/plan/checkout", moved("/plan", "/billing"), route.May(tenant.Pay), route.Body(page.MaxForm), route.On("/billing")),
		route.Post("/plan/portal", moved("/plan", "/billing"), route.May(tenant.Pay), route.Body(page.MaxForm), route.On("/billing")),
		route.Get("/plan/return", moved("/plan", "/billing"), route.May(tenant.Pay)),
		route.Get("/usage", moved("/usage", "/billing"), route.May(tenant.Read)),
		route.Get("/limits", limits.limitsPage, route.May(tenant.Read)),
		route.Post("/limits", limits.keep, route.May(tenant.ChangePlan), route.Body(page.MaxForm)),
	)
}

// moved leads from an address that mails, bookmarks, pages of Stripe and tabs left
// open still have to the one that took its place. A form is sent on as it was typed.
func moved(from, to string) func(*fiber.Ctx, page.Visit) error {
	return func(c *fiber.Ctx, v page.Visit) error {
		old, status := shell.WorkspaceURL(v.WorkspaceID()), fiber.StatusMovedPermanently
		if c.Method() == fiber.MethodPost {
			status = fiber.StatusPermanentRedirect
		}
		return c.Redirect(old+to+strings.TrimPrefix(c.OriginalURL(), old+from), status)
	}
}

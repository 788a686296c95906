// Package web owns the dashboard: its routes, what each decodes and answers,
// sessions in cookies, and the refusal of requests that other sites start.
//
// It does not own rules (the packages under core), what a page looks like
// (package views) nor the JSON routes that a page's script calls (package api).
//
// It has more than 2,500 lines: each page has a handler type of its own, and all
// pages share visits, forms and answers.
package web

import (
	"log/slog"
	"time"

	"github.com/gofiber/fiber/v2"

	"parley/core/account"
	"parley/core/audit"
	"parley/core/chat"
	"parley/core/chatbot"
	"parley/core/knowledge"
	"parley/core/outbox"
	"parley/core/rate"
	"parley/core/retrieval"
	"parley/core/subscription"
	"parley/core/tenant"
	"parley/internal/clientaddr"
	"parley/internal/publicid"
	"parley/internal/route"
)

// Deps is what the pages are made from.
type Deps struct {
	Accounts      account.Accounts
	Tenants       tenant.Tenants
	Team          tenant.Team
	Subscriptions subscription.Subscriptions
	Audit         *audit.Reader
	// Letters are the mails that people get about their accounts.
	Letters *outbox.Writer

	Chatbots  chatbot.Services
	Knowledge knowledge.Services
	Evaluator *retrieval.Evaluator
	Chat      *chat.Service
	// IDs makes the identifiers of conversations and messages that people see.
	IDs      *publicid.Codec
	Sessions *Sessions
	// Pace counts the requests of people for their workspaces; nil counts none.
	Pace *rate.Pace
	// Proxies tell whose sign-ins are throttled together.
	Proxies clientaddr.Proxies
	// BaseURL is where people reach the server, such as https://parley.example.com.
	BaseURL string
	// SignUp lets anyone create an account. The first visitor always can.
	SignUp bool
	// Security is what people read who found a vulnerability.
	Security Security
	// Billing sells plans. Without it, which is nil, they are changed by hand.
	Billing Billing
	// StripeURL is the address of another Stripe than Stripe's, for tests.
	StripeURL string
	// TrialDays is how many days a first subscription is free.
	TrialDays int
	// TaxInclusive says that prices include taxes.
	TaxInclusive bool
	// PlanChanges lets owners change the plan by hand, where none is sold.
	PlanChanges bool
	// Now is the clock of what pages say about days, [time.Now] when nil.
	Now func() time.Time
	Log *slog.Logger
}

// Limits of the bodies of forms, in bytes: of one that anyone may send, of one
// that needs somebody signed in, and of one with whole documents.
const (
	maxCredentials = 16 << 10
	maxForm        = 1 << 20
	maxUpload      = knowledge.MaxUpload + 1<<20
)

type site struct {
	Deps
	assets map[string]asset
}

// Register adds every page and /static to an app, which must be made with
// Immutable, and what they declare to a table. It needs [Sessions.SameOrigin] and
// requestid.Middleware in front.
func Register(app *fiber.App, table *route.Table, deps Deps) {
	if deps.Now == nil {
		deps.Now = time.Now
	}
	s := &site{Deps: deps, assets: loadAssets()}
	registerAccounts(s, app, table)
	registerWorkspaces(s, app, table)
	registerChatbots(s, app, table)
}

func registerAccounts(s *site, app *fiber.App, table *route.Table) {
	signIn, signUp, profile, security := signInPages{s}, signUpPages{s}, profilePages{s}, securityPages{s}
	route.Add(table, app, "", s.anyone,
		route.Get("/static/*", s.static, route.Open),
		route.Get("/", signIn.home, route.Open),
		route.Get(securityTxtPath, security.securityTxt, route.Open),
		route.Get(securityPolicyPath, security.securityPolicy, route.Open),
		route.Get("/sign-up", signUp.signUpPage, route.Open),
		route.Post("/sign-up", signUp.signUp, route.Open, route.Body(maxCredentials)),
		route.Get("/sign-up/finish", signUp.finishSignUpPage, route.Open),
		route.Post("/sign-up/finish", signUp.finishSignUp, route.Open, route.Body(maxCredentials)),
		route.Get("/sign-in", signIn.signInPage, route.Open),
		route.Post("/sign-in", signIn.signIn, route.Open, route.Body(maxCredentials)),
		route.Post("/sign-out", signIn.signOut, route.Open, route.Body(maxCredentials)),
		route.Get("/join", signIn.joinPage, route.Open),
		route.Post("/join", signIn.join, route.Open, route.Body(maxCredentials)),
		route.Get("/account/email", profile.confirmEmailPage, route.Open),
		route.Post("/account/email", profile.confirmEmail, route.Open, route.Body(maxCredentials)),
	)
	route.Add(table, app, "", s.withPerson,
		route.Get("/account", profile.profilePage, route.SignedIn),
		route.Post("/account", profile.changeEmail, route.SignedIn, route.Body(maxForm)),
		route.Post("/account/password", profile.changePassword, route.SignedIn, route.Body(maxForm)),
	)
}

func registerWorkspaces(s *site, app *fiber.App, table *route.Table) {
	chatbots, workspace, models, members := chatbotPages{s}, workspacePages{s}, modelPages{s}, memberPages{s}
	plans, usage, limits := planPages{s}, usagePages{s}, limitPages{s}
	payments := paymentPages{plans}
	route.Add(table, app, "/workspaces/:workspace", s.withMember,
		route.Get("", chatbots.chatbotsPage, route.May(tenant.Read)),
		route.Post("/chatbots", chatbots.createChatbot, route.May(tenant.ManageChatbots), route.Body(maxForm)),
		route.Get("/settings", workspace.workspacePage, route.May(tenant.Read)),
		route.Post("/delete", workspace.deleteWorkspace, route.May(tenant.ChangePlan), route.Body(maxForm)),
		route.Get("/models", models.modelsPage, route.May(tenant.Read)),
		route.Post("/models", models.createProvider, route.May(tenant.ManageChatbots), route.Body(maxForm), route.Costly),
		route.Get("/models/:provider", models.providerPage, route.May(tenant.ManageChatbots)),
		route.Post("/models/:provider", models.saveProvider, route.May(tenant.ManageChatbots), route.Body(maxForm), route.Costly),
		route.Post("/models/:provider/delete", models.deleteProvider, route.May(tenant.ManageChatbots), route.Body(maxForm)),
		route.Get("/usage", usage.usagePage, route.May(tenant.Read)),
		route.Get("/members", members.membersPage, route.May(tenant.Read)),
		route.Post("/members/:user/role", members.changeRole, route.May(tenant.ManageMembers), route.Body(maxForm)),
		route.Post("/members/:user/remove", members.removeMember, route.May(tenant.ManageMembers), route.Body(maxForm)),
		route.Post("/leave", members.leave, route.May(tenant.Read), route.Body(maxForm)),
		route.Post("/invitations", members.invite, route.May(tenant.ManageMembers), route.Body(maxForm), route.Costly),
		route.Post("/invitations/:invitation/cancel", members.cancelInvitation, route.May(tenant.ManageMembers), route.Body(maxForm)),
		route.Get("/plan", plans.plansPage, route.May(tenant.Read)),
		route.Post("/plan", plans.changePlan, route.May(tenant.ChangePlan), route.Body(maxForm)),
		route.Post("/plan/checkout", payments.checkout, route.May(tenant.Pay), route.Body(maxForm), route.Costly),
		route.Post("/plan/portal", payments.portal, route.May(tenant.Pay), route.Body(maxForm), route.Costly),
		route.Get("/plan/return", payments.fromStripe, route.May(tenant.Pay)),
		route.Get("/limits", limits.limitsPage, route.May(tenant.Read)),
		route.Post("/limits", limits.keep, route.May(tenant.ChangePlan), route.Body(maxForm)),
	)
}

func registerChatbots(s *site, app *fiber.App, table *route.Table) {
	settings, knowledge, evaluations, tokens := settingsPages{s}, knowledgePages{s}, evaluationPages{s}, tokenPages{s}
	additions := additionPages{knowledge}
	route.Add(table, app, "/chatbots/:chatbot", s.withMember,
		route.Get("", settings.settingsPage, route.May(tenant.Read)),
		route.Post("", settings.saveSettings, route.May(tenant.ManageChatbots), route.Body(maxForm)),
		route.Post("/delete", settings.deleteChatbot, route.May(tenant.ManageChatbots), route.Body(maxForm)),
		route.Get("/knowledge", knowledge.knowledgePage, route.May(tenant.Read)),
		route.Post("/knowledge", additions.addDocument, route.May(tenant.EditKnowledge), route.Body(maxUpload), route.Costly),
		route.Post("/knowledge/pairs", additions.addPairs, route.May(tenant.EditKnowledge), route.Body(maxUpload), route.Costly),
		route.Post("/knowledge/files", additions.addFiles, route.May(tenant.EditKnowledge), route.Body(maxUpload), route.Costly),
		route.Post("/knowledge/sources", additions.addSource, route.May(tenant.EditKnowledge), route.Body(maxForm), route.Costly),
		route.Post("/knowledge/sources/:source/sync", knowledge.syncSource, route.May(tenant.EditKnowledge), route.Body(maxForm), route.Costly),
		route.Post("/knowledge/sources/:source/remove", knowledge.removeSource, route.May(tenant.EditKnowledge), route.Body(maxForm)),
		route.Get("/knowledge/removed", knowledge.removedPage, route.May(tenant.Read)),
		route.Post("/knowledge/:document/remove", knowledge.removeDocument, route.May(tenant.EditKnowledge), route.Body(maxForm)),
		route.Post("/knowledge/:document/retry", knowledge.retryDocument, route.May(tenant.EditKnowledge), route.Body(maxForm), route.Costly),
		route.Post("/knowledge/:document/cancel", knowledge.cancelDocument, route.May(tenant.EditKnowledge), route.Body(maxForm)),
		route.Get("/evaluate", evaluations.evaluatePage, route.May(tenant.Read)),
		route.Post("/evaluate", evaluations.evaluate, route.May(tenant.Read), route.Body(maxForm), route.Costly),
		route.Get("/tokens", tokens.tokensPage, route.May(tenant.Read)),
	)
}

// page answers the failure of a handler, and sets what every page's answer has.
func (s *site) page(handle fiber.Handler) fiber.Handler {
	return func(c *fiber.Ctx) error {
		setHeaders(c)
		if err := handle(c); err != nil {
			return Fail(c, s.Log, err)
		}
		return nil
	}
}

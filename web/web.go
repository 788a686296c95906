// Package web owns the dashboard: its routes, what each decodes and answers,
// sessions in cookies, and the refusal of requests that other sites start.
//
// It does not own rules (the packages under core), what a page looks like
// (package views) nor the JSON routes that a page's script calls (package api).
package web

import (
	"log/slog"
	"time"

	"github.com/gofiber/fiber/v2"

	"parley/core/chat"
	"parley/core/chatbot"
	"parley/core/knowledge"
	"parley/core/retrieval"
	"parley/core/tenant"
	"parley/internal/bodies"
	"parley/internal/clientaddr"
	"parley/internal/publicid"
)

// Deps is what the pages are made from.
type Deps struct {
	Tenants   *tenant.Service
	Chatbots  *chatbot.Service
	Knowledge knowledge.Services
	Evaluator *retrieval.Evaluator
	Chat      *chat.Service
	// IDs makes the identifiers of conversations and messages that people see.
	IDs      *publicid.Codec
	Sessions *Sessions
	// Pace counts the requests of people for their workspaces; nil counts none.
	Pace *tenant.Pace
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
// Immutable. It needs [Sessions.SameOrigin] and requestid.Middleware in front.
func Register(app *fiber.App, deps Deps) {
	if deps.Now == nil {
		deps.Now = time.Now
	}
	s := &site{Deps: deps, assets: loadAssets()}
	app.Get("/static/*", s.static)
	get := func(path string, handle fiber.Handler) { app.Get(path, s.page(handle)) }
	post := func(path string, handle fiber.Handler) { app.Post(path, bodies.UpTo(maxForm), s.page(handle)) }
	// These make the server work for long, or speak to others: see
	// [tenant.Costly].
	costly := func(path string, handle fiber.Handler) {
		app.Post(path, countAsCostly, bodies.UpTo(maxForm), s.page(handle))
	}
	upload := func(path string, handle fiber.Handler) {
		app.Post(path, countAsCostly, bodies.UpTo(maxUpload), s.page(handle))
	}
	// Anyone may send these.
	open := func(path string, handle fiber.Handler) {
		app.Post(path, bodies.OpenUpTo(maxCredentials), s.page(handle))
	}

	get("/", s.home)
	get(securityTxtPath, s.securityTxt)
	get(securityPolicyPath, s.securityPolicy)
	get("/sign-up", s.signUpPage)
	open("/sign-up", s.signUp)
	get("/sign-up/finish", s.finishSignUpPage)
	open("/sign-up/finish", s.finishSignUp)
	get("/sign-in", s.signInPage)
	open("/sign-in", s.signIn)
	post("/sign-out", s.signOut)
	get("/join", s.joinPage)
	open("/join", s.join)

	get("/account", s.profilePage)
	post("/account", s.changeEmail)
	get("/account/email", s.confirmEmailPage)
	open("/account/email", s.confirmEmail)
	post("/account/password", s.changePassword)

	get("/workspaces/:workspace", s.chatbotsPage)
	get("/workspaces/:workspace/settings", s.workspacePage)
	post("/workspaces/:workspace/delete", s.deleteWorkspace)
	post("/workspaces/:workspace/chatbots", s.createChatbot)
	get("/workspaces/:workspace/models", s.modelsPage)
	costly("/workspaces/:workspace/models", s.createProvider)
	get("/workspaces/:workspace/models/:provider", s.providerPage)
	costly("/workspaces/:workspace/models/:provider", s.saveProvider)
	post("/workspaces/:workspace/models/:provider/delete", s.deleteProvider)
	get("/workspaces/:workspace/usage", s.usagePage)
	get("/workspaces/:workspace/members", s.membersPage)
	post("/workspaces/:workspace/members/:user/role", s.changeRole)
	post("/workspaces/:workspace/members/:user/remove", s.removeMember)
	post("/workspaces/:workspace/leave", s.leave)
	costly("/workspaces/:workspace/invitations", s.invite)
	post("/workspaces/:workspace/invitations/:invitation/cancel", s.cancelInvitation)
	get("/workspaces/:workspace/plan", s.plansPage)
	post("/workspaces/:workspace/plan", s.changePlan)
	costly("/workspaces/:workspace/plan/checkout", s.checkout)
	costly("/workspaces/:workspace/plan/portal", s.portal)
	get("/workspaces/:workspace/plan/return", s.fromStripe)
	get("/workspaces/:workspace/limits", s.limitsPage)
	post("/workspaces/:workspace/limits", s.keep)

	get("/chatbots/:chatbot", s.settingsPage)
	post("/chatbots/:chatbot", s.saveSettings)
	post("/chatbots/:chatbot/delete", s.deleteChatbot)
	get("/chatbots/:chatbot/knowledge", s.knowledgePage)
	upload("/chatbots/:chatbot/knowledge", s.addDocument)
	upload("/chatbots/:chatbot/knowledge/pairs", s.addPairs)
	upload("/chatbots/:chatbot/knowledge/files", s.addFiles)
	costly("/chatbots/:chatbot/knowledge/sources", s.addSource)
	costly("/chatbots/:chatbot/knowledge/sources/:source/sync", s.syncSource)
	post("/chatbots/:chatbot/knowledge/sources/:source/remove", s.removeSource)
	get("/chatbots/:chatbot/knowledge/removed", s.removedPage)
	post("/chatbots/:chatbot/knowledge/:document/remove", s.removeDocument)
	costly("/chatbots/:chatbot/knowledge/:document/retry", s.retryDocument)
	post("/chatbots/:chatbot/knowledge/:document/cancel", s.cancelDocument)
	get("/chatbots/:chatbot/evaluate", s.evaluatePage)
	costly("/chatbots/:chatbot/evaluate", s.evaluate)
	get("/chatbots/:chatbot/tokens", s.tokensPage)
}

// countAsCostly declares the rate of a route.
func countAsCostly(c *fiber.Ctx) error {
	c.SetUserContext(tenant.WithRate(c.UserContext(), tenant.Costly))
	return c.Next()
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

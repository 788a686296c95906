// Package page owns what all handlers of pages share: who visits which workspace
// and chatbot, sessions in cookies, forms that are refused and shown again,
// answers, failures, and the refusal of requests that other sites start.
//
// It does not own a page (packages bot, workspace and person), a rule (the
// packages under core) nor what a page looks like (the packages under views).
package page

import (
	"log/slog"
	"strings"
	"time"

	"github.com/gofiber/fiber/v2"

	"parley/core/account"
	"parley/core/account/factor"
	"parley/core/audit"
	"parley/core/chat"
	"parley/core/chatbot"
	"parley/core/knowledge"
	"parley/core/knowledge/browse"
	"parley/core/outbox"
	"parley/core/privacy"
	"parley/core/rate"
	"parley/core/retrieval"
	"parley/core/sso"
	"parley/core/subscription"
	"parley/core/tenant"
	"parley/core/webhook"
	"parley/internal/clientaddr"
	"parley/internal/publicid"
	"parley/views/shell"
)

// Deps is what the pages are made from.
type Deps struct {
	Accounts      account.Accounts
	Factors       factor.Factors
	Tenants       tenant.Tenants
	Team          tenant.Team
	Subscriptions subscription.Subscriptions
	Audit         *audit.Reader
	// Letters are the mails that people get about their accounts.
	Letters *outbox.Writer

	Chatbots  chatbot.Services
	Knowledge knowledge.Services
	Browser   *browse.Browser
	Evaluator *retrieval.Evaluator
	Chat      *chat.Service
	Insight   Insight
	Webhooks  *webhook.Endpoints
	// SSO is single sign-on by identity providers.
	SSO     sso.Services
	Privacy privacy.Services
	// Deliveries are the messages sent to webhooks.
	Deliveries *webhook.Deliveries
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
	// Description describes the API, as OpenAPI in YAML.
	Description string
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
	// Now is the clock for the days that pages show, [time.Now] when nil.
	Now func() time.Time
	Log *slog.Logger
}

// Limits of the bodies of forms, in bytes: of one that anyone may send, of one
// that needs somebody signed in, and of one with whole documents.
const (
	MaxCredentials = 16 << 10
	MaxForm        = 1 << 20
	MaxUpload      = knowledge.MaxUpload + 1<<20
)

// Base is what all handlers share. They embed it.
type Base struct{ Deps }

// wrap answers the failure of a handler, and sets the headers of every page.
func (s *Base) wrap(handle fiber.Handler) fiber.Handler {
	return func(c *fiber.Ctx) error {
		SetHeaders(c)
		note(c, shell.Layout{Theme: s.Theme(c)})
		if err := handle(c); err != nil {
			return Fail(c, s.Log, err)
		}
		return nil
	}
}

// Address of a path for people outside.
func (d Deps) Address(path string) string { return strings.TrimRight(d.BaseURL, "/") + path }

// Security is what the installation says to people who found a vulnerability.
type Security struct {
	// Contact is where they report it: a mailto: or https: URI. Without one
	// there is no security.txt: a made-up contact is worse than none.
	Contact string
	// Policy is the text of the security policy, in Markdown.
	Policy string
}

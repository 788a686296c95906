// Package api owns the HTTP interface for programs: /api/v1, the management
// of tokens and documents, health, the wire shapes and the one table of
// errors.
//
// It does not own pages and cookies (package web/page) nor any rule about what is
// asked of it (packages under core).
package api

import (
	"cmp"
	"context"
	"log/slog"
	"sync/atomic"
	"time"

	"github.com/gofiber/fiber/v2"

	"parley/api/mcp"
	"parley/api/route"
	"parley/api/sunset"
	"parley/api/wire"
	"parley/core/chat"
	"parley/core/chat/turn"
	"parley/core/chatbot"
	"parley/core/find"
	"parley/core/insight"
	"parley/core/insight/history"
	"parley/core/insight/testrun"
	"parley/core/knowledge"
	"parley/core/knowledge/browse"
	"parley/core/privacy"
	"parley/core/rate"
	"parley/core/retrieval"
	"parley/core/tenant"
	"parley/internal/gate"
	"parley/internal/health"
	"parley/internal/publicid"
)

// Deps are what the interface is made of.
type Deps struct {
	Chat      *chat.Service
	Turns     *turn.Service
	Chatbots  chatbot.Services
	Knowledge knowledge.Services
	Browser   *browse.Browser
	Evaluator *retrieval.Evaluator
	Tests     *testrun.Service
	Feedback  *insight.Feedbacks
	History   *history.History
	Finder    *find.Finder
	Privacy   privacy.Services
	Searcher  *retrieval.Searcher
	// IDs makes the identifiers of conversations and messages that callers see.
	IDs *publicid.Codec
	// Billing takes Stripe's events; nil where nothing is sold.
	Billing Billing
	// Person returns who is signed in on a request, or an Unauthenticated fault.
	Person func(*fiber.Ctx) (tenant.Person, error)
	// Again returns a function that looks again at who is signed in on a request,
	// after the request.
	Again func(*fiber.Ctx) func(context.Context) (tenant.Person, error)
	// Pace counts the requests of people for their workspaces; nil counts none.
	Pace *rate.Pace
	// Lifetime ends, with a fault as its cause, when running turns must end.
	Lifetime context.Context
	Log      *slog.Logger
	// Health is what /readyz tells of.
	Health *health.Watch
	// Streams is how patient open streams are.
	Streams StreamTimes
	// Description is openapi.yaml, and BaseURL the address that it is to name.
	Description, BaseURL string
	// Requests admits as many in a minute as the plan includes.
	Requests *rate.Requests
	// MaxAnswers is how many answers are worked on at once: [rate.MaxAnswers] when 0.
	MaxAnswers int
}

// API is the interface.
type API struct {
	Deps
	gate gate.Gate
	// began is when the server began, and drained when it was asked to stop.
	began   time.Time
	drained atomic.Pointer[time.Time]
	// answers and readers are the slots of questions that are answered, and of
	// streams that are resumed and keys that are replayed.
	answers, readers *rate.Slots
	ids              identifiers
	// notices are about what is deprecated, by method and path.
	notices map[string]sunset.Notice
	// open counts the streams that are open.
	open atomic.Int64
}

// New returns the interface.
func New(deps Deps) *API {
	deps.Streams = deps.Streams.orDefaults()
	most := cmp.Or(deps.MaxAnswers, rate.MaxAnswers)
	notices, err := sunset.Read(deps.Description, deps.BaseURL+referencePath)
	if err != nil { // a test reads the description of this program
		panic(err)
	}
	return &API{Deps: deps, began: time.Now(), answers: rate.NewSlots("answers", most), readers: rate.NewSlots("readers of answers", most), ids: identifiers{wire.Identifiers{Codec: deps.IDs}}, notices: notices}
}

// Register adds the routes to an app, and what they declare to a table.
func (a *API) Register(app *fiber.App, table *route.Table) {
	probes, webhook := probes{a}, stripeWebhook{a}
	route.Add(table, app, "", announce(a, admitAll),
		route.Get("/healthz", probes.alive, route.Open),
		route.Get("/readyz", probes.ready, route.Open),
	)
	route.Add(table, app, "", a.unlessDraining,
		route.Post("/api/webhooks/stripe", webhook.receive, route.Open, route.Body(MaxWebhookBody)),
	)

	app.Use(route.V1, a.forBrowsers)
	app.Use(route.V1, a.unlessDraining(route.Declaration{}, (*fiber.Ctx).Next))
	questions, conversations, streams, ratings := questions{a}, conversations{a}, streams{a}, ratings{a}
	route.Add(table, app, route.V1, announce(a, a.withToken),
		route.Post("/chat", questions.answer, route.Needs(chatbot.ScopeChat), route.Body(MaxBody)),
		route.Post("/chat/stream", questions.stream, route.Needs(chatbot.ScopeChat), route.Body(MaxBody)),
		route.Get("/chatbot", profile{a}.show, route.Needs(chatbot.ScopeChat)),
		route.Post("/conversations", conversations.create, route.Needs(chatbot.ScopeChat), route.Body(MaxBody)),
		route.Get("/conversations", conversations.list, route.Needs(chatbot.ScopeRead)),
		route.Get("/conversations/:conversation_id", conversations.show, route.Needs(chatbot.ScopeRead)),
		route.Patch("/conversations/:conversation_id", conversations.change, route.Needs(chatbot.ScopeWrite), route.Body(MaxBody)),
		route.Delete("/conversations/:conversation_id", conversations.remove, route.Needs(chatbot.ScopeWrite)),
		route.Get("/conversations/:conversation_id/messages", conversations.messages, route.Needs(chatbot.ScopeRead)),
		route.Get("/conversations/:conversation_id/stream", streams.resume, route.Needs(chatbot.ScopeRead)),
		route.Post("/conversations/:conversation_id/stop", conversations.stop, route.Needs(chatbot.ScopeChat), route.Body(MaxBody), route.Frees),
		route.Post(mcp.Path, newTools(a).answer, route.Needs(chatbot.ScopeChat), route.Body(MaxBody)),
		route.Post("/messages/:message_id/feedback", ratings.give, route.Needs(chatbot.ScopeChat), route.Body(MaxBody)),
	)

	catalog := catalog{a}
	route.Add(table, app, route.V1+"/knowledge", announce(a, a.withToken),
		route.Get("/documents", catalog.list, route.Needs(chatbot.ScopeReadKnowledge)),
		route.Post("/documents", catalog.put, route.Needs(chatbot.ScopeWriteKnowledge), route.Body(MaxDocumentBody), route.Costly),
		route.Get("/documents/:document_id", catalog.show, route.Needs(chatbot.ScopeReadKnowledge), route.Heavy),
		route.Delete("/documents/:document_id", catalog.remove, route.Needs(chatbot.ScopeWriteKnowledge)),
		route.Get("/documents/external/:external_id", catalog.showNamed, route.Needs(chatbot.ScopeReadKnowledge), route.Heavy),
		route.Put("/documents/external/:external_id", catalog.putNamed, route.Needs(chatbot.ScopeWriteKnowledge), route.Body(MaxDocumentBody), route.Costly),
		route.Delete("/documents/external/:external_id", catalog.removeNamed, route.Needs(chatbot.ScopeWriteKnowledge), route.Heavy),
		route.Get("/removals", catalog.removals, route.Needs(chatbot.ScopeReadKnowledge)),
		route.Get("/removals/:removal_id", catalog.removal, route.Needs(chatbot.ScopeReadKnowledge)),
	)

	clients := openAIClients{a}
	route.Add(table, app, openAIPrefix, announce(a, a.withToken),
		route.Post("/chat/completions", clients.complete, route.Needs(chatbot.ScopeChat), route.Body(MaxBody)),
		route.Post("/responses", clients.respond, route.Needs(chatbot.ScopeChat), route.Body(MaxBody)),
		route.Get("/models", clients.models, route.Needs(chatbot.ScopeChat)),
		route.Get("/models/:model", clients.model, route.Needs(chatbot.ScopeChat)),
	)

	route.Add(table, app, route.V1, announce(a, admitAll),
		route.Get("/openapi.yaml", describe(a.Description, a.BaseURL).show, route.Open),
	)
	route.Add(table, app, wellKnownResource, announce(a, admitAll),
		route.Get("", describeResource(a.BaseURL, ""), route.Open),
		route.Get(toolsPath, describeResource(a.BaseURL, toolsPath), route.Open),
	)
	route.Add(table, app, "/api/workspaces/:workspace", announce(a, a.inWorkspace),
		route.Get("/find", finder{a}.find, route.May(tenant.Read)),
		route.Get("/erasures", privacies{a}.erasures, route.May(tenant.ManageChatbots)),
		route.Get("/end-users/:external_user_id", privacies{a}.export, route.May(tenant.ManageChatbots), route.Costly, route.Sensitive),
		route.Delete("/end-users/:external_user_id", privacies{a}.erase, route.May(tenant.ManageChatbots), route.Costly, route.Sensitive),
	)
	playground := playground{a}
	tokens, kept, documents, sources, evaluations := tokens{a.Chatbots.Tokens}, retentions{a.Chatbots.Chatbots}, documents{a.Knowledge, a.Browser, a.ids}, sources{a.Knowledge.Sources, a.Browser}, evaluations{a.Evaluator}
	tests, runs := testQuestions{a.Tests}, testRuns{a.Tests}
	route.Add(table, app, "/api/chatbots/:id", announce(a, a.withMember),
		route.Get("/api-tokens", tokens.list, route.May(tenant.Read)),
		route.Post("/api-tokens", tokens.create, route.May(tenant.CreateTokens), route.Body(MaxBody), route.Sensitive),
		route.Patch("/api-tokens/:token_id", tokens.change, route.May(tenant.ManageTokens), route.Body(MaxBody), route.Sensitive),
		route.Post("/api-tokens/:token_id/roll", tokens.roll, route.May(tenant.ManageTokens), route.Body(MaxBody), route.Sensitive),
		route.Delete("/api-tokens/:token_id", tokens.revoke, route.May(tenant.ManageTokens)),
		route.Get("/retention", kept.show, route.May(tenant.Read)),
		route.Patch("/retention", kept.change, route.May(tenant.ManageChatbots), route.Body(MaxBody)),
		route.Get("/models", models{a.Chatbots}.list, route.May(tenant.ManageChatbots), route.Costly),
		route.Get("/documents", documents.list, route.May(tenant.Read)),
		route.Post("/documents", documents.add, route.May(tenant.EditKnowledge), route.Body(MaxDocumentBody), route.Costly),
		route.Post("/documents/batch", documents.addBatch, route.May(tenant.EditKnowledge), route.Body(MaxDocumentBody), route.Costly),
		route.Get("/documents/:document_id", documents.show, route.May(tenant.Read), route.Heavy),
		route.Delete("/documents/:document_id", documents.remove, route.May(tenant.EditKnowledge)),
		route.Post("/documents/:document_id/retry", documents.retry, route.May(tenant.EditKnowledge), route.Body(MaxBody), route.Costly),
		route.Post("/documents/:document_id/cancel", documents.cancel, route.May(tenant.EditKnowledge), route.Body(MaxBody), route.Frees),
		route.Get("/removals", documents.removals, route.May(tenant.Read)),
		route.Get("/sources", sources.list, route.May(tenant.Read)),
		route.Post("/sources", sources.add, route.May(tenant.EditKnowledge), route.Body(MaxBody), route.Costly),
		route.Delete("/sources/:source_id", sources.remove, route.May(tenant.EditKnowledge)),
		route.Post("/sources/:source_id/sync", sources.sync, route.May(tenant.EditKnowledge), route.Body(MaxBody), route.Costly),
		route.Get("/suggestions", playground.suggestions, route.May(tenant.Read)),
		route.Post("/playground/stream", playground.ask, route.May(tenant.Try), route.Body(MaxBody), route.Costly),
		route.Get("/playground/conversations/:conversation_id/stream", playground.resume, route.May(tenant.Try)),
		route.Post("/playground/conversations/:conversation_id/stop", playground.stop, route.May(tenant.Try), route.Body(MaxBody), route.Frees),
		route.Get("/playground/conversations/:conversation_id/messages", playground.messages, route.May(tenant.Try), route.Heavy),
		route.Post("/evaluate", evaluations.run, route.May(tenant.Read), route.Body(MaxBody), route.Costly),
		route.Get("/test-questions", tests.list, route.May(tenant.Read), route.Heavy),
		route.Post("/test-questions", tests.add, route.May(tenant.EditKnowledge), route.Body(MaxBody)),
		route.Put("/test-questions", tests.importFrom, route.May(tenant.EditKnowledge), route.Body(testrun.MaxFile)),
		route.Put("/test-questions/:question_id", tests.change, route.May(tenant.EditKnowledge), route.Body(MaxBody)),
		route.Delete("/test-questions/:question_id", tests.remove, route.May(tenant.EditKnowledge)),
		route.Get("/test-runs", runs.list, route.May(tenant.Read), route.Heavy),
		route.Post("/test-runs", runs.start, route.May(tenant.EditKnowledge), route.Body(MaxBody), route.Costly),
		route.Get("/test-runs/:run_id", runs.show, route.May(tenant.Read), route.Heavy),
		route.Post("/test-runs/:run_id/cancel", runs.cancel, route.May(tenant.EditKnowledge), route.Body(MaxBody), route.Frees),
		route.Post("/messages/:message/feedback", ratings.giveAsMember, route.May(tenant.Read), route.Body(MaxBody)),
	)
}

// StreamsOpen is how many answers are being streamed.
func (a *API) StreamsOpen() int { return int(a.open.Load()) }

// Drain refuses new requests of /api/v1 and webhooks, and returns when those
// that are running have ended.
func (a *API) Drain() {
	now := time.Now()
	a.drained.CompareAndSwap(nil, &now)
	a.gate.Close()
}

// unlessDraining admits every request, unless the server is draining.
func (a *API) unlessDraining(_ route.Declaration, handle fiber.Handler) fiber.Handler {
	return func(c *fiber.Ctx) error {
		if !a.gate.Enter() {
			c.Context().SetConnectionClose()
			return errDraining
		}
		defer a.gate.Leave()
		return handle(c)
	}
}

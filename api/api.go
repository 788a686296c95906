// Package api owns the HTTP interface for programs: /api/v1, the management
// of tokens and documents, health, the wire shapes and the one table of
// errors.
//
// It does not own pages and cookies (package web) nor any rule about what is
// asked of it (packages under core).
package api

import (
	"cmp"
	"context"
	"log/slog"
	"sync"

	"github.com/gofiber/fiber/v2"

	"parley/core/chat"
	"parley/core/chatbot"
	"parley/core/knowledge"
	"parley/core/retrieval"
	"parley/core/tenant"
	"parley/internal/bodies"
	"parley/internal/publicid"
)

// Deps are what the interface is made of.
type Deps struct {
	Chat      *chat.Service
	Chatbots  *chatbot.Service
	Knowledge knowledge.Services
	Evaluator *retrieval.Evaluator
	// IDs makes the identifiers of conversations and messages that callers see.
	IDs *publicid.Codec
	// Billing takes Stripe's events; nil where nothing is sold.
	Billing Billing
	// Person returns who is signed in on a request, or an Unauthenticated fault.
	Person func(*fiber.Ctx) (tenant.Person, error)
	// Pace counts the requests of people for their workspaces; nil counts none.
	Pace *tenant.Pace
	// Lifetime ends, with a fault as its cause, when running turns must end.
	Lifetime context.Context
	Log      *slog.Logger
	// Parts are checked by /readyz.
	Parts []Part
	// Streams is how patient open streams are.
	Streams StreamTimes
	// Requests admits as many in a minute as the plan includes.
	Requests *tenant.Requests
	// MaxAnswers is how many answers are worked on at once: [MaxAnswers] when 0.
	MaxAnswers int
}

// API is the interface.
type API struct {
	Deps
	gate gate
	// answers and readers are the places of questions that are answered, and of
	// streams that are resumed and keys that are replayed.
	answers, readers *places
}

// New returns the interface.
func New(deps Deps) *API {
	deps.Streams = deps.Streams.orDefaults()
	most := cmp.Or(deps.MaxAnswers, MaxAnswers)
	return &API{Deps: deps, answers: newPlaces("answers", most), readers: newPlaces("readers of answers", most)}
}

// Register adds the routes to an app.
func (a *API) Register(app *fiber.App) {
	app.Get("/healthz", a.healthz)
	app.Get("/readyz", a.readyz)

	v1 := app.Group("/api/v1", a.admitRequest, bodies.UpTo(MaxBody))
	v1.Post("/chat", a.chat)
	v1.Post("/chat/stream", a.chatStream)
	v1.Post("/conversations", a.createConversation)
	v1.Get("/conversations/:conversation_id/messages", a.messages)
	v1.Get("/conversations/:conversation_id/stream", a.resumeStream)
	v1.Post("/conversations/:conversation_id/stop", a.stopTurn)

	app.Post("/api/webhooks/stripe", a.admitRequest, bodies.OpenUpTo(MaxWebhookBody), a.stripeWebhook)

	bots := app.Group("/api/chatbots/:id", bodies.UpTo(MaxBody))
	bots.Get("/api-tokens", a.listTokens)
	bots.Post("/api-tokens", a.createToken)
	bots.Delete("/api-tokens/:token_id", a.revokeToken)
	bots.Get("/documents", a.listDocuments)
	bots.Post("/documents", countAsCostly, bodies.UpTo(MaxDocumentBody), a.addDocument)
	bots.Get("/documents/:document_id", a.document)
	bots.Delete("/documents/:document_id", a.removeDocument)
	bots.Post("/documents/:document_id/retry", countAsCostly, a.retryDocument)
	bots.Post("/documents/:document_id/cancel", a.cancelDocument)
	bots.Get("/removals", a.listRemovals)
	bots.Get("/sources", a.listSources)
	bots.Post("/sources", countAsCostly, a.addSource)
	bots.Delete("/sources/:source_id", a.removeSource)
	bots.Post("/sources/:source_id/sync", countAsCostly, a.syncSource)
	bots.Post("/evaluate", countAsCostly, a.evaluate)
}

// gate counts what is running and can be closed.
type gate struct {
	mu      sync.Mutex
	closed  bool
	running sync.WaitGroup
}

// enter reports whether the gate is open; leave must follow if it is.
func (g *gate) enter() bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.closed {
		return false
	}
	g.running.Add(1)
	return true
}

func (g *gate) leave() { g.running.Done() }

func (g *gate) isClosed() bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.closed
}

// Drain refuses new requests of /api/v1 and webhooks, and returns when those
// that are running have ended.
func (a *API) Drain() {
	a.gate.mu.Lock()
	a.gate.closed = true
	a.gate.mu.Unlock()
	a.gate.running.Wait()
}

// admitRequest refuses requests while the server is draining.
func (a *API) admitRequest(c *fiber.Ctx) error {
	if !a.gate.enter() {
		c.Context().SetConnectionClose()
		return errDraining
	}
	defer a.gate.leave()
	return c.Next()
}

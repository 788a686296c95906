package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"regexp"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/gofiber/fiber/v2"
	"github.com/valyala/fasthttp"

	"parley"
	"parley/api"
	"parley/core/fault"
	"parley/internal/requestid"
	"parley/internal/socket"
	"parley/web"
)

const (
	readTimeout  = 30 * time.Second
	idleTimeout  = 2 * time.Minute
	writeTimeout = 30 * time.Second
	// closeTimeout is for connections after their answers have ended.
	closeTimeout = 3 * time.Second
)

// server is a program that listens.
type server struct {
	*program
	app      *fiber.App
	api      *api.API
	listener net.Listener
	// measured is where the figures are served, or nil.
	measured net.Listener
	// endTurns ends the answers that are running.
	endTurns context.CancelCauseFunc
	lifetime context.Context
}

// newServer listens, and builds the app of a program.
func newServer(p *program) (*server, error) {
	proxies, err := p.config.proxies()
	if err != nil {
		return nil, err
	}
	address := p.config.listenAddress()
	listener, err := net.Listen("tcp", address)
	if err != nil {
		return nil, fmt.Errorf("cannot listen on %s: %w. Is another server running? Choose another address with --listen", address, err)
	}
	s := &server{program: p, listener: socket.Lingering(listener)}
	if s.measured, err = listenForMetrics(p.config); err != nil {
		return nil, errors.Join(err, listener.Close())
	}
	s.lifetime, s.endTurns = context.WithCancelCause(context.Background())
	base := s.baseURL()
	sessions := web.NewSessions(p.tenants, strings.HasPrefix(base, "https://"), base)
	forPrograms := api.Deps{
		Chat: p.chat, Chatbots: p.chatbots, Knowledge: p.knowledge, IDs: p.ids,
		Person: sessions.Person, Lifetime: s.lifetime, Log: p.log, Parts: p.parts(), Now: now,
	}
	forPeople := web.Deps{
		Tenants: p.tenants, Chatbots: p.chatbots, Knowledge: p.knowledge, Chat: p.chat, IDs: p.ids, Sessions: sessions,
		Proxies: proxies, BaseURL: base, SignUp: p.config.SignUp, Log: p.log, Now: now,
		Security:  web.Security{Contact: p.config.SecurityContact, Policy: parley.SecurityPolicy},
		StripeURL: p.config.StripeURL, TrialDays: p.config.TrialDays, TaxInclusive: p.config.TaxBehavior == taxInclusive, PlanChanges: p.config.ownersChangePlans(),
	}
	if p.billing != nil { // an interface that holds a nil pointer would not be nil
		forPrograms.Billing, forPeople.Billing = p.billing, p.billing
	}
	s.api = api.New(forPrograms)
	s.app = newApp(s.fail)
	s.app.Use(requestid.Middleware, web.Origin(proxies), s.logRequest, s.recover, noTokenPages(sessions.SameOrigin))
	s.api.Register(s.app)
	web.Register(s.app, forPeople)
	return s, nil
}

func newApp(fail fiber.ErrorHandler) *fiber.App {
	app := fiber.New(fiber.Config{
		// Strings of a request outlive it here: see docs/architecture.md.
		Immutable:             true,
		DisableStartupMessage: true,
		ErrorHandler:          fail,
		BodyLimit:             api.MaxBody,
		// Else a form that is cut short is refused before anything has looked
		// at its path.
		DisablePreParseMultipartForm: true,
		ReadTimeout:                  readTimeout, IdleTimeout: idleTimeout, WriteTimeout: writeTimeout,
		ReadBufferSize: 8 << 10, WriteBufferSize: 2 << 10,
		ReduceMemoryUsage: true,
		StrictRouting:     true,
		CaseSensitive:     true,
		JSONEncoder:       func(v any) ([]byte, error) { return json.Marshal(v) },
		// Forwarded headers are read in package web only, which knows the proxies.
		EnableTrustedProxyCheck: true,
	})
	app.Server().HeaderReceived = func(header *fasthttp.RequestHeader) fasthttp.RequestConfig {
		return fasthttp.RequestConfig{MaxRequestBodySize: bodyLimit(string(header.RequestURI()))}
	}
	route := app.Server().Handler
	app.Server().Handler = func(c *fasthttp.RequestCtx) {
		if !slices.Contains(fiber.DefaultMethods, string(c.Method())) {
			// The router answers a method that it does not know by itself. No
			// route takes TRACE, so that it is refused as any other.
			c.Request.Header.SetMethod(fiber.MethodTrace)
		}
		route(c)
	}
	return app
}

// takesDocuments are the paths whose bodies hold a whole document.
var takesDocuments = regexp.MustCompile(`^(/api/chatbots/[^/?]+/documents|/chatbots/[^/?]+/knowledge(/files|/pairs)?)(\?|$)`)

func bodyLimit(uri string) int {
	if path, _, _ := strings.Cut(uri, "?"); path == webhookPath {
		return api.MaxWebhookBody
	}
	if takesDocuments.MatchString(uri) {
		return api.MaxDocumentBody
	}
	return api.MaxBody
}

func (s *server) baseURL() string { return s.config.baseURL(s.listener.Addr().String()) }

// parts are what /readyz looks at.
func (p *program) parts() []api.Part {
	return []api.Part{
		{Name: "database", Vital: true, Check: p.store.Check},
		{Name: "index", Vital: true, Check: p.knowledge.Check},
		{Name: "model", Check: p.chat.CheckModel},
	}
}

const (
	apiPrefix   = "/api/"
	v1Prefix    = "/api/v1/"
	webhookPath = "/api/webhooks/stripe"
)

// fail answers a failed request in the form of its part of the server. One
// that could not be read has no path any more; programs send those.
func (s *server) fail(c *fiber.Ctx, err error) error {
	if leavesUnread(err) {
		socket.ExpectMore(c.Context().Conn())
	}
	unread := len(c.Request().Header.RawHeaders()) == 0
	if unread || strings.HasPrefix(c.Path(), apiPrefix) {
		return s.api.Fail(c, err)
	}
	return web.Fail(c, s.log, err)
}

// leavesUnread reports whether a request was refused before it was read whole.
// Its connection is closed after the answer.
func leavesUnread(err error) bool {
	var refused *fiber.Error
	if !errors.As(err, &refused) {
		return false
	}
	switch refused.Code {
	case fiber.StatusBadRequest, fiber.StatusRequestEntityTooLarge, fiber.StatusRequestHeaderFieldsTooLarge:
		return true
	}
	return false
}

// noTokenPages keeps a check that is about cookies off /api/v1, which takes
// none.
func noTokenPages(check fiber.Handler) fiber.Handler {
	return func(c *fiber.Ctx) error {
		if strings.HasPrefix(c.Path(), v1Prefix) {
			return c.Next()
		}
		return check(c)
	}
}

// recover turns a panic of a handler into an internal error.
func (s *server) recover(c *fiber.Ctx) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fault.Wrap(fault.Internal, fmt.Errorf("panic: %v\n%s", r, debug.Stack()), "internal error")
		}
	}()
	return c.Next()
}

// logRequest logs and counts each request by its route, never by its texts.
func (s *server) logRequest(c *fiber.Ctx) error {
	start := time.Now()
	if err := c.Next(); err != nil {
		if err := s.fail(c, err); err != nil {
			return err
		}
	}
	took := time.Since(start)
	if s.measured != nil {
		s.metrics.Request(c.Method(), c.Route().Path, c.Response().StatusCode(), took)
	}
	if s.log.Enabled(c.UserContext(), slog.LevelInfo) {
		s.log.LogAttrs(c.UserContext(), slog.LevelInfo, "request",
			slog.String("request_id", requestid.Of(c)), slog.String("method", c.Method()),
			slog.String("route", c.Route().Path), slog.Int("status", c.Response().StatusCode()),
			slog.Duration("took", took))
	}
	return nil
}

// run serves until ctx ends, and then drains.
func (s *server) run(ctx context.Context) error {
	housekeeping, stop := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() {
		defer close(done)
		s.keepHouse(housekeeping)
	}()
	served := make(chan error, 1)
	go func() { served <- s.app.Listener(s.listener) }()
	var err error
	select {
	case err = <-served:
	case <-ctx.Done():
		s.drain()
		err = s.app.ShutdownWithTimeout(closeTimeout)
		if errors.Is(err, context.DeadlineExceeded) {
			err = nil // idle connections do not fail a stop
		}
	}
	s.endTurns(nil)
	s.chat.EndAll(nil)
	s.chat.Wait()
	stop()
	<-done
	return err
}

// drain lets running answers go on for a while and then ends them, each with
// a terminal event.
func (s *server) drain() {
	s.log.Info("stopping", "drain", s.config.DrainTimeout)
	timer := time.AfterFunc(s.config.DrainTimeout, func() {
		restarting := &fault.Error{
			Kind: fault.Unavailable, RetryAfter: 5 * time.Second,
			Message: "The server is restarting. Send the message again.",
		}
		s.endTurns(restarting)
		s.chat.EndAll(restarting)
	})
	defer timer.Stop()
	s.api.Drain()
	s.chat.Wait()
}

package app

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/gofiber/fiber/v2"
	"github.com/valyala/fasthttp"

	"parley/api/bodies"
	"parley/api/route"
	"parley/core/chat/turn"
	"parley/core/fault"
	"parley/internal/requestid"
	"parley/internal/requestline"
	"parley/internal/security"
	"parley/internal/socket"
	"parley/web/page"
)

const (
	// readTimeout limits the time of header sections. api/bodies limits that
	// of bodies.
	readTimeout = 30 * time.Second
	// idleTimeout is how long a connection may be silent.
	idleTimeout  = 30 * time.Second
	writeTimeout = 30 * time.Second
	// maxHead is how large a header section may be.
	maxHead = 8 << 10
)

func newApp(fail fiber.ErrorHandler, old *oldClients) *fiber.App {
	app := fiber.New(fiber.Config{
		// Strings of a request outlive it here: see docs/architecture.md.
		Immutable:                    true,
		DisableStartupMessage:        true,
		ErrorHandler:                 fail,
		DisablePreParseMultipartForm: true,
		ReadTimeout:                  readTimeout, IdleTimeout: idleTimeout, WriteTimeout: writeTimeout,
		ReadBufferSize: maxHead, WriteBufferSize: 2 << 10,
		ReduceMemoryUsage: true,
		StrictRouting:     true,
		CaseSensitive:     true,
		JSONEncoder:       func(v any) ([]byte, error) { return json.Marshal(v) },
		// Only package clientaddr reads forwarded headers, because it knows the
		// proxies.
		EnableTrustedProxyCheck: true,
	})
	app.Server().HeaderReceived = bodies.HeadOnly
	route := app.Server().Handler
	app.Server().Handler = func(c *fasthttp.RequestCtx) {
		if !slices.Contains(fiber.DefaultMethods, string(c.Method())) {
			// The router itself answers unknown methods. No route accepts TRACE, so
			// it refuses TRACE like any other.
			c.Request.Header.SetMethod(fiber.MethodTrace)
		}
		route(c)
		if !c.Request.Header.IsHTTP11() {
			old.unchunk(c)
		}
	}
	return app
}

// fail answers a failed request, as JSON or as a page. A request whose header section
// could not be read has no path and gets JSON, because programs send such requests.
// The client may still be sending it.
func (s *Server) fail(c *fiber.Ctx, err error) error {
	unread := len(c.Request().Header.RawHeaders()) == 0
	if unread {
		socket.ExpectMore(c.Context().Conn())
		s.setSecurity(c, true)
	}
	if unread || strings.HasPrefix(c.Path(), route.API) {
		return s.API.Fail(c, err)
	}
	return page.Fail(c, s.Log, err)
}

// secure sets the headers that tell browsers what they may do with an answer.
// Pages and streams set more.
func (s *Server) secure(c *fiber.Ctx) error {
	s.setSecurity(c, strings.HasPrefix(c.Path(), route.API))
	return c.Next()
}

func (s *Server) setSecurity(c *fiber.Ctx, api bool) {
	if api {
		c.Set(fiber.HeaderCacheControl, "no-store")
		c.Set(fiber.HeaderXContentTypeOptions, "nosniff")
	}
	if s.https {
		c.Set(fiber.HeaderStrictTransportSecurity, "max-age=31536000")
	}
}

var (
	errConnectionsOfClient = &fault.Error{
		Kind: fault.RateLimited, RetryAfter: 5 * time.Second,
		Message: "Your network has too many requests in progress. Wait for some to finish, then try again.",
	}
	errConnections = (&fault.Error{
		Kind: fault.Unavailable, RetryAfter: 5 * time.Second,
		Message: "The server has too many requests in progress. Try again in a few seconds.",
	}).Named(fault.Overloaded)
)

// refuseSurplus refuses a request on a connection that was accepted although the
// limit of connections was reached.
func refuseSurplus(c *fiber.Ctx) error {
	conn, ok := c.Context().Conn().(*socket.Conn)
	if !ok || conn.Refusal() == socket.Admitted {
		return c.Next()
	}
	c.Context().SetConnectionClose()
	if conn.Refusal() == socket.TooManyOfClient {
		return errConnectionsOfClient
	}
	return errConnections
}

// noTokenPages skips a check of cookies for /api/v1, which uses no cookies.
func noTokenPages(check fiber.Handler) fiber.Handler {
	return func(c *fiber.Ctx) error {
		if strings.HasPrefix(c.Path(), route.V1+"/") {
			return c.Next()
		}
		return check(c)
	}
}

// recover turns a panic of a handler into an internal error.
func (s *Server) recover(c *fiber.Ctx) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fault.Wrap(fault.Internal, fmt.Errorf("panic: %v\n%s", r, debug.Stack()), "internal error")
		}
	}()
	return c.Next()
}

// logRequests logs and counts each request by its route, never by its texts.
func (s *Server) logRequests() fiber.Handler {
	write := s.requestEnded
	return func(c *fiber.Ctx) error {
		line := requestline.Begin(c)
		refused := c.Next()
		if refused != nil {
			if err := s.fail(c, refused); err != nil {
				return err
			}
		}
		refused = cmp.Or(refused, security.Noted(c))
		if line.OfCheck = s.ofCheck(c); !line.OfCheck {
			s.reportRefusal(c, refused)
		}
		line.RequestID, line.Method, line.Route = requestid.Of(c), c.Method(), c.Route().Path
		line.Status, line.Bytes = cmp.Or(line.Status, c.Response().StatusCode()), sizeOf(c.Response())
		if errors.Is(refused, turn.ErrLeft) || errors.Is(refused, bodies.ErrLeft) {
			line.Fail(requestline.ClientGone, "")
		}
		line.Write(write)
		return nil
	}
}

// sizeOf is the size of a response's body, or zero if it is made while it is sent.
func sizeOf(response *fasthttp.Response) int64 {
	if response.IsBodyStream() {
		return int64(max(0, response.Header.ContentLength()))
	}
	return int64(len(response.Body()))
}

// probes are the routes that are asked every few seconds.
var probes = []string{"/healthz", "/readyz"}

// requestEnded logs and counts a request whose answer has ended.
func (s *Server) requestEnded(line *requestline.Line) {
	if s.counts() && !line.OfCheck {
		s.metrics.Request(line.Method, line.Route, line.Status, line.Took)
	}
	level := slog.LevelInfo
	if slices.Contains(probes, line.Route) {
		level = slog.LevelDebug
	}
	if ctx := context.Background(); s.Log.Enabled(ctx, level) {
		var fields [10]slog.Attr
		s.Log.LogAttrs(ctx, level, "request", line.Append(fields[:0])...)
	}
}

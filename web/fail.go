package web

import (
	"errors"
	"log/slog"
	"strconv"
	"time"

	"github.com/gofiber/fiber/v2"

	"parley/core/fault"
	"parley/internal/requestid"
	"parley/internal/security"
	"parley/views"
)

type look struct {
	status int
	title  string
}

// looks is the one table of how a kind of failure looks on a page.
var looks = map[fault.Kind]look{
	fault.Internal:        {fiber.StatusInternalServerError, "Something went wrong"},
	fault.Invalid:         {fiber.StatusUnprocessableEntity, "This cannot be done"},
	fault.TooLarge:        {fiber.StatusRequestEntityTooLarge, "Too large"},
	fault.Unauthenticated: {fiber.StatusUnauthorized, "Sign in first"},
	fault.Forbidden:       {fiber.StatusForbidden, "Not allowed"},
	fault.NotFound:        {fiber.StatusNotFound, "Not found"},
	fault.Conflict:        {fiber.StatusConflict, "This cannot be done now"},
	fault.RateLimited:     {fiber.StatusTooManyRequests, "Too many requests"},
	fault.Upstream:        {fiber.StatusInternalServerError, "Something went wrong"},
	fault.Unavailable:     {fiber.StatusServiceUnavailable, "Try again soon"},
}

const internalMessage = "Something went wrong on the server. Try again. " +
	"If it happens again, tell the operator the request below."

// Fail answers a failure with a page, and logs one that is the server's. A
// browser that must sign in to read a page is sent there.
func Fail(c *fiber.Ctx, log *slog.Logger, err error) error {
	setHeaders(c)
	security.Note(c, err)
	failure := asFault(err)
	if failure.Kind == fault.Unauthenticated && reads(c) {
		return signInFirst(c)
	}
	logFailure(c, log, failure)
	retryAfter(c, failure)
	message := failure.Message
	if failure.Kind == fault.Internal {
		message = internalMessage
	}
	shown := looks[failure.Kind]
	return render(c, statusOf(shown.status, err), views.FailurePage(views.Failure{
		Title: shown.title, Message: message, RequestID: requestid.Of(c),
		SignIn: failure.Kind == fault.Unauthenticated,
	}))
}

func reads(c *fiber.Ctx) bool {
	return c.Method() == fiber.MethodGet || c.Method() == fiber.MethodHead
}

// asFault is [fault.As] for what the router fails with, too.
func asFault(err error) *fault.Error {
	var refused *fiber.Error
	if !errors.As(err, &refused) {
		return fault.As(err)
	}
	switch code := refused.Code; {
	case code == fiber.StatusNotFound:
		return fault.New(fault.NotFound, "There is no page at this address.")
	case code == fiber.StatusRequestEntityTooLarge:
		return fault.New(fault.TooLarge, "What you sent is too large. Send less.")
	case code >= fiber.StatusInternalServerError:
		return fault.Wrap(fault.Internal, err, "internal error")
	}
	return fault.Wrap(fault.Invalid, err, "The server does not understand this request. Go back and try again.")
}

// statusOf keeps the router's own status for a wrong request, such as 405.
func statusOf(status int, err error) int {
	var refused *fiber.Error
	if errors.As(err, &refused) && refused.Code >= 400 && refused.Code < 500 {
		return refused.Code
	}
	return status
}

func logFailure(c *fiber.Ctx, log *slog.Logger, failure *fault.Error) {
	if looks[failure.Kind].status < fiber.StatusInternalServerError {
		return
	}
	log.ErrorContext(c.UserContext(), "page failed", "request_id", requestid.Of(c),
		"method", c.Method(), "path", c.Path(), "error", failure)
}

func retryAfter(c *fiber.Ctx, failure *fault.Error) {
	if failure.RetryAfter <= 0 {
		return
	}
	seconds := (failure.RetryAfter + time.Second - 1) / time.Second
	c.Set(fiber.HeaderRetryAfter, strconv.Itoa(int(seconds)))
}

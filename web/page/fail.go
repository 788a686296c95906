package page

import (
	"errors"
	"log/slog"
	"net/url"
	"strconv"
	"time"

	"github.com/gofiber/fiber/v2"

	"parley/api/route"
	"parley/core/fault"
	"parley/internal/requestid"
	"parley/internal/requestline"
	"parley/internal/security"
	"parley/views/shell"
)

// titles head the page about a kind of failure.
var titles = map[fault.Kind]string{
	fault.Internal:        "Something went wrong",
	fault.Invalid:         "That did not work",
	fault.TooLarge:        "Too large",
	fault.Unauthenticated: "Sign in first",
	fault.Forbidden:       "Not allowed",
	fault.NotFound:        "Not found",
	fault.Conflict:        "Not possible right now",
	fault.RateLimited:     "Too many requests",
	fault.Upstream:        "Something went wrong",
	fault.Unavailable:     "Try again soon",
}

// statusOf returns the HTTP status of a kind of failure, by the one table of
// both transports. A form that was filled in wrongly was understood nevertheless: RFC
// 9110, section 15.5.21.
func statusOf(kind fault.Kind) int {
	if kind == fault.Invalid {
		return fiber.StatusUnprocessableEntity
	}
	return route.FailureOf(kind).Status
}

const internalMessage = "Something went wrong on the server. Try again. " +
	"If it happens again, give the operator of this server the request number below."

// Fail answers a failure with a page, and logs one that is the server's. A
// browser that must sign in to read a page is sent there.
func Fail(c *fiber.Ctx, log *slog.Logger, err error) error {
	SetHeaders(c)
	security.Note(c, err)
	failure := asFault(err)
	if failure.Kind == fault.Unauthenticated && isRead(c) {
		return signInFirst(c)
	}
	if led, err := factorFirst(c, failure); led {
		return err
	}
	LogFailure(c, log, failure)
	retryAfter(c, failure)
	status := routersOr(statusOf(failure.Kind), err)
	requestline.Of(c).Fail(status, string(failure.Code()))
	message := failure.Message
	if failure.Kind == fault.Internal {
		message = internalMessage
	}
	title := titles[failure.Kind]
	if failure.Kind == fault.Unauthenticated && CameFrom(c) != "" {
		title = "Your session has ended"
	}
	return Render(c, status, shell.FailurePage(shell.Failure{
		Title: title, Message: message, RequestID: requestid.Of(c),
		SignIn: failure.Kind == fault.Unauthenticated, Layout: notedLayout(c), Back: CameFrom(c), Again: retryURL(c, failure.Kind),
	}))
}

// retryURL returns the address of a page that may work the next time.
func retryURL(c *fiber.Ctx, kind fault.Kind) string {
	switch kind {
	case fault.Internal, fault.Upstream, fault.Unavailable, fault.RateLimited:
		if isRead(c) {
			return LocalPath(string(c.Request().URI().RequestURI()))
		}
	}
	return ""
}

// CameFrom is the page of this server that a form was on, for the way back to it.
func CameFrom(c *fiber.Ctx) string {
	from, err := url.Parse(c.Get(fiber.HeaderReferer))
	if err != nil || from.Host != string(c.Request().URI().Host()) {
		return ""
	}
	return LocalPath(from.RequestURI())
}

func isRead(c *fiber.Ctx) bool {
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
		return fault.New(fault.TooLarge, "What you sent is too large. Send a smaller file or less text.")
	case code >= fiber.StatusInternalServerError:
		return fault.Wrap(fault.Internal, err, "internal error")
	}
	return fault.Wrap(fault.Invalid, err, "The server does not understand this request. Go back and try again.")
}

// routersOr keeps the router's own status for a wrong request, such as 405.
func routersOr(status int, err error) int {
	var refused *fiber.Error
	if errors.As(err, &refused) && refused.Code >= 400 && refused.Code < 500 {
		return refused.Code
	}
	return status
}

// LogFailure logs a failure that is not the person's, at the level of who must act.
func LogFailure(c *fiber.Ctx, log *slog.Logger, failure *fault.Error) {
	if statusOf(failure.Kind) < fiber.StatusInternalServerError {
		return
	}
	log.Log(c.UserContext(), fault.Level(failure), "page failed", "request_id", requestid.Of(c),
		"method", c.Method(), "route", c.Route().Path, "code", string(failure.Code()), "error", failure)
}

// retryAfter says when to try again, as the API does.
func retryAfter(c *fiber.Ctx, failure *fault.Error) {
	after := failure.RetryAfter
	if after == 0 && failure.Kind == fault.Unavailable {
		after = time.Second
	}
	if after <= 0 {
		return
	}
	seconds := (after + time.Second - 1) / time.Second
	c.Set(fiber.HeaderRetryAfter, strconv.Itoa(int(seconds)))
}

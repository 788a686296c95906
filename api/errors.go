package api

import (
	"errors"
	"log/slog"
	"math"
	"strconv"
	"time"

	"github.com/gofiber/fiber/v2"

	"parley/core/fault"
	"parley/internal/requestid"
)

// The codes of the envelope: one for each meaning.
const (
	codeUnauthenticated = 1
	codeForbidden       = 2
	codeNotFound        = 3
	codeInvalid         = 4
	codeInternal        = 5
	codeConflict        = 6
	codeRateLimited     = 7
	codeUnavailable     = 8
)

// failures is the one table from kinds of failure to statuses and codes.
var failures = map[fault.Kind]struct{ status, code int }{
	fault.Internal:        {fiber.StatusInternalServerError, codeInternal},
	fault.Upstream:        {fiber.StatusInternalServerError, codeInternal},
	fault.Invalid:         {fiber.StatusBadRequest, codeInvalid},
	fault.TooLarge:        {fiber.StatusRequestEntityTooLarge, codeInvalid},
	fault.Unauthenticated: {fiber.StatusUnauthorized, codeUnauthenticated},
	fault.Forbidden:       {fiber.StatusForbidden, codeForbidden},
	fault.NotFound:        {fiber.StatusNotFound, codeNotFound},
	fault.Conflict:        {fiber.StatusConflict, codeConflict},
	fault.RateLimited:     {fiber.StatusTooManyRequests, codeRateLimited},
	fault.Unavailable:     {fiber.StatusServiceUnavailable, codeUnavailable},
}

const internalMessage = "Something went wrong here. Try again; if it happens again, report the request id."

var errDraining = &fault.Error{
	Kind: fault.Unavailable, RetryAfter: 5 * time.Second,
	Message: "The server is restarting. Try again in a few seconds.",
}

// failure is what a caller reads of an error.
type failure struct {
	status, code int
	message      string
	retryAfter   time.Duration
}

func failureOf(err error) failure {
	var framework *fiber.Error
	if errors.As(err, &framework) {
		return frameworkFailure(framework)
	}
	f := fault.As(err)
	row := failures[f.Kind]
	out := failure{status: row.status, code: row.code, message: f.Message, retryAfter: f.RetryAfter}
	if f.Kind == fault.Internal {
		out.message = internalMessage
	}
	if out.retryAfter == 0 && (f.Kind == fault.Unavailable || f.Kind == fault.RateLimited) {
		out.retryAfter = time.Second
	}
	return out
}

// frameworkFailure is for errors that fiber makes before a handler runs.
func frameworkFailure(err *fiber.Error) failure {
	switch {
	case err.Code == fiber.StatusNotFound:
		return failure{status: err.Code, code: codeNotFound, message: "There is no such endpoint. Check the path."}
	case err.Code == fiber.StatusMethodNotAllowed:
		return failure{status: err.Code, code: codeInvalid, message: "This endpoint does not take this method."}
	case err.Code == fiber.StatusRequestEntityTooLarge:
		return failure{status: err.Code, code: codeInvalid, message: "The request body is too large."}
	case err.Code == fiber.StatusUnsupportedMediaType:
		return failure{status: err.Code, code: codeInvalid, message: err.Message}
	case err.Code >= 400 && err.Code < 500:
		return failure{status: fiber.StatusBadRequest, code: codeInvalid, message: "The request could not be read. Check its headers and body."}
	}
	return failure{status: fiber.StatusInternalServerError, code: codeInternal, message: internalMessage}
}

// Fail answers a failed request with the envelope and logs what the caller
// does not see.
func (a *API) Fail(c *fiber.Ctx, err error) error {
	f := failureOf(err)
	if f.status == fiber.StatusUnauthorized {
		c.Set(fiber.HeaderWWWAuthenticate, "Bearer")
	}
	if f.retryAfter > 0 {
		c.Set(fiber.HeaderRetryAfter, strconv.Itoa(int(math.Ceil(f.retryAfter.Seconds()))))
	}
	requestID := requestid.Of(c)
	logFailure(a.Log, f, requestID, err)
	return respond(c.Status(f.status), envelope{Error: f.code, ErrorMessage: f.message})
}

func logFailure(log *slog.Logger, f failure, requestID string, err error) {
	if f.status >= fiber.StatusInternalServerError {
		log.Error("request failed", "request_id", requestID, "status", f.status, "error", err)
	}
}

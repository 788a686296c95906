package api

import (
	"context"
	"errors"
	"log/slog"
	"math"
	"strconv"
	"time"

	"github.com/gofiber/fiber/v2"

	"parley/api/route"
	"parley/core/fault"
	"parley/internal/requestid"
	"parley/internal/requestline"
)

// errorCodeHeader has the name of what a failure means, which is finer than the
// envelope's number.
const errorCodeHeader = "X-Error-Code"

const internalMessage = "Something went wrong on the server. Try again. If it happens again, report the request id to the operator."

var errDraining = (&fault.Error{
	Kind: fault.Unavailable, RetryAfter: 5 * time.Second,
	Message: "The server is restarting. Try again in a few seconds.",
}).Named(fault.Draining)

// failure is what a caller reads of an error.
type failure struct {
	status, code int
	// name tells apart what shares a code.
	name    fault.Code
	message string
	// field is the input that is wrong, or empty.
	field      string
	retryAfter time.Duration
}

func failureOf(err error) failure {
	var framework *fiber.Error
	if errors.As(err, &framework) {
		return frameworkFailure(framework)
	}
	f := fault.As(err)
	row := route.FailureOf(f.Kind)
	out := failure{status: row.Status, code: row.Code, name: f.Code(), message: f.Message, field: f.Field, retryAfter: f.RetryAfter}
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
		return failure{status: err.Code, code: route.CodeNotFound, name: "unknown_path", message: "There is no endpoint at this path. Check the path and the API version."}
	case err.Code == fiber.StatusMethodNotAllowed:
		return failure{status: err.Code, code: route.CodeInvalid, name: "method_not_allowed", message: "This endpoint does not support this method. The Allow header lists those that it does."}
	case err.Code == fiber.StatusRequestEntityTooLarge:
		return failure{status: err.Code, code: route.CodeInvalid, name: "too_large", message: "The request body is too large. Send a smaller one."}
	case err.Code == fiber.StatusUnsupportedMediaType:
		return failure{status: err.Code, code: route.CodeInvalid, name: "unsupported_media_type", message: err.Message}
	case err.Code >= 400 && err.Code < 500:
		return failure{status: fiber.StatusBadRequest, code: route.CodeInvalid, name: "invalid_request", message: "The server could not read the request. Check its headers and body."}
	}
	return failure{status: fiber.StatusInternalServerError, code: route.CodeInternal, name: "internal_error", message: internalMessage}
}

// Fail answers a failed request with the envelope and logs what the caller
// does not see.
func (a *API) Fail(c *fiber.Ctx, err error) error {
	f := failureOf(err)
	if f.status == fiber.StatusUnauthorized {
		c.Set(fiber.HeaderWWWAuthenticate, challenge(c, a.BaseURL))
	}
	if f.retryAfter > 0 {
		c.Set(fiber.HeaderRetryAfter, strconv.Itoa(int(math.Ceil(f.retryAfter.Seconds()))))
	}
	c.Set(errorCodeHeader, string(f.name))
	requestID := requestid.Of(c)
	requestline.Of(c).Fail(f.status, string(f.name))
	logFailure(a.Log, f, requestID, err)
	if form, ok := openAIForm(c.Path()); ok {
		return failOpenAI(c.Status(f.status), f, form)
	}
	return respond(c.Status(f.status), envelope{Error: f.code, ErrorMessage: f.message})
}

// logFailure logs what the caller does not see of a failure that is not the caller's.
func logFailure(log *slog.Logger, f failure, requestID string, err error) {
	if f.status >= fiber.StatusInternalServerError {
		log.Log(context.Background(), fault.Level(err), "request failed", "request_id", requestID, "status", f.status, "code", string(f.name), "error", err)
	}
}

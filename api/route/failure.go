package route

import (
	"net/http"

	"parley/core/fault"
)

// The error codes for programs, one for each meaning.
const (
	CodeUnauthenticated = 1
	CodeForbidden       = 2
	CodeNotFound        = 3
	CodeInvalid         = 4
	CodeInternal        = 5
	CodeConflict        = 6
	CodeRateLimited     = 7
	CodeUnavailable     = 8
)

// Failure is the response to a kind of failure: an HTTP status and, for programs, also a
// code.
type Failure struct{ Status, Code int }

// failures is the only table from kinds of failure to statuses and codes.
var failures = map[fault.Kind]Failure{
	fault.Internal:        {http.StatusInternalServerError, CodeInternal},
	fault.Upstream:        {http.StatusInternalServerError, CodeInternal},
	fault.Invalid:         {http.StatusBadRequest, CodeInvalid},
	fault.TooLarge:        {http.StatusRequestEntityTooLarge, CodeInvalid},
	fault.Unauthenticated: {http.StatusUnauthorized, CodeUnauthenticated},
	fault.Forbidden:       {http.StatusForbidden, CodeForbidden},
	fault.NotFound:        {http.StatusNotFound, CodeNotFound},
	fault.Conflict:        {http.StatusConflict, CodeConflict},
	fault.RateLimited:     {http.StatusTooManyRequests, CodeRateLimited},
	fault.Unavailable:     {http.StatusServiceUnavailable, CodeUnavailable},
}

// FailureOf returns the response to a kind of failure.
func FailureOf(kind fault.Kind) Failure { return failures[kind] }

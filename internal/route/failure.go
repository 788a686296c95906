package route

import (
	"net/http"

	"parley/core/fault"
)

// The codes of the interface for programs: one for each meaning.
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

// Failure is how a kind of failure is answered: by a status of HTTP, and to
// programs by a code, too.
type Failure struct{ Status, Code int }

// failures is the one table from kinds of failure to statuses and codes.
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

// FailureOf returns how a kind of failure is answered.
func FailureOf(kind fault.Kind) Failure { return failures[kind] }

package parley

import (
	"fmt"
	"time"
)

// Error is a failure that the server reports.
type Error struct {
	// Status is the HTTP status; zero for an error in the middle of a stream.
	Status int
	// Code is the code of the API, 1 to 8.
	Code int
	// Name names the failure precisely, such as "conversation_busy". Later versions may add names.
	Name string
	// Message is a sentence for people.
	Message string
	// RequestID names the request in the server's log.
	RequestID string
	// RetryAfter is when the server wants to be asked again, zero if it did not say.
	RetryAfter time.Duration
}

// The codes of the API.
const (
	CodeUnauthenticated = 1
	CodeForbidden       = 2
	CodeNotFound        = 3
	CodeInvalid         = 4
	CodeFailed          = 5
	CodeConflict        = 6
	CodeRateLimited     = 7
	CodeUnavailable     = 8
)

// Error says what the server said.
func (e *Error) Error() string {
	if e.RequestID == "" {
		return fmt.Sprintf("parley: %s (%s)", e.Message, e.Name)
	}
	return fmt.Sprintf("parley: %s (%s, request %s)", e.Message, e.Name, e.RequestID)
}

// retry reports whether the same request may succeed later.
func (e *Error) retry() bool { return e.Code == CodeRateLimited || e.Code == CodeUnavailable }

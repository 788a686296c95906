// Package fault owns the kinds of failure that the domain packages know, each with a
// sentence for the caller and a cause for the log.
//
// It does not own statuses, codes or pages: package api/route maps kinds to
// statuses and codes, and package web/page to pages.
package fault

import (
	"errors"
	"fmt"
	"time"
)

// Kind says what sort of failure an [Error] is. Each transport maps it to its own
// vocabulary in one table.
type Kind int

// The kinds of failure.
const (
	// Internal is a failure that the caller can do nothing about. Its message
	// is never shown.
	Internal Kind = iota
	// Invalid is a request that is wrong and will stay wrong.
	Invalid
	// TooLarge is a request that exceeds a size limit.
	TooLarge
	// Unauthenticated is a missing or invalid credential.
	Unauthenticated
	// Forbidden is a caller who is known but not allowed.
	Forbidden
	// NotFound is a thing that does not exist, or that the caller must not
	// learn exists.
	NotFound
	// Conflict is a request that clashes with the present state.
	Conflict
	// RateLimited is a caller who must slow down; see [Error.RetryAfter].
	RateLimited
	// Upstream is a failure of retrieval or of the language model.
	Upstream
	// Unavailable is a server that cannot answer just now: draining,
	// overloaded, or without its database or its index.
	Unavailable
)

// Error is a failure with a message for the caller and a cause for the log.
type Error struct {
	Kind Kind
	// Message is a sentence that tells the caller what to do next. It never
	// shows internals.
	Message string
	// Field names the input that is wrong, for pages that show the message
	// beside it. It may be empty.
	Field string
	// RetryAfter says when to try again. Zero means unknown.
	RetryAfter time.Duration
	// Cause is for the log only.
	Cause error

	code Code
	// operators says that only the operator of this server can mend it.
	operators bool
}

// Error returns the message with its cause, for the log.
func (e *Error) Error() string {
	if e.Cause == nil {
		return e.Message
	}
	return fmt.Sprintf("%s: %v", e.Message, e.Cause)
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Cause }

// New returns a failure of the given kind.
func New(kind Kind, format string, args ...any) *Error {
	return &Error{Kind: kind, Message: fmt.Sprintf(format, args...)}
}

// Wrap returns a failure of the given kind with a cause for the log.
func Wrap(kind Kind, cause error, format string, args ...any) *Error {
	return &Error{Kind: kind, Message: fmt.Sprintf(format, args...), Cause: cause}
}

// InField returns an [Invalid] failure of one input.
func InField(field, format string, args ...any) *Error {
	return &Error{Kind: Invalid, Field: field, Message: fmt.Sprintf(format, args...)}
}

// As returns the [Error] in err's chain. An error that carries none becomes
// [Internal] with err as its cause.
func As(err error) *Error {
	var fault *Error
	if errors.As(err, &fault) {
		return fault
	}
	return &Error{Kind: Internal, Message: "internal error", Cause: err}
}

// Is reports whether err is a failure of the given kind.
func Is(err error, kind Kind) bool {
	return err != nil && As(err).Kind == kind
}

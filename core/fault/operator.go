package fault

import (
	"context"
	"errors"
	"log/slog"
)

// ForOperator says of a new failure that only the operator of this server can mend it, such as
// a database that is away, and returns it. Its message blames nobody who reads it.
func (e *Error) ForOperator() *Error {
	e.operators = true
	return e
}

// OperatorMustAct reports whether only the operator of this server can mend the failure, or what
// caused it.
func (e *Error) OperatorMustAct() bool {
	if e.operators {
		return true
	}
	var cause *Error
	return (e.Kind == Upstream || e.Kind == Unavailable) && errors.As(e.Cause, &cause) && cause.OperatorMustAct()
}

// Recurring names a failure that recurs with each request until somebody mends it, or until
// there is less to do. It is empty for others. The log has such a failure once a minute.
func (e *Error) Recurring() string {
	if !e.OperatorMustAct() && e.Kind != Unavailable {
		return ""
	}
	return string(e.Code()) + " " + e.Message
}

// Level returns the level at which the log has a failure. [slog.LevelError] means that
// somebody must act: the operator. Nobody foresaw an [Internal] failure.
func Level(err error) slog.Level {
	if several, is := err.(interface{ Unwrap() []error }); is { //nolint:errorlint // not those that a fault wraps
		level := slog.LevelDebug
		for _, each := range several.Unwrap() {
			level = max(level, Level(each))
		}
		return level
	}
	f := As(err)
	switch {
	case errors.Is(err, context.Canceled): // nobody waits for it any more
		return slog.LevelDebug
	case f.OperatorMustAct() && f.code == ModelBusy:
		return slog.LevelWarn
	case f.OperatorMustAct():
		return slog.LevelError
	case f.Kind == Unavailable, errors.Is(err, context.DeadlineExceeded):
		return slog.LevelWarn
	case f.Kind == Internal:
		return slog.LevelError
	}
	return slog.LevelInfo
}

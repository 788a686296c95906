// Package recurring keeps a failure that recurs from filling the log: each cause has one line
// a minute.
//
// It does not own which failures recur: they say so themselves.
package recurring

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"time"
)

const (
	// pause is how long a cause has no second line.
	pause = time.Minute
	// most is how many causes are remembered.
	most = 1000
)

// failure is an error that names its cause, or returns nothing if it does not recur.
type failure interface {
	error
	Recurring() string
}

// Handler returns a handler that writes warnings and errors with the same cause once a minute,
// and the others at the level of debugging. A line says how many were left out since the last.
func Handler(to slog.Handler) slog.Handler { return handler{to, &causes{}} }

type handler struct {
	slog.Handler
	causes *causes
}

// Handle implements [slog.Handler].
func (h handler) Handle(ctx context.Context, r slog.Record) error {
	if r.Level < slog.LevelWarn {
		return h.Handler.Handle(ctx, r)
	}
	name := causeOf(r)
	if name == "" {
		return h.Handler.Handle(ctx, r)
	}
	leftOut, again := h.causes.see(r.Level.String()+" "+name, r.Time)
	switch {
	case again && !h.Handler.Enabled(ctx, slog.LevelDebug):
		return nil
	case again:
		r.Level = slog.LevelDebug
	case leftOut > 0:
		r = r.Clone()
		r.AddAttrs(slog.Int("left_out", leftOut))
	}
	return h.Handler.Handle(ctx, r)
}

// WithAttrs implements [slog.Handler].
func (h handler) WithAttrs(attributes []slog.Attr) slog.Handler {
	return handler{h.Handler.WithAttrs(attributes), h.causes}
}

// WithGroup implements [slog.Handler].
func (h handler) WithGroup(name string) slog.Handler {
	return handler{h.Handler.WithGroup(name), h.causes}
}

// causeOf names the cause of a line's error, if it has one that recurs.
func causeOf(r slog.Record) (name string) {
	r.Attrs(func(a slog.Attr) bool {
		if err, is := a.Value.Any().(error); is {
			name = nameOf(err)
		}
		return name == ""
	})
	return name
}

// nameOf is empty for several errors of which one does not recur.
func nameOf(err error) string {
	if several, is := err.(interface{ Unwrap() []error }); is { //nolint:errorlint // not those that a failure wraps
		var names []string
		for _, each := range several.Unwrap() {
			name := nameOf(each)
			if name == "" {
				return ""
			}
			if !slices.Contains(names, name) {
				names = append(names, name)
			}
		}
		return strings.Join(names, ", ")
	}
	var found failure
	if errors.As(err, &found) {
		return found.Recurring()
	}
	return ""
}

// causes are those that were seen.
type causes struct {
	mu   sync.Mutex
	seen map[string]*cause
}

type cause struct {
	written time.Time
	leftOut int
}

// see notes a cause, and reports whether it was written less than a minute ago. If not, it
// returns how often it was seen since.
func (c *causes) see(name string, at time.Time) (leftOut int, again bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	known := c.seen[name]
	if known != nil && at.Sub(known.written) < pause {
		known.leftOut++
		return 0, true
	}
	if known != nil {
		leftOut = known.leftOut
	} else if len(c.seen) >= most || c.seen == nil {
		c.seen = map[string]*cause{}
	}
	c.seen[name] = &cause{written: at}
	return leftOut, false
}

// Package requestline owns what the log says of a request, and when: at the end of its answer,
// which for a stream comes after its handler has returned.
//
// It does not own the log and the figures.
package requestline

import (
	"log/slog"
	"time"

	"github.com/gofiber/fiber/v2"
)

// ClientGone is the status, in the log and in figures, of a request whose client left before
// the end of its answer.
const ClientGone = 499

// Line is what is known of a request. The methods of a nil line do nothing.
type Line struct {
	RequestID, Method, Route string
	// WorkspaceID and TokenID are the public ids of whom the request is for.
	WorkspaceID, TokenID string
	// Status is that of the response. An answer that failed after it had begun has the status
	// that it would have had otherwise.
	Status int
	// Code names a failure.
	Code string
	// Bytes is the size of the response's body.
	Bytes int64
	Took  time.Duration
	// OfCheck says that parley doctor isolation sent the request, which no metric has.
	OfCheck bool

	began time.Time
	head  bool
	// held says that the answer goes on after the handler.
	held  bool
	write func(*Line)
}

type key struct{}

// Begin returns the line of a request that begins.
func Begin(c *fiber.Ctx) *Line {
	l := &Line{began: time.Now(), head: c.Context().IsHead()}
	c.Locals(key{}, l)
	return l
}

// Of returns the line of a request, or nil.
func Of(c *fiber.Ctx) *Line {
	l, _ := c.Locals(key{}).(*Line)
	return l
}

// For says whom the request is for.
func (l *Line) For(workspaceID, tokenID string) {
	if l != nil {
		l.WorkspaceID, l.TokenID = workspaceID, tokenID
	}
}

// Fail says that the answer tells of a failure, whatever its status.
func (l *Line) Fail(status int, code string) {
	if l != nil {
		l.Status, l.Code = status, code
	}
}

// Hold has the line wait for [Line.End]: the answer goes on when its handler has returned. That of
// a HEAD request has no body.
func (l *Line) Hold() {
	if l != nil && !l.head {
		l.held = true
	}
}

// Write writes the line: at once, or when the answer ends.
func (l *Line) Write(write func(*Line)) {
	if l.held {
		l.write = write
		return
	}
	l.Took = time.Since(l.began)
	write(l)
}

// End ends an answer that went on after its handler. Until the handler has returned it says
// that the request gets another answer.
func (l *Line) End(status int, code string, bytes int64) {
	if l == nil {
		return
	}
	write := l.write
	if l.held, l.write = false, nil; write == nil {
		return
	}
	l.Status, l.Code, l.Bytes = status, code, bytes
	l.Write(write)
}

// Outcome says how the request ended.
func (l *Line) Outcome() string {
	switch {
	case l.Status == ClientGone:
		return "client_gone"
	case l.Status >= fiber.StatusInternalServerError:
		return "failed"
	case l.Status >= fiber.StatusBadRequest:
		return "refused"
	}
	return "completed"
}

// Append appends the fields of the line.
func (l *Line) Append(attributes []slog.Attr) []slog.Attr {
	attributes = append(attributes,
		slog.String("request_id", l.RequestID), slog.String("method", l.Method), slog.String("route", l.Route),
		slog.Int("status", l.Status), slog.String("outcome", l.Outcome()))
	for _, known := range [...]slog.Attr{slog.String("code", l.Code), slog.String("workspace_id", l.WorkspaceID), slog.String("token_id", l.TokenID)} {
		if known.Value.String() != "" {
			attributes = append(attributes, known)
		}
	}
	return append(attributes, slog.Int64("bytes", l.Bytes), slog.Float64("duration_ms", Milliseconds(l.Took)))
}

// Milliseconds is a duration as the log has it.
func Milliseconds(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }

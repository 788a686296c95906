// Package security owns the security events of the log: their names, the fields of a
// line, and the limit that keeps a flood of them from filling the log.
//
// It does not own what is refused and why (the packages that refuse do) or where figures
// are served (package metrics).
package security

import (
	"context"
	"log/slog"
	"sync"
	"time"
)

// Name is the name of an event in the log and in figures. It is stable.
type Name string

// The events.
const (
	// SignInRefused is a wrong password, or an address without an account.
	SignInRefused Name = "sign_in_refused"
	// AttemptsThrottled is an attempt after too many.
	AttemptsThrottled Name = "attempts_throttled"
	// InvitationRefused is a code without an open invitation.
	InvitationRefused Name = "invitation_refused"
	// TokenRefused is an API token that does not work.
	TokenRefused Name = "token_refused"
	// PermissionDenied is a known caller without permission.
	PermissionDenied Name = "permission_denied"
	// CrossSiteRefused is a change that another site's page started.
	CrossSiteRefused Name = "cross_site_refused"
	// WebhookRefused is an event that Stripe did not sign.
	WebhookRefused Name = "webhook_refused"
	// TargetRefused is an address from an owner to which the server does not
	// connect.
	TargetRefused Name = "target_refused"
)

// Names returns all names.
func Names() []Name {
	return []Name{
		SignInRefused, AttemptsThrottled, InvitationRefused, TokenRefused, PermissionDenied, CrossSiteRefused,
		WebhookRefused, TargetRefused,
	}
}

// Event is a security event. Unknown fields are empty. It holds no secret, no text from
// a person, and no e-mail address.
type Event struct {
	Name Name
	// Reason is one of the program's own words.
	Reason      string
	RequestID   string
	Address     string
	Method      string
	Route       string
	UserID      string
	WorkspaceID string
	ChatbotID   string
	TokenID     string
	// TokenHint has the first and last characters of a known token.
	TokenHint string
	// Target is the host and port of a refused connection.
	Target string
}

const (
	// window and perWindow limit the lines of one name.
	window    = time.Minute
	perWindow = 60

	message = "security event"
)

// Events writes events to a log.
type Events struct {
	log   *slog.Logger
	count func(Name)
	now   func() time.Time

	mu      sync.Mutex
	sampled map[Name]*sample
}

// sample counts what was written of a name since a window began.
type sample struct {
	began            time.Time
	written, leftOut int
}

// New returns events that are all counted, and written to a log.
func New(log *slog.Logger, count func(Name), now func() time.Time) *Events {
	return &Events{log: log, count: count, now: now, sampled: map[Name]*sample{}}
}

// Report writes an event, unless there have been too many with its name. A line after the
// minute says how many were left out.
func (e *Events) Report(ctx context.Context, event Event) {
	e.count(event.Name)
	if e.admit(event.Name) {
		e.log.LogAttrs(ctx, slog.LevelWarn, message, event.attributes()...)
	}
}

// admit reports whether to write an event.
func (e *Events) admit(name Name) bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	s := e.sampled[name]
	if now := e.now(); s == nil || now.Sub(s.began) >= window {
		s = &sample{began: now}
		e.sampled[name] = s
	}
	if s.written < perWindow {
		s.written++
		return true
	}
	if s.leftOut == 0 {
		time.AfterFunc(window-e.now().Sub(s.began), func() { e.summarize(name, s) })
	}
	s.leftOut++
	return false
}

// summarize logs how many events of a window were left out.
func (e *Events) summarize(name Name, s *sample) {
	e.mu.Lock()
	leftOut := s.leftOut
	e.mu.Unlock()
	e.log.LogAttrs(context.Background(), slog.LevelWarn, message,
		slog.String("event", string(name)), slog.Int("left_out", leftOut))
}

// attributes returns the known fields of the event for the log.
func (e Event) attributes() []slog.Attr {
	attributes := []slog.Attr{slog.String("event", string(e.Name))}
	for _, pair := range [][2]string{
		{"reason", e.Reason},
		{"request_id", e.RequestID},
		{"address", e.Address},
		{"method", e.Method},
		{"route", e.Route},
		{"user_id", e.UserID},
		{"workspace_id", e.WorkspaceID},
		{"chatbot_id", e.ChatbotID},
		{"token_id", e.TokenID},
		{"token_hint", e.TokenHint},
		{"target", e.Target},
	} {
		if pair[1] != "" {
			attributes = append(attributes, slog.String(pair[0], pair[1]))
		}
	}
	return attributes
}

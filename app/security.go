package app

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"github.com/gofiber/fiber/v2"

	"parley/api"
	"parley/billing/stripeevent"
	"parley/core/account"
	"parley/core/audit"
	"parley/core/chatbot"
	"parley/core/fault"
	"parley/core/tenant"
	"parley/internal/id"
	"parley/internal/metrics"
	"parley/internal/security"
	"parley/web/page"
)

// newSecurityEvents returns the log of security events. It also counts them.
func newSecurityEvents(now func() time.Time, log *slog.Logger, figures *metrics.Metrics) *security.Events {
	for _, name := range security.Names() {
		figures.DeclareSecurity(string(name))
	}
	return security.New(log, func(name security.Name) { figures.Security(string(name)) }, now)
}

// reportRefusal logs a security event if a request was refused for security.
func (s *Server) reportRefusal(c *fiber.Ctx, err error) {
	event, is := eventOf(err)
	if !is {
		return
	}
	origin := audit.OriginOf(c.UserContext())
	event.RequestID, event.Address = origin.RequestID, origin.Address
	event.Method, event.Route = c.Method(), c.Route().Path
	if event.UserID == "" {
		event.UserID = audit.ActorOf(c.UserContext()).UserID
	}
	if event.Name == security.PermissionDenied && event.TokenID == "" { // the ids belong to the caller
		event.WorkspaceID = id.Parse(c.Params("workspace"))
		event.ChatbotID = id.Parse(c.Params("chatbot", c.Params("id")))
	}
	s.security.Report(c.UserContext(), event)
}

// eventOf returns the security event of an error, if it has one.
func eventOf(err error) (event security.Event, is bool) {
	var guess *account.WrongPassword
	var refused *chatbot.RefusedToken
	var denied *api.DeniedToken
	switch {
	case err == nil:
		return security.Event{}, false
	case errors.As(err, &guess):
		return security.Event{Name: security.SignInRefused, UserID: guess.UserID}, true
	case errors.As(err, &refused):
		event = aboutToken(refused.Token)
		event.Name, event.Reason = security.TokenRefused, refused.Reason
		return event, true
	case errors.Is(err, account.ErrThrottled):
		return security.Event{Name: security.AttemptsThrottled}, true
	case errors.Is(err, tenant.ErrInvitation):
		return security.Event{Name: security.InvitationRefused}, true
	case errors.Is(err, page.ErrCrossSite):
		return security.Event{Name: security.CrossSiteRefused}, true
	case errors.Is(err, stripeevent.ErrSignature):
		return security.Event{Name: security.WebhookRefused}, true
	case !fault.Is(err, fault.Forbidden):
		return security.Event{}, false
	case errors.As(err, &denied):
		event = aboutToken(denied.Token)
	}
	event.Name = security.PermissionDenied
	return event, true
}

func aboutToken(token chatbot.Token) security.Event {
	return security.Event{WorkspaceID: token.WorkspaceID, ChatbotID: token.ChatbotID, TokenID: token.ID, TokenHint: token.Hint}
}

// reportTarget logs that somebody named an address to which the server does not
// connect.
func (p *Program) reportTarget(ctx context.Context, target string) {
	if id.IsThrowAway(audit.WorkspaceOf(ctx)) { // which only a check of the installation can plant
		return
	}
	origin := audit.OriginOf(ctx)
	p.security.Report(ctx, security.Event{
		Name: security.TargetRefused, Target: target, RequestID: origin.RequestID, Address: origin.Address,
		UserID: audit.ActorOf(ctx).UserID, WorkspaceID: audit.WorkspaceOf(ctx),
	})
}

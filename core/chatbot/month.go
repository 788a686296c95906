package chatbot

import (
	"context"

	"parley/core/fault"
	"parley/core/plan"
)

// TakeMessage counts a question of a token that has a limit of messages a month,
// across all processes, and returns the month in which it counts. For any other
// token it does nothing and returns no month. It is RateLimited when the month's
// messages are used up.
func (s *Callers) TakeMessage(ctx context.Context, token *Token) (month string, err error) {
	if token.MessagesPerMonth == 0 {
		return "", nil
	}
	now := s.now().UTC()
	month = plan.MonthOf(plan.Messages, now)
	counted, err := s.db.Tokens.CountMessage(ctx, token.WorkspaceID, token.ID, month, token.MessagesPerMonth)
	if err != nil {
		return "", err
	}
	if !counted {
		refused := fault.New(fault.RateLimited, "This token may send %d messages a month, and has sent them. They count anew on %s. Raise the token's limit, or use another token.",
			token.MessagesPerMonth, plan.NextMonth(now).Format("January 2")).Named(fault.TokenQuotaExceeded)
		refused.RetryAfter = plan.NextMonth(now).Sub(now)
		return "", refused
	}
	return month, nil
}

// GiveMessageBack takes back a question that got no answer, from the month that
// [Callers.TakeMessage] returned.
func (s *Callers) GiveMessageBack(ctx context.Context, token *Token, month string) error {
	return s.db.Tokens.UncountMessage(ctx, token.WorkspaceID, token.ID, month)
}

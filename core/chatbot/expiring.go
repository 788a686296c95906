package chatbot

import (
	"context"
	"errors"
	"slices"
	"time"

	"parley/core/fault"
	"parley/core/outbox"
)

// Announcer tells owners what happens to their tokens.
type Announcer struct {
	base
	letters    *outbox.Writer
	subscriber TokenSubscriber
}

// TokenSubscriber hears that a token expires soon, in the transaction that records the
// warning.
type TokenSubscriber interface {
	TokenExpiring(ctx context.Context, token Token, days int) error
}

// warnings are how many days before a token expires its owners are told.
var warnings = []int{14, 3}

// warnedDays is the warning that is pointless for an expiry that was just chosen,
// because it would come at once: 14, 3, or 0 for none.
func warnedDays(expires *time.Time, now time.Time) (days int) {
	for _, warning := range warnings {
		if expires != nil && !expires.After(now.Add(time.Duration(warning)*day)) {
			days = warning
		}
	}
	return days
}

// WarnOfExpiring tells owners and the subscriber of tokens that expire soon: for each
// token 14 and 3 days before, once, whichever process does it. Owners are told where
// mails are sent; the subscriber hears of it in any case.
func (s *Announcer) WarnOfExpiring(ctx context.Context) error {
	var failures []error
	for _, days := range slices.Backward(warnings) { // three days before, the fourteen are past
		expiring, err := s.db.Tokens.ExpiringTokens(ctx, s.db.System, s.now(), s.now().Add(time.Duration(days)*day), days)
		failures = append(failures, err)
		for _, token := range expiring {
			failures = append(failures, s.warnOf(ctx, token, days))
		}
	}
	return errors.Join(failures...)
}

func (s *Announcer) warnOf(ctx context.Context, token Token, days int) error {
	return s.db.Tx.InTx(ctx, func(ctx context.Context) error {
		workspace, err := s.db.Workspaces.LockWorkspace(ctx, token.WorkspaceID)
		if err != nil || workspace.Ending() {
			return ignoreMissing(err)
		}
		first, err := s.db.Tokens.WarnedOfToken(ctx, token.WorkspaceID, token.ID, days)
		if err != nil || !first {
			return err
		}
		if s.subscriber != nil {
			if err := s.subscriber.TokenExpiring(ctx, token, days); err != nil {
				return err
			}
		}
		return s.tellOwners(ctx, workspace, token, letterOfExpiring)
	})
}

func ignoreMissing(err error) error {
	if fault.Is(err, fault.NotFound) {
		return nil
	}
	return err
}

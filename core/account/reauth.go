package account

import (
	"context"
	"time"

	"parley/core/account/signin"
	"parley/core/audit"
	"parley/core/fault"
)

// ProofLifetime is how long after people have shown who they are they can do what is
// sensitive. Then they are asked again: somebody else may hold the browser.
const ProofLifetime = 15 * time.Minute

// CheckProof is Forbidden, with the code [fault.ReauthenticationRequired], for a session
// in which nobody has shown lately who they are.
func (s Session) CheckProof() error {
	if s.ProvedLately {
		return nil
	}
	return fault.New(fault.Forbidden, "Confirm that it's you to do this: you signed in more than 15 minutes ago.").Named(fault.ReauthenticationRequired)
}

// ProveByPassword lets a person show again who they are, in a session, with their
// password. A wrong one is Invalid, and counts as a guess.
func (s *Sessions) ProveByPassword(ctx context.Context, user User, session Session, password string, client Client) error {
	if _, err := s.passwords.confirm(ctx, user.ID, password, client); err != nil {
		return err
	}
	return s.Proved(ctx, user, session, false)
}

// Proved records that a person has shown again who they are.
func (s *Sessions) Proved(ctx context.Context, user User, session Session, secondFactor bool) error {
	return s.db.Tx.InTx(ctx, func(ctx context.Context) error {
		err := s.db.Sessions.ProveSession(ctx, session.ID, s.now(), secondFactor)
		if fault.Is(err, fault.NotFound) {
			return fault.New(fault.Unauthenticated, "Sign in to continue.")
		}
		if err != nil {
			return err
		}
		how := signin.Proof{Method: signin.ByPassword}.Sentence()
		if secondFactor {
			how = "With a second factor."
		}
		return audit.Record(ctx, s.db.Audit, "", s.now(), audit.Entry{Action: audit.SignInConfirmed, Object: user.object(), Detail: how})
	})
}

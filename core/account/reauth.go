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

// Evidence is what people show before they change how they sign in, or delete their
// account: their password, each time. Whoever has none needs a session in which they have
// shown lately who they are.
type Evidence struct {
	Password string
	Session  Session
}

// Confirm returns the user if the evidence is theirs. It is Invalid, in the field password,
// if the password is not, and what [Session.CheckProof] returns for a user without one.
func (p *Passwords) Confirm(ctx context.Context, userID string, shown Evidence, client Client) (User, error) {
	user, err := p.db.Users.User(ctx, userID)
	if err != nil {
		return User{}, err
	}
	if !user.HasPassword() {
		if shown.Session.UserID != userID {
			shown.Session.ProvedLately = false
		}
		return user, shown.Session.CheckProof()
	}
	return p.confirm(ctx, user, shown.Password, client)
}

// ProveByPassword lets a person show again who they are, in a session, with their
// password. A wrong one is Invalid, and counts as a guess.
func (s *Sessions) ProveByPassword(ctx context.Context, user User, session Session, password string, client Client) error {
	if _, err := s.passwords.confirm(ctx, user, password, client); err != nil {
		return err
	}
	return s.Proved(ctx, user, session, signin.Proof{Method: signin.ByPassword})
}

// Proved records that a person has shown again who they are, and how.
func (s *Sessions) Proved(ctx context.Context, user User, session Session, proof signin.Proof) error {
	return s.db.Tx.InTx(ctx, func(ctx context.Context) error {
		err := s.db.Sessions.ProveSession(ctx, session.ID, s.now(), proof.SecondFactor)
		if fault.Is(err, fault.NotFound) {
			return fault.New(fault.Unauthenticated, "Sign in to continue.")
		}
		if err != nil {
			return err
		}
		return audit.Record(ctx, s.db.Audit, "", s.now(), audit.Entry{Action: audit.SignInConfirmed, Object: user.object(), Detail: proof.Sentence()})
	})
}

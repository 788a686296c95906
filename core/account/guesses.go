package account

import (
	"context"
	"fmt"

	"parley/core/audit"
	"parley/core/fault"
	"parley/internal/id"
)

// WrongPassword is the cause of the fault of a refused sign-in, for the log of
// security events. Callers do not see it.
type WrongPassword struct {
	// UserID is empty if no account has the address.
	UserID string
}

func (e *WrongPassword) Error() string { return "wrong password" }

// wrongPassword returns the same fault for unknown accounts and wrong passwords.
func wrongPassword(userID string) error {
	return fault.Wrap(fault.Unauthenticated, &WrongPassword{userID}, "The e-mail address or the password is wrong.")
}

// refuseGuess records a wrong password and returns its fault. The user is the zero
// User if no account has the address.
func (p *Passwords) refuseGuess(ctx context.Context, email string, user User, guess attempt) error {
	if err := p.recordGuess(ctx, email, user, guess.last); err != nil {
		return err
	}
	return wrongPassword(user.ID)
}

// recordGuess records in the audit log that a password was wrong: the 1st, 2nd, 4th,
// 8th … time, so that guesses do not fill the disk. For addresses without an
// account it does the same work and records nothing, so that both cases take the same
// time. Last says that further attempts are blocked for a while.
func (p *Passwords) recordGuess(ctx context.Context, email string, user User, last bool) error {
	now := p.now()
	return p.db.Tx.InTx(ctx, func(ctx context.Context) error {
		count, err := p.db.Attempts.CountAttempt(ctx, id.Hash("wrong:"+email), now.Add(-attemptWindow), now)
		switch {
		case err != nil:
			return err
		case user.ID == "" && (last || isPowerOfTwo(count)):
			return p.db.Decoy.PretendAudit(ctx)
		case user.ID == "":
			return nil
		}
		if isPowerOfTwo(count) {
			detail := fmt.Sprintf("%d wrong passwords in quick succession.", count)
			if count == 1 {
				detail = "A wrong password."
			}
			err := audit.Record(ctx, p.db.Audit, "", now, audit.Entry{Action: audit.SignInFailed, Object: user.object(), Detail: detail})
			if err != nil {
				return err
			}
		}
		if !last {
			return nil
		}
		return audit.Record(ctx, p.db.Audit, "", now, audit.Entry{
			Action: audit.SignInBlocked, Object: user.object(), Detail: "Further attempts are refused for 15 minutes.",
		})
	})
}

func isPowerOfTwo(n int) bool { return n > 0 && n&(n-1) == 0 }

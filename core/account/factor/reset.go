package factor

import (
	"context"

	"parley/core/account"
	"parley/core/audit"
	"parley/core/fault"
)

// Resets takes away the second factors of a person who has lost them all. It is for
// the operator, who has to know that it is them.
type Resets struct{ *core }

// Reset removes all second factors of a user, and ends their sessions. It is a Conflict
// for one who has none.
func (r *Resets) Reset(ctx context.Context, email string) (account.User, error) {
	user, err := r.accounts.Users.ByEmail(ctx, email)
	if err != nil {
		return account.User{}, err
	}
	return user, r.db.Tx.InTx(ctx, func(ctx context.Context) error {
		has, err := r.db.Has.HasSecondFactor(ctx, user.ID)
		if err != nil {
			return err
		}
		if !has {
			return fault.New(fault.Conflict, "%s has no second factor.", user.Email)
		}
		if err := r.db.Has.DeleteSecondFactors(ctx, user.ID); err != nil {
			return err
		}
		if err := r.db.Sessions.DeleteSessions(ctx, user.ID); err != nil {
			return err
		}
		if err := r.record(ctx, user, audit.SecondFactorReset, "All sessions were ended."); err != nil {
			return err
		}
		return r.tell(ctx, user, newsOfReset())
	})
}

package factor

import (
	"context"
	"errors"

	"parley/core/account"
	"parley/core/audit"
	"parley/core/fault"
)

// errUnreadable says that no key of the server opens a secret.
var errUnreadable = errors.New("the secret of the app cannot be read")

// Resealer changes what the secrets of apps are sealed with.
type Resealer struct{ apps *Apps }

// Reseal seals the secrets of all apps with the server's current key, for an operator who
// wants to take a former one away. It returns how many it sealed, and the people whose
// apps cannot be read: their codes are refused. One that cannot be read and still waits
// for its first code is forgotten. What was sealed before an error stays so.
func (r *Resealer) Reseal(ctx context.Context) (sealed int, unreadable []account.User, err error) {
	for app, err := range r.apps.db.Apps.AllApps(ctx) {
		if err != nil {
			return sealed, unreadable, err
		}
		user, err := r.reseal(ctx, app)
		switch {
		case err == nil:
			sealed++
		case fault.Is(err, fault.NotFound): // removed meanwhile
		case errors.Is(err, errUnreadable):
			unreadable = append(unreadable, user)
		default:
			return sealed, unreadable, err
		}
	}
	return sealed, unreadable, nil
}

// reseal leaves an app as it is but for the seal.
func (r *Resealer) reseal(ctx context.Context, app App) (user account.User, err error) {
	user, err = r.apps.db.Users.User(ctx, app.UserID)
	if err != nil {
		return account.User{}, err
	}
	secret, err := r.apps.secret(app)
	switch {
	case err != nil && !app.Confirmed:
		return user, r.apps.Remove(ctx, user)
	case err != nil:
		return user, errUnreadable
	}
	sealed, err := r.apps.vault.Seal("", sealedFor(app.UserID), secret)
	if err != nil {
		return user, err
	}
	return user, r.apps.db.Tx.InTx(ctx, func(ctx context.Context) error {
		if err := r.apps.db.Apps.ReplaceSeal(ctx, app, sealed); err != nil {
			return err
		}
		return r.apps.record(ctx, user, audit.SecondFactorResealed, "")
	})
}

package people

import (
	"context"
	"iter"
	"time"

	"parley/core/account/factor"
	"parley/core/fault"
	ent "parley/ent/generated"
	"parley/ent/generated/authenticator"
	"parley/ent/generated/passkey"
	"parley/ent/generated/recoverycode"
	"parley/store"
)

// Factors keeps the second factors of people.
type Factors struct{ store *store.Store }

// NewFactors returns the second factors of a database.
func NewFactors(db *store.Store) *Factors { return &Factors{db} }

// HasSecondFactor reports whether a user has an app that was confirmed, or a passkey.
func (s *Factors) HasSecondFactor(ctx context.Context, userID string) (bool, error) {
	has, err := s.HasApp(ctx, userID)
	if err == nil && !has {
		has, err = s.store.Client(ctx).Passkey.Query().Where(passkey.UserID(userID)).Exist(ctx)
	}
	return has, store.MapError(err)
}

// DeleteSecondFactors removes all apps, passkeys and recovery codes of a user.
func (s *Factors) DeleteSecondFactors(ctx context.Context, userID string) error {
	return s.store.Write(ctx, func(ctx context.Context, db *ent.Client) error {
		if _, err := db.Authenticator.Delete().Where(authenticator.UserID(userID)).Exec(ctx); err != nil {
			return err
		}
		if _, err := db.Passkey.Delete().Where(passkey.UserID(userID)).Exec(ctx); err != nil {
			return err
		}
		_, err := db.RecoveryCode.Delete().Where(recoverycode.UserID(userID)).Exec(ctx)
		return err
	})
}

// HasApp reports whether a user has an app that was confirmed.
func (s *Factors) HasApp(ctx context.Context, userID string) (bool, error) {
	has, err := s.store.Client(ctx).Authenticator.Query().Where(authenticator.UserID(userID), authenticator.ConfirmedAtNotNil()).Exist(ctx)
	return has, store.MapError(err)
}

// PutApp stores an app in place of one that was not confirmed.
func (s *Factors) PutApp(ctx context.Context, app factor.App) error {
	return s.store.Write(ctx, func(ctx context.Context, db *ent.Client) error {
		if _, err := db.Authenticator.Delete().Where(authenticator.UserID(app.UserID), authenticator.ConfirmedAtIsNil()).Exec(ctx); err != nil {
			return err
		}
		return db.Authenticator.Create().SetUserID(app.UserID).SetSecret(app.Sealed).SetCreatedAt(app.CreatedAt).Exec(ctx)
	})
}

// App returns the app of a user.
func (s *Factors) App(ctx context.Context, userID string) (factor.App, error) {
	row, err := s.store.Client(ctx).Authenticator.Query().Where(authenticator.UserID(userID)).Only(ctx)
	if ent.IsNotFound(err) {
		return factor.App{}, fault.New(fault.NotFound, "Authenticator app not found.")
	}
	return store.One(row, err, appFromRow)
}

func appFromRow(row *ent.Authenticator) factor.App {
	return factor.App{UserID: row.UserID, Sealed: row.Secret, Confirmed: row.ConfirmedAt != nil, LastStep: row.LastStep, CreatedAt: row.CreatedAt.UTC()}
}

// ConfirmApp confirms an app, once.
func (s *Factors) ConfirmApp(ctx context.Context, userID string, at time.Time, step int64) error {
	return s.store.Write(ctx, func(ctx context.Context, db *ent.Client) error {
		return store.Affected(db.Authenticator.Update().Where(authenticator.UserID(userID), authenticator.ConfirmedAtIsNil()).
			SetConfirmedAt(at).SetLastStep(step).Save(ctx))
	})
}

// UseAppStep records the period of a code, which only ever grows.
func (s *Factors) UseAppStep(ctx context.Context, userID string, step int64) error {
	return s.store.Write(ctx, func(ctx context.Context, db *ent.Client) error {
		return store.Affected(db.Authenticator.Update().
			Where(authenticator.UserID(userID), authenticator.ConfirmedAtNotNil(), authenticator.LastStepLT(step)).SetLastStep(step).Save(ctx))
	})
}

// DeleteApp removes the app of a user.
func (s *Factors) DeleteApp(ctx context.Context, userID string) error {
	return s.store.Write(ctx, func(ctx context.Context, db *ent.Client) error {
		return store.Affected(db.Authenticator.Delete().Where(authenticator.UserID(userID)).Exec(ctx))
	})
}

// AllApps reads the apps of all users.
func (s *Factors) AllApps(ctx context.Context) iter.Seq2[factor.App, error] {
	return store.InKeyOrder(ctx, func(ctx context.Context, after string) ([]factor.App, error) {
		rows, err := s.store.Client(ctx).Authenticator.Query().Where(authenticator.UserIDGT(after)).Order(authenticator.ByUserID()).Limit(store.PortionRows).All(ctx)
		return store.Mapped(rows, err, appFromRow)
	}, func(app factor.App) string { return app.UserID })
}

// ReplaceSeal replaces the sealed secret of an app that is still the user's.
func (s *Factors) ReplaceSeal(ctx context.Context, app factor.App, sealed []byte) error {
	return s.store.Write(ctx, func(ctx context.Context, db *ent.Client) error {
		return store.Affected(db.Authenticator.Update().Where(authenticator.UserID(app.UserID), authenticator.Secret(app.Sealed)).SetSecret(sealed).Save(ctx))
	})
}

// ReplaceRecoveryCodes stores the hashes of codes in place of all that a user has.
func (s *Factors) ReplaceRecoveryCodes(ctx context.Context, userID string, hashes []string, at time.Time) error {
	return s.store.Write(ctx, func(ctx context.Context, db *ent.Client) error {
		if _, err := db.RecoveryCode.Delete().Where(recoverycode.UserID(userID)).Exec(ctx); err != nil {
			return err
		}
		rows := make([]*ent.RecoveryCodeCreate, len(hashes))
		for i, hash := range hashes {
			rows[i] = db.RecoveryCode.Create().SetUserID(userID).SetCodeHash(hash).SetCreatedAt(at)
		}
		return db.RecoveryCode.CreateBulk(rows...).Exec(ctx)
	})
}

// UseRecoveryCode marks a code as used, once.
func (s *Factors) UseRecoveryCode(ctx context.Context, userID, hash string, at time.Time) error {
	return s.store.Write(ctx, func(ctx context.Context, db *ent.Client) error {
		return store.Affected(db.RecoveryCode.Update().
			Where(recoverycode.UserID(userID), recoverycode.CodeHash(hash), recoverycode.UsedAtIsNil()).SetUsedAt(at).Save(ctx))
	})
}

// CountRecoveryCodes counts the codes of a user that are unused.
func (s *Factors) CountRecoveryCodes(ctx context.Context, userID string) (int, error) {
	n, err := s.store.Client(ctx).RecoveryCode.Query().Where(recoverycode.UserID(userID), recoverycode.UsedAtIsNil()).Count(ctx)
	return n, store.MapError(err)
}

// DeleteRecoveryCodes removes all codes of a user.
func (s *Factors) DeleteRecoveryCodes(ctx context.Context, userID string) error {
	return s.store.Write(ctx, func(ctx context.Context, db *ent.Client) error {
		_, err := db.RecoveryCode.Delete().Where(recoverycode.UserID(userID)).Exec(ctx)
		return err
	})
}

package people

import (
	"context"

	"parley/core/account/signin"
	ent "parley/ent/generated"
	"parley/ent/generated/signinstep"
	"parley/store"
)

// SignInSteps keeps what browsers have begun and not ended.
type SignInSteps struct{ store *store.Store }

// NewSignInSteps returns the steps of a database.
func NewSignInSteps(db *store.Store) *SignInSteps { return &SignInSteps{db} }

// CreateStep adds a step.
func (s *SignInSteps) CreateStep(ctx context.Context, step signin.Step) error {
	return s.store.Write(ctx, func(ctx context.Context, db *ent.Client) error {
		return db.SignInStep.Create().SetID(step.ID).SetKind(string(step.Kind)).SetUserID(step.UserID).SetData(step.Data).
			SetCreatedAt(step.CreatedAt).SetExpiresAt(step.ExpiresAt).Exec(ctx)
	})
}

// Step returns one step.
func (s *SignInSteps) Step(ctx context.Context, id string) (signin.Step, error) {
	row, err := s.store.Client(ctx).SignInStep.Get(ctx, id)
	return store.One(row, err, func(row *ent.SignInStep) signin.Step {
		return signin.Step{
			ID: row.ID, Kind: signin.Kind(row.Kind), UserID: row.UserID, Data: row.Data, Failures: row.Failures,
			ExpiresAt: row.ExpiresAt.UTC(), CreatedAt: row.CreatedAt.UTC(),
		}
	})
}

// SetStepData replaces the data of a step.
func (s *SignInSteps) SetStepData(ctx context.Context, id, data string) error {
	return s.store.Write(ctx, func(ctx context.Context, db *ent.Client) error {
		return store.Affected(db.SignInStep.Update().Where(signinstep.ID(id)).SetData(data).Save(ctx))
	})
}

// FailStep adds one to the failures of a step and returns them.
func (s *SignInSteps) FailStep(ctx context.Context, id string) (failures int, err error) {
	err = s.store.InTx(ctx, func(ctx context.Context) error {
		db := s.store.Client(ctx)
		if err := store.Affected(db.SignInStep.Update().Where(signinstep.ID(id)).AddFailures(1).Save(ctx)); err != nil {
			return err
		}
		row, err := db.SignInStep.Get(ctx, id)
		if err != nil {
			return store.MapError(err)
		}
		failures = row.Failures
		return nil
	})
	return failures, err
}

// DeleteStep removes a step, once.
func (s *SignInSteps) DeleteStep(ctx context.Context, id string) error {
	return s.store.Write(ctx, func(ctx context.Context, db *ent.Client) error {
		return store.Affected(db.SignInStep.Delete().Where(signinstep.ID(id)).Exec(ctx))
	})
}

// DeleteSteps removes the steps of a user.
func (s *SignInSteps) DeleteSteps(ctx context.Context, userID string) error {
	return s.store.Write(ctx, func(ctx context.Context, db *ent.Client) error {
		_, err := db.SignInStep.Delete().Where(signinstep.UserID(userID)).Exec(ctx)
		return err
	})
}

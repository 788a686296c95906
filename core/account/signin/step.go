package signin

import (
	"context"
	"io"
	"time"

	"parley/core/fault"
	"parley/internal/id"
)

// Kind is what a browser has begun.
type Kind string

// SecondFactor is a sign-in that waits for a second factor. Its data is the
// [Method] of the first one. Other packages have kinds of their own.
const SecondFactor Kind = "second-factor"

// SecondFactorWait is how long a sign-in waits for a second factor.
const SecondFactorWait = 10 * time.Minute

// Step is what a browser has begun and not ended, such as a sign-in that waits for
// a second factor.
type Step struct {
	// ID is the SHA-256, in hex, of the secret that the browser holds.
	ID   string
	Kind Kind
	// UserID is empty while nobody knows who it is.
	UserID string
	// Data is text of the step's kind.
	Data string
	// Failures is how often something wrong was given.
	Failures  int
	ExpiresAt time.Time
	CreatedAt time.Time
}

// Store stores what browsers have begun.
type Store interface {
	CreateStep(ctx context.Context, step Step) error
	Step(ctx context.Context, id string) (Step, error)
	SetStepData(ctx context.Context, id, data string) error
	// FailStep adds one to the failures of a step and returns them.
	FailStep(ctx context.Context, id string) (failures int, err error)
	// DeleteStep is NotFound if somebody else has deleted it.
	DeleteStep(ctx context.Context, id string) error
	// DeleteSteps removes a user's steps.
	DeleteSteps(ctx context.Context, userID string) error
}

// Steps keeps what browsers have begun, in whatever process they go on.
type Steps struct {
	tx     transactor
	store  Store
	now    func() time.Time
	random io.Reader
}

// transactor runs a function in one transaction; calls inside it join.
type transactor interface {
	InTx(ctx context.Context, fn func(context.Context) error) error
}

// New returns the steps of a store. Random must be cryptographically secure.
func New(tx transactor, store Store, now func() time.Time, random io.Reader) *Steps {
	return &Steps{tx: tx, store: store, now: now, random: random}
}

// Begin returns the secret of a new step, which the browser keeps. The user may be
// unknown.
func (s *Steps) Begin(ctx context.Context, kind Kind, userID, data string, lifetime time.Duration) (secret string, err error) {
	secret = id.Secret(s.random)
	now := s.now()
	step := Step{ID: id.Hash(secret), Kind: kind, UserID: userID, Data: data, CreatedAt: now, ExpiresAt: now.Add(lifetime)}
	return secret, s.tx.InTx(ctx, func(ctx context.Context) error { return s.store.CreateStep(ctx, step) })
}

// Open returns a step of a kind. It is [Ended] if there is none.
func (s *Steps) Open(ctx context.Context, kind Kind, secret string) (Step, error) {
	if secret == "" {
		return Step{}, Ended()
	}
	step, err := s.store.Step(ctx, id.Hash(secret))
	if fault.Is(err, fault.NotFound) || err == nil && (step.Kind != kind || !s.now().Before(step.ExpiresAt)) {
		err = Ended()
	}
	return step, err
}

// Change replaces the data of a step.
func (s *Steps) Change(ctx context.Context, step Step, data string) error {
	return s.tx.InTx(ctx, func(ctx context.Context) error { return s.store.SetStepData(ctx, step.ID, data) })
}

// Take ends a step, in the transaction of ctx if it has one: of several requests one
// succeeds, and the others get [Ended].
func (s *Steps) Take(ctx context.Context, step Step) error {
	return s.tx.InTx(ctx, func(ctx context.Context) error {
		err := s.store.DeleteStep(ctx, step.ID)
		if fault.Is(err, fault.NotFound) {
			return Ended()
		}
		return err
	})
}

// Fail counts something wrong that was given in a step, and ends the step at most
// failures.
func (s *Steps) Fail(ctx context.Context, step Step, most int) (ended bool, err error) {
	err = s.tx.InTx(ctx, func(ctx context.Context) error {
		failures, err := s.store.FailStep(ctx, step.ID)
		if fault.Is(err, fault.NotFound) {
			ended = true
			return nil
		}
		if ended = failures >= most; err != nil || !ended {
			return err
		}
		return s.store.DeleteStep(ctx, step.ID)
	})
	return ended, err
}

// Ended is what a step gets that is unknown, over or too old. It is Unauthenticated.
func Ended() error {
	return fault.New(fault.Unauthenticated, "This sign-in took too long, or was finished elsewhere. Sign in again.").Named(fault.StepEnded)
}

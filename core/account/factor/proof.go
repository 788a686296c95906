package factor

import (
	"context"
	"errors"
	"fmt"
	"time"

	"parley/core/account"
	"parley/core/account/signin"
	"parley/core/audit"
	"parley/core/fault"
	"parley/internal/id"
)

const (
	// maxFailures is how many wrong codes a sign-in takes before the password has to be
	// given again.
	maxFailures = 5
	// guessWindow is for how long wrong codes are counted together in the audit log.
	guessWindow = 15 * time.Minute
)

// Proofs signs people in with a second factor or a passkey, and lets those who are
// signed in show again who they are.
type Proofs struct {
	*core
	apps     *Apps
	recovery *Recovery
	passkeys *Passkeys
}

// Code is a code that a person has typed: one of an app, or a recovery code.
type Code struct {
	Text     string
	Recovery bool
}

// Waiting is a sign-in that waits for a second factor.
type Waiting struct {
	step signin.Step
	User account.User
	Set  Set
}

// Waiting returns the sign-in whose secret a browser holds. It is Unauthenticated if
// there is none.
func (p *Proofs) Waiting(ctx context.Context, secret string) (Waiting, error) {
	step, err := p.steps.Open(ctx, signin.SecondFactor, secret)
	if err != nil {
		return Waiting{}, err
	}
	user, err := p.db.Users.User(ctx, step.UserID)
	if err != nil {
		return Waiting{}, err
	}
	set, err := p.setOf(ctx, user.ID)
	return Waiting{step, user, set}, err
}

// EnterWithCode ends a sign-in with a code, and returns the keys of the session.
func (p *Proofs) EnterWithCode(ctx context.Context, secret string, code Code, client account.Client) (keys account.Keys, err error) {
	waiting, err := p.Waiting(ctx, secret)
	if err != nil {
		return account.Keys{}, err
	}
	ctx = audit.AsPerson(ctx, waiting.User.ID, waiting.User.Email)
	err = p.guess(ctx, waiting.User, code, client, func(ctx context.Context) error {
		keys, err = p.enter(ctx, waiting, client)
		return err
	})
	if !fault.Is(err, fault.Invalid) {
		return keys, err
	}
	ended, failed := p.steps.Fail(ctx, waiting.step, maxFailures)
	if failed == nil && ended {
		return account.Keys{}, fault.New(fault.Unauthenticated, "Too many wrong codes. Sign in again with your password.").Named(fault.StepEnded)
	}
	return account.Keys{}, errors.Join(err, failed)
}

// enter starts the session of a sign-in, once, in the transaction of ctx.
func (p *Proofs) enter(ctx context.Context, waiting Waiting, client account.Client) (account.Keys, error) {
	if err := p.steps.Take(ctx, waiting.step); err != nil {
		return account.Keys{}, err
	}
	return p.accounts.Sessions.Start(ctx, waiting.User.ID, signin.UnfinishedOf(waiting.step).Proof(), client)
}

// AskToEnter returns what a browser asks a passkey with, for a sign-in that waits.
func (p *Proofs) AskToEnter(ctx context.Context, party Party, secret string) (options string, err error) {
	waiting, err := p.Waiting(ctx, secret)
	if err != nil {
		return "", err
	}
	options, memory, err := p.passkeys.webAuthn.Ask(party, &waiting.User, waiting.Set.Passkeys)
	if err != nil {
		return "", err
	}
	unfinished := signin.UnfinishedOf(waiting.step)
	unfinished.Memory = memory
	return options, p.steps.Change(ctx, waiting.step, unfinished.Data())
}

// EnterWithPasskey ends a sign-in with a passkey as the second factor.
func (p *Proofs) EnterWithPasskey(ctx context.Context, party Party, secret, answer string, client account.Client) (keys account.Keys, err error) {
	waiting, err := p.Waiting(ctx, secret)
	if err != nil {
		return account.Keys{}, err
	}
	_, used, err := p.passkeys.answered(ctx, party, signin.UnfinishedOf(waiting.step).Memory, answer)
	if err == nil && used.UserID != waiting.User.ID {
		err = wrongPasskey()
	}
	if err != nil {
		return account.Keys{}, err
	}
	ctx = audit.AsPerson(ctx, waiting.User.ID, waiting.User.Email)
	return keys, p.db.Tx.InTx(ctx, func(ctx context.Context) error {
		if err := p.passkeys.use(ctx, used); err != nil {
			return err
		}
		keys, err = p.enter(ctx, waiting, client)
		return err
	})
}

// Ask returns what a browser asks for anybody's passkey with, and the secret of the step
// that waits for it.
func (p *Proofs) Ask(ctx context.Context, party Party, client account.Client) (options, secret string, err error) {
	if err := p.accounts.Throttle.CountChallenge(ctx, client); err != nil {
		return "", "", err
	}
	options, memory, err := p.passkeys.webAuthn.Ask(party, nil, nil)
	if err != nil {
		return "", "", err
	}
	secret, err = p.steps.Begin(ctx, enterStep, "", memory, PasskeyWait)
	return options, secret, err
}

// SignIn signs in with a passkey alone. The device has checked its user, so that it is
// both factors.
func (p *Proofs) SignIn(ctx context.Context, party Party, secret, answer string, client account.Client) (keys account.Keys, err error) {
	step, err := p.steps.Open(ctx, enterStep, secret)
	if err != nil {
		return account.Keys{}, err
	}
	owner, used, err := p.passkeys.answered(ctx, party, step.Data, answer)
	if err != nil {
		return account.Keys{}, err
	}
	ctx = audit.AsPerson(ctx, owner.ID, owner.Email)
	return keys, p.db.Tx.InTx(ctx, func(ctx context.Context) error {
		if err := p.steps.Take(ctx, step); err != nil {
			return err
		}
		if err := p.passkeys.use(ctx, used); err != nil {
			return err
		}
		keys, err = p.accounts.Sessions.Start(ctx, owner.ID, signin.Proof{Method: signin.ByPasskey, SecondFactor: true}, client)
		return err
	})
}

// ProveByCode lets a person show again who they are, in a session, with a code.
func (p *Proofs) ProveByCode(ctx context.Context, user account.User, session account.Session, code Code, client account.Client) error {
	return p.guess(ctx, user, code, client, func(ctx context.Context) error {
		return p.accounts.Sessions.Proved(ctx, user, session, signin.Proof{SecondFactor: true})
	})
}

// AskToProve returns what a browser asks for one of a user's passkeys with, and the
// secret of the step that waits for it.
func (p *Proofs) AskToProve(ctx context.Context, party Party, user account.User) (options, secret string, err error) {
	known, err := p.db.Passkeys.Passkeys(ctx, user.ID)
	if err != nil {
		return "", "", err
	}
	if len(known) == 0 {
		return "", "", fault.New(fault.Conflict, "You have no passkey.")
	}
	options, memory, err := p.passkeys.webAuthn.Ask(party, &user, known)
	if err != nil {
		return "", "", err
	}
	secret, err = p.steps.Begin(ctx, proveStep, user.ID, memory, PasskeyWait)
	return options, secret, err
}

// ProveByPasskey lets a person show again who they are, in a session, with a passkey.
func (p *Proofs) ProveByPasskey(ctx context.Context, party Party, user account.User, session account.Session, secret, answer string) error {
	step, err := p.passkeys.open(ctx, proveStep, secret, user.ID)
	if err != nil {
		return err
	}
	_, used, err := p.passkeys.answered(ctx, party, step.Data, answer)
	if err == nil && used.UserID != user.ID {
		err = wrongPasskey()
	}
	if err != nil {
		return err
	}
	return p.db.Tx.InTx(ctx, func(ctx context.Context) error {
		if err := p.steps.Take(ctx, step); err != nil {
			return err
		}
		if err := p.passkeys.use(ctx, used); err != nil {
			return err
		}
		return p.accounts.Sessions.Proved(ctx, user, session, signin.Proof{Method: signin.ByPasskey, SecondFactor: true})
	})
}

func wrongPasskey() error { return fault.New(fault.Invalid, "This passkey is another account's.") }

// guess counts a guess at a user's code and, if it is right, uses it up and does what it
// is for in one transaction.
func (p *Proofs) guess(ctx context.Context, user account.User, code Code, client account.Client, then func(context.Context) error) error {
	guess, err := p.accounts.Throttle.CountCodeGuess(ctx, user, client)
	if err != nil {
		return err
	}
	err = p.db.Tx.InTx(ctx, func(ctx context.Context) error {
		if err := p.use(ctx, user, code); err != nil {
			return err
		}
		return then(ctx)
	})
	switch {
	case err == nil:
		return guess.Forgive(ctx)
	case fault.Is(err, fault.Invalid):
		return errors.Join(err, p.recordGuess(ctx, user, guess))
	}
	return errors.Join(err, guess.Forgive(context.WithoutCancel(ctx)))
}

func (p *Proofs) use(ctx context.Context, user account.User, code Code) error {
	if code.Recovery {
		return p.recovery.use(ctx, user, code.Text)
	}
	return p.apps.use(ctx, user.ID, code.Text)
}

// recordGuess records the 1st, 2nd, 4th, 8th … wrong code, and tells the user once
// further ones are refused: whoever guesses knows their password.
func (p *Proofs) recordGuess(ctx context.Context, user account.User, guess account.Guess) error {
	now := p.now()
	return p.db.Tx.InTx(ctx, func(ctx context.Context) error {
		count, err := p.db.Attempts.CountAttempt(ctx, id.Hash("wrong-code:"+user.ID), now.Add(-guessWindow), now)
		if err != nil {
			return err
		}
		if count&(count-1) == 0 {
			detail := fmt.Sprintf("%d wrong codes in quick succession.", count)
			if count == 1 {
				detail = "A wrong code."
			}
			if err := p.record(ctx, user, audit.SecondFactorFailed, detail); err != nil {
				return err
			}
		}
		if !guess.Last() {
			return nil
		}
		if err := p.record(ctx, user, audit.SignInBlocked, "Further codes are refused for 15 minutes."); err != nil {
			return err
		}
		return p.tell(ctx, user, newsOfGuesses())
	})
}

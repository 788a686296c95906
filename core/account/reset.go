package account

import (
	"context"

	"parley/core/audit"
	"parley/core/fault"
	"parley/core/outbox"
)

// Resets lets people choose another password who have forgotten theirs.
type Resets struct {
	passwords *Passwords
	mails     *outbox.Writer
	throttle  *Throttle
	codes     *codes
}

// Request mails a link to an address, with which its owner chooses another password.
// If there is no account, the mail says so instead. Every caller gets the same response
// after the same work. It is Forbidden on a server without mails.
func (r *Resets) Request(ctx context.Context, email string, client Client) error {
	if !r.mails.On() {
		return fault.New(fault.Forbidden, "This server sends no mails. Ask its operator to set another password.")
	}
	email, err := CheckEmail(email)
	if err != nil {
		return err
	}
	if err := r.throttle.countMail(ctx, email, client); err != nil {
		return err
	}
	return r.codes.mail(ctx, AddressCode{Email: email, Purpose: forPassword}, resetLetters(r.mails))
}

// Finish sets the password of the user to whom the code was mailed, ends all of their
// sessions, and forgets the browsers that they trust. Whoever follows the link reads the
// address's mail, so that it is confirmed. What else a sign-in asks for stays, unless
// nobody had confirmed the address before: then somebody else may have set it up, who
// waits for the owner of the address.
func (r *Resets) Finish(ctx context.Context, code, password string, client Client) (User, error) {
	checked, err := r.codes.open(ctx, code, forPassword, client)
	if err == nil && checked.UserID == "" { // nobody has the address; the code was never mailed
		err = linkEnded()
	}
	if err != nil {
		return User{}, err
	}
	db := r.passwords.db
	user, err := db.Users.User(ctx, checked.UserID)
	if err != nil {
		return User{}, err
	}
	hash, err := r.passwords.hash(ctx, user, password, client)
	if err != nil {
		return User{}, err
	}
	ctx = audit.AsPerson(ctx, user.ID, user.Email)
	return user, db.Tx.InTx(ctx, func(ctx context.Context) error {
		if err := r.codes.redeem(ctx, checked); err != nil {
			return err
		}
		if err := r.claim(ctx, user); err != nil {
			return err
		}
		return r.passwords.replace(ctx, user, hash, "By a link that was mailed to the address.")
	})
}

// claim confirms the address of a user who reads its mail. Second factors of before are
// not known to be theirs.
func (r *Resets) claim(ctx context.Context, user User) error {
	db, now := r.passwords.db, r.passwords.now()
	if err := db.Users.SetEmail(ctx, user.ID, user.Email, now); err != nil || user.EmailConfirmed() {
		return err
	}
	had, err := db.Factors.HasSecondFactor(ctx, user.ID)
	if err != nil {
		return err
	}
	if err := db.Factors.DeleteSecondFactors(ctx, user.ID); err != nil || !had {
		return err
	}
	return audit.Record(ctx, db.Audit, "", now, audit.Entry{
		Action: audit.SecondFactorReset, Object: user.object(), Detail: "Nobody had confirmed the address when they were set up.",
	})
}

// resetLetters are the mails to an address whose password somebody has forgotten.
func resetLetters(mails *outbox.Writer) letters {
	return letters{
		known: func(code string) outbox.Letter {
			return outbox.Letter{
				Subject: "Choose another password",
				Says:    []string{"Someone has forgotten the password of your account. If it was you, choose another here within 30 minutes:"},
				Link:    outbox.Link{Text: "Choose a password", URL: mails.Link("/reset-password#" + code)},
				Then:    []string{"If it wasn't you, ignore this e-mail: your password stays as it is."},
			}
		},
		unknown: func(string) outbox.Letter {
			return outbox.Letter{
				Subject: "You have no account with this e-mail address",
				Says: []string{
					"Someone wants to choose another password for an account with this e-mail address, but there is none. If it was you, you may have signed up with another address.",
					"If it wasn't you, ignore this e-mail.",
				},
			}
		},
	}
}

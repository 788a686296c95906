package account

import (
	"context"
	"io"
	"time"

	"parley/core/fault"
	"parley/core/outbox"
	"parley/internal/id"
)

// codeLifetime is how long a mailed link works.
const codeLifetime = 24 * time.Hour

// AddressCode is a link that Parley mails to an address. Whoever follows it reads the
// address's mail.
type AddressCode struct {
	// Hash is the SHA-256, in hex, of the code in the link.
	Hash  string
	Email string
	// UserID is the user who wants the address, empty for a new account.
	UserID    string
	ExpiresAt time.Time
	CreatedAt time.Time
}

// CodeStore stores links mailed to addresses.
type CodeStore interface {
	CreateAddressCode(ctx context.Context, code AddressCode) error
	AddressCode(ctx context.Context, hash string) (AddressCode, error)
	DeleteAddressCode(ctx context.Context, hash string) error
	// DeleteAddressCodes removes a user's codes.
	DeleteAddressCodes(ctx context.Context, userID string) error
}

// codes mails links to addresses, and checks the codes that come back.
type codes struct {
	db       Database
	mails    *outbox.Writer
	throttle *Throttle
	now      func() time.Time
	random   io.Reader
}

// letters are the mails to an address with and without an account.
type letters struct {
	unknown, known func(code string) outbox.Letter
}

// mail writes a code for an address, and a mail. It does the same work whether or not
// the address has an account; it never mails a code to one that has.
func (c *codes) mail(ctx context.Context, email, userID string, letters letters) error {
	code, now := id.Secret(c.random), c.now()
	row := AddressCode{Hash: id.Hash(code), Email: email, UserID: userID, CreatedAt: now, ExpiresAt: now.Add(codeLifetime)}
	return c.db.Tx.InTx(ctx, func(ctx context.Context) error {
		_, err := c.db.Users.UserByEmail(ctx, email)
		known := err == nil
		if err != nil && !fault.Is(err, fault.NotFound) {
			return err
		}
		if err := c.db.Codes.CreateAddressCode(ctx, row); err != nil {
			return err
		}
		write := letters.unknown
		if known {
			write = letters.known
		}
		return c.mails.Write(ctx, email, write(code))
	})
}

// open returns the link of a code. It counts an unknown code as a guess.
func (c *codes) open(ctx context.Context, code string, client Client) (AddressCode, error) {
	checked, err := c.db.Codes.AddressCode(ctx, id.Hash(code))
	if fault.Is(err, fault.NotFound) || err == nil && !c.now().Before(checked.ExpiresAt) {
		err = c.throttle.CountCode(ctx, code, client, linkEnded())
	}
	return checked, err
}

// redeem uses up a link.
func (c *codes) redeem(ctx context.Context, code AddressCode) error {
	err := c.db.Codes.DeleteAddressCode(ctx, code.Hash)
	if fault.Is(err, fault.NotFound) {
		return linkEnded()
	}
	return err
}

func linkEnded() error {
	return fault.InField("code", "This link is no longer valid. Start again to get a new one.")
}

package account

import (
	"context"
	"io"
	"time"

	"parley/core/fault"
	"parley/core/outbox"
	"parley/internal/id"
)

// How long a mailed link works: to prove an address, and to choose another password.
const (
	codeLifetime  = 24 * time.Hour
	resetLifetime = 30 * time.Minute
)

// The purposes of mailed links. A link of one purpose does not serve another.
const (
	// forAddress creates an account with the address, or gives it to a user.
	forAddress = ""
	// forPassword lets the user with the address choose another password.
	forPassword = "password"
)

// AddressCode is a link that Parley mails to an address. Whoever follows it reads the
// address's mail.
type AddressCode struct {
	// Hash is the SHA-256, in hex, of the code in the link.
	Hash  string
	Email string
	// UserID is the user who wants the address, or whose password it is; empty for a
	// new account.
	UserID string
	// Purpose is what the link is good for; it is "" or "password".
	Purpose   string
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

// LinkPrinter shows the operator of a server without mails the links that a mail would
// carry.
type LinkPrinter interface {
	PrintLink(ctx context.Context, email, link string)
}

// codes mails links to addresses, and checks the codes that come back.
type codes struct {
	db       Database
	mails    *outbox.Writer
	printer  LinkPrinter
	throttle *Throttle
	now      func() time.Time
	random   io.Reader
}

// letters are the mails to an address with and without an account.
type letters struct {
	unknown, known func(code string) outbox.Letter
}

// create stores what a new code is good for, in the transaction of ctx.
func (c *codes) create(ctx context.Context, wanted AddressCode) (code string, err error) {
	code, wanted.CreatedAt = id.Secret(c.random), c.now()
	wanted.Hash, wanted.ExpiresAt = id.Hash(code), wanted.CreatedAt.Add(codeLifetime)
	if wanted.Purpose == forPassword {
		wanted.ExpiresAt = wanted.CreatedAt.Add(resetLifetime)
	}
	return code, c.db.Codes.CreateAddressCode(ctx, wanted)
}

// mail writes a code for an address, and a mail. It does the same work whether or not
// the address has an account; the letters say to whom it mails the code.
func (c *codes) mail(ctx context.Context, wanted AddressCode, letters letters) error {
	return c.db.Tx.InTx(ctx, func(ctx context.Context) error {
		owner, err := c.db.Users.UserByEmail(ctx, wanted.Email)
		write := letters.known
		if fault.Is(err, fault.NotFound) {
			write, err = letters.unknown, nil
		}
		if err != nil {
			return err
		}
		if wanted.Purpose == forPassword {
			wanted.UserID = owner.ID
		}
		code, err := c.create(ctx, wanted)
		if err != nil {
			return err
		}
		return c.mails.Write(ctx, wanted.Email, write(code))
	})
}

// offer gives a user, in the transaction of ctx, a link that confirms an address of
// theirs. Without mails the caller prints it after the commit.
func (c *codes) offer(ctx context.Context, email, userID string, letter func(code string) outbox.Letter) (code string, err error) {
	code, err = c.create(ctx, AddressCode{Email: email, UserID: userID})
	if err != nil {
		return "", err
	}
	return code, c.mails.Write(ctx, email, letter(code))
}

// offerInTx is offer in a transaction of its own.
func (c *codes) offerInTx(ctx context.Context, email, userID string, letter func(code string) outbox.Letter) (err error) {
	var code string
	err = c.db.Tx.InTx(ctx, func(ctx context.Context) error {
		code, err = c.offer(ctx, email, userID, letter)
		return err
	})
	if err == nil {
		c.print(ctx, email, code)
	}
	return err
}

// print shows the operator the link that confirms an address, if no mail carries it.
func (c *codes) print(ctx context.Context, email, code string) {
	if !c.mails.On() && c.printer != nil {
		c.printer.PrintLink(ctx, email, c.mails.Link(confirmPath+code))
	}
}

// confirmPath is the page that confirms an address. What follows it never reaches the
// server by itself: see static/js/join.js.
const confirmPath = "/account/email#"

// open returns the link of a code of a purpose. It counts any other code as a guess.
func (c *codes) open(ctx context.Context, code string, purpose string, client Client) (AddressCode, error) {
	checked, err := c.db.Codes.AddressCode(ctx, id.Hash(code))
	if fault.Is(err, fault.NotFound) || err == nil && (checked.Purpose != purpose || !c.now().Before(checked.ExpiresAt)) {
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

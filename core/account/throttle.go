package account

import (
	"context"
	"errors"
	"net/netip"
	"time"

	"parley/core/fault"
	"parley/internal/id"
	"parley/internal/netgroup"
)

// Attempts are counted before the password is looked at, so that guesses sent
// at once count too. The pair of account and client has the low limit; an
// account alone has a high one, so that nobody can lock another out cheaply.
// An IPv6 client is its /64, and its /48 has limits of its own, which are five
// times as high.
const (
	attemptWindow     = 15 * time.Minute
	attemptsByPair    = 10
	attemptsByAddress = 100
	attemptsByAccount = 200
	// attemptsByDevice bounds a browser on which the person has signed in
	// before. Nobody else's attempts count against it.
	attemptsByDevice = 10
	// signUpsByAddress bounds how many accounts one client makes, and how many
	// addresses it can find out to have one.
	signUpsByAddress = 20
	// mailsByRecipient bounds how many mails others can have sent to an address.
	mailsByRecipient = 5
	// bySite multiplies a limit of one client for the /48 around it.
	bySite = 5
)

// Client is whoever tries a password, as far as the request tells.
type Client struct {
	// Address is where the request came from. The zero Addr is the operator's
	// command line.
	Address netip.Addr
	// Device is the secret that the browser keeps of earlier sign-ins, empty
	// for none.
	Device string
	// Agent is what the browser says of itself.
	Agent string
}

// ErrThrottled is the cause of the fault of an attempt after too many.
var ErrThrottled = errors.New("too many attempts")

// AttemptStore counts attempts.
type AttemptStore interface {
	// CountAttempt adds one to the count of key and returns it. A count whose
	// last attempt is before since starts again.
	CountAttempt(ctx context.Context, key string, since, now time.Time) (int, error)
	// ForgiveAttempt takes one from the count of key.
	ForgiveAttempt(ctx context.Context, key string) error
}

// Throttle slows down guesses at passwords and codes, sign-ups, and mails that
// others have sent to an address.
type Throttle struct {
	db  Database
	now func() time.Time
}

type attempt struct {
	db   Database
	keys []string
	// last says that the next one would be refused.
	last bool
}

// limit is how often something may be tried within the window.
type limit struct {
	key string
	max int
}

// clientLimits bound what one client does, and more loosely what its site does.
func clientLimits(what string, address netip.Addr, most int) []limit {
	client, site := netgroup.Of(address), netgroup.Site(address)
	limits := []limit{{what + client.String(), most}}
	if site != client {
		limits = append(limits, limit{what + site.String(), most * bySite})
	}
	return limits
}

func signInLimits(account string, address netip.Addr) []limit {
	limits := clientLimits("pair:"+account+"|", address, attemptsByPair)
	limits = append(limits, clientLimits("address:", address, attemptsByAddress)...)
	return append(limits, limit{"account:" + account, attemptsByAccount})
}

// countGuess counts an attempt at an account's password. One from a device
// that the account trusts counts against that device alone (OWASP, Slow Down
// Online Guessing Attacks with Device Cookies). The account is an address in
// lower case, whether anybody has it or not.
func (t *Throttle) countGuess(ctx context.Context, account string, client Client) (attempt, error) {
	trusted, err := t.isTrusted(ctx, account, client.Device)
	if err != nil {
		return attempt{}, err
	}
	if trusted {
		return t.countAttempt(ctx, limit{"device:" + account + "|" + id.Hash(client.Device), attemptsByDevice})
	}
	return t.countAttempt(ctx, signInLimits(account, client.Address)...)
}

// countSignUp counts an account that a client makes. The operator's are not
// counted.
func (t *Throttle) countSignUp(ctx context.Context, client Client) (attempt, error) {
	if !client.Address.IsValid() {
		return attempt{db: t.db}, nil
	}
	return t.countAttempt(ctx, clientLimits("sign-up:", client.Address, signUpsByAddress)...)
}

// countMail counts a mail that somebody wants to have sent to an address.
func (t *Throttle) countMail(ctx context.Context, email string, client Client) error {
	limits := append(clientLimits("sign-up:", client.Address, signUpsByAddress), limit{"mail:" + email, mailsByRecipient})
	_, err := t.countAttempt(ctx, limits...)
	return err
}

// CountCode counts a guess at a code that was mailed or handed over, and that
// was refused with an error. It returns the error to answer with.
func (t *Throttle) CountCode(ctx context.Context, code string, client Client, refused error) error {
	if !fault.Is(refused, fault.Invalid) {
		return refused
	}
	if _, err := t.countAttempt(ctx, signInLimits("join:"+id.Hash(code), client.Address)...); err != nil {
		return err
	}
	return refused
}

func (t *Throttle) countAttempt(ctx context.Context, limits ...limit) (attempt, error) {
	counted := attempt{db: t.db}
	now := t.now()
	err := t.db.Tx.InTx(ctx, func(ctx context.Context) error {
		counted.keys, counted.last = nil, false
		for _, limit := range limits {
			key := id.Hash(limit.key)
			count, err := t.db.Attempts.CountAttempt(ctx, key, now.Add(-attemptWindow), now)
			if err != nil {
				return err
			}
			if count > limit.max {
				return &fault.Error{
					Kind: fault.RateLimited, RetryAfter: attemptWindow, Cause: ErrThrottled,
					Message: "Too many attempts. Wait 15 minutes and try again.",
				}
			}
			counted.keys = append(counted.keys, key)
			counted.last = counted.last || count == limit.max
		}
		return nil
	})
	return counted, err
}

// forgive takes back an attempt that succeeded.
func (a attempt) forgive(ctx context.Context) error {
	return a.db.Tx.InTx(ctx, func(ctx context.Context) error {
		for _, key := range a.keys {
			if err := a.db.Attempts.ForgiveAttempt(ctx, key); err != nil {
				return err
			}
		}
		return nil
	})
}

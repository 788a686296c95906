package account

import (
	"context"
	"errors"
	"net/netip"
	"strings"
	"time"

	"parley/core/fault"
	"parley/core/outbox"
	"parley/internal/id"
	"parley/internal/netgroup"
)

// Attempts are counted before the password is compared, so that concurrent guesses
// count, too. A pair of account and client has a low limit; an account alone has a
// high one, so that nobody can easily lock out its owner. An IPv6 client is its /64,
// and the /48 around it has its own limits, which are five times as high.
const (
	attemptWindow     = 15 * time.Minute
	attemptsByPair    = 10
	attemptsByAddress = 100
	attemptsByAccount = 200
	// attemptsByDevice bounds a browser on which the person has signed in before.
	// Nobody else's attempts count against it.
	attemptsByDevice = 10
	// signUpsByAddress bounds how many accounts one client creates, and how many
	// addresses it can check for an account.
	signUpsByAddress = 20
	// mailsByRecipient bounds how many mails of a kind others can cause to an address.
	mailsByRecipient = 5
	// invitationsByPerson bounds how many mails to strangers one person can cause.
	invitationsByPerson = 60
	// visitsByAddress bounds how often one client is sent to identity providers.
	visitsByAddress = 60
	// bySite multiplies a limit of one client for the /48 around it.
	bySite = 5
)

// Client is whoever tries a password, as far as the request shows.
type Client struct {
	// Address is where the request came from. The zero Addr is the operator's
	// command line.
	Address netip.Addr
	// Device is the secret that the browser keeps from earlier sign-ins, empty
	// if it has none.
	Device string
	// Agent is what the browser says of itself.
	Agent string
}

// isOperator reports whether this is the operator at the command line.
func (c Client) isOperator() bool { return !c.Address.IsValid() }

// ErrThrottled is the cause of the fault after too many attempts.
var ErrThrottled = errors.New("too many attempts")

// AttemptStore counts attempts.
type AttemptStore interface {
	// CountAttempt adds one to the count of key and returns it. If the last
	// attempt is before since, the count starts again.
	CountAttempt(ctx context.Context, key string, since, now time.Time) (int, error)
	// ForgiveAttempt subtracts one from the count of key.
	ForgiveAttempt(ctx context.Context, key string) error
}

// Throttle slows down guesses at passwords and codes, sign-ups, and mails that others
// cause to an address.
type Throttle struct {
	db  Database
	now func() time.Time
}

type attempt struct {
	db   Database
	keys []string
	// last says that the next one would be blocked.
	last bool
}

// limit is how often something may be tried within the window.
type limit struct {
	key string
	max int
}

// clientLimits limit one client and, more loosely, its site.
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

// countGuess counts an attempt at an account's password. An attempt from a device
// that the account trusts counts only against that device (OWASP, Slow Down Online
// Guessing Attacks with Device Cookies). The account is an address in lower case,
// whether or not it exists.
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

// countSignUp counts an account that a client creates. The operator's are not
// counted.
func (t *Throttle) countSignUp(ctx context.Context, client Client) (attempt, error) {
	if client.isOperator() {
		return attempt{db: t.db}, nil
	}
	return t.countAttempt(ctx, clientLimits("sign-up:", client.Address, signUpsByAddress)...)
}

// countMail counts a mail that somebody causes to an address.
func (t *Throttle) countMail(ctx context.Context, email string, client Client) error {
	limits := append(clientLimits("sign-up:", client.Address, signUpsByAddress), limit{"mail:" + mailbox(email), mailsByRecipient})
	_, err := t.countAttempt(ctx, limits...)
	return err
}

// CountInvitation counts, in the transaction of ctx, a mail with which a person invites an
// address, whichever workspaces invite it.
func (t *Throttle) CountInvitation(ctx context.Context, email, inviterID string) error {
	_, err := t.countAttempt(ctx, limit{"inviter:" + inviterID, invitationsByPerson}, limit{"invited:" + mailbox(email), mailsByRecipient})
	if errors.Is(err, ErrThrottled) {
		failure := *fault.As(err)
		failure.Field, failure.Message = "email", "Too many invitations were mailed. Wait 15 minutes and try again."
		return &failure
	}
	return err
}

// Tell mails a user, in the transaction of ctx, what happened to their account. An address
// that nobody has confirmed may be a stranger's, who gets few mails.
func (t *Throttle) Tell(ctx context.Context, mails *outbox.Writer, user User, letter outbox.Letter) error {
	if !user.EmailConfirmed() && mails.On() {
		now := t.now()
		count, err := t.db.Attempts.CountAttempt(ctx, id.Hash("told:"+mailbox(user.Email)), now.Add(-attemptWindow), now)
		if err != nil || count > mailsByRecipient {
			return err
		}
	}
	return mails.Write(ctx, user.Email, letter)
}

// mailbox is where the mail of an address arrives: most servers ignore what follows a plus.
func mailbox(email string) string {
	at := strings.LastIndexByte(email, '@')
	if plus := strings.IndexByte(email, '+'); plus > 0 && plus < at {
		return email[:plus] + email[at:]
	}
	return email
}

// CountVisit counts that a client is sent to an identity provider, which costs the
// provider and this server requests.
func (t *Throttle) CountVisit(ctx context.Context, client Client) error {
	_, err := t.countAttempt(ctx, clientLimits("visit:", client.Address, visitsByAddress)...)
	return err
}

// IsNoteworthy counts something that anybody can cause, and reports whether it is the
// 1st, 2nd, 4th, 8th … time in quick succession, so that its records do not fill the
// disk.
func (t *Throttle) IsNoteworthy(ctx context.Context, key string) (bool, error) {
	now := t.now()
	count, err := t.db.Attempts.CountAttempt(ctx, id.Hash("noted:"+key), now.Add(-attemptWindow), now)
	return isPowerOfTwo(count), err
}

// CountCode counts a wrong guess at a mailed or shared code, which was refused with
// an error. It returns the error for the response.
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

// forgive takes back a successful attempt.
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

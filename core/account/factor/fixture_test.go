package factor_test

import (
	"context"
	"crypto/rand"
	"net/netip"
	"testing"
	"time"

	"github.com/pquerna/otp/totp"

	"parley/core/account"
	"parley/core/account/factor"
	"parley/core/audit"
	"parley/core/fault"
	"parley/core/outbox"
	"parley/core/seal"
	"parley/store"
	"parley/store/people"
	"parley/store/tenancy"
	"parley/store/tenancytest"
)

// desk is the services over a real store, with simulated time.
type desk struct {
	*testing.T
	*tenancy.Services
	store *store.Store
	now   time.Time
	user  account.User
	space string
}

func newDesk(t *testing.T) *desk {
	t.Helper()
	shop := tenancytest.Open(t)
	d := &desk{T: t, store: shop.Store, now: tenancytest.Epoch.Add(24 * time.Hour), user: shop.User, space: shop.Space.ID}
	d.Services = tenancytest.Services(d.store, func() time.Time { return d.now }, tenancy.Options{
		Mails: outbox.Options{Mails: true, BaseURL: "https://parley.example/"},
		Vault: seal.NewSealer(rand.Reader, func() ([]seal.ServerKey, error) { return []seal.ServerKey{{1}}, nil }),
	})
	return d
}

func (d *desk) must(err error) {
	d.Helper()
	if err != nil {
		d.Fatal(err)
	}
}

func (d *desk) isA(err error, kind fault.Kind) {
	d.Helper()
	if !fault.Is(err, kind) {
		d.Errorf("got %v, want a fault of kind %d", err, kind)
	}
}

func from(address string) account.Client {
	return account.Client{Address: netip.MustParseAddr(address), Agent: "Mozilla/5.0 (Windows NT 10.0) Chrome/140.0 Safari/537.36"}
}

var stranger = from("192.0.2.1")

// signIn gives the password.
func (d *desk) signIn(client account.Client) account.Keys {
	d.Helper()
	keys, err := d.Sessions.SignIn(d.Context(), tenancytest.Email, tenancytest.Password, client)
	d.must(err)
	return keys
}

// session is the one with a secret.
func (d *desk) session(secret string) account.Session {
	d.Helper()
	_, session, err := d.Sessions.SignedIn(d.Context(), secret)
	d.must(err)
	return session
}

// setUp sets up an app, and returns its secret and the recovery codes.
func (d *desk) setUp() (secret string, codes []string) {
	d.Helper()
	session := d.session(d.signIn(stranger).Session)
	d.must(d.Factors.Apps.Begin(d.Context(), d.user))
	pending, err := d.Factors.Apps.Pending(d.Context(), d.user)
	d.must(err)
	codes, err = d.Factors.Apps.Confirm(d.Context(), d.user, session, d.code(pending.Secret))
	d.must(err)
	d.now = d.now.Add(time.Minute) // that code is used
	return pending.Secret, codes
}

func (d *desk) code(secret string) string {
	d.Helper()
	code, err := totp.GenerateCode(secret, d.now)
	d.must(err)
	return code
}

func (d *desk) apps() factor.AppStore { return people.NewFactors(d.store) }

func (d *desk) enter(step, code string) (account.Keys, error) {
	return d.Factors.Proofs.EnterWithCode(d.Context(), step, factor.Code{Text: code}, stranger)
}

// mails are the subjects of those that wait, the first one first.
func (d *desk) mails() (subjects []string) {
	d.Helper()
	_, err := d.Mails.Send(d.Context(), func(_ context.Context, mail outbox.Mail) error {
		subjects = append(subjects, mail.Subject)
		return nil
	})
	d.must(err)
	return subjects
}

// recorded counts the entries of the audit log about an action.
func (d *desk) recorded(action audit.Action) int {
	d.Helper()
	entries := 0
	for entry, err := range d.Audit.AuditLog(d.Context(), "", time.Time{}) {
		d.must(err)
		if entry.Action == action {
			entries++
		}
	}
	return entries
}

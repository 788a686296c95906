package store_test

import (
	"context"
	"crypto/rand"
	"fmt"
	"net/netip"
	"reflect"
	"testing"
	"time"

	"parley/core/account"
	"parley/core/fault"
	"parley/core/outbox"
	"parley/core/tenant"
	"parley/store"
	"parley/store/storetest"
	services "parley/store/tenancy"
)

// Whoever names an address learns nothing of whether it has an account: neither from what
// is said nor from the work that is done, which is statements and mails.
func TestKnownAndUnknownAddressesTakeTheSameWork(t *testing.T) {
	t.Parallel()
	for name, database := range map[string]func(testing.TB) string{"sqlite": storetest.SQLite, "postgres": storetest.Postgres} {
		for kind, mails := range map[string]bool{"mails": true, "no mails": false} {
			t.Run(name+" with "+kind, func(t *testing.T) {
				t.Parallel()
				sameWork(t, database(t), mails)
			})
		}
	}
}

const (
	staff    = "correct horse battery"
	ownerAt  = "owner@example.com"
	invited  = "invited@example.com"
	nobodyAt = "nobody@example.com"
)

// work is what one request did.
type work struct {
	Kind       fault.Kind
	Said       string
	Failed     bool
	Statements int64
	Mails      int
}

func sameWork(t *testing.T, database string, mails bool) {
	db, err := store.Open(t.Context(), database)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	services := services.Open(db, everywhere, func() time.Time { return time.Now().UTC().Truncate(time.Microsecond) }, rand.Reader, services.Options{
		Mails: outbox.Options{Mails: mails, BaseURL: "https://parley.example", HTML: func(outbox.Letter) (string, error) { return "<p>", nil }},
	})
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	owner, workspace, err := services.SignUps.Create(t.Context(), account.Account{Email: ownerAt, Password: staff, Workspace: "Shop"})
	must(err)
	for _, known := range []string{"known@example.com", invited} {
		_, err := services.SignUps.CreateUser(t.Context(), known, staff)
		must(err)
	}
	must(services.Grants.SetPlan(t.Context(), workspace, "enterprise"))
	sent := func() (n int) {
		_, err := services.Mails.Send(t.Context(), func(context.Context, outbox.Mail) error { n++; return nil })
		must(err)
		return n
	}
	sent()
	statements := store.CountStatements(db)
	clients := 0
	for what, request := range map[string]func(ctx context.Context, email string, client account.Client) error{
		"a sign-up": func(ctx context.Context, email string, client account.Client) error {
			return services.SignUps.Request(ctx, email, client)
		},
		"a forgotten password": func(ctx context.Context, email string, client account.Client) error {
			return services.Resets.Request(ctx, email, client)
		},
		"a change of address": func(ctx context.Context, email string, client account.Client) error {
			return services.Addresses.Change(ctx, owner.ID, account.Evidence{Password: staff}, email, client)
		},
		"a wrong password": func(ctx context.Context, email string, client account.Client) error {
			_, err := services.Sessions.SignIn(ctx, email, "a wrong guess", client)
			return err
		},
		"an invitation": func(ctx context.Context, email string, client account.Client) error {
			_, err := services.Invitations.Invite(ctx, workspace, owner.ID, email, tenant.RoleMember)
			return err
		},
		"a wrong code of an invitation": func(ctx context.Context, email string, client account.Client) error {
			_, err := services.Invitations.Join(ctx, "a guess for "+email, staff, client)
			return err
		},
		"a wrong code of a link": func(ctx context.Context, email string, client account.Client) error {
			_, err := services.Resets.Finish(ctx, "a guess for "+email, staff+" 2", client)
			return err
		},
	} {
		t.Run(what+" does the same for both", func(t *testing.T) {
			did := map[string][]work{}
			for range 2 { // the second time what was made by the first is there
				for _, email := range []string{"known@example.com", nobodyAt} {
					clients++
					client := account.Client{Address: netip.MustParseAddr(fmt.Sprintf("192.0.2.%d", clients))}
					before := statements.Load()
					err := request(t.Context(), email, client)
					w := work{Failed: err != nil, Statements: statements.Load() - before}
					if err != nil {
						w.Kind, w.Said = fault.As(err).Kind, fault.As(err).Message
					}
					w.Mails = sent()
					did[email] = append(did[email], w)
				}
			}
			known, unknown := did["known@example.com"], did[nobodyAt]
			if !reflect.DeepEqual(known, unknown) {
				t.Errorf("a known address gets %+v, and an unknown one %+v", known, unknown)
			}
			if known[0].Statements == 0 && !known[0].Failed {
				t.Error("no statement was counted")
			}
		})
	}
}

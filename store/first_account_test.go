package store_test

import (
	"context"
	"crypto/rand"
	"fmt"
	"testing"
	"time"

	"parley/core/account"
	"parley/core/fault"
	"parley/core/outbox"
	"parley/core/tenant"
	"parley/store/ports"
)

// TestFirstAccount opens the database as often as there are visitors, as
// several processes do.
func TestFirstAccount(t *testing.T) {
	onBothDatabases(t, func(b *bundle) {
		b.Run("of visitors who come to two processes of an empty server at once, one gets an account", func(t *testing.T) {
			const visitors = 4
			results := make(chan error, visitors)
			for n := range visitors {
				db := openBundle(t, b.url)
				accounts := account.New(ports.ForAccount(db.Store), account.Neighbors{
					Mails:   outbox.NewWriter(db.ofMails, time.Now, rand.Reader, outbox.Options{}),
					Founder: tenant.New(ports.ForTenant(db.Store, everywhere), time.Now, rand.Reader).Workspaces,
				}, time.Now, rand.Reader)
				go func() {
					_, _, err := accounts.SignUps.Create(context.WithoutCancel(t.Context()), account.Account{
						Email: fmt.Sprintf("visitor%d@example.com", n), Password: "a long enough password", Workspace: "Race", OnlyFirst: true,
					})
					results <- err
				}()
			}
			refused := 0
			for range visitors {
				if err := <-results; err != nil {
					b.wantKind(err, fault.Forbidden)
					refused++
				}
			}
			if n, err := b.CountUsers(t.Context()); err != nil || n != 1 || refused != visitors-1 {
				t.Errorf("there are %d users, %v; %d were refused", n, err, refused)
			}
		})
	})
}

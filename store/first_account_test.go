package store

import (
	"context"
	"crypto/rand"
	"fmt"
	"testing"
	"time"

	"parley/core/fault"
	"parley/core/tenant"
)

// TestFirstAccount opens the database as often as there are visitors, as
// several processes do.
func TestFirstAccount(t *testing.T) {
	onBothDatabases(t, func(b *bundle) {
		b.Run("of visitors of an empty server who come to two processes at once, one gets an account", func(t *testing.T) {
			const visitors = 4
			results := make(chan error, visitors)
			for n := range visitors {
				service := tenant.New(openBundle(t, b.url).Store, time.Now, rand.Reader, tenant.Options{})
				go func() {
					_, _, err := service.SignUp(context.WithoutCancel(t.Context()), tenant.Account{
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

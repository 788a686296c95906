package store_test

import (
	"testing"
	"time"

	"parley/core/account"
	"parley/core/fault"
	"parley/core/sso"
	"parley/core/tenant"
)

func TestSSO(t *testing.T) {
	onBothDatabases(t, func(b *bundle) {
		w, other := b.fill("a"), b.fill("b")
		ctx := b.Context()
		b.Run("a connection is read as it was written", func(t *testing.T) {
			want, err := b.Connection(ctx, w.id)
			b.must(err)
			confirmed := epoch.Add(time.Hour)
			want.Issuer, want.ClientID, want.SealedSecret, want.Domain, want.DomainCode = "https://login.example", "ü", []byte{0, 255}, "example.com", "code"
			want.DomainConfirmedAt, want.Role, want.Required = &confirmed, tenant.RoleAdmin, true
			b.must(b.UpdateConnection(ctx, w.id, want))
			got, err := b.Connection(ctx, w.id)
			b.must(err)
			if string(got.SealedSecret) != string(want.SealedSecret) || !got.DomainConfirmedAt.Equal(confirmed) || got.Role != want.Role || !got.Required || got.ClientID != "ü" {
				t.Errorf("got %+v", got)
			}
		})
		b.Run("a domain is confirmed once, and named as often as anybody likes", func(t *testing.T) {
			second, err := b.Connection(ctx, other.id)
			b.must(err)
			second.Domain = "example.com"
			b.must(b.UpdateConnection(ctx, other.id, second))
			second.DomainConfirmedAt = &epoch
			b.wantKind(b.UpdateConnection(ctx, other.id, second), fault.Conflict)
			named, err := b.ConnectionsOf(ctx, everywhere, "example.com")
			b.must(err)
			if len(named) != 2 || named[0].WorkspaceID != w.id || !named[0].IsConfirmed() || named[1].IsConfirmed() {
				t.Errorf("got %+v", named)
			}
		})
		b.Run("a workspace has one connection", func(t *testing.T) {
			b.wantKind(b.CreateConnection(ctx, w.id, w.newConnection("sso_second")), fault.Conflict)
			b.must(b.DeleteConnection(ctx, w.id))
			b.wantKind(b.DeleteConnection(ctx, w.id), fault.NotFound)
			_, err := b.Connection(ctx, w.id)
			b.wantKind(err, fault.NotFound)
		})
		b.Run("an identity is one subject of one issuer by one connection", func(t *testing.T) {
			one := sso.Identity{UserID: w.user, Issuer: "https://login.example", Subject: "1", CreatedAt: epoch}
			b.must(b.CreateIdentity(ctx, one))
			b.wantKind(b.CreateIdentity(ctx, sso.Identity{UserID: other.user, Issuer: one.Issuer, Subject: "1", CreatedAt: epoch}), fault.Conflict)
			b.must(b.CreateIdentity(ctx, sso.Identity{UserID: other.user, Issuer: one.Issuer, Subject: "1", ConnectionID: "sso_b", CreatedAt: epoch}))
			got, err := b.Identity(ctx, one.Issuer, "1", "")
			b.must(err)
			if got != one {
				t.Errorf("got %+v", got)
			}
			b.must(b.UseIdentity(ctx, one, epoch.Add(time.Hour)))
			b.must(b.DeleteIdentitiesBy(ctx, "sso_b"))
			_, err = b.Identity(ctx, one.Issuer, "1", "sso_b")
			b.wantKind(err, fault.NotFound)
			removed, err := b.DeleteIdentitiesOf(ctx, w.user)
			if b.must(err); removed != 1 {
				t.Errorf("%d were removed", removed)
			}
		})
		b.Run("a user without a password, whose address was confirmed, is read as such", func(t *testing.T) {
			at := epoch.Add(time.Minute)
			b.must(b.CreateUser(ctx, account.User{ID: "usr_sso", Email: "sso@example.com", EmailConfirmedAt: &at, CreatedAt: epoch}))
			got, err := b.UserByEmail(ctx, "sso@example.com")
			b.must(err)
			if got.PasswordHash != "" || got.EmailConfirmedAt == nil || !got.EmailConfirmedAt.Equal(at) {
				t.Errorf("got %+v", got)
			}
		})
	})
}

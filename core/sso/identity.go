package sso

import (
	"context"
	"strings"
	"time"

	"parley/core/account"
	"parley/core/audit"
)

// Identity is a user's account at an identity provider. The same subject of one issuer
// is another identity for each connection, so that one workspace's provider never
// speaks for another's, or for the installation's.
type Identity struct {
	UserID  string
	Issuer  string
	Subject string
	// ConnectionID is empty for the installation's provider.
	ConnectionID string
	CreatedAt    time.Time
}

// IdentityStore stores identities. A missing row is a NotFound fault, an existing row a
// Conflict.
type IdentityStore interface {
	CreateIdentity(ctx context.Context, identity Identity) error
	// Identity returns the identity of a subject.
	Identity(ctx context.Context, issuer, subject, connectionID string) (Identity, error)
	// IdentitiesOf returns a user's identities.
	IdentitiesOf(ctx context.Context, userID string) ([]Identity, error)
	// UseIdentity records that somebody signed in with it.
	UseIdentity(ctx context.Context, identity Identity, at time.Time) error
	// DeleteIdentitiesOf removes a user's identities, and returns how many there were.
	DeleteIdentitiesOf(ctx context.Context, userID string) (int, error)
	// DeleteIdentitiesBy removes the identities of a connection.
	DeleteIdentitiesBy(ctx context.Context, connectionID string) error
}

// link ties a subject at a provider to a user, in the transaction of ctx.
func (s *admission) link(ctx context.Context, d door, user account.User, claims Claims) error {
	identity := Identity{UserID: user.ID, Issuer: d.provider.Issuer, Subject: claims.Subject, ConnectionID: d.connection.ID, CreatedAt: s.now()}
	if err := s.ports.Identities.CreateIdentity(ctx, identity); err != nil {
		return err
	}
	return audit.Record(audit.AsPerson(ctx, user.ID, user.Email), s.ports.Audit, d.connection.WorkspaceID, s.now(), audit.Entry{
		Action: audit.IdentityLinked, Object: audit.Object{Kind: "account", ID: user.ID, Name: user.Email},
		Detail: "Linked with an account at " + hostOf(d.provider.Issuer) + ".",
	})
}

// Unlink removes the links of an account with identity providers, for the operator. At
// the next sign-in a provider links it again if the address is the same.
func (s *SignIns) Unlink(ctx context.Context, email string) (int, error) {
	user, err := s.ports.Users.UserByEmail(ctx, strings.ToLower(strings.TrimSpace(email)))
	if err != nil {
		return 0, err
	}
	removed := 0
	return removed, s.ports.Tx.InTx(ctx, func(ctx context.Context) error {
		if removed, err = s.ports.Identities.DeleteIdentitiesOf(ctx, user.ID); err != nil || removed == 0 {
			return err
		}
		return audit.Record(ctx, s.ports.Audit, "", s.now(), audit.Entry{
			Action: audit.IdentityUnlinked, Object: audit.Object{Kind: "account", ID: user.ID, Name: user.Email},
		})
	})
}

package people

import (
	"context"
	"iter"
	"time"

	"parley/core/fault"
	"parley/core/sso"
	"parley/core/system"
	"parley/core/tenant"
	ent "parley/ent/generated"
	"parley/ent/generated/identity"
	"parley/ent/generated/ssoconnection"
	"parley/ent/scope"
	"parley/store"
)

// SSOConnections keeps the identity providers of workspaces.
type SSOConnections struct{ store *store.Store }

// NewSSOConnections returns the connections of a database.
func NewSSOConnections(db *store.Store) *SSOConnections { return &SSOConnections{db} }

var _ sso.ConnectionStore = (*SSOConnections)(nil)

var errNoSSO = fault.New(fault.NotFound, "This workspace has no single sign-on.")

// CreateConnection adds the connection of a workspace.
func (s *SSOConnections) CreateConnection(ctx context.Context, workspaceID string, c sso.SealedConnection) error {
	return s.store.Write(scope.Workspace(ctx, workspaceID), func(ctx context.Context, db *ent.Client) error {
		return db.SSOConnection.Create().SetID(c.ID).SetWorkspaceID(workspaceID).SetIssuer(c.Issuer).SetClientID(c.ClientID).SetClientSecret(c.SealedSecret).
			SetDomain(c.Domain).SetDomainCode(c.DomainCode).SetNillableDomainConfirmedAt(c.DomainConfirmedAt).SetRole(string(c.Role)).SetRequired(c.Required).
			SetCreatedAt(c.CreatedAt).Exec(ctx)
	})
}

// Connection returns the connection of a workspace.
func (s *SSOConnections) Connection(ctx context.Context, workspaceID string) (sso.SealedConnection, error) {
	row, err := s.store.Client(ctx).SSOConnection.Query().Where(ssoconnection.WorkspaceID(workspaceID)).Only(scope.Workspace(ctx, workspaceID))
	if ent.IsNotFound(err) {
		return sso.SealedConnection{}, errNoSSO
	}
	return store.One(row, err, connectionFromRow)
}

// UpdateConnection changes all of a connection but its identifier and its beginning.
func (s *SSOConnections) UpdateConnection(ctx context.Context, workspaceID string, c sso.SealedConnection) error {
	return s.store.Write(scope.Workspace(ctx, workspaceID), func(ctx context.Context, db *ent.Client) error {
		update := db.SSOConnection.Update().Where(ssoconnection.ID(c.ID)).SetIssuer(c.Issuer).SetClientID(c.ClientID).SetClientSecret(c.SealedSecret).
			SetDomain(c.Domain).SetDomainCode(c.DomainCode).SetRole(string(c.Role)).SetRequired(c.Required)
		if c.DomainConfirmedAt == nil {
			update.ClearDomainConfirmedAt()
		} else {
			update.SetDomainConfirmedAt(*c.DomainConfirmedAt)
		}
		return connectionAffected(update.Save(ctx))
	})
}

// DeleteConnection removes the connection of a workspace.
func (s *SSOConnections) DeleteConnection(ctx context.Context, workspaceID string) error {
	return s.store.Write(scope.Workspace(ctx, workspaceID), func(ctx context.Context, db *ent.Client) error {
		return connectionAffected(db.SSOConnection.Delete().Where(ssoconnection.WorkspaceID(workspaceID)).Exec(ctx))
	})
}

// ConnectionsOf returns the connections of all workspaces that name a domain, the
// confirmed one first.
func (s *SSOConnections) ConnectionsOf(ctx context.Context, access system.Access, domain string) ([]sso.SealedConnection, error) {
	rows, err := s.store.Client(ctx).SSOConnection.Query().Where(ssoconnection.Domain(domain)).Order(ssoconnection.ByID()).All(scope.System(ctx, access))
	all, err := store.Mapped(rows, err, connectionFromRow)
	for i, c := range all {
		if c.IsConfirmed() {
			all[0], all[i] = all[i], all[0]
		}
	}
	return all, err
}

// AllConnections reads the connections of all workspaces.
func (s *SSOConnections) AllConnections(ctx context.Context, access system.Access) iter.Seq2[sso.SealedConnection, error] {
	return store.InKeyOrder(scope.System(ctx, access), func(ctx context.Context, after string) ([]sso.SealedConnection, error) {
		rows, err := s.store.Client(ctx).SSOConnection.Query().Where(ssoconnection.IDGT(after)).Order(ssoconnection.ByID()).Limit(store.PortionRows).All(ctx)
		return store.Mapped(rows, err, connectionFromRow)
	}, func(c sso.SealedConnection) string { return c.ID })
}

func connectionAffected(n int, err error) error {
	if err == nil && n == 0 {
		return errNoSSO
	}
	return err
}

func connectionFromRow(row *ent.SSOConnection) sso.SealedConnection {
	return sso.SealedConnection{Connection: sso.Connection{
		ID: row.ID, WorkspaceID: row.WorkspaceID, Issuer: row.Issuer, ClientID: row.ClientID, Domain: row.Domain, DomainCode: row.DomainCode,
		DomainConfirmedAt: store.UTC(row.DomainConfirmedAt), Role: tenant.Role(row.Role), Required: row.Required, CreatedAt: row.CreatedAt.UTC(),
	}, SealedSecret: row.ClientSecret}
}

// Identities keeps the accounts of people at identity providers.
type Identities struct{ store *store.Store }

// NewIdentities returns the identities of a database.
func NewIdentities(db *store.Store) *Identities { return &Identities{db} }

var _ sso.IdentityStore = (*Identities)(nil)

// CreateIdentity adds an identity.
func (s *Identities) CreateIdentity(ctx context.Context, i sso.Identity) error {
	return s.store.Write(ctx, func(ctx context.Context, db *ent.Client) error {
		return db.Identity.Create().SetUserID(i.UserID).SetIssuer(i.Issuer).SetSubject(i.Subject).SetConnectionID(i.ConnectionID).
			SetLastUsedAt(i.CreatedAt).SetCreatedAt(i.CreatedAt).Exec(ctx)
	})
}

// Identity returns the identity of a subject.
func (s *Identities) Identity(ctx context.Context, issuer, subject, connectionID string) (sso.Identity, error) {
	row, err := s.store.Client(ctx).Identity.Query().
		Where(identity.Issuer(issuer), identity.Subject(subject), identity.ConnectionID(connectionID)).Only(ctx)
	return store.One(row, err, identityFromRow)
}

// IdentitiesOf returns the identities of a user.
func (s *Identities) IdentitiesOf(ctx context.Context, userID string) ([]sso.Identity, error) {
	rows, err := s.store.Client(ctx).Identity.Query().Where(identity.UserID(userID)).Order(identity.ByID()).All(ctx)
	return store.Mapped(rows, err, identityFromRow)
}

// UseIdentity records that somebody signed in with an identity.
func (s *Identities) UseIdentity(ctx context.Context, i sso.Identity, at time.Time) error {
	return s.store.Write(ctx, func(ctx context.Context, db *ent.Client) error {
		return store.Affected(db.Identity.Update().
			Where(identity.Issuer(i.Issuer), identity.Subject(i.Subject), identity.ConnectionID(i.ConnectionID)).SetLastUsedAt(at).Save(ctx))
	})
}

// DeleteIdentitiesOf removes the identities of a user.
func (s *Identities) DeleteIdentitiesOf(ctx context.Context, userID string) (removed int, err error) {
	return removed, s.store.Write(ctx, func(ctx context.Context, db *ent.Client) error {
		removed, err = db.Identity.Delete().Where(identity.UserID(userID)).Exec(ctx)
		return err
	})
}

// DeleteIdentitiesBy removes the identities of a workspace's connection.
func (s *Identities) DeleteIdentitiesBy(ctx context.Context, connectionID string) error {
	return s.store.Write(ctx, func(ctx context.Context, db *ent.Client) error {
		_, err := db.Identity.Delete().Where(identity.ConnectionID(connectionID)).Exec(ctx)
		return err
	})
}

func identityFromRow(row *ent.Identity) sso.Identity {
	return sso.Identity{UserID: row.UserID, Issuer: row.Issuer, Subject: row.Subject, ConnectionID: row.ConnectionID, CreatedAt: row.CreatedAt.UTC()}
}

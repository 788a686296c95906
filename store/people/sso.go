package people

import (
	"context"
	"database/sql"
	"iter"
	"time"

	"parley/core/fault"
	"parley/core/sso"
	"parley/core/system"
	ent "parley/ent/generated"
	"parley/ent/generated/identity"
	"parley/ent/scope"
	"parley/store"
)

// SSOConnections keeps the identity providers of workspaces.
type SSOConnections struct{ store *store.Store }

// NewSSOConnections returns the connections of a database.
func NewSSOConnections(db *store.Store) *SSOConnections { return &SSOConnections{db} }

var _ sso.ConnectionStore = (*SSOConnections)(nil)

var errNoSSO = fault.New(fault.NotFound, "This workspace has no single sign-on.")

const (
	createConnection = `INSERT INTO sso_connections (workspace_id, id, issuer, client_id, client_secret, domain, domain_code, domain_confirmed_at, role, required, created_at)
	VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)`
	updateConnection = `UPDATE sso_connections SET issuer = $3, client_id = $4, client_secret = $5, domain = $6, domain_code = $7, domain_confirmed_at = $8,
	role = $9, required = $10 WHERE workspace_id = $1 AND id = $2`
	deleteConnection = `DELETE FROM sso_connections WHERE workspace_id = $1`
	connectionOf     = selectConnections + ` WHERE workspace_id = $1`
	connectionsNamed = selectConnections + ` WHERE domain = $1 ORDER BY id`
	connectionsAfter = selectConnections + ` WHERE id > $1 ORDER BY id LIMIT $2`

	selectConnections = `SELECT id, workspace_id, issuer, client_id, client_secret, domain, domain_code, domain_confirmed_at, role, required, created_at FROM sso_connections`
)

func intoConnection(c *sso.SealedConnection) []any {
	confirmed := store.Taking[time.Time](func(at sql.Null[time.Time]) error {
		if at.Valid {
			c.DomainConfirmedAt = store.UTC(&at.V)
		}
		return nil
	})
	return []any{&c.ID, &c.WorkspaceID, &c.Issuer, &c.ClientID, &c.SealedSecret, &c.Domain, &c.DomainCode, confirmed, &c.Role, &c.Required, store.InUTC(&c.CreatedAt)}
}

func connectionValues(workspaceID string, c *sso.SealedConnection) []any {
	return []any{workspaceID, c.ID, c.Issuer, c.ClientID, c.SealedSecret, c.Domain, c.DomainCode, c.DomainConfirmedAt, string(c.Role), c.Required}
}

// CreateConnection adds the connection of a workspace.
func (s *SSOConnections) CreateConnection(ctx context.Context, workspaceID string, c sso.SealedConnection) error {
	return s.store.Run(scope.Workspace(ctx, workspaceID), createConnection, append(connectionValues(workspaceID, &c), c.CreatedAt)...)
}

// Connection returns the connection of a workspace.
func (s *SSOConnections) Connection(ctx context.Context, workspaceID string) (c sso.SealedConnection, err error) {
	ctx = scope.Workspace(ctx, workspaceID)
	err = store.ScanOne(ctx, s.store.Raw(ctx), intoConnection(&c), connectionOf, workspaceID)
	return c, orNoSSO(store.MapError(err))
}

// UpdateConnection changes all of a connection but its identifier and its beginning.
func (s *SSOConnections) UpdateConnection(ctx context.Context, workspaceID string, c sso.SealedConnection) error {
	return s.change(ctx, workspaceID, updateConnection, connectionValues(workspaceID, &c)...)
}

// DeleteConnection removes the connection of a workspace.
func (s *SSOConnections) DeleteConnection(ctx context.Context, workspaceID string) error {
	return s.change(ctx, workspaceID, deleteConnection, workspaceID)
}

func (s *SSOConnections) change(ctx context.Context, workspaceID, statement string, args ...any) error {
	return orNoSSO(s.store.WriteRaw(scope.Workspace(ctx, workspaceID), func(ctx context.Context) error {
		return s.store.Hits(ctx, statement, args...)
	}))
}

func orNoSSO(err error) error {
	if fault.Is(err, fault.NotFound) {
		return errNoSSO
	}
	return err
}

// ConnectionsOf returns the connections of all workspaces that name a domain, the
// confirmed one first.
func (s *SSOConnections) ConnectionsOf(ctx context.Context, access system.Access, domain string) ([]sso.SealedConnection, error) {
	all, err := store.Rows(scope.System(ctx, access), s.store, intoConnection, connectionsNamed, domain)
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
		return store.Rows(ctx, s.store, intoConnection, connectionsAfter, after, store.PortionRows)
	}, func(c sso.SealedConnection) string { return c.ID })
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

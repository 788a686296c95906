package sso

import (
	"context"
	"fmt"
	"io"
	"iter"
	"time"

	"parley/core/audit"
	"parley/core/fault"
	"parley/core/plan"
	"parley/core/tenant"
	"parley/internal/id"
)

// Connections changes the connections of workspaces.
type Connections struct {
	ports   Ports
	options Options
	now     func() time.Time
	random  io.Reader
}

// Get returns the connection of a workspace. It is NotFound if it has none.
func (s *Connections) Get(ctx context.Context, workspaceID string) (Connection, error) {
	found, err := s.ports.Connections.Connection(ctx, workspaceID)
	return found.Connection, err
}

// Admit refuses, as Forbidden, a connection to a workspace whose plan has none. One that
// a workspace already has goes on signing people in.
func (s *Connections) Admit(ctx context.Context, workspaceID string) error {
	workspace, err := s.ports.Workspaces.Workspace(ctx, workspaceID)
	if err != nil {
		return err
	}
	bought, err := s.ports.Plans.Plan(ctx, workspace.Plan)
	if err != nil {
		return err
	}
	return bought.Admit(plan.SSO, 1)
}

// Save creates the connection of a workspace, or changes it. A new domain has to be
// confirmed again, and another provider or client makes the people's links with it
// worthless, because only the provider knew whom they named.
func (s *Connections) Save(ctx context.Context, workspaceID string, settings Settings) (Connection, error) {
	settings, err := settings.check(s.options.PlainHTTP)
	if err != nil {
		return Connection{}, err
	}
	if err := s.Admit(ctx, workspaceID); err != nil {
		return Connection{}, err
	}
	var saved Connection
	return saved, s.locked(ctx, workspaceID, func(ctx context.Context) error {
		old, err := s.ports.Connections.Connection(ctx, workspaceID)
		if fault.Is(err, fault.NotFound) {
			saved, err = s.create(ctx, workspaceID, settings)
			return err
		}
		if err != nil {
			return err
		}
		saved, err = s.change(ctx, old, settings)
		return err
	})
}

func (s *Connections) create(ctx context.Context, workspaceID string, settings Settings) (Connection, error) {
	if settings.Required {
		return Connection{}, errRequiredUnconfirmed
	}
	made := SealedConnection{Connection: Connection{
		ID: id.New(s.random, "sso"), WorkspaceID: workspaceID, Issuer: settings.Issuer, ClientID: settings.ClientID,
		Domain: settings.Domain, DomainCode: s.newCode(), Role: settings.Role, CreatedAt: s.now(),
	}}
	var err error
	if made.SealedSecret, err = s.seal(made.Connection, settings.Secret); err != nil {
		return Connection{}, err
	}
	if err := s.ports.Connections.CreateConnection(ctx, workspaceID, made); err != nil {
		return Connection{}, err
	}
	return made.Connection, s.record(ctx, audit.SSOCreated, made.Connection, "", nil)
}

var errRequiredUnconfirmed = fault.InField("required", "Confirm the domain first. Otherwise nobody could sign in.")

func (s *Connections) change(ctx context.Context, old SealedConnection, settings Settings) (Connection, error) {
	changed := old
	changed.Issuer, changed.ClientID, changed.Role, changed.Required = settings.Issuer, settings.ClientID, settings.Role, settings.Required
	if settings.Domain != old.Domain {
		changed.Domain, changed.DomainCode, changed.DomainConfirmedAt = settings.Domain, s.newCode(), nil
	}
	if changed.Required && !changed.IsConfirmed() {
		return Connection{}, errRequiredUnconfirmed
	}
	if settings.Secret == "" && settings.Issuer != old.Issuer {
		return Connection{}, fault.InField("client_secret", "Give the client secret again: the one that Parley has is for another provider.")
	}
	if settings.Secret != "" {
		var err error
		if changed.SealedSecret, err = s.seal(changed.Connection, settings.Secret); err != nil {
			return Connection{}, err
		}
	}
	if err := s.ports.Connections.UpdateConnection(ctx, old.WorkspaceID, changed); err != nil {
		return Connection{}, err
	}
	if changed.Issuer != old.Issuer || changed.ClientID != old.ClientID {
		if err := s.ports.Identities.DeleteIdentitiesBy(ctx, old.ID); err != nil {
			return Connection{}, err
		}
	}
	if changed.Required && !old.Required {
		if err := signOutOthers(ctx, s.ports, changed.Connection); err != nil {
			return Connection{}, err
		}
	}
	return changed.Connection, s.record(ctx, audit.SSOChanged, changed.Connection, "", differences(old.Connection, changed.Connection, settings.Secret != ""))
}

func differences(old, changed Connection, secret bool) []audit.Change {
	type told struct {
		Issuer, ClientID, Domain string
		Role                     tenant.Role
		Required                 bool
	}
	of := func(c Connection) told { return told{c.Issuer, c.ClientID, c.Domain, c.Role, c.Required} }
	changes := audit.Differences(of(old), of(changed))
	if secret {
		changes = append(changes, audit.Change{Field: "client_secret"})
	}
	return changes
}

// signOutOthers ends the sessions of those who have to sign in at the provider from now
// on.
func signOutOthers(ctx context.Context, ports Ports, connection Connection) error {
	members, err := ports.Members.Members(ctx, connection.WorkspaceID)
	if err != nil {
		return err
	}
	for _, member := range members {
		if !connection.binds(member) {
			continue
		}
		if err := ports.Sessions.DeleteSessions(ctx, member.UserID); err != nil {
			return err
		}
	}
	return nil
}

// Delete removes the connection of a workspace and its people's links with it. They
// sign in with their passwords again.
func (s *Connections) Delete(ctx context.Context, workspaceID string) error {
	return s.locked(ctx, workspaceID, func(ctx context.Context) error {
		old, err := s.ports.Connections.Connection(ctx, workspaceID)
		if err != nil {
			return err
		}
		if err := s.ports.Connections.DeleteConnection(ctx, workspaceID); err != nil {
			return err
		}
		if err := s.ports.Identities.DeleteIdentitiesBy(ctx, old.ID); err != nil {
			return err
		}
		return s.record(ctx, audit.SSODeleted, old.Connection, "", nil)
	})
}

// Try finds out whether a provider answers and knows the client, and saves nothing.
func (s *Connections) Try(ctx context.Context, workspaceID string, settings Settings, returnURL string) error {
	settings, err := settings.check(s.options.PlainHTTP)
	if err != nil {
		return err
	}
	if settings.Secret == "" {
		old, err := s.ports.Connections.Connection(ctx, workspaceID)
		if err != nil && !fault.Is(err, fault.NotFound) {
			return err
		}
		if err != nil || old.Issuer != settings.Issuer {
			return errNoSecret
		}
		if settings.Secret, err = s.open(old); err != nil {
			return err
		}
	}
	return s.ports.Client.Check(ctx, Provider{Issuer: settings.Issuer, ClientID: settings.ClientID, Secret: settings.Secret}, returnURL)
}

var errNoSecret = fault.InField("client_secret", "Copy the client secret from your identity provider.")

// provider returns the provider of a connection with its secret.
func (s *Connections) provider(connection SealedConnection) (Provider, error) {
	secret, err := s.open(connection)
	return Provider{Issuer: connection.Issuer, ClientID: connection.ClientID, Secret: secret}, err
}

func (s *Connections) open(connection SealedConnection) (Secret, error) {
	opened, err := s.ports.Vault.Unseal(connection.WorkspaceID, connection.ID, connection.SealedSecret)
	if err != nil {
		return "", fault.Wrap(fault.Upstream, err, "This server can no longer read the client secret of this workspace's single sign-on, and the operator of this server has been told. An owner can also give it again.").ForOperator()
	}
	return Secret(opened), nil
}

// seal seals a secret. Where the server has no key, it is no field of the form that is
// wrong.
func (s *Connections) seal(connection Connection, secret Secret) ([]byte, error) {
	if secret == "" {
		return nil, errNoSecret
	}
	sealed, err := s.ports.Vault.Seal(connection.WorkspaceID, connection.ID, string(secret))
	if fault.Is(err, fault.Unavailable) {
		return nil, fault.Wrap(fault.Unavailable, err, "This server cannot keep secrets yet: its operator has to set SECRET_KEY.").ForOperator()
	}
	return sealed, err
}

// Reseal seals the secrets of all connections with the server's current key, for an
// operator who wants to take a former one away. It returns how many it sealed, and the
// connections whose secrets cannot be read.
func (s *Connections) Reseal(ctx context.Context) (sealed int, unreadable []Connection, err error) {
	for connection, err := range s.ports.Connections.AllConnections(ctx, s.ports.System) {
		if err != nil {
			return sealed, unreadable, err
		}
		err = s.locked(ctx, connection.WorkspaceID, func(ctx context.Context) error {
			found, err := s.ports.Connections.Connection(ctx, connection.WorkspaceID)
			if err != nil {
				return err
			}
			secret, err := s.open(found)
			if err != nil {
				return err
			}
			if found.SealedSecret, err = s.seal(found.Connection, secret); err != nil {
				return err
			}
			if err := s.ports.Connections.UpdateConnection(ctx, found.WorkspaceID, found); err != nil {
				return err
			}
			return s.record(ctx, audit.SSOResealed, found.Connection, "", nil)
		})
		switch {
		case err == nil:
			sealed++
		case fault.Is(err, fault.NotFound): // deleted meanwhile
		case fault.Is(err, fault.Upstream):
			unreadable = append(unreadable, connection.Connection)
		default:
			return sealed, unreadable, err
		}
	}
	return sealed, unreadable, nil
}

// All reads the connections of all workspaces, for the operator.
func (s *Connections) All(ctx context.Context) iter.Seq2[SealedConnection, error] {
	return s.ports.Connections.AllConnections(ctx, s.ports.System)
}

// newCode is what a DNS record has to say: nobody can guess it, and whoever reads it
// in the DNS learns nothing.
func (s *Connections) newCode() string { return id.Base62(id.Bytes(s.random, 18), 25) }

// locked runs do in a transaction that no other change to the workspace's people or
// connection runs beside.
func (s *Connections) locked(ctx context.Context, workspaceID string, do func(ctx context.Context) error) error {
	return s.ports.Tx.InTx(ctx, func(ctx context.Context) error {
		if _, err := s.ports.Workspaces.LockWorkspace(ctx, workspaceID); err != nil {
			return err
		}
		return do(ctx)
	})
}

func (s *Connections) record(ctx context.Context, action audit.Action, connection Connection, detail string, changes []audit.Change) error {
	if detail == "" && action == audit.SSOCreated {
		detail = fmt.Sprintf("The provider is %s.", hostOf(connection.Issuer))
	}
	return audit.Record(ctx, s.ports.Audit, connection.WorkspaceID, s.now(), audit.Entry{
		Action: action, Object: connection.object(), Detail: detail, Changes: changes,
	})
}

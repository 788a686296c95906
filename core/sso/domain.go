package sso

import (
	"context"
	"slices"
	"strings"
	"time"

	"parley/core/audit"
	"parley/core/fault"
)

// lookUpTime is how long the DNS may take.
const lookUpTime = 5 * time.Second

// Domains confirms the domains of connections.
type Domains struct{ connections *Connections }

// Check looks for the DNS record of a workspace's domain, and confirms the domain
// if it is there. If the domain is confirmed for another workspace, whose record is
// gone, it changes hands: who writes into the domain's DNS owns it.
func (s *Domains) Check(ctx context.Context, workspaceID string) error {
	connection, err := s.connections.Get(ctx, workspaceID)
	if err != nil || connection.IsConfirmed() {
		return err
	}
	found, err := s.records(ctx, connection)
	if err != nil {
		return err
	}
	if !slices.Contains(found, connection.RecordText()) {
		return errNoRecord(connection)
	}
	claims, err := s.connections.ports.Connections.ConnectionsOf(ctx, s.connections.ports.System, connection.Domain)
	if err != nil {
		return err
	}
	for _, other := range claims {
		if other.ID == connection.ID || !other.IsConfirmed() {
			continue
		}
		if slices.Contains(found, other.RecordText()) {
			return fault.InField("domain", "This domain is confirmed for another workspace. Remove that workspace's record from the DNS, and check again.")
		}
		if err := s.withdraw(ctx, other, "The domain's DNS record names another workspace."); err != nil {
			return err
		}
	}
	return s.confirm(ctx, connection, "Found the DNS record.")
}

func errNoRecord(connection Connection) error {
	return fault.InField("domain", "There is no TXT record at %s with this text yet. New records can take up to an hour to appear.", connection.RecordName())
}

func (s *Domains) records(ctx context.Context, connection Connection) ([]string, error) {
	ctx, cancel := context.WithTimeout(ctx, lookUpTime)
	defer cancel()
	found, err := s.connections.ports.LookUp(ctx, connection.RecordName()+".")
	if err != nil { // most often, nothing has that name
		failure := *fault.As(errNoRecord(connection))
		failure.Cause = err
		return nil, &failure
	}
	for i, text := range found {
		found[i] = strings.TrimSpace(text)
	}
	return found, nil
}

// Confirm confirms a domain for the operator, who has another proof that it is the
// workspace's. Without a workspace there must be exactly one that names the domain.
func (s *Domains) Confirm(ctx context.Context, domain, workspaceID string) (Connection, error) {
	domain, err := CheckDomain(domain)
	if err != nil {
		return Connection{}, err
	}
	claims, err := s.connections.ports.Connections.ConnectionsOf(ctx, s.connections.ports.System, domain)
	if err != nil {
		return Connection{}, err
	}
	if workspaceID != "" {
		claims = slices.DeleteFunc(claims, func(c SealedConnection) bool { return c.WorkspaceID != workspaceID })
	}
	switch {
	case len(claims) == 0:
		return Connection{}, fault.New(fault.NotFound, "No workspace has a connection for this domain. Its owner has to save one first.")
	case len(claims) > 1:
		return Connection{}, fault.New(fault.Conflict, "%d workspaces name this domain. Say which one with --workspace.", len(claims))
	case claims[0].IsConfirmed():
		return claims[0].Connection, nil
	}
	if err := s.confirm(ctx, claims[0].Connection, "Confirmed by the operator."); err != nil {
		return Connection{}, err
	}
	return s.connections.Get(ctx, claims[0].WorkspaceID)
}

// Withdraw takes a domain's confirmation back, for the operator: its connection signs
// nobody in any more.
func (s *Domains) Withdraw(ctx context.Context, domain string) (Connection, error) {
	domain, err := CheckDomain(domain)
	if err != nil {
		return Connection{}, err
	}
	claims, err := s.connections.ports.Connections.ConnectionsOf(ctx, s.connections.ports.System, domain)
	if err != nil {
		return Connection{}, err
	}
	for _, claim := range claims {
		if claim.IsConfirmed() {
			return claim.Connection, s.withdraw(ctx, claim, "Withdrawn by the operator.")
		}
	}
	return Connection{}, fault.New(fault.NotFound, "This domain is not confirmed for any workspace.")
}

func (s *Domains) confirm(ctx context.Context, connection Connection, detail string) error {
	return s.connections.locked(ctx, connection.WorkspaceID, func(ctx context.Context) error {
		found, err := s.connections.ports.Connections.Connection(ctx, connection.WorkspaceID)
		if err != nil {
			return err
		}
		if found.Domain != connection.Domain || found.DomainCode != connection.DomainCode {
			return fault.New(fault.Conflict, "Somebody changed the domain meanwhile. Reload the page and try again.")
		}
		now := s.connections.now()
		found.DomainConfirmedAt = &now
		err = s.connections.ports.Connections.UpdateConnection(ctx, found.WorkspaceID, found)
		if fault.Is(err, fault.Conflict) {
			return fault.InField("domain", "This domain is confirmed for another workspace.")
		}
		if err != nil {
			return err
		}
		return s.connections.record(ctx, audit.DomainConfirmed, found.Connection, detail, nil)
	})
}

func (s *Domains) withdraw(ctx context.Context, claim SealedConnection, detail string) error {
	return s.connections.locked(ctx, claim.WorkspaceID, func(ctx context.Context) error {
		found, err := s.connections.ports.Connections.Connection(ctx, claim.WorkspaceID)
		if err != nil || found.Domain != claim.Domain {
			return err
		}
		// A domain that signs nobody in must not keep its people out.
		found.DomainConfirmedAt, found.Required, found.DomainCode = nil, false, s.connections.newCode()
		if err := s.connections.ports.Connections.UpdateConnection(ctx, found.WorkspaceID, found); err != nil {
			return err
		}
		return s.connections.record(ctx, audit.DomainWithdrawn, found.Connection, detail, nil)
	})
}

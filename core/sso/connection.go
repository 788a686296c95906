package sso

import (
	"context"
	"iter"
	"net/url"
	"regexp"
	"strings"
	"time"

	"parley/core/audit"
	"parley/core/fault"
	"parley/core/system"
	"parley/core/tenant"
)

// Connection lets the people of one domain sign in at the identity provider of a
// workspace. A workspace has at most one.
type Connection struct {
	// ID is opaque and starts with "sso_".
	ID          string
	WorkspaceID string
	Issuer      string
	ClientID    string
	// Domain is the part of addresses after the @, in lower case.
	Domain string
	// DomainCode is what the domain's DNS record has to say.
	DomainCode string
	// DomainConfirmedAt is when the record was found, or the operator confirmed the
	// domain. Before, the connection signs nobody in.
	DomainConfirmedAt *time.Time
	// Role is the one with which people of the domain join who are no members yet. An
	// empty one lets in members and invited people only.
	Role tenant.Role
	// Required lets the members of the domain sign in by this connection only, owners
	// excepted.
	Required  bool
	CreatedAt time.Time
}

// SealedConnection is a connection with its client secret as it is kept.
type SealedConnection struct {
	Connection
	SealedSecret []byte
}

// ConnectionStore stores connections. A missing row is a NotFound fault.
type ConnectionStore interface {
	CreateConnection(ctx context.Context, workspaceID string, connection SealedConnection) error
	// Connection returns the one of a workspace.
	Connection(ctx context.Context, workspaceID string) (SealedConnection, error)
	// UpdateConnection is a Conflict if the domain is confirmed for another one.
	UpdateConnection(ctx context.Context, workspaceID string, connection SealedConnection) error
	DeleteConnection(ctx context.Context, workspaceID string) error
	// ConnectionsOf returns the connections of all workspaces that name a domain, the
	// confirmed one first.
	ConnectionsOf(ctx context.Context, access system.Access, domain string) ([]SealedConnection, error)
	// AllConnections reads the connections of all workspaces, a portion at a time.
	AllConnections(ctx context.Context, access system.Access) iter.Seq2[SealedConnection, error]
}

// object describes a connection as the object of an action.
func (c Connection) object() audit.Object {
	return audit.Object{Kind: "sso_connection", ID: c.ID, Name: c.Domain}
}

// IsConfirmed reports whether the domain was confirmed.
func (c Connection) IsConfirmed() bool { return c.DomainConfirmedAt != nil }

// RecordName is the name of the DNS record that confirms the domain.
func (c Connection) RecordName() string { return "_parley." + c.Domain }

// RecordText is what the DNS record has to say.
func (c Connection) RecordText() string { return recordPrefix + c.DomainCode }

const recordPrefix = "parley-domain="

// Settings are what an owner says of a connection.
type Settings struct {
	// Issuer is an https address of at most 500 characters.
	Issuer   string
	ClientID string
	// Secret may be empty for a connection that has one: it stays.
	Secret   Secret
	Domain   string
	Role     tenant.Role
	Required bool
}

const (
	maxIssuer = 500
	maxClient = 255
	maxSecret = 1_000
	maxDomain = 255
)

// check returns settings in their normal form, or refuses them.
func (s Settings) check(plainHTTP bool) (Settings, error) {
	var err error
	if s.Issuer, err = CheckIssuer(s.Issuer, plainHTTP); err != nil {
		return s, err
	}
	s.ClientID = strings.TrimSpace(s.ClientID)
	s.Secret = Secret(strings.TrimSpace(string(s.Secret)))
	switch {
	case s.ClientID == "":
		return s, fault.InField("client_id", "Copy the client ID from your identity provider.")
	case len(s.ClientID) > maxClient || strings.ContainsFunc(s.ClientID, notVisible):
		return s, fault.InField("client_id", "This is no client ID. Copy it from your identity provider.")
	case len(s.Secret) > maxSecret || strings.ContainsFunc(string(s.Secret), notVisible):
		return s, fault.InField("client_secret", "This is no client secret. Copy its value from your identity provider.")
	}
	if s.Domain, err = CheckDomain(s.Domain); err != nil {
		return s, err
	}
	switch s.Role {
	case "", tenant.RoleMember, tenant.RoleAdmin:
	default:
		return s, fault.InField("role", "Choose members only, member or admin.")
	}
	return s, nil
}

func notVisible(r rune) bool { return r <= ' ' || r > '~' }

// CheckIssuer returns the address of an issuer as it is compared, or refuses it. A
// slash at its end belongs to it.
func CheckIssuer(text string, plainHTTP bool) (string, error) {
	text = strings.TrimSpace(text)
	text = strings.TrimSuffix(text, "/.well-known/openid-configuration")
	u, err := url.Parse(text)
	switch {
	case text == "" || err != nil || u.Opaque != "" || u.Hostname() == "" || strings.ContainsFunc(text, notVisible):
		return "", fault.InField("issuer", "Give the issuer's address, such as https://login.example.com.")
	case len(text) > maxIssuer:
		return "", fault.InField("issuer", "This address is too long; at most %d characters are allowed.", maxIssuer)
	case u.Scheme != "https" && (u.Scheme != "http" || !plainHTTP):
		return "", fault.InField("issuer", "Enter an address that begins with https://.")
	case u.User != nil || strings.ContainsAny(text, "?#"):
		return "", fault.InField("issuer", "Leave out user, password and what begins with ? or # in the address.")
	}
	return text, nil
}

var domainForm = regexp.MustCompile(`^([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z]([a-z0-9-]{0,61}[a-z0-9])$`)

// CheckDomain returns a domain of addresses in its normal form, or refuses it.
func CheckDomain(text string) (string, error) {
	text = strings.TrimSuffix(strings.ToLower(strings.TrimSpace(text)), ".")
	text = strings.TrimPrefix(text, "@")
	if len(text) > maxDomain || !domainForm.MatchString(text) {
		return "", fault.InField("domain", "Give the part of your e-mail addresses after the @, such as example.com. Write other letters than a to z as DNS does: xn--….")
	}
	return text, nil
}

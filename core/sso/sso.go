// Package sso owns single sign-on by OpenID Connect: the installation's identity
// provider, those that workspaces bring for a domain of theirs, whom a provider may
// sign in, and which account that is.
//
// It does not own sessions and passwords (package account), who belongs to a
// workspace (package tenant), or the protocol (package oidc).
package sso

import (
	"context"
	"fmt"
	"io"
	"strings"
	"time"

	"parley/core/account"
	"parley/core/account/signin"
	"parley/core/audit"
	"parley/core/plan"
	"parley/core/system"
	"parley/core/tenant"
)

// Provider is an identity provider, as Parley is registered with it.
type Provider struct {
	Issuer   string
	ClientID string
	Secret   Secret
	// ByOperator says that the operator chose it. Parley reaches it in private networks,
	// too.
	ByOperator bool
}

// Secret is what Parley proves its identity to a provider with. It is text to whoever
// asks for it with string(secret), and hides from logs and formats.
type Secret string

// Format writes nothing of the secret.
func (s Secret) Format(f fmt.State, _ rune) { _, _ = f.Write([]byte("[secret]")) }

// MarshalText writes nothing of the secret.
func (s Secret) MarshalText() ([]byte, error) { return []byte("[secret]"), nil }

// Visit is one visit of a browser to a provider. Everything in it follows from a
// secret that only the browser holds.
type Visit struct {
	// State comes back with the browser, Nonce in the ID token.
	State, Nonce string
	// Verifier proves to the provider that who redeems the code began the visit
	// (PKCE, RFC 7636).
	Verifier string
	// ReturnURL is where the provider sends the browser back to.
	ReturnURL string
	// Fresh asks the provider to have the person sign in anew, whoever it still knows.
	Fresh bool
}

// Answer is what the browser brings back from the provider.
type Answer struct {
	Code, State string
	// Issuer is who answers (RFC 9207), empty if the provider does not say it.
	Issuer string
	// Error is a code such as access_denied, empty if there is none.
	Error string
}

// Claims are what a provider says about a person, in an ID token that was checked.
type Claims struct {
	// Issuer and Subject name the person's account at the provider.
	Issuer, Subject string
	Email           string
	// EmailVerified says that the provider has checked the address.
	EmailVerified bool
	// HostedDomain is the organization of an account at Google.
	HostedDomain string
	// AuthTime is when the person signed in at the provider, zero if it does not say.
	AuthTime time.Time
}

// Client speaks with identity providers; package oidc implements it. Its failures are
// faults whose sentences are for the person who signs in: Upstream if the provider
// does not answer as it should, Forbidden if what it says cannot be believed.
type Client interface {
	// SignInURL returns the provider's page for a visit.
	SignInURL(ctx context.Context, provider Provider, visit Visit) (string, error)
	// Redeem exchanges the code of an answer for claims, and checks them.
	Redeem(ctx context.Context, provider Provider, visit Visit, answer Answer) (Claims, error)
	// Check finds out whether the provider answers and knows the client. Its faults name
	// fields of [Settings].
	Check(ctx context.Context, provider Provider, returnURL string) error
}

// LookUp returns the TXT records of a name.
type LookUp func(ctx context.Context, name string) ([]string, error)

// Vault keeps secrets from whoever reads the database. What it seals opens for the
// same workspace and connection only.
type Vault interface {
	Seal(workspaceID, ownerID, text string) ([]byte, error)
	Unseal(workspaceID, ownerID string, sealed []byte) (string, error)
}

// transactor runs a function in one transaction; calls inside it join.
type transactor interface {
	InTx(ctx context.Context, fn func(context.Context) error) error
}

// Ports are what the services need.
type Ports struct {
	Tx         transactor
	Workspaces interface {
		LockWorkspace(ctx context.Context, workspaceID string) (tenant.Workspace, error)
		Workspace(ctx context.Context, workspaceID string) (tenant.Workspace, error)
	}
	Plans interface {
		Plan(ctx context.Context, name plan.Name) (plan.Plan, error)
	}
	Connections ConnectionStore
	Identities  IdentityStore
	Steps       *signin.Steps
	Users       account.UserStore
	Members     interface {
		Members(ctx context.Context, workspaceID string) ([]tenant.Member, error)
	}
	Sessions interface {
		DeleteSessions(ctx context.Context, userID string) error
	}
	Audit  audit.Log
	System system.Access
	Vault  Vault
	Client Client
	LookUp LookUp
}

// Neighbors are the services of other packages that create and admit people.
type Neighbors struct {
	SignUps     *account.SignUps
	Sessions    *account.Sessions
	Throttle    *account.Throttle
	Members     *tenant.Members
	Invitations *tenant.Invitations
}

// Options are what the operator decides.
type Options struct {
	// Provider is the installation's; without an issuer it has none.
	Provider Provider
	// Name is what the button of the installation's provider says.
	Name string
	// Domains are those whose people may create an account by the installation's
	// provider. Without any, SignUp decides.
	Domains []string
	// SignUp lets anybody create an account.
	SignUp bool
	// PlainHTTP admits connections to http addresses, for networks of the operator.
	PlainHTTP bool
}

// Services are the services of this package.
type Services struct {
	Connections *Connections
	Domains     *Domains
	SignIns     *SignIns
}

// New returns the services. Random must be cryptographically secure.
func New(ports Ports, neighbors Neighbors, now func() time.Time, random io.Reader, options Options) Services {
	connections := &Connections{ports: ports, options: options, now: now, random: random}
	return Services{
		Connections: connections,
		Domains:     &Domains{connections},
		SignIns: &SignIns{
			ports: ports, neighbors: neighbors, connections: connections, options: options, now: now,
			admission: &admission{ports: ports, neighbors: neighbors, options: options, now: now},
		},
	}
}

// domainOf returns the part of an address after the @.
func domainOf(email string) string {
	return strings.ToLower(email[strings.LastIndexByte(email, '@')+1:])
}

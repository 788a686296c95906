// Package signon connects single sign-on with the database and with identity providers.
package signon

import (
	"context"
	"crypto/rand"
	"net"
	"net/netip"
	"time"

	"parley/app/config"
	"parley/core/sso"
	"parley/fetch"
	"parley/oidc"
	"parley/store"
	"parley/store/tenancy"
)

// Parts are what it is connected with.
type Parts struct {
	Config  *config.Config
	Store   *store.Store
	Tenants *tenancy.Services
	Vault   sso.Vault
	// LookUp answers for the DNS. Nil asks the system's resolver.
	LookUp sso.LookUp
	// Refused hears of addresses to which the server does not connect.
	Refused func(ctx context.Context, target string)
	Now     func() time.Time
}

// Open returns the services.
func Open(p Parts) (sso.Services, error) {
	allowed, err := p.Config.SSOTargets()
	if err != nil {
		return sso.Services{}, err
	}
	if p.LookUp == nil {
		p.LookUp = net.DefaultResolver.LookupTXT
	}
	return sso.New(sso.Ports{
		Tx: p.Store, Workspaces: store.NewWorkspaces(p.Store), Plans: p.Store, Connections: store.NewSSOConnections(p.Store), Identities: store.NewIdentities(p.Store),
		Steps: p.Tenants.Steps, Users: store.NewUsers(p.Store), Members: store.NewMembers(p.Store), Sessions: store.NewSessions(p.Store), Audit: p.Store, Vault: p.Vault,
		Client: oidc.New(oidc.Config{
			Public: fetch.NewClient(fetch.Config{Allow: allowed, Refused: p.Refused}),
			// The operator's provider may be anywhere.
			Trusted: fetch.NewClient(fetch.Config{Allow: []fetch.Target{{Network: netip.MustParsePrefix("0.0.0.0/0")}, {Network: netip.MustParsePrefix("::/0")}}}),
			Now:     p.Now,
		}),
		LookUp: p.LookUp,
	}, sso.Neighbors{
		SignUps: p.Tenants.SignUps, Sessions: p.Tenants.Sessions, Throttle: p.Tenants.Throttle, Members: p.Tenants.Members, Invitations: p.Tenants.Invitations,
	}, p.Now, rand.Reader, p.Config.SSOOptions()), nil
}

package app

import (
	"crypto/rand"
	"net"
	"net/netip"

	"parley/core/sso"
	"parley/fetch"
	"parley/oidc"
	"parley/store/people"
)

// openSSO connects single sign-on with the database and with identity providers. A nil
// lookUp asks the system's resolver.
func (p *Program) openSSO(vault sso.Vault, lookUp sso.LookUp) error {
	allowed, err := p.Config.SSOTargets()
	if err != nil {
		return err
	}
	if lookUp == nil {
		lookUp = net.DefaultResolver.LookupTXT
	}
	p.SSO = sso.New(sso.Ports{
		Tx: p.Store, Workspaces: people.NewWorkspaces(p.Store), Plans: p.Store, Connections: people.NewSSOConnections(p.Store), Identities: people.NewIdentities(p.Store),
		Steps: p.Tenants.Steps, Users: people.NewUsers(p.Store), Members: people.NewMembers(p.Store), Sessions: people.NewSessions(p.Store), Audit: p.Store, System: accesses.signOn, Vault: vault,
		Client: oidc.New(oidc.Config{
			Public: fetch.NewClient(fetch.Config{Allow: allowed, Refused: p.reportTarget}),
			// The operator's provider may be anywhere.
			Trusted: fetch.NewClient(fetch.Config{Allow: []fetch.Target{{Network: netip.MustParsePrefix("0.0.0.0/0")}, {Network: netip.MustParsePrefix("::/0")}}}),
			Now:     p.now,
		}),
		LookUp: lookUp,
	}, sso.Neighbors{
		SignUps: p.Tenants.SignUps, Sessions: p.Tenants.Sessions, Throttle: p.Tenants.Throttle, Members: p.Tenants.Members, Invitations: p.Tenants.Invitations,
	}, p.now, rand.Reader, p.Config.SSOOptions())
	return nil
}

package sso_test

import (
	"context"
	"crypto/rand"
	"errors"
	"net/netip"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"parley/core/account"
	"parley/core/audit"
	"parley/core/fault"
	"parley/core/outbox"
	"parley/core/seal"
	"parley/core/sso"
	"parley/core/system/grant"
	"parley/core/tenant"
	"parley/fetch"
	"parley/oidc"
	"parley/oidc/oidctest"
	"parley/store"
	"parley/store/people"
	"parley/store/tenancy"
	"parley/store/tenancytest"
)

var client = account.Client{Address: netip.MustParseAddr("192.0.2.1")}

// rig is the services over a real store and a provider of the tests' own.
type rig struct {
	*testing.T
	*tenancy.Services
	*sso.Connections
	*sso.SignIns
	*sso.Domains
	store    *store.Store
	provider *oidctest.Server
	owner    account.User
	space    tenant.Workspace
	now      time.Time
	records  map[string][]string
}

func newRig(t *testing.T, change func(*sso.Options)) *rig {
	t.Helper()
	shop := tenancytest.Open(t)
	r := &rig{T: t, store: shop.Store, provider: oidctest.New(t), owner: shop.User, space: shop.Space, now: time.Now().UTC().Truncate(time.Microsecond), records: map[string][]string{}}
	now := func() time.Time { return r.now }
	r.Services = tenancytest.Services(r.store, now, tenancy.Options{Mails: outbox.Options{BaseURL: "https://parley.example/"}})
	options := sso.Options{
		Provider: sso.Provider{Issuer: r.provider.URL, ClientID: oidctest.ClientID, Secret: oidctest.ClientSecret, ByOperator: true},
		Name:     "Example", SignUp: true, PlainHTTP: true,
	}
	if change != nil {
		change(&options)
	}
	open := fetch.NewClient(fetch.Config{Allow: []fetch.Target{{Name: "127.0.0.1"}}})
	db := r.store
	single := sso.New(sso.Ports{
		Tx: db, Workspaces: people.NewWorkspaces(db), Plans: db, Connections: people.NewSSOConnections(db), Identities: people.NewIdentities(db),
		Steps: r.Steps, Users: people.NewUsers(db), Members: people.NewMembers(db), Sessions: people.NewSessions(db), Audit: db, System: grant.Because("a test"),
		Vault:  seal.NewSealer(rand.Reader, func() ([]seal.ServerKey, error) { return []seal.ServerKey{{1}}, nil }),
		Client: oidc.New(oidc.Config{Public: open, Trusted: open}),
		LookUp: func(_ context.Context, name string) ([]string, error) {
			if found := r.records[name]; found != nil {
				return slices.Clone(found), nil
			}
			return nil, errors.New("no such host")
		},
	}, sso.Neighbors{SignUps: r.SignUps, Sessions: r.Sessions, Throttle: r.Throttle, Members: r.Members, Invitations: r.Invitations}, now, rand.Reader, options)
	r.Connections, r.SignIns, r.Domains = single.Connections, single.SignIns, single.Domains
	return r
}

func (r *rig) must(err error) {
	r.Helper()
	if err != nil {
		r.Fatal(err)
	}
}

func (r *rig) isA(err error, kind fault.Kind) {
	r.Helper()
	if !fault.Is(err, kind) {
		r.Errorf("got %v, want a fault of kind %d", err, kind)
	}
}

func back(workspaceID string) string { return "https://parley.example/callback/" + workspaceID }

// goes goes to the provider as a browser does, and returns what it brings back.
func (r *rig) goes(departure sso.Departure) sso.Answer {
	r.Helper()
	return answerOf(oidctest.Browse(r.T, departure.URL))
}

func answerOf(at *url.URL) sso.Answer {
	query := at.Query()
	return sso.Answer{Code: query.Get("code"), State: query.Get("state"), Issuer: query.Get("iss"), Error: query.Get("error")}
}

// byInstallation signs somebody in at the installation's provider.
func (r *rig) byInstallation() (sso.Arrival, error) {
	r.Helper()
	departure, err := r.SignIns.Begin(r.Context(), "/next", back, client)
	r.must(err)
	return r.SignIns.Finish(r.Context(), departure.Secret, "", r.goes(departure))
}

// byWorkspace signs somebody in at the provider of example.com's workspace.
func (r *rig) byWorkspace() (sso.Arrival, error) {
	r.Helper()
	departure, err := r.SignIns.BeginFor(r.Context(), "anybody@example.com", "/next", back, client)
	r.must(err)
	return r.SignIns.Finish(r.Context(), departure.Secret, r.space.ID, r.goes(departure))
}

func (r *rig) settings() sso.Settings {
	return sso.Settings{Issuer: r.provider.URL, ClientID: oidctest.ClientID, Secret: oidctest.ClientSecret, Domain: "example.com"}
}

// connect gives the workspace a connection with a confirmed domain.
func (r *rig) connect(change func(*sso.Settings)) sso.Connection {
	r.Helper()
	settings := r.settings()
	_, err := r.Connections.Save(r.Context(), r.space.ID, settings)
	r.must(err)
	_, err = r.Domains.Confirm(r.Context(), "example.com", "")
	r.must(err)
	if change != nil {
		change(&settings)
	}
	saved, err := r.Connections.Save(r.Context(), r.space.ID, settings)
	r.must(err)
	return saved
}

// person makes an account, whose address is confirmed or not.
func (r *rig) person(name string, confirmed bool) account.User {
	r.Helper()
	user := account.User{ID: "usr_" + name, Email: name + "@example.com", PasswordHash: "none", CreatedAt: r.now}
	if confirmed {
		user.EmailConfirmedAt = &r.now
	}
	r.must(people.NewUsers(r.store).CreateUser(r.Context(), user))
	return user
}

func (r *rig) recorded(workspaceID string, action audit.Action) int {
	r.Helper()
	n := 0
	for entry, err := range r.Audit.AuditLog(r.Context(), workspaceID, time.Time{}) {
		r.must(err)
		if entry.Action == action {
			n++
		}
		if text := entry.Detail + entry.Object.Name; strings.Contains(text, oidctest.ClientSecret) {
			r.Errorf("an entry has the secret: %+v", entry)
		}
	}
	return n
}

func (r *rig) isMember(userID string) tenant.Role {
	r.Helper()
	members, err := r.Members.List(r.Context(), r.space.ID)
	r.must(err)
	for _, member := range members {
		if member.UserID == userID {
			return member.Role
		}
	}
	return ""
}

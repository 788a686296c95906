package tenant

import (
	"context"
	"slices"

	"parley/core/account"
	"parley/core/fault"
)

// Person is a signed-in user with the workspaces they belong to.
type Person struct {
	User account.User
	// Session is the one in which they are signed in.
	Session     account.Session
	Memberships []Membership
	// Ending are their memberships in workspaces that an owner has deleted. Nothing
	// in them can be reached; an owner can restore them for some days.
	Ending []Membership
	// FactorOfAll says that the server demands a second factor of everybody.
	FactorOfAll bool
	// signOn are the workspaces whose members with the person's domain sign in by the
	// workspace's own identity provider alone, unless they own it.
	signOn []string
}

// In returns p's membership in a workspace. A workspace to which p does not belong is NotFound,
// like one that does not exist. Where it, or the server, demands a second factor, it is
// Forbidden, with the code [fault.SecondFactorRequired], in a session that has shown none,
// and where it demands single sign-on, with [fault.SignOnRequired], in any other session.
func (p Person) In(workspaceID string) (Membership, error) {
	for _, m := range p.Memberships {
		if m.Workspace.ID != workspaceID {
			continue
		}
		if err := p.checkSignOn(m); err != nil {
			return Membership{}, err
		}
		return m, p.checkFactor(m.Workspace)
	}
	return Membership{}, fault.New(fault.NotFound, "Workspace not found.")
}

// checkSignOn holds a session to the rule of [sso.Rule], whatever was so when it began.
func (p Person) checkSignOn(m Membership) error {
	if m.Role == RoleOwner || p.Session.SSOWorkspaceID == m.Workspace.ID || !slices.Contains(p.signOn, m.Workspace.ID) {
		return nil
	}
	return fault.New(fault.Forbidden, "This workspace asks its members to use single sign-on. Sign out, and choose “Sign in with SSO”.").Named(fault.SignOnRequired)
}

func (p Person) checkFactor(w Workspace) error {
	demands := ""
	switch {
	case p.FactorOfAll && !p.Session.SufficesForAll():
		demands = "This server asks everybody for a second factor."
	case w.SecondFactorRequired && !p.Session.Suffices(w.ID):
		demands = "This workspace asks its members for a second factor."
	default:
		return nil
	}
	return fault.New(fault.Forbidden, "%s Set one up on the page Security of your account, or sign in with it.", demands).Named(fault.SecondFactorRequired)
}

// May returns p's membership in a workspace if their role allows the action. It is NotFound for
// a stranger and Forbidden otherwise.
func (p Person) May(action Action, workspaceID string) (Membership, error) {
	m, err := p.In(workspaceID)
	if err != nil {
		return Membership{}, err
	}
	if err := m.May(action); err != nil {
		return Membership{}, err
	}
	return m, nil
}

// People finds who is signed in, and where they belong.
type People struct {
	db       Database
	sessions *account.Sessions
	// factorOfAll says that the server demands a second factor of everybody.
	factorOfAll bool
	signOn      SignOnRule
}

// SignOnRule knows who has to sign in by single sign-on; package sso implements it.
type SignOnRule interface {
	// Demanding returns the workspaces that want members with the domain of an address
	// to sign in by their own identity provider.
	Demanding(ctx context.Context, email string) (workspaceIDs []string, err error)
}

// Person returns who holds a session's secret. It is Unauthenticated if the session is unknown
// or has expired.
func (p *People) Person(ctx context.Context, secret string) (Person, error) {
	user, session, err := p.sessions.SignedIn(ctx, secret)
	if err != nil {
		return Person{}, err
	}
	all, err := p.db.Members.Memberships(ctx, p.db.System, user.ID)
	if err != nil {
		return Person{}, err
	}
	person := Person{User: user, Session: session, FactorOfAll: p.factorOfAll}
	if p.signOn != nil && slices.ContainsFunc(all, func(m Membership) bool { return m.Role != RoleOwner }) {
		if person.signOn, err = p.signOn.Demanding(ctx, user.Email); err != nil {
			return Person{}, err
		}
	}
	for _, m := range all {
		m.Unconfirmed = !user.EmailConfirmed()
		if m.Workspace.Ending() {
			person.Ending = append(person.Ending, m)
		} else {
			person.Memberships = append(person.Memberships, m)
		}
	}
	return person, nil
}

// Memberships returns the workspaces of a user, without those that are being deleted.
func (p *People) Memberships(ctx context.Context, userID string) ([]Membership, error) {
	all, err := p.db.Members.Memberships(ctx, p.db.System, userID)
	return slices.DeleteFunc(all, func(m Membership) bool { return m.Workspace.Ending() }), err
}

// InEnding is [Person.In] for workspaces that are being deleted.
func (p Person) InEnding(workspaceID string) (Membership, error) {
	return p.AmongEnding().In(workspaceID)
}

// AmongEnding is the person as a member of the workspaces that are being deleted, and of
// no others.
func (p Person) AmongEnding() Person {
	p.Memberships, p.Ending = p.Ending, nil
	return p
}

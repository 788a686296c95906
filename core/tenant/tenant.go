// Package tenant owns workspaces, their members and plan, and the people who
// sign in: accounts, passwords, sessions and invitations. It knows what was
// read at Stripe of a subscription, makes a plan of it, puts to rest what is
// over that, and writes the audit log and the mails to owners.
//
// It does not own cookies and pages (package web), asking Stripe (package
// billing), sending mails (package mail) nor what lives in a workspace (package
// chatbot and its neighbours).
package tenant

import (
	"time"

	"parley/core/fault"
	"parley/core/plan"
)

// Workspace is the tenant: everything belongs to exactly one.
type Workspace struct {
	ID   string
	Name string
	// Plan is the one in force: the higher of Granted and what the
	// subscription gives.
	Plan plan.Name
	// Granted is the plan that was given by hand.
	Granted plan.Name
	// GrantedUntil is when the grant ends, nil if it does not.
	GrantedUntil *time.Time
	CreatedAt    time.Time
}

// User is a person who can sign in. One may be a member of many workspaces.
type User struct {
	ID string
	// Email is in lower case.
	Email string
	// PasswordHash is a PHC string; see hasher.
	PasswordHash string
	CreatedAt    time.Time
}

// Role says what a member may do.
type Role string

// The roles, each including the next.
const (
	RoleOwner  Role = "owner"
	RoleAdmin  Role = "admin"
	RoleMember Role = "member"

	noRole Role = ""
)

var roleRank = map[Role]int{RoleMember: 1, RoleAdmin: 2, RoleOwner: 3}

// ParseRole returns the role of that name.
func ParseRole(name string) (Role, error) {
	if _, ok := roleRank[Role(name)]; !ok {
		return noRole, fault.InField("role", "role must be owner, admin or member.")
	}
	return Role(name), nil
}

// Member is a user in a workspace.
type Member struct {
	WorkspaceID string
	UserID      string
	Email       string
	Role        Role
	// OverLimit says that the plan includes fewer members, and that this one
	// can only look.
	OverLimit bool
	CreatedAt time.Time
}

// Membership is a workspace as one of its members sees it.
type Membership struct {
	Workspace Workspace
	Role      Role
	// OverLimit is that of [Member].
	OverLimit bool
}

// Invitation lets the person with its code join a workspace.
type Invitation struct {
	ID          string
	WorkspaceID string
	Email       string
	Role        Role
	// InvitedBy is the id of the user who made it, empty where that was not
	// recorded. It ends when they lose the right to make it.
	InvitedBy string
	ExpiresAt time.Time
	CreatedAt time.Time
}

// Session is a signed-in browser.
type Session struct {
	// ID is the SHA-256, in hex, of the secret that the browser holds.
	ID         string
	UserID     string
	LastSeenAt time.Time
	// ExpiresAt ends the session however much it is used.
	ExpiresAt time.Time
	CreatedAt time.Time
}

// Action is something a member may do in a workspace.
type Action int

// The actions.
const (
	// Read sees the workspace's chatbots, documents and tokens' records.
	Read Action = iota
	// EditKnowledge adds and removes documents.
	EditKnowledge
	// ManageChatbots creates, changes and deletes chatbots.
	ManageChatbots
	// ManageTokens creates and revokes API tokens.
	ManageTokens
	// ManageMembers invites and removes members and changes their roles.
	ManageMembers
	// ChangePlan moves the workspace to another plan.
	ChangePlan
	// Pay buys a plan, or changes how it is paid for. An owner who is suspended
	// can do it, too, so that a workspace never depends on one person.
	Pay
)

// leastRole is the one place that says who may do what.
var leastRole = map[Action]Role{
	Read:           RoleMember,
	EditKnowledge:  RoleMember,
	ManageChatbots: RoleAdmin,
	ManageTokens:   RoleAdmin,
	ManageMembers:  RoleAdmin,
	ChangePlan:     RoleOwner,
	Pay:            RoleOwner,
}

// Person is a signed-in user with the workspaces they belong to.
type Person struct {
	User        User
	Memberships []Membership
}

// In returns the membership of p in a workspace. A workspace that p does not
// belong to is NotFound, as one that does not exist.
func (p Person) In(workspaceID string) (Membership, error) {
	for _, m := range p.Memberships {
		if m.Workspace.ID == workspaceID {
			return m, nil
		}
	}
	return Membership{}, fault.New(fault.NotFound, "Workspace not found.")
}

// May returns the membership of p in a workspace if their role allows the
// action. It is NotFound for a stranger and Forbidden otherwise.
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

// May refuses, as Forbidden, an action that the role does not include, and any
// but to look and to pay when the plan includes fewer members.
func (m Membership) May(action Action) error {
	if err := m.Role.May(action); err != nil {
		return err
	}
	if m.OverLimit && action != Read && action != Pay {
		if m.Role == RoleOwner {
			return fault.New(fault.Forbidden, "This workspace has more members than its plan includes, so you can look but not change anything. Upgrade the plan, or ask an active owner to keep you.")
		}
		return fault.New(fault.Forbidden, "The workspace has more members than its plan includes, and you can look but not change anything. Ask an owner to choose who stays active, or to upgrade the plan.")
	}
	return nil
}

// May refuses, as Forbidden, an action that the role does not include.
func (r Role) May(action Action) error {
	least, known := leastRole[action]
	if !known || roleRank[r] < roleRank[least] {
		return fault.New(fault.Forbidden, "Your role in this workspace does not allow this. Ask an %s.", orOwner(least))
	}
	return nil
}

func orOwner(least Role) string {
	if least == RoleAdmin {
		return "admin or an owner"
	}
	return "owner"
}

package tenant

import (
	"context"
	"time"

	"parley/core/audit"
	"parley/core/fault"
	"parley/core/system"
)

// Member is a user in a workspace.
type Member struct {
	WorkspaceID string
	UserID      string
	Email       string
	Role        Role
	// OverLimit says that the plan includes fewer members, and that this one can only
	// view the workspace.
	OverLimit bool
	CreatedAt time.Time
}

// Membership is a workspace as one of its members sees it.
type Membership struct {
	Workspace Workspace
	Role      Role
	// OverLimit is the member's.
	OverLimit bool
	// Unconfirmed says that the member's e-mail address is not confirmed.
	Unconfirmed bool
}

// object describes a member as the object of an action.
func (m Member) object() audit.Object {
	return audit.Object{Kind: "member", ID: m.UserID, Name: m.Email}
}

// May refuses, as Forbidden, an action that the role does not include. If the plan includes
// fewer members, a suspended one may only view and pay. A member with an unconfirmed
// address may do nothing that reaches others.
func (m Membership) May(action Action) error {
	if err := m.Role.May(action); err != nil {
		return err
	}
	if m.Unconfirmed && reachOthers[action] {
		return fault.New(fault.Forbidden, "Confirm your e-mail address first: follow the link that was sent to you. Your account page has another.").Named(fault.EmailUnconfirmed)
	}
	if m.OverLimit && action != Read && action != Pay && action != TakePlan {
		if m.Role == RoleOwner {
			return fault.New(fault.Forbidden, "This workspace has more members than its plan includes, so you can view it but not change anything. Upgrade the plan, or ask an active owner to keep you active.")
		}
		return fault.New(fault.Forbidden, "The workspace has more members than its plan includes, so you can view it but not change anything. Ask an owner to choose who stays active, or to upgrade the plan.")
	}
	return nil
}

// FirstOwner returns the owner who joined first; members are in that order.
func FirstOwner(members []Member) Member {
	for _, m := range members {
		if m.Role == RoleOwner {
			return m
		}
	}
	return Member{}
}

// MemberStore stores members.
type MemberStore interface {
	// Members returns the members of a workspace, oldest first.
	Members(ctx context.Context, workspaceID string) ([]Member, error)
	// Memberships returns the workspaces of a user, oldest first.
	Memberships(ctx context.Context, access system.Access, userID string) ([]Membership, error)
	// LockMemberships makes everyone else who locks the same user's memberships wait
	// until the transaction ends.
	LockMemberships(ctx context.Context, userID string) error
	AddMember(ctx context.Context, workspaceID string, member Member) error
	SetRole(ctx context.Context, workspaceID, userID string, role Role) error
	RemoveMember(ctx context.Context, workspaceID, userID string) error
}

package tenant

import (
	"context"
	"time"

	"parley/core/plan"
)

// Store is the port to the database. A row that is missing is a NotFound
// fault, a row that exists already a Conflict.
type Store interface {
	// InTx runs fn in one transaction; calls inside it join.
	InTx(ctx context.Context, fn func(context.Context) error) error

	// Plans returns all plans in order, Plan one of them.
	Plans(ctx context.Context) ([]plan.Plan, error)
	Plan(ctx context.Context, name plan.Name) (plan.Plan, error)
	// UpdatePlan writes a plan's limits and price.
	UpdatePlan(ctx context.Context, p plan.Plan) error
	// SetOnSale writes what a plan is sold for.
	SetOnSale(ctx context.Context, name plan.Name, price plan.Price) error

	CreateUser(ctx context.Context, user User) error
	User(ctx context.Context, id string) (User, error)
	UserByEmail(ctx context.Context, email string) (User, error)
	Users(ctx context.Context) ([]User, error)
	CountUsers(ctx context.Context) (int, error)
	// LockUsers makes others who create users wait until the transaction ends.
	LockUsers(ctx context.Context) error
	SetPassword(ctx context.Context, userID, passwordHash string) error
	// SetEmail is a Conflict if another user has the address.
	SetEmail(ctx context.Context, userID, email string) error
	Memberships(ctx context.Context, userID string) ([]Membership, error)

	CreateSession(ctx context.Context, session Session) error
	Session(ctx context.Context, id string) (Session, error)
	TouchSession(ctx context.Context, id string, at time.Time) error
	DeleteSession(ctx context.Context, id string) error
	DeleteSessions(ctx context.Context, userID string) error
	// DeleteExpired removes sessions, devices, invitations and sign-in counts that
	// no longer matter at the given time.
	DeleteExpired(ctx context.Context, now time.Time) error

	// CountAttempt adds one to the count of key and returns it. A count whose
	// last attempt is before since starts again.
	CountAttempt(ctx context.Context, key string, since, now time.Time) (int, error)
	// ForgiveAttempt takes one from the count of key.
	ForgiveAttempt(ctx context.Context, key string) error

	DeviceStore
	AddressStore
	SubscriptionStore
	TrialStore
	ReversalStore
	HoldingStore
	UsageStore
	AuditStore
	MailStore
	ChoreStore

	CreateWorkspace(ctx context.Context, workspace Workspace) error
	Workspace(ctx context.Context, workspaceID string) (Workspace, error)
	// LockWorkspace is Workspace, and makes others wait until the transaction ends.
	LockWorkspace(ctx context.Context, workspaceID string) (Workspace, error)
	Workspaces(ctx context.Context) ([]Workspace, error)
	// SetPlan writes the plan in force, and the one that was given by hand.
	SetPlan(ctx context.Context, workspaceID string, inForce, granted plan.Name) error
	// SetGrantEnd writes when the plan that was given by hand ends; nil if it
	// does not.
	SetGrantEnd(ctx context.Context, workspaceID string, until *time.Time) error
	// EndedGrants returns the workspaces whose grant's end is now or was before.
	EndedGrants(ctx context.Context, now time.Time) ([]string, error)
	// KeepConversations says that those whose last message came before a time
	// are kept for so many days at least, or for as many as was said before;
	// plan.Unlimited is for ever.
	KeepConversations(ctx context.Context, workspaceID string, before time.Time, days int) error
	// DeleteWorkspace deletes it with all that is in it.
	DeleteWorkspace(ctx context.Context, workspaceID string) error

	Members(ctx context.Context, workspaceID string) ([]Member, error)
	AddMember(ctx context.Context, workspaceID string, member Member) error
	SetRole(ctx context.Context, workspaceID, userID string, role Role) error
	RemoveMember(ctx context.Context, workspaceID, userID string) error

	CreateInvitation(ctx context.Context, workspaceID string, invitation Invitation, codeHash string) error
	Invitations(ctx context.Context, workspaceID string) ([]Invitation, error)
	// InvitationByCode finds an invitation of any workspace.
	InvitationByCode(ctx context.Context, codeHash string) (Invitation, error)
	DeleteInvitation(ctx context.Context, workspaceID, id string) error
}

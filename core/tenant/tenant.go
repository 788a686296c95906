// Package tenant owns workspaces: who their members are and what each of them
// may do, invitations, plans as they are kept, and what is suspended because it
// is over a plan's limits.
//
// It does not own the people themselves (package account), which plan a
// workspace pays for or is given (package subscription), how many requests it
// may make (package rate), nor what lives in a workspace (package chatbot and
// its neighbors).
package tenant

import (
	"context"
	"io"
	"time"

	"parley/core/account"
	"parley/core/audit"
	"parley/core/outbox"
)

// Database is what this package keeps, one port for each subject. A row that is
// missing is a NotFound fault, a row that exists already a Conflict.
type Database struct {
	Tx          transactor
	Workspaces  WorkspaceStore
	Members     MemberStore
	Invitations InvitationStore
	Holdings    HoldingStore
	Plans       PlanStore
	Messages    messageCounter
	Knowledge   knowledgeMeter
	Audit       audit.Log
}

// transactor runs a function in one transaction; calls inside it join.
type transactor interface {
	InTx(ctx context.Context, fn func(context.Context) error) error
}

// Tenants are the services that need no other package's.
type Tenants struct {
	Workspaces *Workspaces
	Holdings   *Holdings
	Plans      *Plans
}

// New returns the services over a database. Random must be cryptographically
// secure.
func New(db Database, now func() time.Time, random io.Reader) Tenants {
	workspaces := &Workspaces{db: db, now: now, random: random}
	holdings := &Holdings{db: db, workspaces: workspaces, now: now}
	return Tenants{Workspaces: workspaces, Holdings: holdings, Plans: &Plans{db: db, holdings: holdings, now: now}}
}

// Team are the services about the people in a workspace.
type Team struct {
	People      *People
	Members     *Members
	Invitations *Invitations
}

// Neighbors are what a team needs of other packages.
type Neighbors struct {
	Accounts account.Accounts
	Mails    *outbox.Writer
	Owners   OwnerFollower
}

// NewTeam returns the services about people, over those of package account.
// Random must be cryptographically secure.
func NewTeam(db Database, tenants Tenants, neighbors Neighbors, now func() time.Time, random io.Reader) Team {
	members := &Members{db: db, workspaces: tenants.Workspaces, holdings: tenants.Holdings, follower: neighbors.Owners, now: now}
	return Team{
		People:  &People{store: db.Members, sessions: neighbors.Accounts.Sessions},
		Members: members,
		Invitations: &Invitations{
			db: db, workspaces: tenants.Workspaces, members: members,
			signUps: neighbors.Accounts.SignUps, throttle: neighbors.Accounts.Throttle, mails: neighbors.Mails, now: now, random: random,
		},
	}
}

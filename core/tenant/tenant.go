// Package tenant owns workspaces: their members and what each may do, invitations, the stored
// plans, and what is suspended because it is over a plan's limits.
//
// It does not own the people themselves (package account), which plan a workspace pays for or is
// granted (package subscription), how many requests it may make (package rate), or the contents
// of a workspace (package chatbot and its neighbors).
package tenant

import (
	"context"
	"io"
	"time"

	"parley/core/account"
	"parley/core/audit"
	"parley/core/outbox"
	"parley/core/system"
)

// Database holds the ports of this package, one for each subject. A missing row is a NotFound
// fault, an existing row a Conflict.
type Database struct {
	Tx          transactor
	Workspaces  WorkspaceStore
	Members     MemberStore
	Invitations InvitationStore
	Holdings    HoldingStore
	Plans       PlanStore
	Messages    messageCounter
	Quotas      QuotaStore
	Knowledge   knowledgeMeter
	Audit       audit.Log
	System      system.Access
}

// transactor runs a function in one transaction; calls inside it join.
type transactor interface {
	InTx(ctx context.Context, fn func(context.Context) error) error
}

// Tenants holds the services that need no other package's services.
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

// Team holds the services about the people in a workspace.
type Team struct {
	People      *People
	Members     *Members
	Invitations *Invitations
	Quotas      *QuotaNotices
}

// Neighbors holds what a team needs from other packages.
type Neighbors struct {
	Accounts account.Accounts
	Mails    *outbox.Writer
	Owners   OwnerSubscriber
	// Quotas is nil if nobody subscribes to them.
	Quotas QuotaSubscriber
	// FactorOfAll demands a second factor of everybody, whatever a workspace does.
	FactorOfAll bool
	// SignOn is nil if nobody has to use single sign-on.
	SignOn SignOnRule
}

// NewTeam returns the services about people, which use the services of package account.
// Random must be cryptographically secure.
func NewTeam(db Database, tenants Tenants, neighbors Neighbors, now func() time.Time, random io.Reader) Team {
	members := &Members{db: db, workspaces: tenants.Workspaces, holdings: tenants.Holdings, subscriber: neighbors.Owners, now: now}
	return Team{
		Quotas:  &QuotaNotices{db: db, mails: neighbors.Mails, subscriber: neighbors.Quotas, now: now},
		People:  &People{db: db, sessions: neighbors.Accounts.Sessions, factorOfAll: neighbors.FactorOfAll, signOn: neighbors.SignOn},
		Members: members,
		Invitations: &Invitations{
			db: db, workspaces: tenants.Workspaces, members: members,
			signUps: neighbors.Accounts.SignUps, addresses: neighbors.Accounts.Addresses, throttle: neighbors.Accounts.Throttle, mails: neighbors.Mails, now: now, random: random,
		},
	}
}

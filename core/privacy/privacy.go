// Package privacy owns what people may ask for about their data: a copy of it, and its
// end. It deletes workspaces after the days in which that can be taken back, accounts, and
// what is stored of an end user, and counts afterwards what remains; its table says of
// everything that is stored why, and for how long.
//
// It does not own how rows are deleted one by one (the packages that own them do), nor
// what retention deletes by time (packages chat and knowledge).
package privacy

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"time"

	"parley/core/account"
	"parley/core/audit"
	"parley/core/chatbot"
	"parley/core/outbox"
	"parley/core/retrieval"
	"parley/core/subscription"
	"parley/core/system"
	"parley/core/tenant"
)

// Ports are what the services need of the database and of others.
type Ports struct {
	// InTx runs fn in one transaction; calls inside it join.
	InTx     func(ctx context.Context, fn func(context.Context) error) error
	Erasures ErasureStore
	Rows     RowStore
	EndUsers EndUserStore
	Persons  PersonStore
	Reader   Reader
	Uses     useStore
	// Origins are the addresses in the audit log.
	Origins originLog
	Audit   audit.Log
	System  system.Access
	// AuditLog returns a page of a workspace's entries, the latest first, and whether
	// there are older ones.
	AuditLog func(ctx context.Context, workspaceID string, filter audit.Filter) (page []audit.Entry, more bool, err error)
	// Index counts what is left of a document, and Forget takes all that a chatbot knows
	// out of it.
	Index  indexCounter
	Forget func(ctx context.Context, workspaceID, chatbotID string) error
	// Own is the index of this server, or nil where all servers share one, or there is
	// one server.
	Own ownIndex
	// ForgetTurns has this server forget the conversations of a workspace that it
	// remembers. Others hear it from the database.
	ForgetTurns func(workspaceID string)
	// Scrubs take what was deleted out of files.
	Scrubs []func(ctx context.Context) error

	Accounts  account.Accounts
	Tenants   tenant.Tenants
	Team      tenant.Team
	Deletions *subscription.Deletions
	Chatbots  chatbot.Services
	Letters   *outbox.Writer
	// Billing ends subscriptions; it is nil without Stripe.
	Billing canceler
	IDs     identifier
}

// useStore has from where API tokens were used last.
type useStore interface {
	// ForgetUses clears the addresses and agents of uses before a time.
	ForgetUses(ctx context.Context, access system.Access, before time.Time) error
}

// originLog has from where people and programs acted.
type originLog interface {
	// ForgetAddresses removes the addresses that would be too old by the next night.
	ForgetAddresses(ctx context.Context) error
}

// ForgetAddresses clears the addresses and user agents that would be too old by the next
// night. Those of a session go with it, which lives no longer.
func (s Services) ForgetAddresses(ctx context.Context) error {
	ports := s.Workspaces.ports
	return errors.Join(ports.Uses.ForgetUses(ctx, ports.System, s.Workspaces.now().Add(-audit.AddressesKept)), ports.Origins.ForgetAddresses(ctx))
}

// canceler ends what a workspace pays for. Twice is no error.
type canceler interface {
	Cancel(ctx context.Context, workspaceID string) error
}

// indexCounter counts the entries of an index.
type indexCounter interface {
	Count(ctx context.Context, scope retrieval.Scope, documentID string) (int, error)
}

// identifier gives conversations and messages the identifiers that people see.
type identifier interface {
	Conversation(sequence int64) int64
	Message(sequence int64) int64
}

// Services are the services of this package.
type Services struct {
	Receipts   *Receipts
	Workspaces *Workspaces
	EndUsers   *EndUsers
	Persons    *Persons
	Exports    *Exports
	Servers    *servers
}

// New returns the services. Random must be cryptographically secure.
func New(ports Ports, now func() time.Time, random io.Reader) Services {
	receipts := &Receipts{ports: ports, now: now, random: random}
	servers := &servers{ports: ports, now: now}
	workspaces := &Workspaces{ports: ports, receipts: receipts, servers: servers, now: now}
	return Services{
		Receipts:   receipts,
		Workspaces: workspaces,
		EndUsers:   &EndUsers{ports: ports, receipts: receipts, now: now},
		Persons:    &Persons{ports: ports, receipts: receipts, workspaces: workspaces, now: now},
		Exports:    &Exports{ports: ports, now: now},
		Servers:    servers,
	}
}

// Work goes on with what was interrupted or had to wait, and erases the workspaces whose
// time has come.
func (s Services) Work(ctx context.Context) error {
	return errors.Join(s.Workspaces.Work(ctx), s.EndUsers.Work(ctx), s.Persons.Work(ctx))
}

// subjectHash is the SHA-256, in hex, by which whoever knows the parts finds a receipt.
func subjectHash(parts ...string) string {
	h := sha256.New()
	for _, part := range parts {
		_, _ = io.WriteString(h, part+"\n")
	}
	return hex.EncodeToString(h.Sum(nil))
}

package privacy

import (
	"context"
	"errors"
	"io"
	"iter"
	"time"

	"parley/core/audit"
	"parley/core/fault"
	"parley/core/system"
	"parley/internal/id"
)

// Kind is whose data was erased.
type Kind string

// The kinds.
const (
	EndUser   Kind = "end_user"
	Workspace Kind = "workspace"
	Account   Kind = "account"
)

// Counts are numbers of rows and of other things, by what they are.
type Counts map[string]int64

// Total is the sum.
func (c Counts) Total() (total int64) {
	for _, n := range c {
		total += n
	}
	return total
}

// Kinds of things that are counted beside the rows of tables.
const (
	// IndexEntries are passages in the index, as it counts them itself. Where each server
	// has an index of its own, each counts its own: see [Services].
	IndexEntries = "index_entries"
)

// Erasure is the receipt for data that was erased on request. It names nobody.
type Erasure struct {
	ID string
	// WorkspaceID is empty for an account. The workspace may be gone.
	WorkspaceID string
	Kind        Kind
	// SubjectHash is by what whoever knows whose data it was finds the receipt: see
	// [EndUserHash].
	SubjectHash string
	// RequestedBy is who asked: the id of a member, "operator", or "API token" with the
	// beginning and end of its secret.
	RequestedBy string
	// Erased counts what was there, and Remaining what was found by counting again
	// afterwards.
	Erased, Remaining Counts
	// DoneAt is nil while something remains.
	DoneAt    *time.Time
	CreatedAt time.Time
}

// Exceptions are what an erasure does not reach, for people. A receipt is shown with it.
func Exceptions(kind Kind) []string {
	all := []string{
		"Backups that were made before: they have the data until they are deleted. Whoever restores one has to erase again.",
		"The audit log: it says that the erasure was asked for, by whom, and has no text of a message or document.",
	}
	if kind == EndUser {
		return append(all, "What owners wrote themselves, such as answers that they added to the knowledge after reading a question.")
	}
	all = append(all, "Records at Stripe, if something was paid: the law has them kept.")
	if kind == Workspace {
		all = append(all, "Servers that were stopped: one with an index of its own has the words of documents in it, and forgets them when it starts.")
	}
	return all
}

// ErasureStore stores receipts.
type ErasureStore interface {
	// AddErasure adds a receipt. One of an account has no workspace.
	AddErasure(ctx context.Context, workspaceID string, erasure Erasure) error
	// SettleErasure writes what was erased and what remains, and when that was nothing.
	SettleErasure(ctx context.Context, workspaceID string, erasure Erasure) error
	// Erasures returns the receipts of a workspace, the latest first.
	Erasures(ctx context.Context, workspaceID string, limit int) ([]Erasure, error)
	// LockErasure returns a receipt, and makes others wait until the transaction ends.
	LockErasure(ctx context.Context, workspaceID, erasureID string) (Erasure, error)
	// PendingErasures returns the receipts, of all workspaces, whose erasure is not done.
	PendingErasures(ctx context.Context, access system.Access, limit int) ([]Erasure, error)
	// ErasuresSince returns the receipts, of all workspaces, of erasures of a kind that
	// were requested since a time.
	ErasuresSince(ctx context.Context, access system.Access, kind Kind, since time.Time) ([]Erasure, error)
	// ErasuresOf returns the receipts of a subject of any workspace, for the operator.
	ErasuresOf(ctx context.Context, access system.Access, subjectHash string, limit int) ([]Erasure, error)
}

// RowStore counts and reads the rows of a workspace or a person, by the tables of this
// package.
type RowStore interface {
	// CountRows counts the rows of a workspace in a table.
	CountRows(ctx context.Context, workspaceID string, table Table) (int64, error)
	// DocumentIDs yields the documents of a chatbot.
	DocumentIDs(ctx context.Context, workspaceID, chatbotID string) iter.Seq2[string, error]
}

// Receipts are proof of erasures.
type Receipts struct {
	ports  Ports
	now    func() time.Time
	random io.Reader
}

const maxReceipts = 1000

// Of returns the receipts of a workspace, the latest first.
func (r *Receipts) Of(ctx context.Context, workspaceID string) ([]Erasure, error) {
	return r.ports.Erasures.Erasures(ctx, workspaceID, maxReceipts)
}

// Find returns the receipts of a subject, for the operator: see [EndUserHash].
func (r *Receipts) Find(ctx context.Context, subjectHash string) ([]Erasure, error) {
	return r.ports.Erasures.ErasuresOf(ctx, r.ports.System, subjectHash, maxReceipts)
}

// draft begins a receipt for who acts in ctx.
func (r *Receipts) draft(ctx context.Context, kind Kind, workspaceID, hash string) Erasure {
	return Erasure{
		ID: id.New(r.random, "er"), WorkspaceID: workspaceID, Kind: kind, SubjectHash: hash, RequestedBy: requester(ctx),
		Erased: Counts{}, Remaining: Counts{}, CreatedAt: r.now(),
	}
}

// requester is who acts in ctx, without a name.
func requester(ctx context.Context) string {
	actor := audit.ActorOf(ctx)
	if actor.UserID != "" {
		return actor.UserID
	}
	return actor.Name
}

// settle scrubs the files, and writes what was counted after the fact. The erasure is done
// if nothing is left, in the index of no server either.
func (r *Receipts) settle(ctx context.Context, e Erasure, remaining Counts) (Erasure, error) {
	for _, scrub := range r.ports.Scrubs {
		if err := scrub(ctx); err != nil {
			return e, fault.Wrap(fault.Unavailable, err, "The data is deleted, but the files could not be cleared yet. Parley tries again within a minute.")
		}
	}
	running, err := r.running(ctx, e)
	if err != nil {
		return e, err
	}
	err = r.ports.InTx(ctx, func(ctx context.Context) error {
		stored, err := r.ports.Erasures.LockErasure(ctx, e.WorkspaceID, e.ID)
		if err != nil {
			return err
		}
		if e = stored; e.DoneAt != nil {
			return nil
		}
		e.Remaining = withServers(remaining, e, running)
		if e.Remaining.Total() == 0 {
			now := r.now()
			e.DoneAt = &now
		}
		return r.ports.Erasures.SettleErasure(ctx, e.WorkspaceID, e)
	})
	if err == nil && e.DoneAt == nil {
		err = errRemains
	}
	return e, err
}

var errRemains = errors.New("an erasure is not complete: something remains; it is tried again")

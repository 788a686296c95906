package store

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"time"

	"entgo.io/ent/dialect"

	"parley/core/audit"
	"parley/core/fault"
	ent "parley/ent/generated"
	"parley/ent/generated/auditentry"
	"parley/ent/generated/predicate"
	"parley/ent/scope"
	"parley/internal/intx"
)

// AddAudit appends an entry of the audit log, at the end of the transaction. What
// concerns no workspace has no workspace.
func (s *Store) AddAudit(ctx context.Context, workspaceID string, entry audit.Entry) error {
	entry.WorkspaceID, entry.At = workspaceID, entry.At.UTC().Truncate(time.Microsecond)
	if tx, ok := ctx.Value(txKey{}).(*transaction); ok {
		tx.audit = append(tx.audit, entry)
		return nil
	}
	return s.InTx(ctx, func(ctx context.Context) error { return s.AddAudit(ctx, workspaceID, entry) })
}

// sealAudit writes what a transaction did to the ends of the chains. Nothing comes after
// it but the commit, and all transactions lock chains in one order: so no two wait for
// one another, and a chain is locked as briefly as possible.
func (s *Store) sealAudit(ctx context.Context, tx *transaction) error {
	var sealed []audit.Entry
	chains, of := audit.ByChain(tx.audit)
	tx.audit = nil
	for _, chain := range chains {
		entries, err := s.appendToChain(ChainScope(ctx, chain), chain, of[chain])
		if err != nil {
			return fmt.Errorf("writing the audit log: %w", MapError(err))
		}
		sealed = append(sealed, entries...)
	}
	if begun, ok := intx.Tx(ctx); ok && s.audited != nil {
		begun.AfterCommit(func() { s.audited(sealed) })
	}
	return nil
}

// ChainScope is the scope of a chain's entries.
func ChainScope(ctx context.Context, chain string) context.Context {
	if chain == audit.Unplaced {
		return scope.Unplaced(ctx)
	}
	return scope.Workspace(ctx, chain)
}

const (
	selectHead  = `SELECT seq, hash, kept_seq, kept_hash FROM audit_chains WHERE id = $1`
	lockHead    = selectHead + ` FOR UPDATE`
	insertChain = `INSERT INTO audit_chains (id, seq, hash) VALUES ($1, 0, '') ON CONFLICT DO NOTHING`
	moveHead    = `UPDATE audit_chains SET seq = $2, hash = $3 WHERE id = $1`
)

// appendToChain writes entries to the end of a chain, which stays locked until the transaction
// ends.
func (s *Store) appendToChain(ctx context.Context, chain string, entries []audit.Entry) ([]audit.Entry, error) {
	head, err := s.LockChain(ctx, chain)
	if fault.Is(err, fault.NotFound) {
		head, entries, err = s.beginChain(ctx, chain, entries)
	}
	if err != nil {
		return nil, err
	}
	if err := head.Append(entries, rand.Reader); err != nil {
		return nil, err
	}
	rows := make([]*ent.AuditEntryCreate, len(entries))
	for i, e := range entries {
		rows[i] = newAuditEntry(s.Client(ctx), e)
	}
	written, err := s.Client(ctx).AuditEntry.CreateBulk(rows...).Save(ctx)
	if err != nil {
		return nil, err
	}
	for i := range written {
		entries[i].ID = written[i].ID
	}
	moved, err := s.MoveChain(ctx, head)
	if err == nil && !moved {
		err = errors.New("the head of the chain is gone")
	}
	return entries, err
}

// LockChain reads the end of a chain, and locks it on PostgreSQL. A SQLite file has one
// writer.
func (s *Store) LockChain(ctx context.Context, chain string) (audit.Head, error) {
	head, statement := audit.Head{Chain: chain}, lockHead
	if s.dialect == dialect.SQLite {
		statement = selectHead
	}
	err := ScanOne(ctx, s.Raw(ctx), []any{&head.Seq, &head.Hash, &head.KeptSeq, &head.KeptHash}, statement, chain)
	return head, err
}

// MoveChain writes the end of a chain, and reports whether there is such a chain.
func (s *Store) MoveChain(ctx context.Context, head audit.Head) (bool, error) {
	return s.Changes(ctx, moveHead, head.Chain, head.Seq, head.Hash)
}

// beginChain begins a chain. If there are entries from before there were chains, its
// first entry says how many.
func (s *Store) beginChain(ctx context.Context, chain string, entries []audit.Entry) (audit.Head, []audit.Entry, error) {
	if _, err := s.Raw(ctx).ExecContext(ctx, insertChain, chain); err != nil {
		return audit.Head{}, nil, err
	}
	head, err := s.LockChain(ctx, chain)
	if err != nil || head.Seq > 0 { // another transaction began it meanwhile
		return head, entries, err
	}
	earlier, err := s.Client(ctx).AuditEntry.Query().Where(OfChain(chain)).Count(ctx)
	if err != nil || earlier == 0 {
		return head, entries, err
	}
	first := audit.ChainBegun(chain, earlier, entries[0].At)
	return head, append([]audit.Entry{first}, entries...), nil
}

// OfChain chooses the entries of a chain.
func OfChain(chain string) predicate.AuditEntry {
	if chain == audit.Unplaced {
		return auditentry.WorkspaceIDIsNil()
	}
	return auditentry.WorkspaceID(chain)
}

func changesToColumn(changes []audit.Change) []map[string]string {
	rows := make([]map[string]string, len(changes))
	for i, change := range changes {
		rows[i] = map[string]string{"field": change.Field, "old": change.Old, "new": change.New}
	}
	return rows
}

func newAuditEntry(db *ent.Client, entry audit.Entry) *ent.AuditEntryCreate {
	create := db.AuditEntry.Create().SetActor(entry.Actor.Name).SetUserID(entry.Actor.UserID).
		SetAction(string(entry.Action)).SetObjectKind(entry.Object.Kind).SetObjectID(entry.Object.ID).
		SetObjectName(entry.Object.Name).SetDetail(entry.Detail).SetChanges(changesToColumn(entry.Changes)).
		SetAddress(entry.Origin.Address).SetRequestID(entry.Origin.RequestID).SetAt(entry.At).
		SetAddressSalt(entry.AddressSalt).SetAddressHash(entry.AddressHash).SetVersion(entry.Version).
		SetSeq(entry.Seq).SetHash(entry.Hash)
	if entry.WorkspaceID != "" {
		create.SetWorkspaceID(entry.WorkspaceID)
	}
	return create
}

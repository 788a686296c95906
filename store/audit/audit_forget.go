package audit

import (
	"context"
	"time"

	"parley/core/audit"
	"parley/core/fault"
	"parley/core/system"
	"parley/ent/scope"
	"parley/store"
)

// agedChains are the chains that have an entry from before a time.
const agedChains = `SELECT DISTINCT COALESCE(workspace_id, '-') AS chain FROM audit_entries WHERE at < $1 AND COALESCE(workspace_id, '-') > $2 ORDER BY chain LIMIT $3`

// AgedChains returns chains with entries from before a time, in their order after one,
// at most limit.
func (s *AuditLog) AgedChains(ctx context.Context, access system.Access, before time.Time, after string, limit int) ([]string, error) {
	return s.chainNames(ctx, access, agedChains, before, after, limit)
}

// The last of the oldest entries of a chain, of which all are from before a time: none
// is deleted that has an older one before it. Those from before there were chains go
// first, and have no place.
const (
	lastAged = `WITH oldest AS (SELECT id, seq, hash, at FROM audit_entries WHERE workspace_id = $1 ORDER BY id LIMIT $3)
	SELECT id, seq, hash FROM oldest WHERE id < COALESCE((SELECT MIN(id) FROM oldest WHERE at >= $2), 9223372036854775807) ORDER BY id DESC LIMIT 1`
	lastAgedUnplaced = `WITH oldest AS (SELECT id, seq, hash, at FROM audit_entries WHERE workspace_id IS NULL AND $1 = '-' ORDER BY id LIMIT $3)
	SELECT id, seq, hash FROM oldest WHERE id < COALESCE((SELECT MIN(id) FROM oldest WHERE at >= $2), 9223372036854775807) ORDER BY id DESC LIMIT 1`
)

// On PostgreSQL the server may not delete entries, but for this function: see the
// migration audit_guards.
const (
	forgetPostgres         = `SELECT forget_audit($1, $2, $3, $4)`
	moveKept               = `UPDATE audit_chains SET kept_seq = $2, kept_hash = $3 WHERE id = $1`
	forgetSQLite           = `DELETE FROM audit_entries WHERE workspace_id = $1 AND id <= $2`
	forgetUnplacedOnSQLite = `DELETE FROM audit_entries WHERE workspace_id IS NULL AND $1 = '-' AND id <= $2`
)

// DeleteAudit deletes up to limit entries of a chain from before a time, the oldest first,
// keeps where the chain goes on, and returns how many it deleted.
func (s *AuditLog) DeleteAudit(ctx context.Context, chain string, before time.Time, limit int) (deleted int, err error) {
	err = s.store.InTx(ctx, func(ctx context.Context) error {
		ctx = store.ChainScope(ctx, chain)
		if _, err := s.store.LockChain(ctx, chain); err != nil && !fault.Is(err, fault.NotFound) {
			return err
		}
		statement, last := lastAged, audit.Entry{}
		if chain == audit.Unplaced {
			statement = lastAgedUnplaced
		}
		err := store.ScanOne(ctx, s.store.Raw(ctx), []any{&last.ID, &last.Seq, &last.Hash}, statement, chain, before, limit)
		if fault.Is(err, fault.NotFound) {
			return nil
		}
		if err != nil {
			return err
		}
		deleted, err = s.forget(ctx, chain, last)
		return err
	})
	return deleted, store.MapError(err)
}

// forget deletes the entries of a chain up to one.
func (s *AuditLog) forget(ctx context.Context, chain string, last audit.Entry) (deleted int, err error) {
	if !s.store.IsSQLite() {
		err := store.ScanOne(ctx, s.store.Raw(ctx), []any{&deleted}, forgetPostgres, chain, last.ID, last.Seq, last.Hash)
		return deleted, err
	}
	if last.Seq > 0 {
		if _, err := s.store.Changes(ctx, moveKept, chain, last.Seq, last.Hash); err != nil {
			return 0, err
		}
	}
	statement := forgetSQLite
	if chain == audit.Unplaced {
		statement = forgetUnplacedOnSQLite
	}
	result, err := s.store.Raw(ctx).ExecContext(ctx, statement, chain, last.ID)
	if err != nil {
		return 0, err
	}
	n, err := result.RowsAffected()
	return int(n), err
}

// On PostgreSQL the server may not change entries, but for this function: see the
// migration audit_address_guards. SQLite's guards allow the same and no more.
const (
	forgetAddressesPostgres = `SELECT forget_audit_addresses($1, $2)`
	forgetAddressesSQLite   = `UPDATE audit_entries SET address = '', address_salt = '' WHERE id IN
	(SELECT id FROM audit_entries WHERE address <> '' AND at < $1 AND (seq = 0 OR version > 1) ORDER BY at LIMIT $2)`
)

// ForgetAuditAddresses removes the network addresses and their salts from up to limit
// entries of all workspaces from before a time, the oldest first, and returns from how many.
func (s *AuditLog) ForgetAuditAddresses(ctx context.Context, access system.Access, before time.Time, limit int) (forgotten int, err error) {
	ctx = scope.System(store.Background(ctx), access)
	err = s.store.InTx(ctx, func(ctx context.Context) error {
		if !s.store.IsSQLite() {
			return store.ScanOne(ctx, s.store.Raw(ctx), []any{&forgotten}, forgetAddressesPostgres, before, limit)
		}
		result, err := s.store.Raw(ctx).ExecContext(ctx, forgetAddressesSQLite, before, limit)
		if err != nil {
			return err
		}
		n, err := result.RowsAffected()
		forgotten = int(n)
		return err
	})
	return forgotten, store.MapError(err)
}

package audit

import (
	"context"

	"entgo.io/ent/dialect/sql"

	"parley/core/audit"
	"parley/core/fault"
	"parley/core/system"
	ent "parley/ent/generated"
	"parley/ent/generated/auditentry"
	"parley/ent/scope"
	"parley/store"
)

const (
	headsAfter = selectHeads + ` WHERE id > $1 ORDER BY id LIMIT $2`
	headOf     = selectHeads + ` WHERE id = $1`

	selectHeads = `SELECT id, seq, hash, kept_seq, kept_hash FROM audit_chains`
)

func intoHead(h *audit.Head) []any { return []any{&h.Chain, &h.Seq, &h.Hash, &h.KeptSeq, &h.KeptHash} }

// ChainHeads returns the heads of chains in the order of their names, after one.
func (s *AuditLog) ChainHeads(ctx context.Context, after string, limit int) ([]audit.Head, error) {
	return store.Rows(ctx, s.store, intoHead, headsAfter, after, limit)
}

// ChainHead returns one head, and whether there is one.
func (s *AuditLog) ChainHead(ctx context.Context, chain string) (head audit.Head, found bool, err error) {
	err = store.ScanOne(ctx, s.store.Raw(ctx), intoHead(&head), headOf, chain)
	if fault.Is(err, fault.NotFound) {
		return audit.Head{}, false, nil
	}
	return head, err == nil, store.MapError(err)
}

// Chained returns entries of a chain in their places, after the place seq and within it
// after id.
func (s *AuditLog) Chained(ctx context.Context, chain string, seq, id int64, limit int) ([]audit.Entry, error) {
	rows, err := s.store.Client(ctx).AuditEntry.Query().Where(store.OfChain(chain), auditentry.SeqGT(0), auditentry.SeqGTE(seq),
		auditentry.Or(auditentry.SeqGT(seq), auditentry.IDGT(id))).
		Order(auditentry.BySeq(), auditentry.ByID()).Limit(limit).All(store.ChainScope(ctx, chain))
	return store.Mapped(rows, err, entryFromRow)
}

// Unchained counts the entries of a chain without a place, and returns the highest id of
// those and the lowest of the others.
func (s *AuditLog) Unchained(ctx context.Context, chain string) (count, last, firstChained int64, err error) {
	ctx = store.ChainScope(ctx, chain)
	of := func() *ent.AuditEntryQuery { return s.store.Client(ctx).AuditEntry.Query().Where(store.OfChain(chain)) }
	n, err := of().Where(auditentry.Seq(0)).Count(ctx)
	if err != nil || n == 0 {
		return 0, 0, 0, store.MapError(err)
	}
	if last, err = of().Where(auditentry.Seq(0)).Order(auditentry.ByID(sql.OrderDesc())).FirstID(ctx); err != nil {
		return 0, 0, 0, store.MapError(err)
	}
	firstChained, err = of().Where(auditentry.SeqGT(0)).Order(auditentry.ByID()).FirstID(ctx)
	if ent.IsNotFound(err) {
		err = nil
	}
	return int64(n), last, firstChained, store.MapError(err)
}

// headless are the chains with entries that have a place, and without a head.
const headless = `SELECT DISTINCT COALESCE(e.workspace_id, '-') FROM audit_entries e WHERE e.seq > 0
	AND NOT EXISTS (SELECT 1 FROM audit_chains c WHERE c.id = COALESCE(e.workspace_id, '-')) LIMIT $1`

// Headless returns chains that have entries with a place and no head.
func (s *AuditLog) Headless(ctx context.Context, access system.Access, limit int) ([]string, error) {
	return s.chainNames(ctx, access, headless, limit)
}

// chainNames are those that a query returns.
func (s *AuditLog) chainNames(ctx context.Context, access system.Access, query string, args ...any) (chains []string, err error) {
	rows, err := s.store.Raw(ctx).QueryContext(scope.System(ctx, access), query, args...)
	if err != nil {
		return nil, store.MapError(err)
	}
	defer rows.Close()
	for rows.Next() {
		var chain string
		if err := rows.Scan(&chain); err != nil {
			return nil, store.MapError(err)
		}
		chains = append(chains, chain)
	}
	return chains, store.MapError(rows.Err())
}

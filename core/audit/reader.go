package audit

import (
	"context"
	"iter"
	"time"

	"parley/core/fault"
	"parley/core/system"
)

// Archive is the port to entries that were written.
type Archive interface {
	// Audit returns a page of a workspace's entries, the latest first.
	Audit(ctx context.Context, workspaceID string, filter Filter) ([]Entry, error)
	// AuditEntries returns a page of all workspaces' entries, the latest first.
	AuditEntries(ctx context.Context, access system.Access, query Query) ([]Entry, error)
	// CountAudit counts the entries that a filter chooses of a workspace, whatever its
	// limit.
	CountAudit(ctx context.Context, workspaceID string, filter Filter) (int, error)
	// AgedChains returns chains with entries from before a time, in their order after
	// one, at most limit.
	AgedChains(ctx context.Context, access system.Access, before time.Time, after string, limit int) ([]string, error)
	// DeleteAudit deletes up to limit entries of a chain from before a time, the oldest
	// first, and returns how many it deleted. The chain keeps where it goes on.
	DeleteAudit(ctx context.Context, chain string, before time.Time, limit int) (deleted int, err error)
	// ForgetAuditAddresses removes the network addresses and their salts from up to limit
	// entries from before a time, the oldest first, and returns from how many. Entries of
	// version 1 keep theirs, which is in their hash.
	ForgetAuditAddresses(ctx context.Context, access system.Access, before time.Time, limit int) (forgotten int, err error)
}

// Reader reads the audit log, and deletes old entries.
type Reader struct {
	archive Archive
	log     Log
	system  system.Access
	now     func() time.Time
}

// NewReader returns a reader of an archive. The log is told of exports.
func NewReader(archive Archive, log Log, access system.Access, now func() time.Time) *Reader {
	return &Reader{archive, log, access, now}
}

// planActions are what an owner reads about the plan.
var planActions = []Action{PlanChanged, SubscriptionChanged, LimitsChosen, EmailChanged, CustomerUnlinked}

// PlanHistory returns the last changes of a workspace's plan, the latest
// first.
func (r *Reader) PlanHistory(ctx context.Context, workspaceID string, limit int) ([]Entry, error) {
	return r.archive.Audit(ctx, workspaceID, Filter{Actions: planActions, Limit: limit})
}

// maxPage bounds a page for people.
const maxPage = 100

// Of returns a page of a workspace's entries, the latest first, and whether there
// are older ones.
func (r *Reader) Of(ctx context.Context, workspaceID string, filter Filter) (page []Entry, more bool, err error) {
	limit := max(1, min(filter.Limit, maxPage))
	filter = filter.plain()
	filter.Limit = limit + 1
	page, err = r.archive.Audit(ctx, workspaceID, filter)
	if len(page) > limit {
		return page[:limit], true, err
	}
	return page, false, err
}

// Entry returns an entry of a workspace that is not from before a time. It is NotFound
// where there is none.
func (r *Reader) Entry(ctx context.Context, workspaceID string, id int64, since time.Time) (Entry, error) {
	found, err := r.archive.Audit(ctx, workspaceID, Filter{Since: since, Before: id + 1, Limit: 1})
	if err != nil {
		return Entry{}, err
	}
	if len(found) == 0 || found[0].ID != id {
		return Entry{}, fault.New(fault.NotFound, "This entry of the audit log was not found.")
	}
	return found[0], nil
}

// pageSize is how many entries are read, and deleted, at once.
const pageSize = 500

// AuditLog yields the audit log of a workspace, which may have been deleted, or
// of all when workspaceID is empty: what happened since a time, the latest
// first. It is for the operator. An error ends it.
func (r *Reader) AuditLog(ctx context.Context, workspaceID string, since time.Time) iter.Seq2[Entry, error] {
	query := Query{WorkspaceID: workspaceID, Since: since, Limit: pageSize}
	return pages(0, func(before int64) ([]Entry, error) {
		query.Before = before
		return r.archive.AuditEntries(ctx, r.system, query)
	})
}

// pages yields what read returns, page after page: at most pageSize entries from before
// an id, where zero is the latest. An error ends it.
func pages(first int64, read func(before int64) ([]Entry, error)) iter.Seq2[Entry, error] {
	return func(yield func(Entry, error) bool) {
		for before := first; ; {
			page, err := read(before)
			if err != nil {
				yield(Entry{}, err)
				return
			}
			for _, entry := range page {
				if !yield(entry, nil) {
					return
				}
				before = entry.ID
			}
			if len(page) < pageSize {
				return
			}
		}
	}
}

// ForgetAudit deletes the entries from before a time.
func (r *Reader) ForgetAudit(ctx context.Context, before time.Time) error {
	for after := ""; ; {
		chains, err := r.archive.AgedChains(ctx, r.system, before, after, pageSize)
		if err != nil {
			return err
		}
		for _, chain := range chains {
			if err := r.forgetChain(ctx, chain, before); err != nil {
				return err
			}
			after = chain
		}
		if len(chains) < pageSize {
			return nil
		}
	}
}

// forgetChain deletes in portions, so that nobody waits long for the chain.
func (r *Reader) forgetChain(ctx context.Context, chain string, before time.Time) error {
	for {
		deleted, err := r.archive.DeleteAudit(ctx, chain, before, pageSize)
		if err != nil || deleted < pageSize {
			return err
		}
	}
}

// ForgetAddresses removes network addresses before they are 30 days old, in portions.
func (r *Reader) ForgetAddresses(ctx context.Context) error {
	for {
		forgotten, err := r.archive.ForgetAuditAddresses(ctx, r.system, r.now().Add(-AddressesKept), pageSize)
		if err != nil || forgotten < pageSize {
			return err
		}
	}
}

// WasHere reports whether a workspace is or was one of this database, as far
// back as the audit log goes.
func (r *Reader) WasHere(ctx context.Context, workspaceID string) (bool, error) {
	found, err := r.archive.AuditEntries(ctx, r.system, Query{WorkspaceID: workspaceID, Limit: 1})
	return len(found) > 0, err
}

package rebuild

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math"
	"time"

	"parley/core/knowledge"
	"parley/core/system"
)

// Position is a place in the feed of changes. Changes are ordered by their transactions,
// which commit in another order: see [Page].
type Position struct {
	Transaction, Change int64
}

// Change says that another version of a document is live, or none.
type Change struct {
	At                                 Position
	WorkspaceID, ChatbotID, DocumentID string
	// Held is the version, or zero for none.
	Held int
}

// Page is a piece of the feed.
type Page struct {
	// Changes are in order.
	Changes []Change
	// Horizon is the number of a transaction. All before it have ended, and no
	// change of theirs comes later.
	Horizon int64
}

// Changes is the port to the feed.
type Changes interface {
	// ChangesAfter returns the changes after a position that are committed, at most
	// limit.
	ChangesAfter(ctx context.Context, access system.Access, after Position, limit int) (Page, error)
	// DeleteChanges deletes changes from before a time.
	DeleteChanges(ctx context.Context, access system.Access, before time.Time) error
}

// Bookmark is the port to where an index keeps its position in the feed. It is lost with
// the index. No bookmark is the empty text.
type Bookmark interface {
	Bookmark(ctx context.Context) (string, error)
	SetBookmark(ctx context.Context, text string) error
}

const (
	// changesKept is how long the feed goes back. An index that has not caught up for
	// half of that is rebuilt.
	changesKept = 7 * 24 * time.Hour
	pageOfFeed  = 1_000
	// bookmarkEvery is how often a bookmark is written while nothing changes.
	bookmarkEvery = time.Hour
)

// Replicator brings the changes of other processes into an index that belongs to this one.
type Replicator struct {
	changes   Changes
	bookmarks Bookmark
	rebuilder *Rebuilder
	now       func() time.Time
	log       *slog.Logger

	started bool
	at      Position
	// applied are changes after at that the index has already: an earlier transaction is
	// still open.
	applied map[int64]bool
	// saved is the bookmark's position, and savedAt its time.
	saved   Position
	savedAt time.Time
}

// NewReplicator returns a replicator of the feed into the rebuilder's index.
func NewReplicator(changes Changes, bookmarks Bookmark, rebuilder *Rebuilder, now func() time.Time, log *slog.Logger) *Replicator {
	return &Replicator{changes: changes, bookmarks: bookmarks, rebuilder: rebuilder, now: now, log: log, applied: map[int64]bool{}}
}

// CatchUp brings the index to where the feed is. The first call repairs the index, or
// rebuilds one that has no bookmark which the feed still knows. It is for one caller at a
// time.
func (r *Replicator) CatchUp(ctx context.Context) error {
	if !r.started {
		if err := r.start(ctx); err != nil {
			return err
		}
		r.started = true
	}
	failed := r.applyFeed(ctx)
	if failed == nil {
		r.rebuilder.Backlog.Follow()
	}
	if r.at == r.saved && r.now().Sub(r.savedAt) < bookmarkEvery {
		return failed
	}
	return errors.Join(failed, r.saveBookmark(ctx))
}

// DeleteOld deletes changes that no index will ask for any more.
func (r *Replicator) DeleteOld(ctx context.Context) error {
	return r.changes.DeleteChanges(ctx, r.rebuilder.System, r.now().Add(-changesKept))
}

func (r *Replicator) start(ctx context.Context) error {
	page, err := r.changes.ChangesAfter(ctx, r.rebuilder.System, Position{math.MaxInt64, math.MaxInt64}, 1)
	if err != nil {
		return err
	}
	text, err := r.bookmarks.Bookmark(ctx)
	if err != nil {
		return err
	}
	known, isKnown := r.parseBookmark(text, page.Horizon)
	bring := r.rebuilder.Repair
	if !isKnown {
		// The feed brings later changes; what was before is brought from the database.
		known = Position{page.Horizon - 1, math.MaxInt64}
		version, err := r.rebuilder.Index.Version(ctx)
		if err != nil {
			return err
		}
		if version != "" { // which serves meanwhile
			bring = r.rebuilder.Rebuild
			err = r.rebuilder.look(ctx)
		} else {
			err = r.startEmpty(ctx, known)
		}
		if err != nil {
			return err
		}
	}
	n, err := bring(ctx)
	if err != nil {
		return err
	}
	if n > 0 {
		r.log.Info("index brought up to the database", "documents", n)
	}
	r.at = known
	return r.saveBookmark(ctx)
}

// startEmpty begins a new index, and keeps its position, so that a process which is stopped
// while it fills the index goes on from there.
func (r *Replicator) startEmpty(ctx context.Context, at Position) error {
	if err := r.rebuilder.begin(ctx); err != nil {
		return err
	}
	r.at = at
	return r.saveBookmark(ctx)
}

// applyFeed applies the feed from the position to its end. A document that fails holds the
// position back, and no other document.
func (r *Replicator) applyFeed(ctx context.Context) error {
	var failures []error
	from, reached := r.at, true
	for {
		page, err := r.changes.ChangesAfter(ctx, r.rebuilder.System, from, pageOfFeed)
		if err != nil {
			return errors.Join(append(failures, err)...)
		}
		later := lastOf(page.Changes)
		for _, c := range page.Changes {
			err := r.apply(ctx, c, later[c.DocumentID] == c.At)
			if err != nil {
				failures = append(failures, err)
			}
			if reached = reached && err == nil && c.At.Transaction < page.Horizon; reached {
				r.at = c.At
				delete(r.applied, c.At.Change)
			}
			from = c.At
		}
		if len(page.Changes) < pageOfFeed || ctx.Err() != nil {
			return errors.Join(failures...)
		}
	}
}

// lastOf is where each document changed last.
func lastOf(changes []Change) map[string]Position {
	last := make(map[string]Position, len(changes))
	for _, c := range changes {
		last[c.DocumentID] = c.At
	}
	return last
}

// apply brings one change into the index, unless a later one of the same document follows.
func (r *Replicator) apply(ctx context.Context, c Change, isLast bool) error {
	if !isLast || r.applied[c.At.Change] {
		return nil
	}
	d := knowledge.Document{WorkspaceID: c.WorkspaceID, ChatbotID: c.ChatbotID, ID: c.DocumentID}
	if err := r.rebuilder.Indexer.Follow(ctx, d, c.Held); err != nil {
		return fmt.Errorf("follow document %s: %w", c.DocumentID, err)
	}
	r.applied[c.At.Change] = true
	return nil
}

func (r *Replicator) saveBookmark(ctx context.Context) error {
	now := r.now()
	err := r.bookmarks.SetBookmark(ctx, fmt.Sprintf("%d %d %d", r.at.Transaction, r.at.Change, now.Unix()))
	if err == nil {
		r.saved, r.savedAt = r.at, now
	}
	return err
}

// parseBookmark reads a bookmark, and reports whether the feed still goes back to there. A
// bookmark of a transaction that is yet to come is of another database.
func (r *Replicator) parseBookmark(text string, horizon int64) (at Position, isKnown bool) {
	var seconds int64
	if _, err := fmt.Sscanf(text, "%d %d %d", &at.Transaction, &at.Change, &seconds); err != nil {
		return at, false
	}
	age := r.now().Sub(time.Unix(seconds, 0))
	return at, age < changesKept/2 && at.Transaction < horizon
}

package rebuild

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math"
	"time"

	"parley/core/knowledge"
)

// Position is a place in the feed of changes. Changes are ordered by their transactions,
// which commit in another order: see [Page].
type Position struct {
	Transaction, Change int64
}

// Change says that a document is answered from in another version, or no more.
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
	ChangesAfter(ctx context.Context, after Position, limit int) (Page, error)
	// DeleteChanges deletes changes from before a time.
	DeleteChanges(ctx context.Context, before time.Time) error
}

// Bookmark is the port to where an index keeps how far it has followed. It is lost with
// the index. No bookmark is the empty text.
type Bookmark interface {
	Bookmark(ctx context.Context) (string, error)
	SetBookmark(ctx context.Context, text string) error
}

const (
	// changesKept is how long the feed goes back. An index that has not followed for
	// half of that is rebuilt.
	changesKept = 7 * 24 * time.Hour
	pageOfFeed  = 1_000
	// bookmarkEvery is how often a bookmark is written while nothing changes.
	bookmarkEvery = time.Hour
)

// Follower makes an index that belongs to one process hold what other processes change.
type Follower struct {
	changes   Changes
	bookmarks Bookmark
	rebuilder *Rebuilder
	now       func() time.Time
	log       *slog.Logger

	started bool
	at      Position
	// ahead are changes after at that the index has followed already: a transaction
	// before theirs is still open.
	ahead map[int64]bool
	// kept is the bookmark's position, and keptAt its time.
	kept   Position
	keptAt time.Time
}

// NewFollower returns a follower of the feed for the rebuilder's index.
func NewFollower(changes Changes, bookmarks Bookmark, rebuilder *Rebuilder, now func() time.Time, log *slog.Logger) *Follower {
	return &Follower{changes: changes, bookmarks: bookmarks, rebuilder: rebuilder, now: now, log: log, ahead: map[int64]bool{}}
}

// Follow brings the index to where the feed is. The first call repairs the index, or
// rebuilds one that has no bookmark which the feed still knows. It is for one caller at a
// time.
func (f *Follower) Follow(ctx context.Context) error {
	if !f.started {
		if err := f.start(ctx); err != nil {
			return err
		}
		f.started = true
	}
	failed := f.follow(ctx)
	if f.at == f.kept && f.now().Sub(f.keptAt) < bookmarkEvery {
		return failed
	}
	return errors.Join(failed, f.keep(ctx))
}

// DeleteOld deletes what no index will follow any more.
func (f *Follower) DeleteOld(ctx context.Context) error {
	return f.changes.DeleteChanges(ctx, f.now().Add(-changesKept))
}

func (f *Follower) start(ctx context.Context) error {
	page, err := f.changes.ChangesAfter(ctx, Position{math.MaxInt64, math.MaxInt64}, 1)
	if err != nil {
		return err
	}
	text, err := f.bookmarks.Bookmark(ctx)
	if err != nil {
		return err
	}
	known, isKnown := f.parse(text, page.Horizon)
	bring := f.rebuilder.Repair
	if !isKnown {
		// What changes from here on is followed; what was before is rebuilt.
		known, bring = Position{page.Horizon - 1, math.MaxInt64}, f.rebuilder.Rebuild
	}
	n, err := bring(ctx)
	if err != nil {
		return err
	}
	if n > 0 {
		f.log.Info("index brought up to the database", "documents", n)
	}
	f.at = known
	return f.keep(ctx)
}

// follow goes through the feed from the position to its end. A document that cannot be
// followed just now holds the position back, and no other document.
func (f *Follower) follow(ctx context.Context) error {
	var failures []error
	from, reached := f.at, true
	for {
		page, err := f.changes.ChangesAfter(ctx, from, pageOfFeed)
		if err != nil {
			return errors.Join(append(failures, err)...)
		}
		later := lastOf(page.Changes)
		for _, c := range page.Changes {
			err := f.one(ctx, c, later[c.DocumentID] == c.At)
			if err != nil {
				failures = append(failures, err)
			}
			if reached = reached && err == nil && c.At.Transaction < page.Horizon; reached {
				f.at = c.At
				delete(f.ahead, c.At.Change)
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

// one follows one change, unless a later one of the same document is to come.
func (f *Follower) one(ctx context.Context, c Change, isLast bool) error {
	if !isLast || f.ahead[c.At.Change] {
		return nil
	}
	d := knowledge.Document{WorkspaceID: c.WorkspaceID, ChatbotID: c.ChatbotID, ID: c.DocumentID}
	if err := f.rebuilder.Indexer.Follow(ctx, d, c.Held); err != nil {
		return fmt.Errorf("follow document %s: %w", c.DocumentID, err)
	}
	f.ahead[c.At.Change] = true
	return nil
}

func (f *Follower) keep(ctx context.Context) error {
	now := f.now()
	err := f.bookmarks.SetBookmark(ctx, fmt.Sprintf("%d %d %d", f.at.Transaction, f.at.Change, now.Unix()))
	if err == nil {
		f.kept, f.keptAt = f.at, now
	}
	return err
}

// parse reads a bookmark, and reports whether the feed can be followed from there. One of
// a transaction that is to come is of another database.
func (f *Follower) parse(text string, horizon int64) (at Position, isKnown bool) {
	var seconds int64
	if _, err := fmt.Sscanf(text, "%d %d %d", &at.Transaction, &at.Change, &seconds); err != nil {
		return at, false
	}
	age := f.now().Sub(time.Unix(seconds, 0))
	return at, age < changesKept/2 && at.Transaction < horizon
}

// Package audit owns the audit log: what an entry says, which actions there
// are, and who acts, from where and in which request, as a context carries it.
//
// It does not own when an entry is due (the packages that perform the act
// record it in the act's own transaction), nor where entries are kept (package
// store).
package audit

import (
	"context"
	"log/slog"
	"strings"
	"time"
	"unicode/utf8"

	"parley/core/fault"
)

// Entry says who did what, to which object, when and from where. It holds no
// secret and no text of a message, a document or instructions. Entries are
// never changed; only time takes them away, and their network addresses before.
type Entry struct {
	// ID grows: a later entry of the same workspace has a higher one.
	ID int64
	// WorkspaceID is empty for an act that concerns no workspace, such as a
	// sign-in. The workspace may have been deleted since.
	WorkspaceID string
	// At is in UTC.
	At     time.Time
	Actor  Actor
	Action Action
	Object Object
	// Detail is a sentence for people, or empty.
	Detail  string
	Changes []Change
	Origin  Origin
	// AddressHash stands for the origin's address in the hash, so that the address can be
	// removed, and AddressSalt keeps it from being guessed: see [Entry.AddressState]. Both
	// are empty where there was no address.
	AddressSalt, AddressHash string
	// Version says how the hash is made: see [Entry.Digest].
	Version int
	// Seq is the entry's place in its chain, from 1, and Hash makes the chain: see
	// [Entry.HashAfter]. Entries from before there were chains have neither.
	Seq  int64
	Hash string
}

// Object is the thing that the act was about.
type Object struct {
	// Kind is a word such as "token" or "member".
	Kind string
	ID   string
	// Name is what people call it, at the time of the act.
	Name string
}

// Change is a setting before and after. Of a text that must not be kept both
// are empty: it has changed, and that is all there is to say.
type Change struct {
	Field string
	Old   string
	New   string
}

// Log is the port to where entries are kept.
type Log interface {
	// AddAudit appends an entry to its chain. In a transaction of ctx it is written at
	// the end of that, so that the chain is locked last and briefly. The workspace may be
	// empty.
	AddAudit(ctx context.Context, workspaceID string, entry Entry) error
}

// Limits of what an entry holds, in characters.
const (
	maxName   = 100
	maxDetail = 500
	maxValue  = 200
	// MaxChanges bounds the changes of one entry.
	MaxChanges = 40
)

// Record appends an entry about what happens in ctx: the actor and the origin
// are the context's. What is too long is cut, and what no database keeps as it is, is
// replaced: the entry has to be read back as it was hashed.
func Record(ctx context.Context, log Log, workspaceID string, at time.Time, entry Entry) error {
	entry.WorkspaceID, entry.At = workspaceID, at.UTC().Truncate(time.Microsecond)
	entry.Actor, entry.Origin = ActorOf(ctx), OriginOf(ctx)
	entry.Actor.Name, entry.Origin.RequestID = plain(entry.Actor.Name), plain(entry.Origin.RequestID)
	entry.Object.ID, entry.Object.Name = plain(entry.Object.ID), cut(entry.Object.Name, maxName)
	entry.Detail = cut(entry.Detail, maxDetail)
	changes := entry.Changes[:min(len(entry.Changes), MaxChanges)]
	entry.Changes = make([]Change, len(changes))
	for i, change := range changes {
		entry.Changes[i] = Change{plain(change.Field), cut(change.Old, maxValue), cut(change.New, maxValue)}
	}
	return log.AddAudit(ctx, workspaceID, entry)
}

// RecordRead is [Record] for an act that only reads, which goes on while storage is full. The
// server's log then has the entry.
func RecordRead(ctx context.Context, log Log, workspaceID string, at time.Time, entry Entry) error {
	err := Record(ctx, log, workspaceID, at, entry)
	if !fault.IsOutOfStorage(err) {
		return err
	}
	actor := ActorOf(ctx)
	slog.WarnContext(ctx, "the audit log has no room", "action", entry.Action, "workspace_id", workspaceID, "object", entry.Object.Kind, "object_id", entry.Object.ID, "user_id", actor.UserID)
	return nil
}

// plain replaces the bytes that are no text, and takes out those that PostgreSQL refuses.
func plain(text string) string {
	return strings.ReplaceAll(strings.ToValidUTF8(text, "\uFFFD"), "\x00", "")
}

// cut shortens a text to a number of characters.
func cut(text string, limit int) string {
	text = plain(text)
	if utf8.RuneCountInString(text) <= limit {
		return text
	}
	runes := []rune(text)
	return string(runes[:limit-1]) + "…"
}

// Filter chooses entries of one workspace.
type Filter struct {
	// Actions are all when there are none.
	Actions []Action
	// Actor is the name of one, or empty for all.
	Actor string
	// ObjectKind, ObjectID, Address and RequestID are what entries have to have, unless
	// they are empty.
	ObjectKind, ObjectID, Address, RequestID string
	// Since and Until leave out what happened before, and at or after, unless
	// they are zero.
	Since, Until time.Time
	// Before is the id of the last entry of the page before, or zero.
	Before int64
	Limit  int
}

// Within leaves out what happened more than a number of days ago, of which a negative one
// is no bound.
func (f Filter) Within(days int, now time.Time) Filter {
	if bound := now.AddDate(0, 0, -days); days >= 0 && f.Since.Before(bound) {
		f.Since = bound
	}
	return f
}

// plain takes out of the filter what no entry has, and PostgreSQL refuses.
func (f Filter) plain() Filter {
	for _, text := range []*string{&f.Actor, &f.ObjectKind, &f.ObjectID, &f.Address, &f.RequestID} {
		*text = plain(*text)
	}
	return f
}

// Query chooses entries of all workspaces.
type Query struct {
	// WorkspaceID chooses one workspace's entries. If it is empty, the query chooses all
	// entries, including entries that concern no workspace.
	WorkspaceID string
	// Since leaves out what happened before, unless it is zero.
	Since time.Time
	// Before is the id of the last entry of the page before, or zero.
	Before int64
	Limit  int
}

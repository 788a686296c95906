package audit

import (
	"context"
	"iter"
	"strconv"
	"strings"
	"time"
)

// Export records that the actor of ctx takes a workspace's entries away, and returns those
// that a filter chooses, the latest first, in a format's name. It reads a few at a time. What is
// written meanwhile, the record of the export included, is not among them, so that they are
// as many as that says. An error ends them.
func (r *Reader) Export(ctx context.Context, workspaceID string, filter Filter, format string) (iter.Seq2[Entry, error], error) {
	filter = filter.plain()
	filter.Limit = 1
	last, err := r.archive.Audit(ctx, workspaceID, filter)
	if err != nil {
		return nil, err
	}
	count := 0
	if len(last) > 0 {
		filter.Before = last[0].ID + 1
		if count, err = r.archive.CountAudit(ctx, workspaceID, filter); err != nil {
			return nil, err
		}
	}
	err = RecordRead(ctx, r.log, workspaceID, r.now(), Entry{
		Action: Exported, Object: Object{Kind: "audit log", ID: ChainOf(workspaceID)}, Changes: filter.exported(format, count),
	})
	if err != nil {
		return nil, err
	}
	if count == 0 {
		return func(func(Entry, error) bool) {}, nil
	}
	return r.all(ctx, workspaceID, filter), nil
}

// exported says what an export has. Which address was looked for stays out: entries are kept
// for longer than addresses.
func (f Filter) exported(format string, count int) []Change {
	changes := []Change{{Field: "entries", New: strconv.Itoa(count)}, {Field: "format", New: format}}
	add := func(field, value string) {
		if value != "" {
			changes = append(changes, Change{Field: field, New: value})
		}
	}
	actions := make([]string, len(f.Actions))
	for i, action := range f.Actions {
		actions[i] = string(action)
	}
	add("action", strings.Join(actions, ", "))
	add("actor", f.Actor)
	add("object_kind", f.ObjectKind)
	add("object_id", f.ObjectID)
	if f.Address != "" {
		add("address", "one")
	}
	add("request_id", f.RequestID)
	add("since", bound(f.Since))
	add("until", bound(f.Until))
	return changes
}

// bound is a time as people read it, with nothing for none.
func bound(at time.Time) string {
	if at.IsZero() {
		return ""
	}
	return at.UTC().Format(time.RFC3339)
}

// all yields the entries that a filter chooses.
func (r *Reader) all(ctx context.Context, workspaceID string, filter Filter) iter.Seq2[Entry, error] {
	filter.Limit = pageSize
	return pages(filter.Before, func(before int64) ([]Entry, error) {
		filter.Before = before
		return r.archive.Audit(ctx, workspaceID, filter)
	})
}

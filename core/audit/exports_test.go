package audit_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"parley/core/audit"
	"parley/core/system/grant"
)

// shelf has entries of one workspace, the latest first.
type shelf struct {
	audit.Archive
	logged
	entries []audit.Entry
	pages   int
	failing error
}

func (s *shelf) Audit(_ context.Context, _ string, f audit.Filter) (page []audit.Entry, err error) {
	s.pages++
	for _, e := range s.entries {
		if (f.Before == 0 || e.ID < f.Before) && len(page) < f.Limit {
			page = append(page, e)
		}
	}
	return page, s.failing
}

func (s *shelf) CountAudit(_ context.Context, _ string, f audit.Filter) (n int, err error) {
	for _, e := range s.entries {
		if e.ID < f.Before {
			n++
		}
	}
	return n, nil
}

// AddAudit puts the record where the others are.
func (s *shelf) AddAudit(ctx context.Context, workspaceID string, e audit.Entry) error {
	e.ID = int64(len(s.entries) + 1)
	s.entries = slices.Insert(s.entries, 0, e)
	return s.logged.AddAudit(ctx, workspaceID, e)
}

func TestExport(t *testing.T) {
	ctx := audit.As(t.Context(), audit.Person("usr_1", "ada@example.com"))
	at := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	full := func(n int) *shelf {
		s := &shelf{}
		for id := n; id > 0; id-- {
			s.entries = append(s.entries, audit.Entry{ID: int64(id)})
		}
		return s
	}
	for _, n := range []int{0, 1, 500, 1203} {
		t.Run(fmt.Sprintf("of %d entries it has all, without its own record, which says how many", n), func(t *testing.T) {
			s := full(n)
			entries, err := audit.NewReader(s, s, grant.Because("a test"), func() time.Time { return at }).Export(ctx, "ws_1", audit.Filter{}, "csv")
			if err != nil {
				t.Fatal(err)
			}
			next := int64(n)
			for e, err := range entries {
				if err != nil || e.ID != next {
					t.Fatalf("entry %d stands where %d is due, %v", e.ID, next, err)
				}
				next--
			}
			record := s.logged[0]
			if next != 0 || record.Action != audit.Exported || record.Actor.UserID != "usr_1" || record.WorkspaceID != "ws_1" ||
				!slices.Equal(record.Changes, []audit.Change{{Field: "entries", New: fmt.Sprint(n)}, {Field: "format", New: "csv"}}) {
				t.Errorf("%d are missing; the record is %+v", next, record)
			}
		})
	}
	t.Run("the record has what was asked for, but no address", func(t *testing.T) {
		s := full(3)
		_, err := audit.NewReader(s, s, grant.Because("a test"), func() time.Time { return at }).Export(ctx, "ws_1", audit.Filter{
			Actions: []audit.Action{audit.TokenCreated, audit.TokenRevoked}, Actor: "ben@example.com", ObjectKind: "token", ObjectID: "at_1",
			Address: "192.0.2.1", RequestID: "req_1", Since: at.Add(-time.Hour), Until: at,
		}, "jsonl")
		want := []audit.Change{
			{Field: "entries", New: "3"},
			{Field: "format", New: "jsonl"},
			{Field: "action", New: "token.created, token.revoked"},
			{Field: "actor", New: "ben@example.com"},
			{Field: "object_kind", New: "token"},
			{Field: "object_id", New: "at_1"},
			{Field: "address", New: "one"},
			{Field: "request_id", New: "req_1"},
			{Field: "since", New: "2026-03-01T11:00:00Z"},
			{Field: "until", New: "2026-03-01T12:00:00Z"},
		}
		if err != nil || !slices.Equal(s.logged[0].Changes, want) {
			t.Errorf("%v, it says %+v", err, s.logged[0].Changes)
		}
	})
	t.Run("nothing is read ahead, and a failure ends it", func(t *testing.T) {
		s := full(1203)
		entries, err := audit.NewReader(s, s, grant.Because("a test"), func() time.Time { return at }).Export(ctx, "ws_1", audit.Filter{}, "csv")
		if err != nil || s.pages != 1 {
			t.Fatalf("%v after %d pages", err, s.pages)
		}
		var seen int
		var last error
		for e, err := range entries {
			if last = err; e.ID == 900 {
				s.failing = errors.New("gone")
			}
			seen++
		}
		if seen != 501 || last == nil || s.pages != 3 {
			t.Errorf("it ends after %d and %d pages with %v", seen, s.pages, last)
		}
	})
	t.Run("without a record there is no export", func(t *testing.T) {
		s := full(2)
		if entries, err := audit.NewReader(s, deaf{}, grant.Because("a test"), func() time.Time { return at }).Export(ctx, "ws_1", audit.Filter{}, "csv"); err == nil || entries != nil {
			t.Error("it goes on")
		}
	})
}

type deaf struct{}

func (deaf) AddAudit(context.Context, string, audit.Entry) error { return errors.New("full") }

package store_test

import (
	"fmt"
	"reflect"
	"testing"
	"time"

	"parley/core/audit"
	auditstore "parley/store/audit"
)

func TestAudit(t *testing.T) {
	onBothDatabases(t, func(b *bundle) {
		ctx := b.Context()
		a, other := b.fill("a"), b.fill("b")
		entry := audit.Entry{
			Actor: audit.Person("usr_1", "ada@example.com"), Action: audit.ChatbotChanged,
			Object: audit.Object{Kind: "chatbot", ID: "cb_1", Name: "Guide"}, Detail: "Said.",
			Changes: []audit.Change{{Field: "name", Old: "Old", New: "Guide"}, {Field: "instructions"}},
			Origin:  audit.Origin{Address: "2001:db8::1", RequestID: "req_1"}, At: epoch.Add(time.Hour),
		}
		b.must(b.AddAudit(ctx, a.id, entry))
		b.must(b.AddAudit(ctx, "", audit.Entry{Actor: audit.Visitor, Action: audit.SignInFailed, At: epoch.Add(2 * time.Hour)}))

		b.Run("an entry is read as it was written", func(t *testing.T) {
			got, err := b.Audit(ctx, a.id, audit.Filter{Actions: []audit.Action{audit.ChatbotChanged}, Limit: 5})
			b.must(err)
			want := entry
			want.WorkspaceID = a.id
			if len(got) == 1 {
				want.ID, want.Seq, want.Hash, want.Version = got[0].ID, got[0].Seq, got[0].Hash, audit.HashVersion
				want.AddressSalt, want.AddressHash = got[0].AddressSalt, got[0].AddressHash
			}
			if !reflect.DeepEqual(got, []audit.Entry{want}) {
				t.Errorf("got %+v, want %+v", got, want)
			}
		})
		b.Run("a page of a workspace has what was chosen, and nobody else's", func(t *testing.T) {
			for sentence, c := range map[string]struct {
				filter audit.Filter
				want   int
			}{
				"all":                  {audit.Filter{}, 2},
				"an actor":             {audit.Filter{Actor: "ada@example.com"}, 1},
				"an actor of nothing":  {audit.Filter{Actor: "ada@example.co"}, 0},
				"since":                {audit.Filter{Since: epoch.Add(time.Hour)}, 1},
				"until":                {audit.Filter{Until: epoch.Add(time.Hour)}, 1},
				"a kind of object":     {audit.Filter{ObjectKind: "chatbot"}, 1},
				"an object":            {audit.Filter{ObjectKind: "chatbot", ObjectID: "cb_1"}, 1},
				"another object":       {audit.Filter{ObjectID: "cb_2"}, 0},
				"an address":           {audit.Filter{Address: "2001:db8::1"}, 1},
				"a part of an address": {audit.Filter{Address: "2001:db8::"}, 0},
				"a request":            {audit.Filter{RequestID: "req_1"}, 1},
				"another request":      {audit.Filter{RequestID: "req_2"}, 0},
				"another action":       {audit.Filter{Actions: []audit.Action{audit.SignInFailed}}, 0},
			} {
				c.filter.Limit = 10
				if page, err := b.Audit(ctx, a.id, c.filter); err != nil || len(page) != c.want {
					t.Errorf("%s gives %d: %v", sentence, len(page), err)
				}
				if n, err := b.CountAudit(ctx, a.id, c.filter); err != nil || n != c.want {
					t.Errorf("%s counts %d: %v", sentence, n, err)
				}
			}
			first, err := b.Audit(ctx, a.id, audit.Filter{Limit: 1})
			b.must(err)
			if second, err := b.Audit(ctx, a.id, audit.Filter{Limit: 5, Before: first[0].ID}); err != nil || len(second) != 1 || second[0].ID >= first[0].ID {
				t.Errorf("the second page has %+v: %v", second, err)
			}
		})
		b.Run("the operator reads all, page by page, the latest first", func(t *testing.T) {
			var seen []string
			query := audit.Query{Limit: 2}
			for {
				page, err := b.AuditEntries(ctx, everywhere, query)
				b.must(err)
				for _, e := range page {
					seen = append(seen, e.WorkspaceID+" "+string(e.Action))
					query.Before = e.ID
				}
				if len(page) < query.Limit {
					break
				}
			}
			want := []string{" sign_in.failed", a.id + " chatbot.changed", other.id + " plan.changed", a.id + " plan.changed"}
			if !reflect.DeepEqual(seen, want) {
				t.Errorf("seen %q, want %q", seen, want)
			}
		})
		b.Run("a time and a workspace choose", func(t *testing.T) {
			for want, query := range map[int]audit.Query{
				2: {Since: epoch.Add(time.Hour)}, 1: {Since: epoch.Add(time.Hour), WorkspaceID: a.id}, 0: {WorkspaceID: "ws_nobody"},
			} {
				query.Limit = 10
				if page, err := b.AuditEntries(ctx, everywhere, query); err != nil || len(page) != want {
					t.Errorf("%+v gives %d, %v", query, len(page), err)
				}
			}
		})
		b.Run("a workspace's deletion deletes none of its entries", func(t *testing.T) {
			b.must(b.DeleteWorkspace(ctx, a.id))
			if page, err := b.AuditEntries(ctx, everywhere, audit.Query{WorkspaceID: a.id, Limit: 10}); err != nil || len(page) != 2 {
				t.Errorf("%d are left, %v", len(page), err)
			}
		})
		b.Run("old entries are deleted in portions, and nothing else", func(t *testing.T) {
			b.must(b.AddAudit(ctx, other.id, audit.Entry{Actor: audit.System, Action: audit.SignedOut, At: epoch}))
			chains, err := b.AgedChains(ctx, everywhere, epoch.Add(time.Minute), "", 10)
			if err != nil || !reflect.DeepEqual(chains, []string{a.id, other.id}) {
				t.Fatalf("the chains are %v, %v", chains, err)
			}
			for _, want := range []int{1, 1, 0} {
				if deleted, err := b.DeleteAudit(ctx, other.id, epoch.Add(time.Minute), 1); err != nil || deleted != want {
					t.Errorf("%d are deleted, %v", deleted, err)
				}
			}
			if page, err := b.AuditEntries(ctx, everywhere, audit.Query{Limit: 10}); err != nil || len(page) != 3 {
				t.Errorf("%d are left, %v", len(page), err)
			}
		})
	})
}

func TestAuditIDsGrow(t *testing.T) {
	onBothDatabases(t, func(b *bundle) {
		var last int64
		for i := range 5 {
			b.must(b.AddAudit(b.Context(), "", audit.Entry{Actor: audit.System, Action: audit.SignedIn, Detail: fmt.Sprint(i), At: epoch}))
			page, err := b.AuditEntries(b.Context(), everywhere, audit.Query{Limit: 1})
			b.must(err)
			if page[0].ID <= last {
				b.Errorf("%d comes after %d", page[0].ID, last)
			}
			last = page[0].ID
			// The highest goes, and its id does not come back.
			_, err = b.DeleteAudit(b.Context(), audit.Unplaced, epoch.Add(time.Second), 10)
			b.must(err)
		}
	})
}

var _ audit.Archive = (*auditstore.AuditLog)(nil)

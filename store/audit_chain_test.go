package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"parley/core/audit"
	"parley/core/fault"
	"parley/core/privacy"
)

// asOwner runs statements as the owner of the database, whom no wall holds.
func (b *bundle) asOwner(statements ...string) {
	b.Helper()
	if err := b.tryAsOwner(statements...); err != nil {
		b.Fatal(err)
	}
}

func (b *bundle) tryAsOwner(statements ...string) error {
	if b.IsSQLite() {
		return b.InTx(b.Context(), func(ctx context.Context) error {
			for _, statement := range statements {
				if _, err := b.raw(ctx).ExecContext(ctx, statement); err != nil {
					return err
				}
			}
			return nil
		})
	}
	db, err := sql.Open("pgx", b.url)
	if err != nil {
		return err
	}
	defer db.Close()
	for _, statement := range statements {
		if _, err := db.ExecContext(context.WithoutCancel(b.Context()), statement); err != nil {
			return err
		}
	}
	return nil
}

// unguard takes the guards of the audit log away.
func (b *bundle) unguard() {
	b.Helper()
	if b.IsSQLite() {
		for _, name := range []string{"audit_entry_changed", "audit_address_changed", "audit_entry_deleted", "audit_chain_deleted", "audit_chain_moved"} {
			b.asOwner("DROP TRIGGER IF EXISTS " + name)
		}
		return
	}
	b.asOwner("ALTER TABLE audit_entries DISABLE TRIGGER USER", "ALTER TABLE audit_chains DISABLE TRIGGER USER")
}

// act does something in a workspace.
func (b *bundle) act(workspaceID string, n int) {
	b.Helper()
	b.must(b.AddAudit(b.Context(), workspaceID, audit.Entry{
		Actor: audit.Operator, Action: audit.ChatbotChanged, Object: audit.Object{Kind: "chatbot", ID: "cb_1", Name: fmt.Sprint("Guide ", n)},
		Changes: []audit.Change{{Field: "name", Old: "Café", New: fmt.Sprint("Guide ", n)}}, Origin: audit.Origin{Address: fmt.Sprint("192.0.2.", n%200)}, At: epoch.Add(time.Duration(n)*time.Hour + 123456789),
	}))
}

// verify is what is wrong with the chains, by their names, when all their entries are old.
func (b *bundle) verify(anchors ...audit.Anchor) map[string]string {
	b.Helper()
	return b.verifyAt(epoch.AddDate(0, 0, 400), anchors...)
}

// verifyAt is verify at a time.
func (b *bundle) verifyAt(now time.Time, anchors ...audit.Anchor) map[string]string {
	b.Helper()
	problems := map[string]string{}
	of := map[string][]audit.Anchor{}
	for _, a := range anchors {
		of[a.Chain] = append(of[a.Chain], a)
	}
	for verdict, err := range audit.NewVerifier(b.ofAudit, now, 400).All(b.Context(), of) {
		b.must(err)
		if verdict.Problem != "" {
			problems[verdict.Chain] = verdict.Problem
		}
	}
	return problems
}

func TestChains(t *testing.T) {
	onBothDatabases(t, func(b *bundle) {
		b.Run("a transaction's entries are chained at its end, whatever chains they are of, and told once it is committed", func(t *testing.T) {
			var told []audit.Entry
			b.audited = func(entries []audit.Entry) { told = append(told, entries...) }
			b.must(b.InTx(t.Context(), func(ctx context.Context) error {
				b.Helper()
				for i, workspace := range []string{"ws_2", "", "ws_1", "ws_2"} {
					if err := b.AddAudit(ctx, workspace, audit.Entry{Actor: audit.System, Action: audit.SignedIn, Detail: fmt.Sprint(i), At: epoch}); err != nil {
						return err
					}
				}
				if len(told) != 0 {
					t.Error("entries are told of before the commit")
				}
				return nil
			}))
			var got []string
			for _, e := range told {
				got = append(got, fmt.Sprint(audit.ChainOf(e.WorkspaceID), " ", e.Seq, " ", e.Detail))
			}
			if want := []string{"- 1 1", "ws_1 1 2", "ws_2 1 0", "ws_2 2 3"}; !slices.Equal(got, want) {
				t.Errorf("told of %q", got)
			}
		})
		b.Run("a transaction that is undone leaves no entry, moves no chain, and is not told of", func(t *testing.T) {
			b.audited = func(entries []audit.Entry) { t.Errorf("told of %v", entries) }
			defer func() { b.audited = nil }()
			before := b.dump("audit_chains", "id", "ws_2")
			err := b.InTx(t.Context(), func(ctx context.Context) error {
				b.must(b.AddAudit(ctx, "ws_2", audit.Entry{Actor: audit.System, Action: audit.SignedIn, At: epoch}))
				return errTest
			})
			if !errors.Is(err, errTest) || b.dump("audit_chains", "id", "ws_2") != before {
				t.Errorf("%v; the chain is %s", err, b.dump("audit_chains", "id", "ws_2"))
			}
		})
		b.Run("what was written verifies", func(t *testing.T) {
			for n := range 1200 { // more than two pages
				if n%100 == 0 {
					b.act("ws_1", n)
				}
			}
			if problems := b.verify(); len(problems) != 0 {
				t.Errorf("found %v", problems)
			}
		})
		b.Run("what time takes away leaves a chain that verifies, and goes on", func(t *testing.T) {
			reader := audit.NewReader(b.ofAudit, b.Store, time.Now)
			b.must(reader.ForgetAudit(t.Context(), epoch.Add(550*time.Hour)))
			head, _, err := b.ChainHead(t.Context(), "ws_1")
			b.must(err)
			if head.KeptSeq != 7 || head.Seq != 13 {
				t.Errorf("the head is %+v", head)
			}
			if problems := b.verify(); len(problems) != 0 {
				t.Errorf("found %v", problems)
			}
			b.must(reader.ForgetAudit(t.Context(), epoch.Add(5000*time.Hour)))
			b.act("ws_1", 5001)
			if problems := b.verify(); len(problems) != 0 || b.count("SELECT COUNT(*) FROM audit_entries") != 1 {
				t.Errorf("found %v", problems)
			}
		})
	})
}

func TestChainAfterEarlierEntries(t *testing.T) {
	onBothDatabases(t, func(b *bundle) {
		b.asOwner("INSERT INTO audit_entries (workspace_id, actor, action, detail, at) VALUES ('ws_1', 'system', 'sign_out', '', '2026-01-01 00:00:00+00:00'), ('ws_1', 'system', 'sign_out', '', '2026-02-01 00:00:00+00:00')")
		b.act("ws_1", 1)
		first, err := b.Chained(b.Context(), "ws_1", 0, 0, 5)
		if err != nil || len(first) != 2 || first[0].Action != audit.ChainStarted || !strings.Contains(first[0].Detail, "The 2 before are not.") {
			b.Fatalf("the chain begins with %+v, %v", first, err)
		}
		if problems := b.verify(); len(problems) != 0 {
			b.Errorf("found %v", problems)
		}
		b.must(audit.NewReader(b.ofAudit, b.Store, time.Now).ForgetAudit(b.Context(), time.Date(2026, 1, 15, 0, 0, 0, 0, time.UTC)))
		if problems := b.verify(); len(problems) != 0 || b.count("SELECT COUNT(*) FROM audit_entries") != 3 {
			b.Errorf("found %v", problems)
		}
		b.asOwner("INSERT INTO audit_entries (workspace_id, actor, action, detail, at) VALUES ('ws_1', 'system', 'sign_out', '', '2026-01-01 00:00:00+00:00')")
		if problem := b.verify()["ws_1"]; !strings.HasPrefix(problem, "There is an entry without a number") {
			b.Errorf("found %q", problem)
		}
	})
}

func TestAuditGuards(t *testing.T) {
	onBothDatabases(t, func(b *bundle) {
		for n := range 5 {
			b.act("ws_1", n)
			b.act("", n)
		}
		b.must(b.AddAudit(b.Context(), "ws_today", audit.Entry{Actor: audit.System, Action: audit.SignedOut, Origin: audit.Origin{Address: "192.0.2.1"}, At: time.Now()}))
		kept := b.dump("audit_entries", "detail", "") + b.dump("audit_chains", "hash", "")
		for _, statement := range []string{
			"UPDATE audit_entries SET actor = 'nobody' WHERE seq = 2",
			"UPDATE audit_entries SET at = at",
			"UPDATE audit_entries SET address = '192.0.2.99'",
			"UPDATE audit_entries SET address = ''",
			"UPDATE audit_entries SET address_salt = ''",
			"UPDATE audit_entries SET address = '', address_salt = 'another'",
			"UPDATE audit_entries SET address = '', address_salt = '', detail = 'another'",
			"UPDATE audit_entries SET address = '', address_salt = '' WHERE workspace_id = 'ws_today'",
			"DELETE FROM audit_entries",
			"DELETE FROM audit_entries WHERE seq = 1",
			"DELETE FROM audit_entries WHERE seq = 5 AND workspace_id IS NULL",
			"DELETE FROM audit_chains WHERE id = 'ws_1'",
			"UPDATE audit_chains SET seq = 4 WHERE id = 'ws_1'",
			"UPDATE audit_chains SET seq = 9 WHERE id = 'ws_1'",
			"UPDATE audit_chains SET hash = 'another' WHERE id = 'ws_1'",
			"UPDATE audit_chains SET kept_seq = 6 WHERE id = 'ws_1'",
			"UPDATE audit_chains SET kept_seq = 2, kept_hash = 'another' WHERE id = '-'",
			"UPDATE audit_chains SET id = 'ws_2' WHERE id = 'ws_1'",
		} {
			if err := b.tryAsOwner(statement); err == nil || !strings.Contains(err.Error(), "audit log") {
				b.Errorf("%s: %v", statement, err)
			}
		}
		if b.dump("audit_entries", "detail", "")+b.dump("audit_chains", "hash", "") != kept {
			b.Error("something changed")
		}
		if _, err := b.DeleteAudit(b.Context(), "ws_today", time.Now().Add(time.Hour), 10); err == nil {
			b.Error("an entry of today is deleted for its age")
		}
		b.Run("each column but those of the address is kept as it is, also while the address goes", func(t *testing.T) {
			for _, column := range entryColumns(b) {
				if column == "address" || column == "address_salt" {
					continue
				}
				value := "NULL"
				if column == "id" {
					value = "id + 1000"
				}
				if err := b.tryAsOwner("UPDATE audit_entries SET address = '', address_salt = '', " + column + " = " + value + " WHERE workspace_id = 'ws_1' AND seq = 2"); err == nil || !strings.Contains(err.Error(), "audit log") {
					t.Errorf("%s may change: %v", column, err)
				}
			}
		})
	})
}

// entryColumns are the columns of the audit log's entries.
func entryColumns(b *bundle) (names []string) {
	for _, table := range privacy.Tables() {
		if table.Name == "audit_entries" {
			names = table.Columns()
		}
	}
	return names
}

func TestAddressesAreForgotten(t *testing.T) {
	onBothDatabases(t, func(b *bundle) {
		ctx, old, young := b.Context(), time.Now().Add(-29*24*time.Hour), time.Now().Add(-20*24*time.Hour)
		enter := func(workspaceID, address string, at time.Time) {
			b.must(b.AddAudit(ctx, workspaceID, audit.Entry{Actor: audit.Operator, Action: audit.SignedOut, Origin: audit.Origin{Address: address, RequestID: "req_1"}, At: at}))
		}
		b.asOwner("INSERT INTO audit_entries (workspace_id, actor, action, detail, address, at) VALUES ('ws_1', 'system', 'sign_out', '', '192.0.2.50', '2026-01-01 00:00:00+00:00')")
		enter("ws_1", "192.0.2.1", old)
		enter("ws_1", "", old)
		enter("", "2001:db8::1", old)
		enter("ws_1", "192.0.2.2", young)
		enter("ws_1", "192.0.2.3", time.Now())
		exported, err := b.Audit(ctx, "ws_1", audit.Filter{Limit: 10})
		b.must(err)
		verify := func() string {
			return fmt.Sprint(b.verifyAt(time.Now()))
		}
		addresses := func() (all []string) {
			entries, err := b.AuditEntries(ctx, audit.Query{Limit: 10})
			b.must(err)
			for _, e := range entries {
				all = append(all, e.Origin.Address+e.AddressSalt)
			}
			return all
		}

		b.Run("those of the oldest go first, in portions, with their salts, of every workspace and of none", func(t *testing.T) {
			for _, want := range []int{2, 1, 0} {
				if n, err := b.ForgetAuditAddresses(ctx, time.Now().Add(-audit.AddressesKept), 2); err != nil || n != want {
					t.Fatalf("%d are removed, want %d: %v", n, want, err)
				}
			}
			left := addresses()
			for i, want := range []string{"192.0.2.3", "192.0.2.2", "", "", "", "", ""} {
				if !strings.HasPrefix(left[i], want) || want == "" && left[i] != "" {
					t.Errorf("left are %q", left)
				}
			}
		})
		b.Run("the chain verifies, and says from how many", func(t *testing.T) {
			if problems := verify(); problems != "map[]" {
				t.Errorf("found %s", problems)
			}
			verdict, err := audit.NewVerifier(b.ofAudit, time.Now(), 400).Chain(ctx, "ws_1", nil)
			if err != nil || verdict.Unaddressed != 1 || verdict.Checked != 5 || verdict.Unchained != 1 {
				t.Errorf("the verdict is %+v, %v", verdict, err)
			}
		})
		b.Run("what was exported while the address was there still compares", func(t *testing.T) {
			var anchors []audit.Anchor
			for _, e := range exported {
				if e.Seq > 0 {
					anchors = append(anchors, audit.Anchor{Chain: "ws_1", Seq: e.Seq, Hash: e.Hash, Digest: e.Digest(), At: e.At})
				}
			}
			if problems := b.verifyAt(time.Now(), anchors...); len(problems) != 0 || len(anchors) != 5 {
				t.Errorf("of %d found %v", len(anchors), problems)
			}
		})
		b.Run("a clock that is ahead removes none that is young", func(t *testing.T) {
			before := fmt.Sprint(addresses())
			if n, err := b.ForgetAuditAddresses(ctx, time.Now().Add(time.Hour), 10); err == nil || fmt.Sprint(addresses()) != before {
				t.Errorf("%d are removed", n)
			}
		})
		b.Run("the owner of the database removes none unnoticed before its time", func(t *testing.T) {
			b.unguard()
			b.asOwner("UPDATE audit_entries SET address = '', address_salt = '' WHERE workspace_id = 'ws_1' AND seq = 4")
			if problems := verify(); !strings.Contains(problems, "Entry 4 has lost its network address, though it is not old enough") {
				t.Errorf("found %s", problems)
			}
		})
	})
}

// An entry of version 1 has the address in its own hash, as the first development versions
// wrote it.
func TestEntriesOfVersion1(t *testing.T) {
	onBothDatabases(t, func(b *bundle) {
		e := audit.Entry{
			WorkspaceID: "ws_1", Actor: audit.Operator, Action: audit.SignedOut, Object: audit.Object{Kind: "chatbot"}, Origin: audit.Origin{Address: "192.0.2.1", RequestID: "req_1"},
			At: epoch, Seq: 1, Version: 1,
		}
		hash := e.HashAfter("")
		b.asOwner("INSERT INTO audit_entries (workspace_id, actor, action, object_kind, detail, address, request_id, at, seq, hash) VALUES ('ws_1', 'operator', 'sign_out', 'chatbot', '', '192.0.2.1', 'req_1', '2026-03-01 12:00:00+00:00', 1, '"+hash+"')",
			"INSERT INTO audit_chains (id, seq, hash) VALUES ('ws_1', 1, '"+hash+"')")
		b.act("ws_1", 1)
		if problems := b.verify(); len(problems) != 0 {
			b.Errorf("found %v", problems)
		}
		if n, err := b.ForgetAuditAddresses(b.Context(), epoch.Add(24*time.Hour), 10); err != nil || n != 1 {
			b.Errorf("of entry 1, whose hash needs it, and entry 2 the addresses of %d are removed, %v", n, err)
		}
		if problems := b.verify(); len(problems) != 0 {
			b.Errorf("then found %v", problems)
		}
		b.unguard()
		b.asOwner("UPDATE audit_entries SET address = '' WHERE seq = 1")
		if problem := b.verify()["ws_1"]; !strings.HasPrefix(problem, "Entry 1 does not match its hash") {
			b.Errorf("found %q", problem)
		}
	})
}

func TestVerifyFindsWhatTheOwnerOfTheDatabaseDid(t *testing.T) {
	for name, c := range map[string]struct {
		did   string
		found string
	}{
		"a changed entry":             {"UPDATE audit_entries SET actor = 'somebody' WHERE workspace_id = 'ws_1' AND seq = 3", "Entry 3 does not match its hash"},
		"a changed time":              {"UPDATE audit_entries SET at = '2026-03-01 14:00:00+00:00' WHERE workspace_id = 'ws_1' AND seq = 3", "Entry 3 does not match its hash"},
		"a changed old value":         {`UPDATE audit_entries SET changes = '[{"field":"name","old":"Cafe","new":"Guide 3"}]' WHERE workspace_id = 'ws_1' AND seq = 4`, "Entry 4 does not match its hash"},
		"another address":             {"UPDATE audit_entries SET address = '192.0.2.99' WHERE workspace_id = 'ws_1' AND seq = 3", "Entry 3 has another network address"},
		"an address without its salt": {"UPDATE audit_entries SET address_salt = '' WHERE workspace_id = 'ws_1' AND seq = 3", "Entry 3 has another network address"},
		"a salt without its address":  {"UPDATE audit_entries SET address = '' WHERE workspace_id = 'ws_1' AND seq = 3", "Entry 3 has another network address"},
		"another address with a fitting hash": {
			"UPDATE audit_entries SET address = '192.0.2.99', address_salt = '', address_hash = '' WHERE workspace_id = 'ws_1' AND seq = 3", "Entry 3 does not match its hash",
		},
		"an entry that is said to be of version 1": {"UPDATE audit_entries SET version = 1 WHERE workspace_id = 'ws_1' AND seq = 3", "Entry 3 does not match its hash"},
		"an entry that was moved away":             {"UPDATE audit_entries SET workspace_id = 'ws_2' WHERE workspace_id = 'ws_1' AND seq = 3", "Entry 3 is missing"},
		"a deletion in the middle":                 {"DELETE FROM audit_entries WHERE workspace_id = 'ws_1' AND seq = 3", "Entry 3 is missing"},
		"several deletions":                        {"DELETE FROM audit_entries WHERE workspace_id = 'ws_1' AND seq IN (2, 3, 4)", "Entries 2 to 4 are missing"},
		"a deletion at the beginning":              {"DELETE FROM audit_entries WHERE workspace_id = 'ws_1' AND seq = 1", "Entry 1 is missing"},
		"a deletion at the end":                    {"DELETE FROM audit_entries WHERE workspace_id = 'ws_1' AND seq > 4", "Entries 5 to 6 are missing: the end"},
		"the deletion of all":                      {"DELETE FROM audit_entries WHERE workspace_id = 'ws_1'", "Entries 1 to 6 are missing: the end"},
		"two that were swapped":                    {"UPDATE audit_entries SET seq = 5 - seq WHERE workspace_id = 'ws_1' AND seq IN (2, 3)", "Entry 2 does not match its hash"},
		"an entry with a number of others":         {"INSERT INTO audit_entries (workspace_id, actor, action, detail, at, seq, hash) SELECT workspace_id, 'somebody', action, detail, at, seq, hash FROM audit_entries WHERE workspace_id = 'ws_1' AND seq = 3", "There are two entries 3"},
		"an entry without a number":                {"INSERT INTO audit_entries (workspace_id, actor, action, detail, at) SELECT workspace_id, 'somebody', action, detail, at FROM audit_entries WHERE workspace_id = 'ws_1' AND seq = 3", "There is an entry without a number"},
		"an entry after the last":                  {"INSERT INTO audit_entries (workspace_id, actor, action, detail, at, seq, hash) SELECT workspace_id, actor, action, detail, at, 7, hash FROM audit_entries WHERE workspace_id = 'ws_1' AND seq = 6", "Entry 7 does not match its hash"},
		"a head that was set back":                 {"UPDATE audit_chains SET seq = 5 WHERE id = 'ws_1'", "The head of the chain is entry 5"},
		"another head":                             {"UPDATE audit_chains SET hash = 'x' WHERE id = 'ws_1'", "The head of the chain has another hash"},
		"a missing head":                           {"DELETE FROM audit_chains WHERE id = 'ws_1'", "The head of the chain is missing"},
		"a chain that is gone with all":            {"DELETE FROM audit_chains WHERE id = 'ws_1'; DELETE FROM audit_entries WHERE workspace_id = 'ws_1'", "The chain is missing, though its entry 6 was written down"},
		"an end that was cut off, head and all": {
			"DELETE FROM audit_entries WHERE workspace_id = 'ws_1' AND seq = 6; UPDATE audit_chains SET seq = 5, hash = (SELECT hash FROM audit_entries WHERE workspace_id = 'ws_1' AND seq = 5) WHERE id = 'ws_1'",
			"Entry 6 was written down, but the chain ends with entry 5",
		},
		"a beginning that was taken away as if by time": {
			"UPDATE audit_chains SET kept_seq = 6, kept_hash = hash WHERE id = 'ws_1'; DELETE FROM audit_entries WHERE workspace_id = 'ws_1'",
			"Entry 6 was written down and has been deleted, though it is not old enough",
		},
		"an entry that time took away and somebody brought back": {
			"UPDATE audit_chains SET kept_seq = 2, kept_hash = (SELECT hash FROM audit_entries WHERE workspace_id = 'ws_1' AND seq = 2) WHERE id = 'ws_1'; DELETE FROM audit_entries WHERE workspace_id = 'ws_1' AND seq = 2",
			"Entry 1 was deleted for its age, and is there again",
		},
	} {
		t.Run(name, func(t *testing.T) {
			onBothDatabases(t, func(b *bundle) {
				for n := range 6 {
					b.act("ws_1", n)
				}
				b.act("ws_2", 1)
				b.act("", 1)
				head, _, err := b.ChainHead(b.Context(), "ws_1")
				b.must(err)
				anchor := audit.Anchor{Chain: head.Chain, Seq: head.Seq, Hash: head.Hash, At: epoch.Add(time.Hour)}
				if problems := b.verify(anchor); len(problems) != 0 {
					b.Fatalf("found %v before anything was done", problems)
				}
				b.unguard()
				b.asOwner(strings.Split(c.did, "; ")...)
				if problem := b.verify(anchor)["ws_1"]; !strings.HasPrefix(problem, c.found) {
					b.Errorf("found %q, want %q", problem, c.found)
				}
			})
		})
	}
	t.Run("a rewritten chain, by what was written down of it", func(t *testing.T) {
		onBothDatabases(t, func(b *bundle) {
			for n := range 3 {
				b.act("ws_1", n)
			}
			entries, err := b.Chained(b.Context(), "ws_1", 0, 0, 5)
			b.must(err)
			second := entries[1]
			anchors := []audit.Anchor{
				{Chain: "ws_1", Seq: 2, Hash: second.Hash, Digest: second.Digest()},
				{Chain: "ws_1", Seq: 2, Hash: strings.Repeat("0", 64)},
			}
			if problem := b.verify(anchors[0])["ws_1"]; problem != "" {
				b.Errorf("found %q", problem)
			}
			if problem := b.verify(anchors...)["ws_1"]; !strings.HasPrefix(problem, "Entry 2 has another hash") {
				b.Errorf("found %q", problem)
			}
			anchors[0].Digest = "another"
			if problem := b.verify(anchors[0])["ws_1"]; !strings.HasPrefix(problem, "Entry 2 says something else") {
				b.Errorf("found %q", problem)
			}
		})
	})
}

func TestActsAtTheSameTime(t *testing.T) {
	onBothDatabases(t, func(b *bundle) {
		const people, acts = 24, 12
		var spaces []tenancy
		for _, name := range []string{"a", "b", "c"} {
			spaces = append(spaces, b.fill(name))
		}
		act := func(ctx context.Context, w tenancy, who, n int) error {
			record := func(ctx context.Context, workspaceID string) error {
				return b.AddAudit(ctx, workspaceID, audit.Entry{Actor: audit.System, Action: audit.ChatbotChanged, Detail: fmt.Sprint(who, " ", n), At: epoch})
			}
			return b.InTx(ctx, func(ctx context.Context) error {
				switch n % 4 {
				case 0: // the log first, then what others lock first
					if err := record(ctx, w.id); err != nil {
						return err
					}
					if _, err := b.LockWorkspace(ctx, w.id); err != nil {
						return err
					}
					return record(ctx, "")
				case 1:
					if err := record(ctx, ""); err != nil {
						return err
					}
					return errors.Join(b.SetPassword(ctx, w.user, fmt.Sprint("hash ", n)), record(ctx, w.id))
				case 2:
					if _, err := b.LockWorkspace(ctx, w.id); err != nil {
						return err
					}
					for _, other := range spaces {
						if err := record(ctx, other.id); err != nil {
							return err
						}
					}
					return nil
				}
				if who == 0 && n == acts-1 { // the last act of all ends its workspace
					return errors.Join(record(ctx, w.id), b.DeleteWorkspace(ctx, w.id))
				}
				return errors.Join(b.RenameWorkspace(ctx, w.id, fmt.Sprint("Name ", n)), record(ctx, w.id))
			})
		}
		failed := make(chan error, people)
		for who := range people {
			go func() {
				var all []error
				for n := range acts {
					// A workspace that is gone is no failure; a deadlock is.
					if err := act(context.WithoutCancel(b.Context()), spaces[(who+n)%len(spaces)], who, n); err != nil && !fault.Is(err, fault.NotFound) {
						all = append(all, err)
					}
				}
				failed <- errors.Join(all...)
			}()
		}
		for range people {
			if err := receive(b.T, "everybody has acted", failed); err != nil {
				b.Errorf("an act failed: %v", err)
			}
		}
		if problems := b.verify(); len(problems) != 0 {
			b.Errorf("found %v", problems)
		}
	})
}

package store_test

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
	"parley/store"
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
				if _, err := b.Raw(ctx).ExecContext(ctx, statement); err != nil {
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
	for verdict, err := range audit.NewVerifier(b.ofAudit, everywhere, now, 400).All(b.Context(), of) {
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
			store.SetAudited(b.Store, func(entries []audit.Entry) { told = append(told, entries...) })
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
			store.SetAudited(b.Store, func(entries []audit.Entry) { t.Errorf("told of %v", entries) })
			defer store.SetAudited(b.Store, nil)
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
			reader := audit.NewReader(b.ofAudit, b.Store, everywhere, time.Now)
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
		b.must(audit.NewReader(b.ofAudit, b.Store, everywhere, time.Now).ForgetAudit(b.Context(), time.Date(2026, 1, 15, 0, 0, 0, 0, time.UTC)))
		if problems := b.verify(); len(problems) != 0 || b.count("SELECT COUNT(*) FROM audit_entries") != 3 {
			b.Errorf("found %v", problems)
		}
		b.asOwner("INSERT INTO audit_entries (workspace_id, actor, action, detail, at) VALUES ('ws_1', 'system', 'sign_out', '', '2026-01-01 00:00:00+00:00')")
		if problem := b.verify()["ws_1"]; !strings.HasPrefix(problem, "There is an entry without a number") {
			b.Errorf("found %q", problem)
		}
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

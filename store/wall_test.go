package store_test

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"parley/core/fault"
	"parley/ent/scope"
	"parley/store"
)

// SQLSTATEs of a refusal by a policy or a privilege, and of a statement that declares no
// workspace.
const (
	notAllowed  = "42501"
	notDeclared = "23514"
)

func stateOf(err error) string {
	var refusal *pgconn.PgError
	if errors.As(err, &refusal) {
		return refusal.Code
	}
	return ""
}

// tenantTables reads from the catalog, and from no list, which tables have rows of
// workspaces, and in which column.
func (b *bundle) tenantTables() map[string]string {
	b.Helper()
	rows, err := b.beside().QueryContext(b.Context(), `SELECT c.relname, a.attname FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid
		WHERE c.relkind IN ('r', 'p') AND c.relnamespace = 'public'::regnamespace AND NOT a.attisdropped
		AND (a.attname = 'workspace_id' OR c.relname = 'workspaces' AND a.attname = 'id')`)
	b.must(err)
	defer rows.Close()
	tables := map[string]string{}
	for rows.Next() {
		var name, column string
		b.must(rows.Scan(&name, &column))
		tables[name] = column
	}
	b.must(rows.Err())
	if len(tables) < 30 {
		b.Fatalf("only %d tables have rows of workspaces", len(tables))
	}
	return tables
}

// asRole runs statements by hand as one of the server's roles, which has declared a
// workspace, and takes back what they did.
func (b *bundle) asRole(role, workspace string, run func(tx *sql.Tx)) {
	b.Helper()
	tx, err := b.beside().BeginTx(b.Context(), nil)
	b.must(err)
	defer func() { b.must(tx.Rollback()) }()
	_, err = tx.ExecContext(b.Context(), store.Declare, workspace, role)
	b.must(err)
	run(tx)
}

func (b *bundle) affected(tx *sql.Tx, statement string) (int64, error) {
	if _, err := tx.ExecContext(b.Context(), "SAVEPOINT before"); err != nil {
		return 0, err
	}
	result, err := tx.ExecContext(b.Context(), statement)
	if err != nil {
		_, undone := tx.ExecContext(b.Context(), "ROLLBACK TO before")
		return 0, errors.Join(err, undone)
	}
	return result.RowsAffected()
}

// isWithheld reports whether a statement was refused because the server's roles do not have
// the privilege at all.
func isWithheld(table, statement string, err error) bool {
	verb, _, _ := strings.Cut(statement, " ")
	return !strings.Contains(store.Privileges(table), verb) && stateOf(err) == notAllowed
}

func TestTheWallStandsInEveryTable(t *testing.T) {
	t.Parallel()
	b := openBundle(t, migratedPostgres.New(t))
	a, other := b.fill("a"), b.fill("b")
	r := store.RolesOf(b.Store)
	for table, column := range b.tenantTables() {
		own := b.count(fmt.Sprintf("SELECT count(*) FROM %s WHERE %s = '%s'", table, column, a.id))
		foreign := b.count(fmt.Sprintf("SELECT count(*) FROM %s WHERE %s = '%s'", table, column, other.id))
		for _, role := range []string{r.One, r.Several} {
			t.Run(table+" shows and changes rows of the declared workspace only, as "+role[strings.LastIndex(role, "_")+1:], func(t *testing.T) {
				b.asRole(role, a.id, func(tx *sql.Tx) {
					for _, statement := range []string{"SELECT FROM %[1]s", "UPDATE %[1]s SET %[2]s = %[2]s"} {
						statement = fmt.Sprintf(statement, table, column)
						if n, err := b.affected(tx, statement); !isWithheld(table, statement, err) && (err != nil || int(n) != own) {
							t.Errorf("%s was about %d rows, of which %s has %d: %v", statement, n, a.id, own, err)
						}
					}
					for _, statement := range []string{"SELECT FROM %[1]s WHERE %[2]s = '%[3]s'", "DELETE FROM %[1]s WHERE %[2]s = '%[3]s'"} {
						statement = fmt.Sprintf(statement, table, column, other.id)
						if n, err := b.affected(tx, statement); !isWithheld(table, statement, err) && (err != nil || n != 0) {
							t.Errorf("%s was about %d rows, of which %s has %d: %v", statement, n, other.id, foreign, err)
						}
					}
				})
			})
			t.Run(table+" takes no row of another workspace, as "+role[strings.LastIndex(role, "_")+1:], func(t *testing.T) {
				b.asRole(role, a.id, func(tx *sql.Tx) {
					if _, err := b.affected(tx, fmt.Sprintf("INSERT INTO %s (%s) VALUES ('%s')", table, column, other.id)); stateOf(err) != notAllowed {
						t.Errorf("the insert gave %v", err)
					}
					if _, err := b.affected(tx, fmt.Sprintf("UPDATE %s SET %s = '%s'", table, column, other.id)); own > 0 && stateOf(err) != notAllowed {
						t.Errorf("the update gave %v", err)
					}
				})
			})
			t.Run(table+" is an error where no workspace is declared, as "+role[strings.LastIndex(role, "_")+1:], func(t *testing.T) {
				b.asRole(role, "", func(tx *sql.Tx) {
					if _, err := b.affected(tx, "SELECT FROM "+table); own+foreign > 0 && stateOf(err) != notDeclared {
						t.Errorf("the query gave %v", err)
					}
					if _, err := b.affected(tx, fmt.Sprintf("INSERT INTO %s (%s) VALUES ('%s')", table, column, a.id)); stateOf(err) != notDeclared {
						t.Errorf("the insert gave %v", err)
					}
				})
			})
		}
	}
}

// A method that someone writes tomorrow forgets the condition.
func TestAStatementThatForgetsTheWorkspace(t *testing.T) {
	t.Parallel()
	b := openBundle(t, migratedPostgres.New(t))
	a := b.fill("a")
	b.must(b.ownerRun(b.Context(), "INSERT INTO workspaces (id, name, plan, created_at) VALUES ('ws_b', 'b', 'starter', now())"))
	read := func(ctx context.Context) (texts []string, err error) {
		err = store.EachRow(ctx, b.Raw(ctx), "SELECT content FROM messages", nil, func(row *sql.Rows) error {
			var text string
			err := row.Scan(&text)
			texts = append(texts, text)
			return err
		})
		return texts, store.MapError(err)
	}
	within := map[string]func(context.Context, func(context.Context) error) error{
		"by itself":        func(ctx context.Context, fn func(context.Context) error) error { return fn(ctx) },
		"in a transaction": b.InTx,
	}
	for where, run := range within {
		t.Run(where+" it reads nothing of another workspace", func(t *testing.T) {
			b.must(run(t.Context(), func(ctx context.Context) error {
				for id, shown := range map[string]bool{"ws_b": false, a.id: true} {
					texts, err := read(scope.Workspace(ctx, id))
					if err != nil || len(texts) > 0 != shown {
						t.Errorf("as %s it reads %q, %v", id, texts, err)
					}
				}
				return nil
			}))
		})
		t.Run(where+" it changes nothing of another workspace", func(t *testing.T) {
			b.must(run(t.Context(), func(ctx context.Context) error {
				if changed, err := b.Changes(scope.Workspace(ctx, "ws_b"), "UPDATE messages SET content = ''"); err != nil || changed {
					t.Errorf("it changed something: %v, %v", changed, err)
				}
				return nil
			}))
		})
		t.Run(where+" without a workspace it fails", func(t *testing.T) {
			var texts []string
			err := run(t.Context(), func(ctx context.Context) (err error) {
				texts, err = read(ctx)
				return err
			})
			if stateOf(err) != notDeclared || len(texts) > 0 {
				t.Errorf("it reads %q, %v", texts, err)
			}
			b.wantKind(err, fault.Internal)
		})
		t.Run(where+" nobody sees rows of all workspaces without saying so", func(t *testing.T) {
			b.must(run(t.Context(), func(ctx context.Context) error {
				if texts, err := read(scope.System(ctx, everywhere)); err != nil || len(texts) == 0 {
					t.Errorf("the system reads %q, %v", texts, err)
				}
				texts, err := read(scope.Workspace(ctx, "ws_b"))
				if err != nil || len(texts) > 0 {
					t.Errorf("after the system a workspace reads %q, %v", texts, err)
				}
				return nil
			}))
		})
	}
}

func TestNoConnectionKeepsAWorkspace(t *testing.T) {
	t.Parallel()
	b := openBundle(t, migratedPostgres.New(t))
	a := b.fill("a")
	b.Reads().SetMaxOpenConns(1)
	of := func(ctx context.Context) (workspace, role string) {
		b.must(store.ScanOne(ctx, b.Raw(ctx), []any{&workspace, &role}, "SELECT COALESCE(current_setting('parley.workspace', true), ''), current_user"))
		return workspace, role
	}
	for how, use := range map[string]func() error{
		"a statement": func() error { _, err := b.Workspace(t.Context(), a.id); return err },
		"a statement that fails": func() error {
			if err := b.run(scope.Workspace(t.Context(), a.id), "SELECT 1 / 0"); err == nil {
				return errTest
			}
			return nil
		},
		"a statement of the system": func() error { _, err := b.StopsAsked(t.Context(), everywhere); return err },
		"a transaction": func() error {
			return b.InTx(t.Context(), func(ctx context.Context) error { _, err := b.Workspace(ctx, a.id); return err })
		},
		"a transaction that is undone": func() error {
			err := b.InTx(t.Context(), func(ctx context.Context) error { return errors.Join(b.change(ctx, a.id), errTest) })
			if errors.Is(err, errTest) {
				return nil
			}
			return err
		},
	} {
		t.Run("after "+how+" nothing of it is left", func(t *testing.T) {
			b.must(use())
			if workspace, role := of(t.Context()); workspace != "" || role != store.RolesOf(b.Store).One {
				t.Errorf("declared are %q and %s", workspace, role)
			}
			var left, user string
			conn, err := b.Reads().Conn(t.Context())
			b.must(err)
			defer conn.Close()
			b.must(conn.Raw(func(raw any) error { // beneath what declares
				return raw.(interface{ Conn() *pgx.Conn }).Conn().QueryRow(t.Context(), "SELECT COALESCE(current_setting('parley.workspace', true), ''), current_user").Scan(&left, &user)
			}))
			if left != "" || user == store.RolesOf(b.Store).System {
				t.Errorf("the connection keeps %q and %s", left, user)
			}
		})
	}
}

// change stands for any change of a workspace.
func (b *bundle) change(ctx context.Context, workspaceID string) error {
	_, err := b.Changes(scope.Workspace(ctx, workspaceID), "UPDATE workspaces SET name = name")
	return err
}

func TestWorkspacesShareConnections(t *testing.T) {
	t.Parallel()
	b := openBundle(t, migratedPostgres.New(t))
	all := []tenancy{b.fill("a"), b.fill("b"), b.fill("c")}
	b.Reads().SetMaxOpenConns(2)
	var wg sync.WaitGroup
	for i := range 12 {
		wg.Go(func() {
			w := all[i%len(all)]
			for n := range 40 {
				ctx := scope.Workspace(t.Context(), w.id)
				var seen []string
				read := func(ctx context.Context) error {
					return store.EachRow(ctx, b.Raw(ctx), "SELECT DISTINCT workspace_id FROM messages", nil, func(row *sql.Rows) error {
						var id string
						err := row.Scan(&id)
						seen = append(seen, id)
						return err
					})
				}
				run := func(ctx context.Context, fn func(context.Context) error) error { return fn(ctx) }
				if n%2 == 0 {
					run = b.InTx
				}
				if err := run(ctx, read); err != nil || !slices.Equal(seen, []string{w.id}) {
					t.Errorf("%s sees %q, %v", w.id, seen, err)
				}
			}
		})
	}
	wg.Wait()
}

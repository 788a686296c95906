package store_test

import (
	"context"
	"crypto/rand"
	"database/sql"
	"errors"
	"fmt"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"parley/core/audit"
	"parley/internal/pgtest"
	"parley/store"
)

// newLogin creates a role that connects, until the test ends, and returns its URL.
func newLogin(t *testing.T, database, options string) (name, address string) {
	t.Helper()
	name = "login_" + strings.ToLower(rand.Text())
	executeOn(t, database, "CREATE ROLE "+name+" LOGIN "+options)
	at, err := url.Parse(database)
	if err != nil {
		t.Fatal(err)
	}
	at.User = url.User(name)
	return name, at.String()
}

func executeOn(t *testing.T, database string, statements ...string) {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), database)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(context.Background())
	for _, statement := range statements {
		if _, err := conn.Exec(t.Context(), statement); err != nil {
			t.Fatalf("%s: %v", statement, err)
		}
	}
}

func TestTheServersRoles(t *testing.T) {
	t.Parallel()
	b := openBundle(t, migratedPostgres.New(t))
	r := store.RolesOf(b.Store)
	t.Run("are neither superusers nor may they bypass the wall, log in or create roles, and they own nothing", func(t *testing.T) {
		for _, role := range r.All() {
			if n := b.count(fmt.Sprintf(`SELECT count(*) FROM pg_roles WHERE rolname = '%s' AND NOT (rolsuper OR rolbypassrls OR rolcanlogin OR rolcreaterole OR rolcreatedb OR rolreplication)`, role)); n != 1 {
				t.Errorf("%s may do more than it should", role)
			}
			if n := b.count(fmt.Sprintf(`SELECT count(*) FROM pg_shdepend WHERE deptype = 'o' AND refobjid = '%s'::regrole`, role)); n != 0 {
				t.Errorf("%s owns %d things", role, n)
			}
		}
	})
	t.Run("are those that statements run as", func(t *testing.T) {
		var user string
		b.must(store.ScanOne(t.Context(), b.Raw(t.Context()), []any{&user}, "SELECT current_user"))
		if user != r.One {
			t.Errorf("a statement runs as %s", user)
		}
		b.must(store.ScanOne(t.Context(), store.GroupsDB(b.Store), []any{&user}, "SELECT current_user"))
		if user != r.One {
			t.Errorf("a statement of a group runs as %s", user)
		}
	})
	t.Run("a connection asks for no setting when it is opened, since a pooler refuses that", func(t *testing.T) {
		conn, err := store.GroupsDB(b.Store).Conn(t.Context())
		b.must(err)
		defer conn.Close()
		b.must(conn.Raw(func(raw any) error {
			asked := raw.(interface{ Conn() *pgx.Conn }).Conn().Config().RuntimeParams
			delete(asked, "application_name")
			if len(asked) > 0 {
				t.Errorf("it asks for %v", asked)
			}
			return nil
		}))
	})
	t.Run("cannot change tables, policies or themselves", func(t *testing.T) {
		for _, role := range r.All() {
			b.asRole(role, "ws_a", func(tx *sql.Tx) {
				for _, statement := range []string{
					"ALTER TABLE messages DISABLE ROW LEVEL SECURITY", "DROP POLICY parley_workspace ON messages", "CREATE POLICY open ON messages USING (true)",
					"CREATE TABLE mine (id int)", "TRUNCATE messages", "ALTER ROLE " + role + " BYPASSRLS", "INSERT INTO schema_migrations VALUES ('a', 'b')",
				} {
					if _, err := b.affected(tx, statement); stateOf(err) != notAllowed {
						t.Errorf("as %s %s gave %v", role, statement, err)
					}
				}
			})
		}
	})
	t.Run("another database of the server has others", func(t *testing.T) {
		other := openBundle(t, pgtest.New(t))
		if store.RolesOf(other.Store) == r {
			t.Errorf("both have %v", r)
		}
	})
}

func TestWhatTheWallLacksIsFound(t *testing.T) {
	t.Parallel()
	database := pgtest.New(t)
	b := openBundle(t, database)
	b.must(b.CheckWall(t.Context()))
	r := store.RolesOf(b.Store)
	for what, statements := range map[string][2]string{
		"a new table without policies":     {"CREATE TABLE novelties (id bigint, workspace_id text NOT NULL)", "novelties"},
		"a table whose policies are off":   {"ALTER TABLE messages DISABLE ROW LEVEL SECURITY", "messages"},
		"a table that does not bind owner": {"ALTER TABLE gaps NO FORCE ROW LEVEL SECURITY", "gaps"},
		"a policy that is missing":         {"DROP POLICY parley_workspaces ON sources", "sources"},
		"a policy that lets more in":       {"CREATE POLICY parley_open ON tokens USING (true)", "tokens"},
		"a privilege too many":             {"GRANT TRUNCATE ON members TO \"" + r.One + "\"", "members"},
	} {
		t.Run(what+" is found, and mended by the next start", func(t *testing.T) {
			b.must(b.ownerRun(t.Context(), statements[0]))
			if err := b.CheckWall(t.Context()); !errors.Is(err, store.ErrNoWall) || !strings.Contains(err.Error(), statements[1]) {
				t.Errorf("found was %v", err)
			}
			again := openBundle(t, database)
			again.must(again.CheckWall(t.Context()))
		})
	}
	t.Run("a policy of somebody else that lets more in keeps the server from starting", func(t *testing.T) {
		b.must(b.ownerRun(t.Context(), "CREATE POLICY open ON uploads USING (true)"))
		if s, err := store.Open(t.Context(), database); !errors.Is(err, store.ErrNoWall) || !strings.Contains(err.Error(), "uploads") {
			t.Errorf("opening gave %v, %v", s, err)
		}
		b.must(b.ownerRun(t.Context(), "DROP POLICY open ON uploads"))
	})
	for what, change := range map[string][2]string{
		"bypasses row-level security": {"ALTER ROLE %s BYPASSRLS", "ALTER ROLE %s NOBYPASSRLS"},
		"is a superuser":              {"ALTER ROLE %s SUPERUSER", "ALTER ROLE %s NOSUPERUSER"},
		"owns something":              {"ALTER TABLE chores OWNER TO %s", "ALTER TABLE chores OWNER TO postgres"},
	} {
		t.Run("a role that "+what+" keeps the server from starting", func(t *testing.T) {
			quoted := pgx.Identifier{r.One}.Sanitize()
			b.must(b.ownerRun(t.Context(), fmt.Sprintf(change[0], quoted)))
			if s, err := store.Open(t.Context(), database); !errors.Is(err, store.ErrNoWall) || !strings.Contains(err.Error(), what) {
				t.Errorf("opening gave %v, %v", s, err)
			}
			b.must(b.ownerRun(t.Context(), strings.ReplaceAll(change[1], "%s", quoted)))
		})
	}
	b.must(openBundle(t, database).CheckWall(t.Context()))
}

// statementsIn are those that an error tells a superuser to execute.
var statementsIn = regexp.MustCompile(`(CREATE ROLE|GRANT) "[^;]*`)

func TestAnOwnerWhoMayNotCreateRoles(t *testing.T) {
	t.Parallel()
	database := pgtest.New(t)
	owner, address := newLogin(t, database, "")
	executeOn(t, database, "ALTER DATABASE "+path(t, database)+" OWNER TO "+owner, "ALTER SCHEMA public OWNER TO "+owner)
	s, err := store.Open(t.Context(), address)
	if !errors.Is(err, store.ErrNoWall) {
		t.Fatalf("opening gave %v, %v", s, err)
	}
	told := statementsIn.FindAllString(err.Error(), -1)
	t.Run("gets the statements for a superuser", func(t *testing.T) {
		if len(told) != 6 {
			t.Errorf("the statements are %q of %v", told, err)
		}
	})
	t.Run("may say that it goes on without", func(t *testing.T) {
		b := openBundleWith(t, address, store.Options{MayLackWall: true})
		a := b.fill("a")
		if _, err := b.Workspace(t.Context(), a.id); err != nil || !b.IsLacking() {
			t.Errorf("the wall is lacking: %v; reading gave %v", b.IsLacking(), err)
		}
		if err := b.CheckWall(t.Context()); !errors.Is(err, store.ErrNoWall) {
			t.Errorf("the check gives %v", err)
		}
	})
	t.Run("has the wall once they were executed, though it is no superuser", func(t *testing.T) {
		executeOn(t, database, told...)
		b := openBundle(t, address)
		b.must(b.CheckWall(t.Context()))
		if texts, err := b.Raw(t.Context()).QueryContext(t.Context(), "SELECT content FROM messages"); stateOf(err) != notDeclared {
			t.Errorf("a statement that declares nothing gave %v, %v", texts, err)
		}
	})
	t.Run("removes old addresses and old entries of the audit log", func(t *testing.T) {
		b := openBundle(t, address)
		for _, workspace := range []string{"ws_a", ""} {
			b.must(b.AddAudit(t.Context(), workspace, audit.Entry{Actor: audit.System, Action: audit.SignedOut, Origin: audit.Origin{Address: "192.0.2.1"}, At: epoch}))
		}
		if n, err := b.ForgetAuditAddresses(t.Context(), everywhere, epoch.Add(time.Hour), 10); err != nil || n != 2 {
			t.Errorf("the addresses of %d are removed, %v", n, err)
		}
		if n, err := b.DeleteAudit(t.Context(), audit.Unplaced, epoch.Add(time.Hour), 10); err != nil || n != 1 {
			t.Errorf("%d are deleted, %v", n, err)
		}
		if problems := b.verify(); len(problems) != 0 {
			t.Errorf("found %v", problems)
		}
	})
	t.Run("reads everything by hand, as who makes a backup must", func(t *testing.T) {
		executeOn(t, address, "SELECT 1 / (SELECT count(*) FROM messages)::int")
	})
	t.Run("migrates rows of workspaces behind the wall", func(t *testing.T) {
		executeOn(t, database, "DELETE FROM schema_migrations WHERE name = (SELECT max(name) FROM schema_migrations)")
		conn, err := pgx.Connect(t.Context(), address)
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close(context.Background())
		tx, err := conn.Begin(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = tx.Rollback(t.Context()) }()
		if _, err := tx.Exec(t.Context(), store.Lower); err != nil {
			t.Fatal(err)
		}
		if tag, err := tx.Exec(t.Context(), "UPDATE messages SET content = content"); err != nil || tag.RowsAffected() == 0 {
			t.Errorf("changed were %v, %v", tag, err)
		}
	})
}

func path(t *testing.T, database string) string {
	t.Helper()
	at, err := url.Parse(database)
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimPrefix(at.Path, "/")
}

func TestALoginThatOwnsNothing(t *testing.T) {
	t.Parallel()
	database := pgtest.New(t)
	_, address := newLogin(t, database, "NOINHERIT")
	t.Run("needs the owner for a new database", func(t *testing.T) {
		if s, err := store.Open(t.Context(), address); err == nil {
			t.Errorf("%v is open", s)
		}
	})
	t.Run("serves what the owner has migrated", func(t *testing.T) {
		b := openBundleWith(t, address, store.Options{OwnerURL: database})
		a := b.fill("a")
		if w, err := b.Workspace(t.Context(), a.id); err != nil || w.Name != a.secret {
			t.Errorf("it reads %v, %v", w, err)
		}
		b.must(b.CheckWall(t.Context()))
	})
	t.Run("starts without the owner while nothing is missing", func(t *testing.T) {
		b := openBundle(t, address)
		if _, err := b.Workspace(t.Context(), "ws_a"); err != nil {
			t.Error(err)
		}
	})
	t.Run("reads no table by hand before it takes a role", func(t *testing.T) {
		conn, err := pgx.Connect(t.Context(), address)
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close(context.Background())
		if _, err := conn.Exec(t.Context(), "SELECT FROM messages"); stateOf(err) != notAllowed {
			t.Errorf("it gets %v", err)
		}
	})
	t.Run("names what is missing, and who can mend it", func(t *testing.T) {
		executeOn(t, database, "CREATE TABLE novelties (id bigint, workspace_id text NOT NULL)")
		if s, err := store.Open(t.Context(), address); !errors.Is(err, store.ErrNoWall) || !strings.Contains(err.Error(), "DATABASE_OWNER_URL") || !strings.Contains(err.Error(), "novelties") {
			t.Errorf("opening gave %v, %v", s, err)
		}
		executeOn(t, database, "DROP TABLE novelties", "DELETE FROM schema_migrations WHERE name = (SELECT max(name) FROM schema_migrations)")
		if s, err := store.Open(t.Context(), address); err == nil || !strings.Contains(err.Error(), "DATABASE_OWNER_URL") {
			t.Errorf("with a migration missing opening gave %v, %v", s, err)
		}
	})
}

// A copy of production, restored beside it, must not share its roles.
func TestACopyWhoseRolesAreOfAnotherDatabase(t *testing.T) {
	t.Parallel()
	database := migratedPostgres.New(t)
	theirs := store.RolesOf(openBundle(t, database).Store)
	owner, address := newLogin(t, database, "CREATEROLE")
	executeOn(t, database, "ALTER DATABASE "+path(t, database)+" OWNER TO "+owner, "ALTER SCHEMA public OWNER TO "+owner, `DO $$ DECLARE t record; BEGIN
		FOR t IN SELECT c.oid::regclass AS name FROM pg_class c WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace LOOP
			EXECUTE 'ALTER TABLE ' || t.name || ' OWNER TO `+owner+`';
		END LOOP; END $$`)
	b := openBundle(t, address)
	b.must(b.CheckWall(t.Context()))
	for _, role := range theirs.All() {
		if n := b.count(fmt.Sprintf("SELECT count(*) FROM pg_policy WHERE '%s'::regrole = ANY (polroles)", role)); n != 0 {
			t.Errorf("%d policies let in %s of the other database", n, role)
		}
	}
}

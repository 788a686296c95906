package store

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"
)

// errNoWall is in each error that says that PostgreSQL does not keep workspaces apart.
var errNoWall = errors.New("PostgreSQL does not keep workspaces apart")

// builder makes the wall of a database, in the transaction of its migrations.
type builder struct {
	on pgx.Tx
	// members are the roles that connect: the server's and the owner.
	members []string
}

// found is what a database says of itself.
type found struct {
	database, schema, user string
	// mayCreate says that the user may create roles.
	mayCreate bool
	// owns says that the user owns the tables, or that there are none yet.
	owns  bool
	roles roles
}

const selectFound = `SELECT current_database(), COALESCE(current_schema(), ''), session_user,
	(SELECT rolsuper OR rolcreaterole FROM pg_roles WHERE rolname = session_user),
	COALESCE((SELECT pg_has_role(relowner, 'USAGE') FROM pg_class WHERE oid = to_regclass('schema_migrations')), true)`

// selectRoles finds the roles of the policies, whatever they are called: a copy of a
// database may go on with the roles of the original, if whoever connects may use them.
const selectRoles = `SELECT substr(p.polname, 8), r.rolname FROM pg_policy p JOIN pg_roles r ON ARRAY[r.oid] = p.polroles
	WHERE p.polrelid = to_regclass('workspaces') AND p.polname LIKE 'parley\_%' AND pg_has_role(session_user, r.oid, 'MEMBER')`

// look finds out what there is.
func look(ctx context.Context, on pgx.Tx) (f found, err error) {
	err = on.QueryRow(ctx, selectFound).Scan(&f.database, &f.schema, &f.user, &f.mayCreate, &f.owns)
	if err != nil {
		return f, err
	}
	used, err := usedRoles(ctx, on)
	if err != nil {
		return f, err
	}
	f.roles = rolesOf(f.database)
	if used.one != "" && used.several != "" && used.system != "" {
		f.roles = used
	}
	return f, nil
}

// usedRoles are those that the policies are of.
func usedRoles(ctx context.Context, on pgx.Tx) (roles, error) {
	rows, err := on.Query(ctx, selectRoles)
	if err != nil {
		return roles{}, err
	}
	named := map[string]string{}
	var policy, role string
	_, err = pgx.ForEachRow(rows, []any{&policy, &role}, func() error {
		named[policy] = role
		return nil
	})
	return roles{named["workspace"], named["workspaces"], named["system"]}, err
}

// raise makes what is missing. It changes nothing when nothing is: to change a policy
// waits for whoever uses the table.
func (b builder) raise(ctx context.Context, f found) error {
	if err := b.makeRoles(ctx, f); err != nil {
		return err
	}
	tables, err := readTables(ctx, b.on, f.roles)
	if err != nil {
		return err
	}
	statements, err := b.surroundings(ctx, f)
	if err != nil {
		return err
	}
	for _, t := range tables {
		if t.missing(f.roles) != "" {
			statements = append(statements, t.raise(f.roles)...)
		}
	}
	if len(statements) == 0 {
		return nil
	}
	_, err = b.on.Conn().PgConn().Exec(ctx, strings.Join(append([]string{createDeclared}, statements...), ";\n")).ReadAll()
	return err
}

// selectLacking finds what the roles may not use around the tables.
const selectLacking = `SELECT r.rolname, 'SCHEMA ' || quote_ident(n.nspname) FROM pg_roles r, pg_namespace n
	WHERE r.rolname = ANY ($1) AND n.nspname = $2 AND NOT has_schema_privilege(r.oid, n.oid, 'USAGE')
	UNION ALL SELECT r.rolname, 'SEQUENCE ' || c.oid::regclass FROM pg_roles r, pg_class c JOIN pg_class m ON m.oid = to_regclass('schema_migrations')
	AND c.relnamespace = m.relnamespace AND c.relowner = m.relowner
	WHERE r.rolname = ANY ($1) AND c.relkind = 'S' AND NOT has_sequence_privilege(r.oid, c.oid, 'USAGE')`

func (b builder) surroundings(ctx context.Context, f found) (statements []string, err error) {
	rows, err := b.on.Query(ctx, selectLacking, slices.Collect(maps.Values(f.roles.names())), f.schema)
	if err != nil {
		return nil, err
	}
	var role, what string
	_, err = pgx.ForEachRow(rows, []any{&role, &what}, func() error {
		statements = append(statements, fmt.Sprintf("GRANT USAGE ON %s TO %s", what, pgx.Identifier{role}.Sanitize()))
		return nil
	})
	return statements, err
}

// makeRoles creates the roles that are missing and lets the members use them.
func (b builder) makeRoles(ctx context.Context, f found) error {
	missing, err := b.missingRoles(ctx, f)
	if err != nil || len(missing) == 0 {
		return err
	}
	err = pgx.BeginFunc(ctx, b.on, func(on pgx.Tx) error { // within a savepoint
		_, err := on.Conn().PgConn().Exec(ctx, strings.Join(missing, ";\n")).ReadAll()
		return err
	})
	if err != nil {
		return fmt.Errorf("%w: %s may not create the roles of the server (%w). Have a superuser execute these statements once, or set ROW_LEVEL_SECURITY=optional to do without: %s;",
			errNoWall, f.user, err, strings.Join(missing, "; "))
	}
	return nil
}

// selectMembers has who has to be a member of which role, whether there is the role, and
// whether it is done. A superuser needs to be a member of nothing. Since PostgreSQL 16 who
// created a role is a member that may not become it, and MEMBER does not tell.
const selectMembers = `SELECT w, m, r.oid IS NOT NULL, CASE WHEN member.rolsuper THEN TRUE WHEN r.oid IS NULL THEN FALSE ELSE pg_has_role(member.oid, r.oid, CASE WHEN current_setting('server_version_num')::int >= 160000 THEN 'SET' ELSE 'MEMBER' END) END
	FROM unnest($1::text[]) w CROSS JOIN unnest($2::text[]) m JOIN pg_roles member ON member.rolname = m LEFT JOIN pg_roles r ON r.rolname = w ORDER BY w, m`

// missingRoles are the statements that make the roles and their members.
func (b builder) missingRoles(ctx context.Context, f found) (statements []string, err error) {
	rows, err := b.on.Query(ctx, selectMembers, slices.Collect(maps.Values(f.roles.names())), b.members)
	if err != nil {
		return nil, err
	}
	var role, member, last string
	var exists, isMember bool
	_, err = pgx.ForEachRow(rows, []any{&role, &member, &exists, &isMember}, func() error {
		quoted := pgx.Identifier{role}.Sanitize()
		if !exists && role != last {
			statements = append(statements, "CREATE ROLE "+quoted+" NOLOGIN NOINHERIT")
		}
		if !isMember {
			statements = append(statements, "GRANT "+quoted+" TO "+pgx.Identifier{member}.Sanitize())
		}
		last = role
		return nil
	})
	return statements, err
}

// selectUnsafe has the roles that could get around the wall, and how.
const selectUnsafe = `SELECT r.rolname || CASE
	WHEN r.rolsuper THEN ' is a superuser' WHEN r.rolbypassrls THEN ' bypasses row-level security' WHEN r.rolcanlogin THEN ' can log in'
	WHEN r.rolcreaterole THEN ' can create roles' WHEN EXISTS (SELECT FROM pg_auth_members a WHERE a.member = r.oid) THEN ' is a member of other roles'
	ELSE ' owns something' END
	FROM pg_roles r WHERE r.rolname = ANY ($1) AND (r.rolsuper OR r.rolbypassrls OR r.rolcanlogin OR r.rolcreaterole
		OR EXISTS (SELECT FROM pg_auth_members a WHERE a.member = r.oid)
		OR EXISTS (SELECT FROM pg_shdepend d WHERE d.refclassid = 'pg_authid'::regclass AND d.refobjid = r.oid AND d.deptype = 'o'))
	UNION ALL SELECT 'there is no role ' || w FROM unnest($1::text[]) w WHERE NOT EXISTS (SELECT FROM pg_roles WHERE rolname = w)
	ORDER BY 1`

// gaps says where the wall of a database does not stand, one thing after the other.
func gaps(ctx context.Context, on pgx.Tx, r roles) ([]string, error) {
	rows, err := on.Query(ctx, selectUnsafe, slices.Collect(maps.Values(r.names())))
	if err != nil {
		return nil, err
	}
	all, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		return nil, err
	}
	tables, err := readTables(ctx, on, r)
	for _, t := range tables {
		if lacks := t.missing(r); lacks != "" {
			all = append(all, "table "+t.name+": "+lacks)
		}
	}
	return all, err
}

// check fails where the wall does not stand.
func check(ctx context.Context, on pgx.Tx, r roles) error {
	all, err := gaps(ctx, on, r)
	if err == nil && len(all) > 0 {
		err = fmt.Errorf("%w: %s", errNoWall, strings.Join(all[:min(3, len(all))], "; "))
	}
	return err
}

// wall is what a store knows of its own.
type wall struct {
	roles *roles
	// lacking is why there is none, where an operator lets the server work without.
	lacking error
}

// Wall tells whether PostgreSQL keeps workspaces apart behind the queries.
type Wall struct{ store *Store }

// NewWall returns the wall of a database.
func NewWall(db *Store) *Wall { return &Wall{db} }

// CheckWall fails where PostgreSQL does not keep workspaces apart. SQLite cannot.
func (w *Wall) CheckWall(ctx context.Context) error {
	known := w.store.wall
	switch {
	case w.store.IsSQLite():
		return nil
	case known.roles == nil:
		return known.lacking
	}
	conn, err := w.store.Connect(ctx)
	if err != nil {
		return err
	}
	defer conn.Close(ctx)
	return pgx.BeginFunc(ctx, conn, func(tx pgx.Tx) error { return check(ctx, tx, *known.roles) })
}

// IsLacking reports whether the server works on PostgreSQL without the wall.
func (w *Wall) IsLacking() bool { return !w.store.IsSQLite() && w.store.wall.roles == nil }

// JobsRole is the role as which the job queue works, or empty where there is none.
func (w *Wall) JobsRole() string {
	if w.store.wall.roles == nil {
		return ""
	}
	return w.store.wall.roles.one
}

package store

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"
)

// The wall is PostgreSQL's row-level security behind the workspace condition of every
// query. The server works as one of three roles, which own nothing:
//
//   - one sees the rows of the workspace that the statement declares,
//   - several sees the rows of the workspaces that a [Group]'s statement declares,
//   - system sees all rows. It is for what has [scope.System] or [scope.Unplaced].
//
// A statement about rows of workspaces that declares none fails. Migrations run as the
// owner of the tables, who builds the wall after them, from the lists in this file.

// roles are the names of the server's roles. Roles belong to a database server and not
// to a database, so each database has roles of its own: whoever may use the roles of
// another database reads nothing here.
type roles struct{ one, several, system string }

// names are the roles by the suffix of their names, which also names their policies.
func (r roles) names() map[string]string {
	return map[string]string{"workspace": r.one, "workspaces": r.several, "system": r.system}
}

// rolesOf are the roles that are made for a database.
func rolesOf(database string) roles {
	const longest = 63 - len("_workspaces")
	if len(database) > longest {
		sum := sha256.Sum256([]byte(database))
		database = strings.ToValidUTF8(database[:longest-9], "") + "_" + hex.EncodeToString(sum[:4])
	}
	return roles{one: database + "_workspace", several: database + "_workspaces", system: database + "_system"}
}

// The conditions of the policies. Type declared_workspace refuses the empty text, so a
// statement that declares no workspace is an error and not an empty result. The list of
// several is split once for each table, as it is in a sub-select.
const (
	isDeclared      = `%s = current_setting('parley.workspace')::declared_workspace`
	isAmongDeclared = `%s = ANY ((SELECT string_to_array(current_setting('parley.workspace')::declared_workspace, ','))::text[])`
)

// policies are the conditions of the roles' policies.
var policies = map[string]string{"workspace": isDeclared, "workspaces": isAmongDeclared, "system": "true"}

// keyColumns are the tables whose rows belong to a workspace and whose column for it has
// another name than workspace_id.
var keyColumns = map[string]string{"workspaces": "id"}

// everythingGranted is what the server's roles may do with a table, unless granted says less.
const everythingGranted = "DELETE,INSERT,SELECT,UPDATE"

// granted are the privileges of the server's roles on a table, in the order of the
// alphabet, where they are not all of them.
var granted = map[string]string{
	// The audit log only grows; forget_audit and forget_audit_addresses, which are its
	// owner's, let time take entries and their addresses away.
	"audit_entries":     "INSERT,SELECT",
	"audit_chains":      "INSERT,SELECT,UPDATE",
	"schema_migrations": "SELECT",
}

func privileges(table string) string {
	if less, ok := granted[table]; ok {
		return less
	}
	return everythingGranted
}

const createDeclared = `DO $$ BEGIN
	CREATE DOMAIN declared_workspace AS text CONSTRAINT "a statement about rows of workspaces declares one" CHECK (VALUE <> '');
EXCEPTION WHEN duplicate_object THEN NULL; END $$`

// table is what the catalog says about one, and gap what is missing from the wall.
type table struct {
	name     string
	column   string // that of its workspace, or none
	secured  bool
	forced   bool
	policies []string // name, role and condition
	grants   []string // role and privileges
}

// selectTables reads Parley's tables, which have the same schema and owner as
// schema_migrations. It reads a policy's condition from the policy's comment, which has it
// as it was written: PostgreSQL shows its own version of it. For a policy of an unknown
// shape it returns no comment.
const selectTables = `SELECT c.relname, COALESCE((SELECT a.attname FROM pg_attribute a WHERE a.attrelid = c.oid AND a.attname = 'workspace_id' AND NOT a.attisdropped), ''),
	c.relrowsecurity, c.relforcerowsecurity,
	ARRAY(SELECT p.polname || ' ' || COALESCE((SELECT string_agg(r.rolname, ',') FROM pg_roles r WHERE r.oid = ANY (p.polroles)), 'public') || ' ' ||
		CASE WHEN p.polpermissive AND p.polcmd = '*' AND p.polqual IS NOT NULL AND p.polwithcheck IS NOT NULL THEN COALESCE(obj_description(p.oid, 'pg_policy'), '') ELSE '' END
		FROM pg_policy p WHERE p.polrelid = c.oid),
	ARRAY(SELECT r.rolname || ' ' || string_agg(x.privilege_type, ',' ORDER BY x.privilege_type)
		FROM aclexplode(c.relacl) x JOIN pg_roles r ON r.oid = x.grantee WHERE r.rolname = ANY ($1) GROUP BY r.rolname)
	FROM pg_class c JOIN pg_class m ON m.oid = to_regclass('schema_migrations') AND c.relnamespace = m.relnamespace AND c.relowner = m.relowner
	WHERE c.relkind IN ('r', 'p') ORDER BY c.relname`

func readTables(ctx context.Context, on pgx.Tx, r roles) ([]table, error) {
	rows, err := on.Query(ctx, selectTables, slices.Collect(maps.Values(r.names())))
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, func(row pgx.CollectableRow) (t table, err error) {
		err = row.Scan(&t.name, &t.column, &t.secured, &t.forced, &t.policies, &t.grants)
		if column, ok := keyColumns[t.name]; ok {
			t.column = column
		}
		return t, err
	})
}

// wanted are the policies of a table as readTables shows them.
func (t *table) wanted(r roles) []string {
	if t.column == "" {
		return nil
	}
	var all []string
	for name, role := range r.names() {
		all = append(all, "parley_"+name+" "+role+" "+t.condition(name))
	}
	return all
}

func (t *table) condition(policy string) string {
	if condition := policies[policy]; strings.Contains(condition, "%s") {
		return fmt.Sprintf(condition, t.column)
	}
	return policies[policy]
}

// missing says what a table lacks, or nothing.
func (t *table) missing(r roles) string {
	var grants []string
	for _, role := range r.names() {
		if p := privileges(t.name); p != "" {
			grants = append(grants, role+" "+p)
		}
	}
	switch {
	case t.column != "" && (!t.secured || !t.forced):
		return "its rows are not secured"
	case !sameMembers(t.policies, t.wanted(r)):
		return "its policies are others"
	case !sameMembers(t.grants, grants):
		return "the privileges of the server's roles are others"
	}
	return ""
}

func sameMembers(a, b []string) bool {
	return slices.Equal(slices.Sorted(slices.Values(a)), slices.Sorted(slices.Values(b)))
}

// raise are the statements that give a table its part of the wall.
func (t *table) raise(r roles) []string {
	quoted := pgx.Identifier{t.name}.Sanitize()
	var out []string
	for _, policy := range t.policies {
		if name, _, _ := strings.Cut(policy, " "); strings.HasPrefix(name, "parley_") {
			out = append(out, fmt.Sprintf("DROP POLICY %s ON %s", pgx.Identifier{name}.Sanitize(), quoted))
		}
	}
	for name, role := range r.names() {
		role = pgx.Identifier{role}.Sanitize()
		out = append(out, fmt.Sprintf("REVOKE ALL ON %s FROM %s", quoted, role))
		if p := privileges(t.name); p != "" {
			out = append(out, fmt.Sprintf("GRANT %s ON %s TO %s", p, quoted, role))
		}
		if t.column == "" {
			continue
		}
		condition := t.condition(name)
		out = append(out,
			fmt.Sprintf("CREATE POLICY parley_%s ON %s TO %s USING (%s) WITH CHECK (%s)", name, quoted, role, condition, condition),
			fmt.Sprintf("COMMENT ON POLICY parley_%s ON %s IS '%s'", name, quoted, strings.ReplaceAll(condition, "'", "''")))
	}
	if t.column != "" {
		out = append(out, fmt.Sprintf("ALTER TABLE %s ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY", quoted))
	}
	return out
}

// lower opens the wall for migrations: the owner is bound by FORCE, too, and has no policy.
const lower = `DO $$ DECLARE t regclass; BEGIN
	FOR t IN SELECT c.oid FROM pg_class c JOIN pg_class m ON m.oid = to_regclass('schema_migrations') AND c.relnamespace = m.relnamespace AND c.relowner = m.relowner WHERE c.relforcerowsecurity LOOP
		EXECUTE 'ALTER TABLE ' || t || ' NO FORCE ROW LEVEL SECURITY';
	END LOOP;
END $$`

package store

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"

	"parley/migrations"
)

const isTable = `SELECT EXISTS (SELECT FROM pg_class WHERE oid = to_regclass($1) AND relkind = 'r')`

// tablesToRename returns which tables that are there have another name after the migrations.
func tablesToRename(ctx context.Context, tx pgx.Tx) (old []string, err error) {
	for name := range migrations.Renamed {
		var there bool
		if err := tx.QueryRow(ctx, isTable, name).Scan(&there); err != nil {
			return nil, err
		}
		if there {
			old = append(old, name)
		}
	}
	return old, nil
}

// keepOldName makes a view with a table's old name, and gives it the table's privileges.
// Servers of the release before use it until they are replaced. Row-level security holds
// for whoever uses the view, not for its owner.
const keepOldName = `CREATE VIEW %[1]s WITH (security_invoker = true) AS SELECT * FROM %[2]s;
DO $$ DECLARE g record; BEGIN
	FOR g IN SELECT x.grantee::regrole AS role, x.privilege_type AS privilege FROM pg_class c, aclexplode(c.relacl) x
		WHERE c.oid = '%[2]s'::regclass AND x.grantee NOT IN (0, c.relowner) LOOP
		EXECUTE format('GRANT %%s ON %[1]s TO %%s', g.privilege, g.role);
	END LOOP;
END $$`

func keepOldNames(ctx context.Context, tx pgx.Tx, old []string) error {
	for _, name := range old {
		statements := fmt.Sprintf(keepOldName, pgx.Identifier{name}.Sanitize(), pgx.Identifier{migrations.Renamed[name]}.Sanitize())
		if _, err := tx.Conn().PgConn().Exec(ctx, statements).ReadAll(); err != nil {
			return fmt.Errorf("keeping the name %s: %w", name, err)
		}
	}
	return nil
}

package store

import (
	"context"
	"crypto/sha256"
	"database/sql"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"strings"

	"github.com/jackc/pgx/v5"
)

const createMigrations = `CREATE TABLE IF NOT EXISTS schema_migrations (
	name text NOT NULL PRIMARY KEY,
	hash text NOT NULL,
	applied_at timestamp NOT NULL DEFAULT CURRENT_TIMESTAMP
)`

// migration is one file.
type migration struct{ name, hash, sql string }

func readMigrations(files fs.FS) ([]migration, error) {
	names, err := fs.Glob(files, "*.sql") // sorted
	if err != nil {
		return nil, err
	}
	all := make([]migration, len(names))
	for i, name := range names {
		text, err := fs.ReadFile(files, name)
		if err != nil {
			return nil, err
		}
		sum := sha256.Sum256(text)
		all[i] = migration{name, hex.EncodeToString(sum[:]), string(text)}
	}
	return all, nil
}

// pending returns the migrations to apply. It refuses a database that has
// migrations this program does not know, and files that were changed or come
// before one that is applied.
func pending(all []migration, applied []migration) ([]migration, error) {
	if len(applied) > len(all) {
		return nil, fmt.Errorf("the database is newer than this program: it has the migration %s. Use the newer program", applied[len(all)].name)
	}
	for i, done := range applied {
		if done.name != all[i].name {
			return nil, fmt.Errorf("the database has the migration %s where this program has %s. Use the program that fits the database", done.name, all[i].name)
		}
		if done.hash != all[i].hash {
			return nil, fmt.Errorf("the migration %s was applied in another version. Restore its file", done.name)
		}
	}
	return all[len(applied):], nil
}

// migrateSQLite applies all that is missing in one transaction. SQLite ignores
// foreign_keys inside a transaction, and rebuilding a table with them on would
// cascade: so they go off before it and are checked at its end.
func migrateSQLite(ctx context.Context, db *sql.DB, files fs.FS) error {
	all, err := readMigrations(files)
	if err != nil {
		return err
	}
	conn, err := db.Conn(ctx)
	if err != nil {
		return err
	}
	defer conn.Close()
	// A database that needs nothing is not written to: its disk may be full.
	if missing, err := missingSQLite(ctx, conn, all); err == nil && len(missing) == 0 {
		return nil
	}
	if _, err := conn.ExecContext(ctx, "PRAGMA foreign_keys = OFF"); err != nil {
		return err
	}
	tx, err := conn.BeginTx(ctx, nil) // immediate: other starters wait here
	if err != nil {
		return err
	}
	defer func() { _ = tx.Rollback() }() // after a commit this does nothing
	if err := applySQLite(ctx, tx, all); err != nil {
		return err
	}
	if err := tx.Commit(); err != nil {
		return err
	}
	_, err = conn.ExecContext(ctx, "PRAGMA foreign_keys = ON")
	return err
}

func applySQLite(ctx context.Context, tx *sql.Tx, all []migration) error {
	if _, err := tx.ExecContext(ctx, createMigrations); err != nil {
		return err
	}
	missing, err := missingSQLite(ctx, tx, all)
	if err != nil || len(missing) == 0 {
		return err
	}
	for _, m := range missing {
		if _, err := tx.ExecContext(ctx, withoutPragmas(m.sql)); err != nil {
			return fmt.Errorf("%s: %w", m.name, err)
		}
		if _, err := tx.ExecContext(ctx, "INSERT INTO schema_migrations (name, hash) VALUES ($1, $2)", m.name, m.hash); err != nil {
			return err
		}
	}
	return checkForeignKeys(ctx, tx)
}

// missingSQLite returns the migrations to apply.
func missingSQLite(ctx context.Context, on interface {
	QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error)
}, all []migration,
) ([]migration, error) {
	rows, err := on.QueryContext(ctx, "SELECT name, hash FROM schema_migrations ORDER BY name")
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var applied []migration
	for rows.Next() {
		var m migration
		if err := rows.Scan(&m.name, &m.hash); err != nil {
			return nil, err
		}
		applied = append(applied, m)
	}
	if err := rows.Err(); err != nil {
		return nil, err
	}
	return pending(all, applied)
}

// withoutPragmas drops the lines that switch foreign keys: see migrateSQLite.
func withoutPragmas(text string) string {
	lines := strings.Split(text, "\n")
	kept := lines[:0]
	for _, line := range lines {
		if !strings.HasPrefix(strings.TrimSpace(line), "PRAGMA foreign_keys") {
			kept = append(kept, line)
		}
	}
	return strings.Join(kept, "\n")
}

func checkForeignKeys(ctx context.Context, tx *sql.Tx) error {
	rows, err := tx.QueryContext(ctx, "PRAGMA foreign_key_check")
	if err != nil {
		return err
	}
	defer rows.Close()
	if rows.Next() {
		return fmt.Errorf("a migration broke a foreign key; nothing was changed")
	}
	return rows.Err()
}

// migrationLock is the key of the advisory lock that starters queue for.
const migrationLock = 0x7061726c6579 // "parley"

// migrate applies all that is missing and raises the wall between workspaces, in
// one transaction and under a lock that other starters wait for.
func (p *postgres) migrate(ctx context.Context, files fs.FS) error {
	all, err := readMigrations(files)
	if err != nil {
		return err
	}
	conn, err := pgx.ConnectConfig(ctx, p.owner)
	if err != nil {
		return err
	}
	defer conn.Close(ctx)
	return pgx.BeginFunc(ctx, conn, func(tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, "SELECT pg_advisory_xact_lock($1)", migrationLock); err != nil {
			return err
		}
		f, err := look(ctx, tx)
		if err != nil {
			return err
		}
		if !f.owns {
			return p.accept(ctx, tx, f, all)
		}
		old, err := tablesToRename(ctx, tx)
		if err != nil {
			return err
		}
		if err := applyPostgres(ctx, tx, all); err != nil {
			return err
		}
		if err := p.raise(ctx, tx, f); err != nil {
			return err
		}
		return keepOldNames(ctx, tx, old)
	})
}

// accept takes a database of somebody else as it is, if nothing is missing.
func (p *postgres) accept(ctx context.Context, tx pgx.Tx, f found, all []migration) error {
	if err := check(ctx, tx, f.roles); err != nil {
		return fmt.Errorf("%w. %s does not own the tables: set DATABASE_OWNER_URL to the URL of their owner, who migrates them", err, f.user)
	}
	if _, err := tx.Exec(ctx, "SET LOCAL ROLE "+pgx.Identifier{f.roles.one}.Sanitize()); err != nil {
		return fmt.Errorf("%w: %s is no member of the server's roles (%w). Set DATABASE_OWNER_URL once to the URL of the owner of the tables, or have a superuser grant them", errNoWall, f.user, err)
	}
	missing, err := missingPostgres(ctx, tx, all)
	if err == nil && len(missing) > 0 {
		err = fmt.Errorf("%d migrations are missing, and %s does not own the tables: set DATABASE_OWNER_URL to the URL of their owner, who migrates them", len(missing), f.user)
	}
	p.roles = &f.roles
	return err
}

// raise raises the wall. Where that cannot be, only an operator who says so goes on
// without.
func (p *postgres) raise(ctx context.Context, tx pgx.Tx, f found) error {
	members := []string{p.server.User}
	if f.user != p.server.User {
		members = append(members, f.user)
	}
	err := pgx.BeginFunc(ctx, tx, func(tx pgx.Tx) error { // within a savepoint
		if err := (builder{tx, members}).raise(ctx, f); err != nil {
			return err
		}
		return check(ctx, tx, f.roles)
	})
	switch {
	case err == nil:
		p.roles = &f.roles
	case errors.Is(err, errNoWall) && p.mayLackWall:
		p.noWall = err
		return nil
	}
	return err
}

func missingPostgres(ctx context.Context, tx pgx.Tx, all []migration) ([]migration, error) {
	rows, err := tx.Query(ctx, "SELECT name, hash FROM schema_migrations ORDER BY name")
	if err != nil {
		return nil, err
	}
	applied, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (m migration, err error) {
		err = row.Scan(&m.name, &m.hash)
		return m, err
	})
	if err != nil {
		return nil, err
	}
	return pending(all, applied)
}

func applyPostgres(ctx context.Context, tx pgx.Tx, all []migration) error {
	if _, err := tx.Exec(ctx, createMigrations); err != nil {
		return err
	}
	missing, err := missingPostgres(ctx, tx, all)
	if err != nil || len(missing) == 0 {
		return err
	}
	if _, err := tx.Exec(ctx, lower); err != nil {
		return err
	}
	for _, m := range missing {
		// Without arguments the whole file goes to the server unchanged.
		if _, err := tx.Conn().PgConn().Exec(ctx, m.sql).ReadAll(); err != nil {
			return fmt.Errorf("%s: %w", m.name, err)
		}
		if _, err := tx.Exec(ctx, "INSERT INTO schema_migrations (name, hash) VALUES ($1, $2)", m.name, m.hash); err != nil {
			return err
		}
	}
	return nil
}

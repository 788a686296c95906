package store

import (
	"context"
	"database/sql"
	"errors"

	entsql "entgo.io/ent/dialect/sql"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/stdlib"
)

// groups are the statements of a chat request that many requests share on
// PostgreSQL: see [group].
type groups struct {
	store *Store
	db    *sql.DB

	conversations *group[openingOf, begunTurn]
	turns         *group[openingOf, begunTurn]
	answers       *group[endOf, struct{}]
	documents     *group[foundDocuments, map[string]liveDocument]
}

// A statement of many rows waits for a lock for 100 ms. A row of another transaction that
// takes longer, such as the deletion of a workspace, must not keep the rows of other
// workspaces waiting: they go on alone. It is set with each statement, as a pooler refuses
// a connection that asks for it; without a wall, once a connection is open.
const (
	declareImpatiently = "SELECT set_config('parley.workspace', $1, true), set_config('role', $2, true), set_config('lock_timeout', '100ms', true)"
	beImpatient        = "SET lock_timeout = '100ms'"
)

// newGroups opens a pool of its own, on which the statements of groups run.
func newGroups(config *pgx.ConnConfig, as *roles, limits limits, s *Store) *groups {
	var opened []stdlib.OptionOpenDB
	if as == nil {
		opened = append(opened, stdlib.OptionAfterConnect(func(ctx context.Context, conn *pgx.Conn) error {
			_, err := conn.Exec(ctx, beImpatient)
			return err
		}))
	}
	g := &groups{store: s, db: limits.openPool(config, as, declareImpatiently, 4*maxStatementsOfGroup, opened...)}

	of := func(row *openingOf) string { return row.workspaceID }
	g.conversations = confinedGroup(of, g.beginConversationAlone, g.beginConversations)
	g.turns = confinedGroup(of, g.beginTurnAlone, func(ctx context.Context, rows []openingOf, tell func(int, begunTurn)) error {
		return beginTurns(ctx, g.db, rows, tell)
	})
	g.answers = confinedGroup(func(row *endOf) string { return row.workspaceID }, g.finishAlone, g.finishTogether)
	g.answers.ends = true
	g.documents = confinedGroup(func(row *foundDocuments) string { return row.workspaceID }, g.liveDocumentsAlone, g.liveDocuments)
	return g
}

func newGroup[Row, Result any](
	alone func(context.Context, Row) (Result, error), together func(context.Context, []Row, func(int, Result)) error,
) *group[Row, Result] {
	return &group[Row, Result]{alone: alone, together: together}
}

// confinedGroup returns a group whose statements are confined to the workspaces of their rows.
func confinedGroup[Row, Result any](
	workspaceOf func(*Row) string, alone func(context.Context, Row) (Result, error), together func(context.Context, []Row, func(int, Result)) error,
) *group[Row, Result] {
	return newGroup(func(ctx context.Context, row Row) (Result, error) {
		return alone(within(ctx, workspaceOf(&row)), row)
	}, func(ctx context.Context, rows []Row, tell func(int, Result)) error {
		return together(withinAll(ctx, column(rows, workspaceOf)), rows, tell)
	})
}

// close stores what waits, and closes the pool.
func (g *groups) close() error {
	g.conversations.stop()
	g.turns.stop()
	g.answers.stop()
	g.documents.stop()
	return g.db.Close()
}

// isUndone reports whether an error says that the server has undone the whole
// statement and goes on: then nothing of it was stored. After any other error, a lost
// connection for one, nobody knows.
func isUndone(err error) bool {
	var refusal *pgconn.PgError
	return errors.As(err, &refusal) && refusal.SeverityUnlocalized == "ERROR"
}

// column is one column of rows, as an array parameter.
func column[Row, Value any](rows []Row, value func(*Row) Value) []Value {
	values := make([]Value, len(rows))
	for i := range rows {
		values[i] = value(&rows[i])
	}
	return values
}

// eachRow runs a query and scans each of its rows. Its error may be the commit's, which
// comes after the last row.
func eachRow(ctx context.Context, on entsql.ExecQuerier, query string, args []any, scan func(*sql.Rows) error) error {
	rows, err := on.QueryContext(ctx, query, args...)
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		if err := scan(rows); err != nil {
			return err
		}
	}
	return rows.Err()
}

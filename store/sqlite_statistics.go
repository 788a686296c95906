package store

import (
	"context"
	"database/sql"
	"errors"
	"maps"
)

// sqliteStatistics are what ANALYZE would find of indexes that begin with a workspace
// or a chatbot once there is much in one: the rows of the table, then those of one workspace
// or chatbot. Without them SQLite guesses ten, prefers such an index to a list of IDs, and
// reads all of a workspace or a chatbot to find three rows of it.
//
// ANALYZE itself is not run: what it finds depends on the hour, and so would the plans.
var sqliteStatistics = map[statistic]string{
	{"documents", "document_sizes"}:                           "1000000 10000 2 1",
	{"documents", "document_list"}:                            "1000000 10000 2 1 1 1",
	{"documents", "document_chatbot_id_input_hash"}:           "1000000 10000 1",
	{"documents", "document_live_reader"}:                     "1000000 10000 5000 2000 2000",
	{"documents", "document_chatbot_id_state"}:                "1000000 10000 5000",
	{"conversations", "conversation_workspace_id_created_at"}: "1000000 10000 2",
	{"usage_records", "receipt_workspace_id_created_at"}:      "1000000 10000 2",
}

const (
	isStated        = `SELECT COUNT(*) FROM sqlite_schema WHERE name = 'sqlite_stat1'`
	selectStatistic = `SELECT tbl, COALESCE(idx, ''), stat FROM sqlite_stat1`
	deleteStatistic = `DELETE FROM sqlite_stat1`
	insertStatistic = `INSERT INTO sqlite_stat1 (tbl, idx, stat) VALUES ($1, $2, $3)`
)

// statistic names what a statistic is about.
type statistic struct{ table, index string }

// stateSQLite tells the planner of a file the statistics, before other connections
// open it. A file that has them already is not written to.
func stateSQLite(ctx context.Context, on *sql.DB) error {
	known, err := statedSQLite(ctx, on)
	if err != nil || maps.Equal(known, sqliteStatistics) {
		return err
	}
	conn, err := on.Conn(ctx)
	if err != nil {
		return err
	}
	defer conn.Close()
	// It makes the table of statistics where there is none.
	if _, err := conn.ExecContext(ctx, "ANALYZE sqlite_schema"); err != nil {
		return err
	}
	if _, err := conn.ExecContext(ctx, deleteStatistic); err != nil {
		return err
	}
	for s, stated := range sqliteStatistics {
		if _, err := conn.ExecContext(ctx, insertStatistic, s.table, s.index, stated); err != nil {
			return err
		}
	}
	// Now the connection, which has the schema already, reads them.
	_, err = conn.ExecContext(ctx, "ANALYZE sqlite_schema")
	return err
}

func statedSQLite(ctx context.Context, on *sql.DB) (known map[statistic]string, err error) {
	tables := 0
	if err := on.QueryRowContext(ctx, isStated).Scan(&tables); err != nil || tables == 0 {
		return nil, err
	}
	rows, err := on.QueryContext(ctx, selectStatistic)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	known = map[statistic]string{}
	for rows.Next() {
		var s statistic
		var stated string
		if err := rows.Scan(&s.table, &s.index, &stated); err != nil {
			return nil, err
		}
		known[s] = stated
	}
	return known, rows.Err()
}

package store

import (
	"context"
	"database/sql"
	"sync"

	entsql "entgo.io/ent/dialect/sql"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/stdlib"

	"parley/ent/scope"
)

// groupPool is where the statements of groups run.
type groupPool struct {
	db *sql.DB

	mu     sync.Mutex
	groups []stopper
}

// stopper is a [Group] of whatever rows.
type stopper interface{ stop() }

// A statement of many rows waits for a lock for 100 ms. A row of another transaction that
// takes longer, such as the deletion of a workspace, must not keep the rows of other
// workspaces waiting: they go on alone. It is set with each statement, as a pooler refuses
// a connection that asks for it; without a wall, once a connection is open.
const (
	declareWithLockTimeout = "SELECT set_config('parley.workspace', $1, true), set_config('role', $2, true), set_config('lock_timeout', '100ms', true)"
	setLockTimeout         = "SET lock_timeout = '100ms'"
)

// groupConnections is enough for the groups that there are: of first questions, of further
// ones, of answers and of documents.
const groupConnections = 4 * maxStatementsOfGroup

// openGroupPool opens a pool of its own, on which the statements of groups run.
func openGroupPool(config *pgx.ConnConfig, as *roles, limits limits) *groupPool {
	var opened []stdlib.OptionOpenDB
	if as == nil {
		opened = append(opened, stdlib.OptionAfterConnect(func(ctx context.Context, conn *pgx.Conn) error {
			_, err := conn.Exec(ctx, setLockTimeout)
			return err
		}))
	}
	return &groupPool{db: limits.openPool(config, as, declareWithLockTimeout, groupConnections, opened...)}
}

// close stores what waits, and closes the pool.
func (p *groupPool) close() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, g := range p.groups {
		g.stop()
	}
	return p.db.Close()
}

// NewGroup returns a group whose statements are confined to the workspaces of their rows:
// alone stores one row, and together stores several on the connections that it is given.
// On SQLite, whose writer shares commits, there are no groups, and it returns nil.
func NewGroup[Row, Result any](s *Store, workspaceOf func(*Row) string,
	alone func(context.Context, Row) (Result, error), together func(ctx context.Context, on entsql.ExecQuerier, rows []Row, tell func(int, Result)) error,
) *Group[Row, Result] {
	if s.groups == nil {
		return nil
	}
	g := &Group[Row, Result]{Alone: func(ctx context.Context, row Row) (Result, error) {
		return alone(scope.Workspace(ctx, workspaceOf(&row)), row)
	}, Together: func(ctx context.Context, rows []Row, tell func(int, Result)) error {
		return together(withinAll(ctx, Column(rows, workspaceOf)), s.groups.db, rows, tell)
	}}
	s.groups.mu.Lock()
	defer s.groups.mu.Unlock()
	s.groups.groups = append(s.groups.groups, g)
	return g
}

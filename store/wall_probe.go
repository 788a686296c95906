package store

import (
	"context"
	"errors"
	"fmt"

	entsql "entgo.io/ent/dialect/sql"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"parley/core/isolation"
	"parley/ent/scope"
	"parley/internal/intx"
)

// refusedByWall is the SQLSTATE of what a policy or a privilege refuses. A policy is looked at
// before all other conditions of a row, so that any other error means that there is none.
const refusedByWall = "42501"

// probes are statements about rows of $1 that come from a server confined to another
// workspace, $2. They name the table and its column.
var probes = []struct{ what, statement string }{
	{"read its rows", "SELECT count(*) FROM %s WHERE %s = $1"},
	{"change its rows", "UPDATE %s SET %[2]s = %[2]s WHERE %[2]s = $1"},
	{"delete its rows", "DELETE FROM %s WHERE %s = $1"},
	{"add a row to it", "INSERT INTO %s (%s) VALUES ($1)"},
	{"move its own rows into it", "UPDATE %s SET %[2]s = $1 WHERE %[2]s = $2"},
}

// Probe has the server's role, confined to one workspace, try statements about the rows of
// another, on every table. Nothing stays of what they did.
func (w *Wall) Probe(ctx context.Context, fromID, intoID string) ([]isolation.Probe, error) {
	known := w.store.wall
	if known.roles == nil {
		return nil, nil
	}
	ctx = Background(ctx)
	conn, err := w.store.Connect(ctx)
	if err != nil {
		return nil, MapError(err)
	}
	defer conn.Close(context.WithoutCancel(ctx))
	var all []table
	err = pgx.BeginFunc(ctx, conn, func(tx pgx.Tx) (err error) {
		all, err = readTables(ctx, tx, *known.roles)
		return err
	})
	if err != nil {
		return nil, MapError(err)
	}
	var found []isolation.Probe
	for _, t := range all {
		if t.column == "" {
			continue
		}
		probe, err := w.probeTable(ctx, t, fromID, intoID)
		if err != nil {
			return nil, MapError(err)
		}
		found = append(found, probe)
	}
	return found, nil
}

func (w *Wall) probeTable(ctx context.Context, t table, fromID, intoID string) (isolation.Probe, error) {
	p := isolation.Probe{Table: t.name}
	name := pgx.Identifier{t.name}.Sanitize()
	err := ScanOne(scope.Workspace(ctx, intoID), w.store.Raw(ctx), []any{&p.Rows}, fmt.Sprintf(probes[0].statement, name, t.column), intoID)
	if err != nil {
		return p, err
	}
	for i, each := range probes {
		args := []any{intoID}
		if i == len(probes)-1 {
			args = append(args, fromID)
		}
		reached, err := w.reaches(scope.Workspace(ctx, fromID), i == 0, fmt.Sprintf(each.statement, name, t.column), args)
		if err != nil {
			return p, err
		}
		if reached > 0 || reached < 0 {
			p.Crossed = "it could " + each.what
			break
		}
	}
	return p, nil
}

// errTakeBack ends a transaction of which nothing is to stay.
var errTakeBack = errors.New("taken back")

// reaches returns how many rows a statement reaches, or -1 if only another condition than the
// wall has refused it, and takes back what it did.
func (w *Wall) reaches(ctx context.Context, reads bool, statement string, args []any) (n int64, err error) {
	err = w.store.begin.inTx(ctx, func(ctx context.Context, on entsql.ExecQuerier, _ *intx.Transaction) error {
		if reads {
			if err := ScanOne(ctx, on, []any{&n}, statement, args...); err != nil {
				return err
			}
			return errTakeBack
		}
		result, err := on.ExecContext(ctx, statement, args...)
		if err != nil {
			return err
		}
		if n, err = result.RowsAffected(); err != nil {
			return err
		}
		return errTakeBack
	})
	var refusal *pgconn.PgError
	switch {
	case errors.Is(err, errTakeBack):
		return n, nil
	case errors.As(err, &refusal) && refusal.Code == refusedByWall:
		return 0, nil
	case errors.As(err, &refusal) && refusal.Code[:2] == "23":
		return -1, nil
	}
	return 0, err
}

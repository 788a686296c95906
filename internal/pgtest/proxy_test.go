package pgtest_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"parley/internal/pgtest"
)

// letters is a table behind a proxy, with a connection through it and one around it.
type letters struct {
	*testing.T
	proxy          *pgtest.Proxy
	through, aside *pgx.Conn
}

func newLetters(t *testing.T) *letters {
	t.Helper()
	database := pgtest.New(t)
	aside := connect(t, database)
	if _, err := aside.Exec(t.Context(), "CREATE TABLE letters (id int)"); err != nil {
		t.Fatal(err)
	}
	proxy := pgtest.NewProxy(t, database)
	return &letters{t, proxy, connect(t, proxy.URL()), aside}
}

func (l *letters) stored() int {
	l.Helper()
	return one[int](l.T, l.aside, "SELECT count(*) FROM letters")
}

func (l *letters) insert(ctx context.Context) error {
	var id int
	return l.through.QueryRow(ctx, "INSERT INTO letters VALUES ($1) RETURNING id", 7).Scan(&id)
}

func TestProxy(t *testing.T) {
	const insert = "insert into letters"

	t.Run("what no rule matches passes, prepared or not", func(t *testing.T) {
		l := newLetters(t)
		l.proxy.On(pgtest.Rule{SQL: "delete"})
		for range 3 {
			if err := l.insert(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
		if _, err := l.through.Exec(t.Context(), "INSERT INTO letters VALUES (8); INSERT INTO letters VALUES (9)", pgx.QueryExecModeSimpleProtocol); err != nil {
			t.Fatal(err)
		}
		if n := l.stored(); n != 5 {
			t.Errorf("%d letters are stored", n)
		}
	})
	for name, c := range map[string]struct {
		at   pgtest.Point
		want int
	}{
		"a connection cut before the execution stores nothing":       {pgtest.BeforeExecution, 0},
		"a connection cut after the execution loses only its answer": {pgtest.AfterExecution, 1},
		"a connection cut after the rows has stored them":            {pgtest.AfterRows, 1},
	} {
		t.Run(name, func(t *testing.T) {
			l := newLetters(t)
			rule := l.proxy.On(pgtest.Rule{SQL: insert, At: c.at})
			if err := l.insert(t.Context()); err == nil {
				t.Error("the client noticed nothing")
			}
			if n := l.stored(); n != c.want || rule.Applied() != 1 {
				t.Errorf("%d letters are stored; the rule applied %d times", n, rule.Applied())
			}
		})
	}
	t.Run("after the rows the client has read them", func(t *testing.T) {
		l := newLetters(t)
		l.proxy.On(pgtest.Rule{SQL: insert, At: pgtest.AfterRows})
		rows, err := l.through.Query(t.Context(), "INSERT INTO letters VALUES (7) RETURNING id")
		if err != nil || !rows.Next() {
			t.Fatalf("there is no row: %v", err)
		}
		if rows.Next() || rows.Err() == nil {
			t.Error("the end of the rows came without an error")
		}
	})
	t.Run("a COMMIT is told from another by what its transaction did, and its loss keeps the transaction", func(t *testing.T) {
		l := newLetters(t)
		rule := l.proxy.On(pgtest.Rule{SQL: "commit", After: insert, At: pgtest.AfterExecution})
		for _, do := range []func(pgx.Tx) error{
			func(tx pgx.Tx) error { return tx.QueryRow(t.Context(), "SELECT 1").Scan(new(int)) },
			func(pgx.Tx) error { return l.insert(t.Context()) },
		} {
			tx, err := l.through.Begin(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			if err := do(tx); err != nil {
				t.Fatal(err)
			}
			err = tx.Commit(t.Context())
			if lost := rule.Applied() == 1; lost != (err != nil) {
				t.Errorf("the rule applied %d times, and the commit gave %v", rule.Applied(), err)
			}
		}
		if n := l.stored(); n != 1 || rule.Applied() != 1 {
			t.Errorf("%d letters are stored; the rule applied %d times", n, rule.Applied())
		}
	})
	t.Run("a rule skips statements and applies to as many as it says", func(t *testing.T) {
		l := newLetters(t)
		l.proxy.On(pgtest.Rule{SQL: insert, Skip: 1, Times: 2, Do: pgtest.Cut})
		var outcomes []bool
		for range 4 {
			l.through = connect(t, l.proxy.URL())
			outcomes = append(outcomes, l.insert(t.Context()) == nil)
		}
		if outcomes[0] != true || outcomes[1] || outcomes[2] || outcomes[3] != true {
			t.Errorf("stored were %v", outcomes)
		}
	})
	t.Run("a rule is for statements whose first parameter has as many elements as it says", func(t *testing.T) {
		const insert = "INSERT INTO letters SELECT * FROM unnest($1::int[])"
		for given, want := range map[int]int32{0: 0, 1: 0, 2: 0, 3: 1, 4: 1} {
			l := newLetters(t)
			rule := l.proxy.On(pgtest.Rule{SQL: "insert into letters", Elements: 3})
			_, _ = l.through.Exec(t.Context(), insert, make([]int32, given))
			if rule.Applied() != int(want) {
				t.Errorf("to a statement of %d it applied %d times", given, rule.Applied())
			}
		}
		l := newLetters(t)
		rule := l.proxy.On(pgtest.Rule{SQL: "insert into letters", Elements: 1})
		if err := l.insert(t.Context()); err != nil || rule.Applied() != 0 {
			t.Errorf("to a statement of no array it applied %d times (%v)", rule.Applied(), err)
		}
	})
	t.Run("a statement hangs until its rule is released", func(t *testing.T) {
		for _, at := range []pgtest.Point{pgtest.BeforeExecution, pgtest.AfterExecution} {
			l := newLetters(t)
			rule := l.proxy.On(pgtest.Rule{SQL: insert, At: at, Do: pgtest.Hang})
			stored := make(chan error, 1)
			go func() { stored <- l.insert(t.Context()) }()
			<-rule.Reached()
			if n := l.stored(); n != map[pgtest.Point]int{pgtest.BeforeExecution: 0, pgtest.AfterExecution: 1}[at] {
				t.Errorf("at point %d there are %d letters", at, n)
			}
			rule.Release()
			if err := <-stored; err != nil {
				t.Error(err)
			}
		}
	})
	t.Run("a proxy that hangs answers neither statements nor new connections, and later the server executes what it was sent", func(t *testing.T) {
		l := newLetters(t)
		if err := l.insert(t.Context()); err != nil {
			t.Fatal(err)
		}
		resume := l.proxy.HangAll()
		ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
		defer cancel()
		if err := l.insert(ctx); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("the statement gave %v", err)
		}
		if _, err := pgx.Connect(ctx, l.proxy.URL()); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("the new connection gave %v", err)
		}
		resume()
		for l.stored() != 2 {
			time.Sleep(time.Millisecond)
		}
	})
	t.Run("after CutAll the open connections are dead, and new ones work", func(t *testing.T) {
		l := newLetters(t)
		l.proxy.CutAll()
		if err := l.insert(t.Context()); err == nil {
			t.Error("the connection still works")
		}
		l.through = connect(t, l.proxy.URL())
		if err := l.insert(t.Context()); err != nil {
			t.Error(err)
		}
	})
}

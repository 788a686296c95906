package store_test

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgconn"

	"parley/core/account"
	"parley/core/chat"
	"parley/core/fault"
	"parley/ent/generated/conversation"
	"parley/ent/scope"
	"parley/internal/pgtest"
	"parley/store"
	"parley/store/people"
)

// run runs statements by hand in one transaction.
func (b *bundle) run(ctx context.Context, statements ...string) error {
	return b.InTx(ctx, func(ctx context.Context) error {
		for _, statement := range statements {
			if _, err := b.Raw(ctx).ExecContext(scope.System(ctx, everywhere), statement); err != nil {
				return err
			}
		}
		return nil
	})
}

// ownerRun runs statements beside the store: the server's role owns nothing.
func (b *bundle) ownerRun(ctx context.Context, statements ...string) error {
	for _, statement := range statements {
		if _, err := b.beside().ExecContext(ctx, statement); err != nil {
			return err
		}
	}
	return nil
}

func TestErrorsHaveTheirKind(t *testing.T) {
	onBothDatabases(t, func(b *bundle) {
		b.must(b.CreateUser(b.Context(), newUser("usr_a")))
		b.wantKind(b.CreateUser(b.Context(), newUser("usr_a")), fault.Conflict)
		_, err := b.User(b.Context(), "usr_nobody")
		b.wantKind(err, fault.NotFound)
		b.wantKind(b.CreateSession(b.Context(), account.Session{ID: "s", UserID: "usr_nobody", CreatedAt: epoch}), fault.Conflict)

		for what, statement := range map[string]string{
			"a wrong column":    "UPDATE users SET nothing = 1",
			"a wrong table":     "DELETE FROM nothing",
			"wrong syntax":      "SELEKT 1",
			"a wrong function":  "SELECT nothing(1)",
			"a missing value":   "INSERT INTO users (id) VALUES ('usr_b')",
			"too many commands": "SAVEPOINT a; RELEASE b",
		} {
			err := b.run(b.Context(), statement)
			if f := fault.As(err); f.Kind != fault.Internal {
				b.Errorf("%s is of kind %d: %v", what, f.Kind, err)
			}
		}
		_, err = scanOneInt(b, "SELECT nothing FROM users")
		b.wantKind(err, fault.Internal)
		b.wantKind(b.InTx(b.Context(), func(context.Context) error { return errTest }), fault.Internal)

		b.must(b.Reads().Close())
		_, err = b.User(b.Context(), "usr_a")
		b.wantKind(err, fault.Unavailable)
		if b.Check(b.Context()) == nil {
			b.Error("a closed database passes the check")
		}
	})
}

func scanOneInt(b *bundle, query string) (n int, err error) {
	err = store.ScanOne(scope.System(b.Context(), everywhere), b.Raw(b.Context()), []any{&n}, query)
	return n, store.MapError(err)
}

func TestTheEndOfAContextIsNoFault(t *testing.T) {
	onBothDatabases(t, func(b *bundle) {
		want := func(t *testing.T, err, want error) {
			t.Helper()
			var known *fault.Error
			if !errors.Is(err, want) || errors.As(err, &known) {
				t.Errorf("it is %v, want %v and no fault", err, want)
			}
			// Who gives no kind to it tells nobody to try again.
			if fault.As(err).Kind != fault.Internal {
				t.Errorf("it is of kind %d", fault.As(err).Kind)
			}
		}
		canceled, cancel := context.WithCancel(b.Context())
		cancel()
		lapsed, cancel := context.WithTimeout(b.Context(), -time.Second)
		defer cancel()
		for ctx, end := range map[context.Context]error{canceled: context.Canceled, lapsed: context.DeadlineExceeded} {
			_, err := b.User(ctx, "usr_a")
			want(b.T, err, end)
			want(b.T, b.CreateUser(ctx, newUser("usr_a")), end)
			want(b.T, b.InTx(ctx, func(context.Context) error { return nil }), end)
		}
		b.Run("a query that takes too long", func(t *testing.T) {
			slow := "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT COUNT(*) FROM n"
			if !b.IsSQLite() {
				slow = "SELECT 1 FROM pg_sleep(60)"
			}
			ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
			defer cancel()
			var n int
			want(t, store.MapError(store.ScanOne(ctx, b.Raw(ctx), []any{&n}, slow)), context.DeadlineExceeded)
		})
		if b.IsSQLite() {
			return // its transactions do not end with their context
		}
		b.Run("a transaction whose context ends before the commit", func(t *testing.T) {
			for range 20 {
				ctx, cancel := context.WithCancel(t.Context())
				err := b.InTx(ctx, func(ctx context.Context) error {
					cancel()
					time.Sleep(time.Millisecond) // database/sql rolls it back meanwhile
					return nil
				})
				want(t, err, context.Canceled)
			}
		})
	})
}

func TestUnavailableSQLite(t *testing.T) {
	t.Parallel()
	t.Run("a file that another process keeps locked", func(t *testing.T) {
		url := migratedSQLite(t)
		b := openBundle(t, url+"?_pragma=busy_timeout(20)")
		other, err := sql.Open("sqlite", "file:"+strings.TrimPrefix(url, store.SQLiteScheme))
		b.must(err)
		defer other.Close()
		conn, err := other.Conn(t.Context())
		b.must(err)
		defer conn.Close()
		_, err = conn.ExecContext(t.Context(), "BEGIN IMMEDIATE")
		b.must(err)
		b.wantKind(b.CreateUser(t.Context(), newUser("late")), fault.Unavailable)
		_, err = conn.ExecContext(t.Context(), "ROLLBACK")
		b.must(err)
		b.must(b.CreateUser(t.Context(), newUser("in time")))
	})
	t.Run("a full disk", func(t *testing.T) {
		url := migratedSQLite(t)
		pages := openBundle(t, url).count("PRAGMA page_count")
		b := openBundle(t, fmt.Sprintf("%s?_pragma=max_page_count(%d)", url, pages))
		err := b.run(t.Context(), "CREATE TABLE more (a)", "INSERT INTO more VALUES (zeroblob(100000))")
		b.wantKind(err, fault.Unavailable)
		contains(t, err, "full")
		if !fault.IsOutOfStorage(err) {
			t.Errorf("its code is %s", fault.As(err).Code())
		}
	})
	t.Run("a full disk of the system, and a quota that is used up", func(t *testing.T) {
		for _, says := range []error{
			&os.PathError{Op: "write", Path: "parley.db", Err: syscall.ENOSPC},
			&os.PathError{Op: "open", Path: "/tmp/sort", Err: syscall.EDQUOT},
			&pgconn.PgError{Code: "53100", Message: `could not extend file "base/1": No space left on device`},
			&pgconn.PgError{Code: "XX000", Message: `could not extend file "base/1": Disk quota exceeded`},
		} {
			if err := store.MapError(fmt.Errorf("insert: %w", says)); !fault.IsOutOfStorage(err) {
				t.Errorf("%v becomes %v", says, err)
			}
		}
		if err := store.MapError(&pgconn.PgError{Code: "XX000", Message: "cache lookup failed"}); fault.IsOutOfStorage(err) {
			t.Errorf("another failure becomes %v", err)
		}
	})
	t.Run("a database that is gone is the operator's, and one that is busy with others passes by itself", func(t *testing.T) {
		for state, operators := range map[string]bool{"08006": true, "53300": true, "57P03": true, "25006": true, "40P01": false, "40001": false, "55P03": false, "57014": false} {
			err := store.MapError(&pgconn.PgError{Code: state})
			if f := fault.As(err); f.Kind != fault.Unavailable || f.OperatorMustAct() != operators {
				t.Errorf("%s becomes %v, the operator's: %t", state, err, f.OperatorMustAct())
			}
		}
	})
	t.Run("a file that is no database is no trouble that passes", func(t *testing.T) {
		b := openBundle(t, migratedSQLite(t))
		other, err := sql.Open("sqlite", "file:"+t.TempDir()+"/a.db")
		b.must(err)
		defer other.Close()
		_, err = other.ExecContext(t.Context(), "PRAGMA journal_mode = nothing; SELECT nothing")
		b.wantKind(store.MapError(err), fault.Internal)
	})
}

func TestUnavailablePostgres(t *testing.T) {
	t.Parallel()
	b := openBundle(t, migratedPostgres.New(t))
	b.must(b.CreateUser(t.Context(), newUser("usr_a")))
	const change = "UPDATE users SET password_hash = 'b' WHERE id = 'usr_a'"
	raise := func(state string) string {
		return "DO $$ BEGIN RAISE EXCEPTION 'of the test' USING ERRCODE = '" + state + "'; END $$"
	}
	// locked runs what has to wait for a row that another transaction changed.
	locked := func(statements ...string) error {
		tx, err := b.beside().BeginTx(t.Context(), nil)
		b.must(err)
		defer func() { b.must(tx.Rollback()) }()
		_, err = tx.ExecContext(t.Context(), change)
		b.must(err)
		return b.run(t.Context(), append(statements, change)...)
	}

	for _, c := range []struct {
		what string
		err  func() error
		kind fault.Kind
	}{
		{"a lock time-out", func() error { return locked("SET LOCAL lock_timeout = '20ms'") }, fault.Unavailable},
		{"a statement time-out", func() error { return locked("SET LOCAL statement_timeout = '20ms'") }, fault.Unavailable},
		{"a read-only server", func() error { return b.run(t.Context(), "SET TRANSACTION READ ONLY", change) }, fault.Unavailable},
		{"a terminated backend", func() error {
			return b.run(t.Context(), "RESET ROLE", "SELECT pg_terminate_backend(pg_backend_pid())", change)
		}, fault.Unavailable},
		{"a backend that was terminated between two statements", func() error {
			return b.InTx(t.Context(), func(ctx context.Context) error {
				var pid int
				if err := store.ScanOne(ctx, b.Raw(ctx), []any{&pid}, "SELECT pg_backend_pid()"); err != nil {
					return err
				}
				_, err := b.beside().ExecContext(t.Context(), fmt.Sprintf("SELECT pg_terminate_backend(%d, 10000)", pid))
				b.must(err)
				_, err = b.User(ctx, "usr_a")
				return err
			})
		}, fault.Unavailable},
		{"a full disk", func() error { return b.run(t.Context(), raise("53100")) }, fault.Unavailable},
		{"too many connections", func() error { return b.run(t.Context(), raise("53300")) }, fault.Unavailable},
		{"a server that starts", func() error { return b.run(t.Context(), raise("57P03")) }, fault.Unavailable},
		{"a connection that failed", func() error { return b.run(t.Context(), raise("08006")) }, fault.Unavailable},
		{"a division by zero", func() error { return b.run(t.Context(), "SELECT 1/0") }, fault.Internal},
		{"a missing right", func() error { return b.run(t.Context(), raise("42501")) }, fault.Internal},
		{"a damaged table", func() error { return b.run(t.Context(), raise("XX001")) }, fault.Internal},
		{"a transaction that failed before", func() error {
			return b.InTx(t.Context(), func(ctx context.Context) error {
				_ = b.run(ctx, "SELECT 1/0")
				return b.run(ctx, change)
			})
		}, fault.Internal},
	} {
		if err := c.err(); !fault.Is(err, c.kind) {
			t.Errorf("%s is %v, want a fault of kind %d", c.what, err, c.kind)
		}
		if _, err := b.User(t.Context(), "usr_a"); err != nil {
			t.Errorf("after %s: %v", c.what, err)
		}
	}

	t.Run("a full disk has its code, and the storage is full until something fits again", func(t *testing.T) {
		if err := b.run(t.Context(), raise("53100")); !fault.IsOutOfStorage(err) {
			t.Errorf("it is %v", err)
		}
		if err := b.CheckStorage(t.Context()); !fault.IsOutOfStorage(err) {
			t.Errorf("the storage is %v", err)
		}
		store.FullLongAgo(b.Store)
		b.must(b.CheckStorage(t.Context()))
	})

	t.Run("a deadlock", func(t *testing.T) {
		b.must(b.CreateUser(t.Context(), newUser("usr_b")))
		var first sync.WaitGroup
		first.Add(2)
		errs := make(chan error, 2)
		for _, ids := range [][2]string{{"usr_a", "usr_b"}, {"usr_b", "usr_a"}} {
			go func() {
				errs <- b.InTx(t.Context(), func(ctx context.Context) error {
					err := b.SetPassword(ctx, ids[0], "c")
					first.Done()
					first.Wait()
					return errors.Join(err, b.SetPassword(ctx, ids[1], "c"))
				})
			}()
		}
		err := errors.Join(<-errs, <-errs) // one goes through
		b.wantKind(err, fault.Unavailable)
		contains(t, err, "40P01")
	})

	t.Run("a server that takes no connections", func(t *testing.T) {
		defer pgtest.Outage(t, b.url)()
		_, err := b.User(t.Context(), "usr_a")
		b.wantKind(err, fault.Unavailable)
		b.wantKind(b.CreateUser(t.Context(), newUser("usr_c")), fault.Unavailable)
		b.wantKind(b.run(t.Context(), change), fault.Unavailable)
	})

	t.Run("a port that nobody listens on", func(t *testing.T) {
		nobody, err := store.Unconnected("postgres://user@127.0.0.1:1/none?sslmode=disable")
		b.must(err)
		defer nobody.Close()
		_, err = people.NewUsers(nobody).User(t.Context(), "usr_a")
		b.wantKind(err, fault.Unavailable)
		b.wantKind(nobody.InTx(t.Context(), func(context.Context) error { return nil }), fault.Unavailable)
	})
}

func TestOpenWithoutPostgreSQL(t *testing.T) {
	for sentence, c := range map[string]struct{ url, says string }{
		"nobody listens":          {"postgres://me:hunter2@127.0.0.1:1/parley", "PostgreSQL does not answer at 127.0.0.1:1 (connection refused); start it there, or correct DATABASE_URL"},
		"there is no such socket": {"postgres://me:hunter2@/parley?host=/nowhere", "PostgreSQL does not answer at /nowhere:5432 (no such file or directory); start it there, or correct DATABASE_URL"},
		"there is no such role":   {strings.Replace(pgtest.New(t), "postgres://postgres@", "postgres://nobody:hunter2@", 1), `(role "nobody" does not exist); correct DATABASE_URL`},
	} {
		t.Run(sentence+", and one sentence says so", func(t *testing.T) {
			_, err := store.Open(t.Context(), c.url)
			if err == nil || !strings.HasSuffix(err.Error(), c.says) || strings.ContainsAny(err.Error(), "\n\t") || strings.Contains(err.Error(), "hunter2") {
				t.Errorf("it says %q", err)
			}
			var cause *pgconn.ConnectError
			if !errors.As(err, &cause) {
				t.Error("the driver's error is lost")
			}
		})
	}
}

// A workspace is deleted while questions begin in it: none of them, nor the
// deletion, ends in a deadlock, which PostgreSQL would report after a second.
func TestDeleteWorkspaceWhileQuestionsBegin(t *testing.T) {
	onBothDatabases(t, func(b *bundle) {
		for round := range 10 {
			a := b.fill(fmt.Sprint("a", round))
			b.must(b.FinishTurn(b.Context(), a.id, a.wholeAnswer(a.answer, 1)))
			begin := make(chan struct{})
			var all sync.WaitGroup
			ask := func(what string, do func() error) {
				all.Go(func() {
					<-begin
					for {
						err := do()
						if fault.Is(err, fault.Unavailable) || fault.Is(err, fault.Internal) {
							b.Errorf("%s: %v", what, err)
						}
						if fault.Is(err, fault.NotFound) || fault.Is(err, fault.Conflict) && b.isGone(a.id) || b.Failed() {
							return
						}
					}
				})
			}
			for range 3 {
				ask("a first question", func() error {
					_, _, err := b.BeginConversation(b.Context(), a.id, chat.Conversation{ChatbotID: a.chatbot, Status: chat.Active, Origin: chat.API, CreatedAt: epoch}, a.newTurn())
					return err
				})
				ask("a further question", func() error {
					answer, _, err := b.BeginTurn(b.Context(), a.id, a.newTurn())
					if err == nil {
						ended := a.wholeAnswer(answer, 1)
						ended.Citations = nil
						err = b.FinishTurn(b.Context(), a.id, ended)
					}
					return err
				})
			}
			all.Go(func() {
				<-begin
				time.Sleep(time.Duration(round) * time.Millisecond)
				if err := b.DeleteWorkspace(b.Context(), a.id); err != nil {
					b.Errorf("the deletion: %v", err)
				}
			})
			close(begin)
			all.Wait()
		}
	})
}

// A question ties its conversation to an end user while the workspace is being
// deleted.
func TestDeleteWorkspaceWhileAConversationIsTied(t *testing.T) {
	onBothDatabases(t, func(b *bundle) {
		a := b.fill("a")
		b.must(b.FinishTurn(b.Context(), a.id, a.wholeAnswer(a.answer, 1)))
		deleted := make(chan error, 1)
		b.must(b.InTx(b.Context(), func(ctx context.Context) error {
			if _, _, err := b.BeginTurn(ctx, a.id, a.newTurn()); err != nil {
				return err
			}
			go func() { deleted <- b.DeleteWorkspace(b.Context(), a.id) }()
			b.waitUntilBlocked()
			return b.Client(ctx).Conversation.Update().Where(conversation.ID(a.conversation)).SetExternalUserID(a.secret).Exec(scope.Workspace(ctx, a.id))
		}))
		b.must(receive(b.T, "the workspace is deleted", deleted))
		if !b.isGone(a.id) {
			b.Error("the workspace is left")
		}
	})
}

// waitUntilBlocked waits until a statement waits for another transaction. SQLite
// has one writer, and its queue shows nobody.
func (b *bundle) waitUntilBlocked() {
	b.Helper()
	if b.IsSQLite() {
		return
	}
	eventually(b.T, "somebody waits", func() bool {
		return b.count("SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'") > 0
	})
}

func (b *bundle) isGone(workspaceID string) bool {
	_, err := b.Workspace(b.Context(), workspaceID)
	return fault.Is(err, fault.NotFound)
}

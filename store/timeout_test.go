package store_test

import (
	"context"
	"database/sql"
	"sync"
	"testing"
	"time"

	"parley/core/fault"
	"parley/ent/scope"
	"parley/internal/pgtest"
	"parley/store"
)

// soon is how long a request waits for PostgreSQL in these tests.
const soon = 200 * time.Millisecond

// connects waits until the store has a connection: to open one takes longer than soon on a
// busy machine.
func (x *broken) connects() {
	x.Helper()
	eventually(x.T, "there is a connection", func() bool { return x.Check(x.Context()) == nil })
}

func TestAServerThatHangs(t *testing.T) {
	t.Parallel()
	requests := map[string]func(*broken, context.Context) error{
		"a query": func(x *broken, ctx context.Context) error {
			_, err := x.User(ctx, x.w.user)
			return err
		},
		"a statement":      func(x *broken, ctx context.Context) error { return x.SetPassword(ctx, x.w.user, "b") },
		"a transaction":    func(x *broken, ctx context.Context) error { return x.askInTx(ctx) },
		"a first question": func(x *broken, ctx context.Context) error { return x.ask(ctx, "alone") },
		"a check":          func(x *broken, ctx context.Context) error { return x.Check(ctx) },
	}
	t.Run("every request that waits for it is told so in time, and works when it answers again", func(t *testing.T) {
		x := newBrokenWith(t, store.Options{AnswerWithin: soon})
		for _, connected := range []bool{false, true} {
			if connected {
				x.connects()
			}
			resume := x.proxy.HangAll()
			var all sync.WaitGroup
			for name, do := range requests {
				for range 20 { // more than there are connections
					all.Go(func() {
						if err := do(x, t.Context()); !fault.Is(err, fault.Unavailable) {
							t.Errorf("%s (connected: %t) gave %v", name, connected, err)
						}
					})
				}
			}
			all.Wait()
			resume()
			for name, do := range requests {
				eventually(t, name+" works again", func() bool { return do(x, t.Context()) == nil })
			}
		}
	})
	for name, rule := range map[string]pgtest.Rule{
		"between the rows and the end of an answer": {SQL: "insert into conversations", At: pgtest.AfterRows, Do: pgtest.Hang},
		"at a BEGIN":  {SQL: "begin", Do: pgtest.Hang},
		"at a COMMIT": {SQL: "commit", At: pgtest.AfterExecution, Do: pgtest.Hang},
	} {
		t.Run("when it hangs "+name+", the request is told so in time", func(t *testing.T) {
			t.Parallel()
			x := newBrokenWith(t, store.Options{AnswerWithin: soon})
			x.connects()
			hung := x.proxy.On(rule)
			eventually(t, "it hangs "+name, func() bool { // on a busy machine a statement before may take longer than soon
				x.wantKind(x.askInTx(t.Context()), fault.Unavailable)
				return hung.Applied() > 0
			})
		})
	}
	t.Run("work that no request waits for may take longer", func(t *testing.T) {
		x := newBrokenWith(t, store.Options{AnswerWithin: soon})
		slow := func(ctx context.Context) error {
			_, err := x.Raw(ctx).ExecContext(scope.System(ctx, everywhere), "SELECT pg_sleep($1)", (2 * soon).Seconds())
			return store.MapError(err)
		}
		eventually(t, "slow work ends", func() bool { return slow(store.Background(t.Context())) == nil })
		eventually(t, "a slow transaction ends", func() bool { return x.InTx(store.Background(t.Context()), slow) == nil })
		x.wantKind(slow(t.Context()), fault.Unavailable)
		x.wantKind(x.InTx(t.Context(), slow), fault.Unavailable)
	})
}

func TestAPoolThatIsBusy(t *testing.T) {
	t.Parallel()
	x := newBrokenWith(t, store.Options{AnswerWithin: soon})
	busy := make([]*sql.Conn, x.Reads().Stats().MaxOpenConnections)
	for i := range busy {
		conn, err := x.Reads().Conn(t.Context())
		for tries := 0; err != nil && tries < 50; tries++ { // to open one takes longer than soon on a busy machine
			conn, err = x.Reads().Conn(t.Context())
		}
		x.must(err)
		busy[i] = conn
	}
	t.Run("a request that gets no connection in time is refused as Unavailable", func(t *testing.T) {
		_, err := x.User(t.Context(), x.w.user)
		x.wantKind(err, fault.Unavailable)
		contains(t, err, "no connection")
		x.wantKind(x.SetPassword(t.Context(), x.w.user, "b"), fault.Unavailable)
		x.wantKind(x.InTx(t.Context(), func(context.Context) error { return nil }), fault.Unavailable)
		_, err = x.LivePassages(t.Context(), x.w.id, x.w.chatbot, []int64{x.w.passage})
		x.wantKind(err, fault.Unavailable)
	})
	for _, conn := range busy {
		x.must(conn.Close())
	}
	t.Run("when there are connections again, it works", func(t *testing.T) {
		eventually(t, "it works", func() bool { return x.SetPassword(t.Context(), x.w.user, "b") == nil })
	})
}

func TestConnectionsThatDiedWhileIdle(t *testing.T) {
	t.Parallel()
	x := newBroken(t)
	use := func() {
		t.Helper()
		var all sync.WaitGroup
		for range 8 {
			all.Go(func() {
				if _, err := x.User(t.Context(), x.w.user); err != nil {
					t.Errorf("a query failed: %v", err)
				}
				if err := x.ask(t.Context(), "many"); err != nil {
					t.Errorf("a question failed: %v", err)
				}
				if err := x.InTx(t.Context(), func(ctx context.Context) error { return x.SetPassword(ctx, x.w.user, "b") }); err != nil {
					t.Errorf("a transaction failed: %v", err)
				}
			})
		}
		all.Wait()
	}
	for name, kill := range map[string]func(){
		"whose sockets were closed": x.proxy.CutAll,
		"which the server ended, and says so": func() {
			_, err := x.aside.beside().ExecContext(t.Context(), "SELECT pg_terminate_backend(pid, 10000) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()")
			x.must(err)
		},
	} {
		t.Run("connections "+name+" fail no request", func(t *testing.T) {
			for range 5 {
				use()
				kill()
				eventually(t, "the connections are closed", func() bool { return x.proxy.Open() == 0 })
				time.Sleep(store.FreshPeriod) // idle for less, a connection is not looked at
				use()
			}
		})
	}
}

func TestAStatementThatLosesToAnother(t *testing.T) {
	t.Parallel()
	for _, state := range []string{"40P01", "40001"} {
		b := openBundle(t, migratedPostgres.New(t))
		b.must(b.ownerRun(t.Context(), "CREATE SEQUENCE tries", `CREATE FUNCTION lose() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS $$ BEGIN
			IF nextval('tries') < 2 THEN RAISE EXCEPTION 'lost' USING ERRCODE = '`+state+`'; END IF; RETURN NEW; END $$`,
			"CREATE TRIGGER lose BEFORE INSERT ON users FOR EACH ROW EXECUTE FUNCTION lose()"))
		t.Run("with "+state+" is executed once more", func(t *testing.T) {
			b.must(b.CreateUser(t.Context(), newUser("usr_a")))
		})
		b.must(b.ownerRun(t.Context(), "ALTER SEQUENCE tries RESTART"))
		t.Run("with "+state+" inside a transaction fails it, and its caller may try again", func(t *testing.T) {
			b.wantKind(b.InTx(t.Context(), func(ctx context.Context) error { return b.CreateUser(ctx, newUser("usr_b")) }), fault.Unavailable)
		})
	}
}

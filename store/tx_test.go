package store_test

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"

	"parley/core/account"
	"parley/core/chatbot"
	"parley/core/fault"
	"parley/core/plan"
	"parley/core/tenant"
	"parley/internal/intx"
)

func newUser(id string) account.User {
	return account.User{ID: id, Email: id + "@example.com", CreatedAt: epoch}
}

func TestInTx(t *testing.T) {
	onBothDatabases(t, func(b *bundle) {
		users := func() int { return b.count("SELECT count(*) FROM users") }

		b.Run("what returns nothing is there for every reader", func(t *testing.T) {
			before := users()
			err := b.InTx(t.Context(), func(ctx context.Context) error { return b.CreateUser(ctx, newUser("kept")) })
			if err != nil || users() != before+1 {
				t.Errorf("there are %d users after %d: %v", users(), before, err)
			}
		})

		b.Run("an error rolls everything back, and is returned unchanged", func(t *testing.T) {
			before := users()
			refused := fault.New(fault.Forbidden, "no")
			err := b.InTx(t.Context(), func(ctx context.Context) error {
				return errors.Join(b.CreateUser(ctx, newUser("undone")), b.CreateUser(ctx, newUser("undone2")), refused)
			})
			if !errors.Is(err, refused) || users() != before {
				t.Errorf("there are %d users after %d: %v", users(), before, err)
			}
		})

		b.Run("a transaction inside joins: it reads what was written and goes with it", func(t *testing.T) {
			before := users()
			err := b.InTx(t.Context(), func(ctx context.Context) error {
				if err := b.CreateUser(ctx, newUser("outer")); err != nil {
					return err
				}
				err := b.InTx(ctx, func(ctx context.Context) error {
					if _, err := b.User(ctx, "outer"); err != nil {
						return fmt.Errorf("not seen inside: %w", err)
					}
					return b.CreateUser(ctx, newUser("inner"))
				})
				return errors.Join(err, errTest)
			})
			contains(t, err, errTest.Error())
			if fault.Is(err, fault.NotFound) || users() != before {
				t.Errorf("there are %d users after %d: %v", users(), before, err)
			}
		})

		b.Run("nobody outside sees what is not committed", func(t *testing.T) {
			outside := t.Context()
			err := b.InTx(t.Context(), func(ctx context.Context) error {
				if err := b.CreateUser(ctx, newUser("early")); err != nil {
					return err
				}
				if _, err := b.User(outside, "early"); !fault.Is(err, fault.NotFound) {
					return fmt.Errorf("the read outside gives %w", err)
				}
				return nil
			})
			if err != nil {
				t.Error(err)
			}
		})

		b.Run("a panic leaves nothing behind, and the store goes on", func(t *testing.T) {
			before := users()
			if !failsOrPanics(func() error {
				return b.InTx(t.Context(), func(ctx context.Context) error {
					err := b.CreateUser(ctx, newUser("panicked"))
					panic(fmt.Sprint("a panic after ", err))
				})
			}) {
				t.Error("the caller does not learn of the panic")
			}
			if users() != before {
				t.Error("there is a user of the transaction that panicked")
			}
			if err := b.CreateUser(t.Context(), newUser("after panic")); err != nil {
				t.Error(err)
			}
		})

		b.Run("a context that has ended begins nothing", func(t *testing.T) {
			ctx, cancel := context.WithCancel(t.Context())
			cancel()
			err := b.InTx(ctx, func(context.Context) error { t.Error("the function ran"); return nil })
			if !errors.Is(err, context.Canceled) {
				t.Errorf("the error is %v", err)
			}
			if err := b.CreateUser(ctx, newUser("canceled")); !errors.Is(err, context.Canceled) {
				t.Errorf("the error of a single statement is %v", err)
			}
		})

		b.Run("a context that ends inside gives all or nothing, and says which", func(t *testing.T) {
			before := users()
			ctx, cancel := context.WithCancel(t.Context())
			err := b.InTx(ctx, func(ctx context.Context) error {
				err := b.CreateUser(ctx, newUser("first half"))
				cancel()
				return errors.Join(err, b.CreateUser(ctx, newUser("second half")))
			})
			want := before
			if err == nil {
				want = before + 2
			}
			if users() != want {
				t.Errorf("there are %d users after %d: %v", users(), before, err)
			}
		})

		b.Run("a context says whether it is inside", func(t *testing.T) {
			inside := false
			err := b.InTx(t.Context(), func(ctx context.Context) error { inside = intx.Inside(ctx); return nil })
			if err != nil || !inside || intx.Inside(t.Context()) {
				t.Errorf("inside: %v, outside: %v, error: %v", inside, intx.Inside(t.Context()), err)
			}
		})

		b.Run("what others write in the transaction is committed, and rolled back, with it", func(t *testing.T) {
			before := users()
			addBeside := func(ctx context.Context, id string) error {
				tx, ok := intx.Tx(ctx)
				if !ok {
					return errors.New("the context carries no transaction")
				}
				_, err := tx.SQL.ExecContext(ctx, "UPDATE users SET id = '"+id+" beside' WHERE id = '"+id+"'")
				return err
			}
			both := func(id string, then error) error {
				return b.InTx(t.Context(), func(ctx context.Context) error {
					return cmp.Or(b.CreateUser(ctx, newUser(id)), addBeside(ctx, id), then)
				})
			}
			contains(t, both("taken back", errTest), errTest.Error())
			b.must(both("joined", nil))
			if _, err := b.User(t.Context(), "joined beside"); err != nil || users() != before+1 {
				t.Errorf("there are %d users after %d: %v", users(), before, err)
			}
		})

		b.Run("what waits for the commit runs after it, and not without one", func(t *testing.T) {
			found := errors.New("it did not run")
			after := func(id string, then error) error {
				return b.InTx(t.Context(), func(ctx context.Context) error {
					tx, _ := intx.Tx(ctx)
					tx.AfterCommit(func() { _, found = b.User(t.Context(), id) })
					return cmp.Or(b.CreateUser(ctx, newUser(id)), then)
				})
			}
			contains(t, after("in vain", errTest), errTest.Error())
			contains(t, found, "did not run")
			if err := after("after", nil); err != nil || found != nil {
				t.Errorf("the commit gives %v, what came after it %v", err, found)
			}
		})
	})
}

// failsOrPanics reports whether a call ends in either way.
func failsOrPanics(call func() error) (ended bool) {
	defer func() { ended = recover() != nil || ended }()
	return call() != nil
}

func TestALimitHoldsUnderConcurrency(t *testing.T) {
	const callers, limit = 500, 3
	onBothDatabases(t, func(b *bundle) {
		b.must(b.CreateWorkspace(b.Context(), tenant.Workspace{ID: "ws_a", Plan: plan.Basic, CreatedAt: epoch}))
		full := fault.New(fault.Forbidden, "full")
		create := func(i int) error {
			return b.InTx(b.Context(), func(ctx context.Context) error {
				if _, err := b.LockWorkspace(ctx, "ws_a"); err != nil {
					return err
				}
				bots, err := b.Chatbots(ctx, "ws_a")
				if err != nil {
					return err
				}
				if len(bots) >= limit {
					return full
				}
				return b.CreateChatbot(ctx, "ws_a", chatbot.Chatbot{ID: fmt.Sprint("cb_", i), CreatedAt: epoch})
			})
		}
		errs := make([]error, callers)
		var all sync.WaitGroup
		for i := range callers {
			all.Go(func() { errs[i] = create(i) })
		}
		all.Wait()

		made := 0
		for _, err := range errs {
			if err == nil {
				made++
			} else if !errors.Is(err, full) {
				b.Errorf("a caller gets %v", err)
			}
		}
		if stored := b.count("SELECT count(*) FROM chatbots"); made != limit || stored != limit {
			b.Errorf("%d callers were told that they made one, %d are stored, want %d", made, stored, limit)
		}
	})
}

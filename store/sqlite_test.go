package store_test

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"

	"parley/core/fault"
	"parley/store"
	"parley/store/people"
)

// held is a store on a SQLite file whose writer is kept busy, so that the jobs
// that come meanwhile make one batch.
type held struct {
	*bundle
	writer  *store.Writer
	release chan struct{}
	jobs    int
}

func hold(b *bundle) *held {
	b.Helper()
	h := &held{bundle: b, writer: store.WriterOf(b.Store), release: make(chan struct{})}
	running := make(chan struct{})
	go func() {
		_ = h.writer.Run(context.Background(), func() error {
			close(running)
			<-h.release
			return nil
		})
	}()
	receive(b.T, "the writer is busy", running)
	return h
}

// add queues a job, and returns its answer.
func (h *held) add(fn func(ctx context.Context) error) <-chan error {
	return h.addWith(h.Context(), fn)
}

func (h *held) addWith(ctx context.Context, fn func(ctx context.Context) error) <-chan error {
	h.Helper()
	answer := make(chan error, 1)
	go func() { answer <- h.InTx(ctx, fn) }()
	h.jobs++
	eventually(h.T, "the job waits", func() bool { return h.writer.Queued() == h.jobs })
	return answer
}

// addUser queues a job that inserts one row.
func (h *held) addUser(id string) <-chan error {
	return h.add(func(ctx context.Context) error { return h.CreateUser(ctx, newUser(id)) })
}

func (h *held) wantUsers(ids ...string) {
	h.Helper()
	users, err := collected(h.Users(context.WithoutCancel(h.Context())))
	h.must(err)
	var got []string
	for _, u := range users {
		got = append(got, u.ID)
	}
	if fmt.Sprint(got) != fmt.Sprint(ids) {
		h.Errorf("there are the users %v, want %v", got, ids)
	}
}

func TestGroupCommit(t *testing.T) {
	t.Run("a job that fails and one that panics do no harm to the others of their batch", func(t *testing.T) {
		h := hold(openBundle(t, sqliteURL(t)))
		first := h.addUser("a")
		fails := h.add(func(ctx context.Context) error { return errors.Join(h.CreateUser(ctx, newUser("b")), errTest) })
		panics := h.add(func(ctx context.Context) error {
			_ = h.CreateUser(ctx, newUser("c"))
			panic("of the test")
		})
		clashes := h.addUser("a")
		last := h.addUser("d")
		close(h.release)

		for _, answer := range []<-chan error{first, last} {
			if err := receive(t, "a good job is answered", answer); err != nil {
				t.Errorf("a good job gets %v", err)
			}
		}
		contains(t, receive(t, "the job that fails is answered", fails), errTest.Error())
		h.wantKind(receive(t, "the job that panics is answered", panics), fault.Internal)
		h.wantKind(receive(t, "the job that clashes is answered", clashes), fault.Conflict)
		h.wantUsers("a", "d")
	})

	t.Run("a job whose context ends while it waits is not run", func(t *testing.T) {
		h := hold(openBundle(t, sqliteURL(t)))
		ctx, cancel := context.WithCancel(t.Context())
		left := h.addWith(ctx, func(ctx context.Context) error { return h.CreateUser(ctx, newUser("left")) })
		cancel()
		stayed := h.addUser("stayed")
		close(h.release)
		if err := receive(t, "the job that left is answered", left); !errors.Is(err, context.Canceled) {
			t.Errorf("it gets %v", err)
		}
		if err := receive(t, "the other job is answered", stayed); err != nil {
			t.Error(err)
		}
		h.wantUsers("stayed")
	})

	t.Run("nobody is answered before the commit", func(t *testing.T) {
		h := hold(openBundle(t, sqliteURL(t)))
		done := h.addUser("a")
		running, finish := make(chan struct{}), make(chan struct{})
		other := h.add(func(context.Context) error { close(running); <-finish; return nil })
		close(h.release)
		receive(t, "the second job of the batch runs", running)
		select {
		case err := <-done:
			t.Errorf("the first job was answered before the commit: %v", err)
		default:
		}
		h.wantUsers()
		close(finish)
		for _, answer := range []<-chan error{done, other} {
			if err := receive(t, "the batch is answered", answer); err != nil {
				t.Error(err)
			}
		}
		h.wantUsers("a")
	})

	t.Run("whoever is answered finds the row on another connection", func(t *testing.T) {
		b := openBundle(t, sqliteURL(t))
		var all sync.WaitGroup
		for i := range 400 {
			all.Go(func() {
				id := fmt.Sprint("usr_", i)
				if err := b.CreateUser(t.Context(), newUser(id)); err != nil {
					t.Error(err)
				}
				if _, err := b.User(t.Context(), id); err != nil {
					t.Errorf("%s is not found after its commit: %v", id, err)
				}
			})
		}
		all.Wait()
	})
}

func TestFailedCommit(t *testing.T) {
	t.Run("a commit that fails gives every job of the batch an error, and leaves nothing of it", func(t *testing.T) {
		h := hold(openBundle(t, sqliteURL(t)))
		answers := []<-chan error{
			h.addUser("a"),
			h.add(func(ctx context.Context) error { return h.breakKeys(ctx) }),
			h.addUser("b"),
		}
		close(h.release)
		for _, answer := range answers {
			if receive(t, "the batch is answered", answer) == nil {
				t.Error("a job of the batch is told that it was committed")
			}
		}
		h.wantUsers()
		h.must(h.CreateUser(t.Context(), newUser("after")))
		h.wantUsers("after")
	})

	t.Run("a full disk fails the right callers, loses nothing, and ends when there is space", func(t *testing.T) {
		url := sqliteURL(t)
		pages := openBundle(t, url).count("PRAGMA page_count")
		// Space for 40 more pages of 4 KiB.
		h := hold(openBundle(t, fmt.Sprintf("%s?_pragma=max_page_count(%d)", url, pages+40)))
		var answers []<-chan error
		for i := range 20 {
			answers = append(answers, h.add(func(ctx context.Context) error {
				u := newUser(fmt.Sprint("usr_", i))
				u.PasswordHash = strings.Repeat("x", 380)
				for j := range 20 { // 18 KiB and more
					u.ID, u.Email = fmt.Sprintf("usr_%d_%d", i, j), fmt.Sprintf("%d-%d-%s@example.com", i, j, strings.Repeat("y", 200))
					if err := h.CreateUser(ctx, u); err != nil {
						return err
					}
				}
				return nil
			}))
		}
		close(h.release)
		stored := 0
		for _, answer := range answers {
			switch err := receive(t, "a job on a full disk is answered", answer); {
			case err == nil:
				stored += 20
			default:
				h.wantKind(err, fault.Unavailable)
			}
		}
		if stored == 20*len(answers) {
			t.Fatal("the disk was not full")
		}
		if n := h.count("SELECT count(*) FROM users"); n != stored {
			t.Errorf("%d rows are stored, want the %d of the jobs without an error", n, stored)
		}
		if err := h.CreateUser(t.Context(), newUser("small")); err != nil {
			t.Errorf("what fits is refused after what did not: %v", err)
		}
		roomy := openBundle(t, url)
		roomy.must(roomy.CreateUser(t.Context(), newUser("after")))
	})
}

// breakKeys inserts a row whose owner is missing, which only the commit finds.
func (h *held) breakKeys(ctx context.Context) error {
	client := h.Client(ctx)
	if _, err := client.ExecContext(ctx, "PRAGMA defer_foreign_keys = ON"); err != nil {
		return err
	}
	return client.Session.Create().SetID("s").SetUserID("nobody").SetLastSeenAt(epoch).SetExpiresAt(epoch).Exec(ctx)
}

func TestCloseWhileJobsWait(t *testing.T) {
	s, err := store.Open(t.Context(), sqliteURL(t))
	if err != nil {
		t.Fatal(err)
	}
	h := hold(&bundle{T: t, everything: allOf(s)})
	var answers []<-chan error
	for i := range 50 {
		answers = append(answers, h.addUser(fmt.Sprint("usr_", i)))
	}
	closed := make(chan error, 1)
	go func() { closed <- s.Close() }()
	eventually(t, "the writer takes no more jobs", h.writer.Stopped)
	h.wantKind(people.NewUsers(s).CreateUser(t.Context(), newUser("late")), fault.Unavailable)
	close(h.release)
	for _, answer := range answers {
		if err := receive(t, "a job that waited is answered", answer); err != nil {
			t.Errorf("a job that waited gets %v", err)
		}
	}
	if err := receive(t, "the store is closed", closed); err != nil {
		t.Error(err)
	}
	h.wantKind(people.NewUsers(s).CreateUser(t.Context(), newUser("later")), fault.Unavailable)
}

func TestDurability(t *testing.T) {
	b := openBundle(t, sqliteURL(t))
	pragmas := func(from func(query string) *sql.Row) map[string]string {
		values := map[string]string{}
		for _, name := range []string{"journal_mode", "synchronous", "foreign_keys", "busy_timeout", "query_only"} {
			var value string
			if err := from("PRAGMA " + name).Scan(&value); err != nil {
				t.Fatal(err)
			}
			values[name] = value
		}
		return values
	}
	want := map[string]string{"journal_mode": "wal", "synchronous": "2", "foreign_keys": "1", "busy_timeout": "10000", "query_only": "0"}

	t.Run("the writer commits to the disk, with a log and foreign keys", func(t *testing.T) {
		got := pragmas(func(query string) *sql.Row { return store.WriterOf(b.Store).Conn().QueryRowContext(t.Context(), query) })
		if fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("the writer has %v, want %v", got, want)
		}
	})

	t.Run("readers are the same, and cannot write", func(t *testing.T) {
		want["query_only"] = "1"
		got := pragmas(func(query string) *sql.Row { return b.beside().QueryRowContext(t.Context(), query) })
		if fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("a reader has %v, want %v", got, want)
		}
		_, err := b.beside().ExecContext(t.Context(), "DELETE FROM plans")
		contains(t, err, "readonly")
	})

	t.Run("what was committed is there for another process while this one is open", func(t *testing.T) {
		b.must(b.CreateUser(t.Context(), newUser("usr_a")))
		other := openBundle(t, b.url)
		if _, err := other.User(t.Context(), "usr_a"); err != nil {
			t.Error(err)
		}
	})
}

func TestTheQueueOfJobsHasItsTurn(t *testing.T) {
	t.Run("it never finds the file locked, however busy the store is", func(t *testing.T) {
		b := openBundle(t, sqliteURL(t))
		db, err := b.JobsDB()
		b.must(err)
		defer db.Close()
		ctx, stop := context.WithCancel(t.Context())
		var all sync.WaitGroup
		defer all.Wait()
		defer stop()
		for caller := range 8 {
			all.Go(func() {
				for n := 0; ctx.Err() == nil; n++ {
					if err := b.CreateUser(ctx, newUser(fmt.Sprint("usr_", caller, "_", n))); err != nil && ctx.Err() == nil {
						t.Error(err)
					}
				}
			})
		}
		_, err = db.ExecContext(t.Context(), "PRAGMA busy_timeout = 0")
		b.must(err)
		for range 100 {
			const write = "INSERT INTO river_queue (name) VALUES ('a') ON CONFLICT DO UPDATE SET metadata = jsonb('{}') RETURNING name"
			var name string
			b.must(db.QueryRowContext(t.Context(), write).Scan(&name))
			tx, err := db.BeginTx(t.Context(), nil)
			b.must(err)
			b.must(tx.QueryRowContext(t.Context(), write).Scan(&name))
			b.must(tx.Commit())
		}
	})

	t.Run("on PostgreSQL it has a connection of its own making", func(t *testing.T) {
		_, err := openBundle(t, migratedPostgres.New(t)).JobsDB()
		contains(t, err, "by its URL")
	})
}

func TestOpenRefuses(t *testing.T) {
	for _, url := range []string{"", "mysql://host/db", "parley.db", "postgres://%zz", "SQLITE:x"} {
		if s, err := store.Open(t.Context(), url); err == nil {
			_ = s.Close()
			t.Errorf("%q is opened", url)
		}
	}
}

package crash

import (
	"context"
	"database/sql"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"parley/app"
	"parley/core/audit"
	"parley/core/chatbot"
	"parley/core/knowledge"
	"parley/core/plan"
	"parley/core/privacy"
	"parley/e2e/harness"
	"parley/internal/weaviatetest"
	"parley/store/storetest"
)

// dying is an installation on which commands are killed in their midst.
type dying struct {
	*harness.Installation
	db *sql.DB
}

// onDying opens the installation's database beside it.
func onDying(s *harness.Installation) *dying {
	s.Helper()
	name, source := "sqlite", "file:"+filepath.Join(s.Dir, "parley.db")+"?_pragma=busy_timeout(30000)&_pragma=secure_delete(1)&_txlock=immediate" // as the program does
	if s.Database != "" {
		name, source = "pgx", s.Database
	}
	db, err := sql.Open(name, source)
	s.MustNot(err)
	s.Cleanup(func() { db.Close() })
	return &dying{s, db}
}

// count is the result of a query for one number.
func (d *dying) count(query string) (n int) {
	d.Helper()
	if err := d.db.QueryRowContext(d.Context(), query).Scan(&n); err != nil {
		d.Fatal(err)
	}
	return n
}

// hold keeps everybody from changing a table, on SQLite any, until the function that it
// returns is called.
func (d *dying) hold(table string) (letGo func()) {
	d.Helper()
	tx, err := d.db.BeginTx(context.WithoutCancel(d.Context()), nil)
	d.MustNot(err)
	if d.Database != "" {
		_, err = tx.Exec("LOCK TABLE " + table + " IN EXCLUSIVE MODE")
		d.MustNot(err)
	}
	return func() { d.MustNot(tx.Rollback()) }
}

// killedBefore runs a command and kills it when it waits to make its first change.
func (d *dying) killedBefore(table string, args ...string) {
	d.Helper()
	letGo := d.hold(table)
	command := d.Command(io.Discard, args...)
	d.MustNot(command.Start())
	(&harness.Instance{T: d.T}).Eventually("the command has come to the database", func() bool {
		if d.Database != "" {
			return d.count("SELECT count(*) FROM pg_locks WHERE NOT granted AND relation = '"+table+"'::regclass") > 0
		}
		files, err := filepath.Glob(fmt.Sprintf("/proc/%d/fd/*", command.Process.Pid))
		d.MustNot(err)
		return slices.ContainsFunc(files, func(file string) bool {
			opened, err := os.Readlink(file)
			return err == nil && opened == filepath.Join(d.Dir, "parley.db")
		})
	})
	d.MustNot(command.Process.Kill())
	_ = command.Wait()
	letGo()
}

// change is a change of a table's rows that a condition holds for.
type change struct{ event, table, when string }

// killedWhen runs a command and kills it when a query counts what it should. On PostgreSQL
// the command waits before a change until it is killed. SQLite has no statement for that.
func (d *dying) killedWhen(query string, until func(int) bool, before change, args ...string) {
	d.Helper()
	letGo := func() {}
	if d.Database != "" {
		letGo = d.stop(before)
	}
	command := d.Command(io.Discard, args...)
	d.MustNot(command.Start())
	for deadline := time.Now().Add(harness.Patience); !until(d.count(query)); time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			d.Fatalf("%q does not count what is waited for", query)
		}
	}
	d.MustNot(command.Process.Kill())
	_ = command.Wait()
	letGo()
}

// stop makes everybody wait before a change until the function that it returns is called.
func (d *dying) stop(before change) (letGo func()) {
	d.Helper()
	must := func(_ sql.Result, err error) {
		d.Helper()
		d.MustNot(err)
	}
	ctx := context.WithoutCancel(d.Context())
	must(d.db.ExecContext(ctx, `CREATE OR REPLACE FUNCTION wait_for_test() RETURNS trigger LANGUAGE plpgsql AS
		$$ BEGIN PERFORM pg_advisory_xact_lock(42); IF TG_OP = 'DELETE' THEN RETURN OLD; END IF; RETURN NEW; END $$`))
	must(d.db.ExecContext(ctx, fmt.Sprintf("CREATE TRIGGER stopped BEFORE %s ON %s FOR EACH ROW WHEN (%s) EXECUTE FUNCTION wait_for_test()", before.event, before.table, before.when)))
	tx, err := d.db.BeginTx(ctx, nil)
	d.MustNot(err)
	must(tx.ExecContext(ctx, "SELECT pg_advisory_xact_lock(42)"))
	return func() {
		d.MustNot(tx.Rollback())
		must(d.db.ExecContext(ctx, "DROP TRIGGER stopped ON "+before.table)) // waits for what the killed command began
	}
}

// columns returns the columns of the conversations.
func (d *dying) columns() []string {
	d.Helper()
	rows, err := d.db.QueryContext(d.Context(), "SELECT * FROM conversations LIMIT 1")
	d.MustNot(err)
	defer rows.Close()
	columns, err := rows.Columns()
	d.MustNot(err)
	return columns
}

// multiplied makes a conversation many.
func (d *dying) multiplied(user string, doublings int) {
	d.Helper()
	var copied []string
	for _, column := range d.columns() {
		if column != "id" {
			copied = append(copied, column)
		}
	}
	names := strings.Join(copied, ", ")
	for range doublings {
		_, err := d.db.ExecContext(d.Context(), fmt.Sprintf("INSERT INTO conversations (%s) SELECT %s FROM conversations WHERE external_user_id = '%s'", names, names, user))
		d.MustNot(err)
	}
}

func TestKilledWhileErasingAnEndUser(t *testing.T) {
	t.Parallel()
	harness.OnInstallations(t, func(s *harness.Installation) {
		const doublings, conversations = 10, 1 << 10
		var tn harness.Tenant
		s.Inside(func(w *harness.Instance) { tn = w.NewTenant("baker", plan.Enterprise, harness.Opening) })
		p := s.Serve()
		for _, user := range []string{"alice", "bob", "carol"} {
			p.AskedFor(tn.Token, user, "Is it open, "+user+"canary?")
		}
		p.Terminate()
		p.EndsWithin(harness.Patience)
		d := onDying(s)
		for _, user := range []string{"alice", "bob"} {
			d.multiplied(user, doublings)
		}
		erase := func(user string) []string { return []string{"enduser", "erase", tn.Workspace, user, "--yes"} }

		d.killedBefore("conversations", erase("alice")...)
		if receipts, left := d.count("SELECT count(*) FROM erasures"), d.count("SELECT count(*) FROM conversations WHERE external_user_id = 'alice'"); receipts != 0 || left != conversations {
			s.Errorf("killed before its first commit it has left %d receipts and %d conversations", receipts, left)
		}
		last := func(user string) change {
			id := d.count("SELECT max(id) FROM conversations WHERE external_user_id = '" + user + "'")
			return change{"DELETE", "conversations", fmt.Sprintf("OLD.id = %d", id)}
		}
		d.killedWhen("SELECT count(*) FROM erasures", func(n int) bool { return n == 1 }, last("alice"), erase("alice")...)
		d.killedWhen("SELECT count(*) FROM conversations WHERE external_user_id = (SELECT id FROM erasures ORDER BY created_at DESC LIMIT 1)",
			func(n int) bool { return n < conversations && d.count("SELECT count(*) FROM erasures") == 2 }, last("bob"), erase("bob")...)
		if pending := d.count("SELECT count(*) FROM erasures WHERE done_at IS NULL"); pending != 2 {
			s.Errorf("%d erasures are under way", pending)
		}
		for user, want := range map[string]int{"alice": 0, "bob": 0, "carol": 1} {
			if n := d.count("SELECT count(*) FROM conversations WHERE external_user_id = '" + user + "'"); n != want {
				s.Errorf("%d conversations of %s are found", n, user)
			}
		}

		s.Inside(func(w *harness.Instance) {
			w.Must(w.Server.Privacy.Work(w.Context()))
			w.Must(w.Server.Privacy.Work(w.Context()))
			for _, user := range []string{"alice", "bob"} {
				receipts, err := w.Server.Privacy.Receipts.Find(w.Context(), privacy.EndUserHash(tn.Workspace, user))
				w.Must(err)
				if len(receipts) != 1 || receipts[0].DoneAt == nil || receipts[0].Remaining.Total() != 0 || receipts[0].Erased["conversations"] != conversations {
					s.Errorf("the receipts of %s are %+v", user, receipts)
				}
			}
			if n := w.Recorded(audit.EndUserErased); n != 2 {
				s.Errorf("the audit log has %d erasures", n)
			}
		})
		for user, want := range map[string]bool{"alice": false, "bob": false, "carol": s.Database == ""} {
			if s.HasInFiles(user+"canary") != want {
				s.Errorf("what %s said is in a file: %v", user, !want)
			}
		}
	})
}

func TestKilledWhileErasingAWorkspace(t *testing.T) {
	t.Parallel()
	harness.OnAnyInstallation(t, killedWhileErasingAWorkspace)
	t.Run("weaviate", func(t *testing.T) {
		t.Parallel()
		server := weaviatetest.New(t)
		prefix := server.Prefix(t)
		s := &harness.Installation{T: t, Dir: t.TempDir(), Database: storetest.Postgres(t), Configure: harness.WithWeaviate(server, prefix)}
		harness.ShareCache(t, s.Dir)
		s.Environment = []string{"WEAVIATE_URL=" + server.URL, "WEAVIATE_GRPC=" + server.GRPC, "WEAVIATE_API_KEY=" + server.Key, "WEAVIATE_PREFIX=" + prefix}
		killedWhileErasingAWorkspace(s)
	})
}

func killedWhileErasingAWorkspace(s *harness.Installation) {
	const chatbots = 12
	var tn, other harness.Tenant
	s.Inside(func(w *harness.Instance) {
		tn = w.NewTenant("baker", plan.Enterprise, harness.Opening, "The word of the day is bakercanary.")
		other = w.NewTenant("other", plan.Enterprise, harness.Opening, "The word of the day is othercanary.")
		for range chatbots {
			bot, err := w.Server.Chatbots.Create(w.Context(), tn.Workspace, chatbot.Settings{Name: "one more"})
			w.Must(err)
			_, err = w.Server.Knowledge.Documents.Add(w.Context(), tn.Workspace, bot.ID, knowledge.NewDocument{Title: "Word", Content: "The word of the day is bakercanary."})
			w.Must(err)
		}
	})
	p := s.Serve()
	for _, of := range []harness.Tenant{tn, other} {
		p.Eventually("the documents are indexed", func() bool { return strings.Contains(p.ReplyTo(of, "What is the word of the day?"), "canary") })
	}
	p.Eventually("all documents are indexed", func() bool {
		return onDying(s).count("SELECT count(*) FROM documents WHERE state <> 'ready'") == 0
	})
	p.Terminate()
	p.EndsWithin(harness.Patience)
	d := onDying(s)
	remove := []string{"workspace", "delete", tn.Workspace, "--now", "--yes"}

	d.killedBefore("workspaces", remove...)
	if ending, receipts := d.count("SELECT count(*) FROM workspaces WHERE delete_at IS NOT NULL"), d.count("SELECT count(*) FROM erasures"); ending != 0 || receipts != 0 {
		s.Errorf("killed before its first commit it has left %d workspaces that end, and %d receipts", ending, receipts)
	}
	removal := func(table, when string) change { return change{"DELETE", table, when} }
	d.killedWhen("SELECT count(*) FROM erasures", func(n int) bool { return n == 1 }, removal("chatbots", "true"), remove...)
	of := "SELECT count(*) FROM chatbots WHERE workspace_id = '" + tn.Workspace + "'"
	var late string
	d.MustNot(d.db.QueryRowContext(d.Context(), "SELECT id FROM chatbots WHERE workspace_id = '"+tn.Workspace+"' ORDER BY created_at, id LIMIT 1 OFFSET 9").Scan(&late))
	d.killedWhen(of, func(n int) bool { return n <= chatbots/2 }, removal("chatbots", "OLD.id = '"+late+"'"), remove...)
	d.killedWhen(of, func(n int) bool { return n == 0 }, removal("workspaces", "true"), remove...)

	s.Inside(func(w *harness.Instance) {
		for range 2 {
			w.Later(time.Minute, func(p *app.Program) { w.Must(p.Privacy.Work(w.Context())) })
		}
		if n := w.Recorded(audit.WorkspaceDeleted); n != 1 {
			s.Errorf("the audit log has %d deletions", n)
		}
	})
	receipt := s.ReceiptOf(tn.Workspace)
	if receipt.DoneAt == nil || receipt.Remaining.Total() != 0 || receipt.Erased["chatbots"] != chatbots+1 || receipt.Erased[privacy.IndexEntries] != chatbots+2 {
		s.Errorf("the receipt is %+v", receipt)
	}
	if s.HasInFiles("bakercanar") {
		s.Error("a file still has the word")
	}
	p = s.Serve()
	p.Eventually("another workspace answers as before", func() bool {
		return strings.Contains(p.ReplyTo(other, "What is the word of the day?"), "othercanary")
	})
}

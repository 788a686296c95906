package e2e

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
	"parley/internal/weaviatetest"
	"parley/store/storetest"
)

// dying is an installation on which commands are killed in their midst.
type dying struct {
	*installation
	db *sql.DB
}

// onDying opens the installation's database beside it.
func onDying(s *installation) *dying {
	s.Helper()
	name, source := "sqlite", "file:"+filepath.Join(s.dir, "parley.db")+"?_pragma=busy_timeout(30000)&_pragma=secure_delete(1)&_txlock=immediate" // as the program does
	if s.database != "" {
		name, source = "pgx", s.database
	}
	db, err := sql.Open(name, source)
	s.mustNot(err)
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
	d.mustNot(err)
	if d.database != "" {
		_, err = tx.Exec("LOCK TABLE " + table + " IN EXCLUSIVE MODE")
		d.mustNot(err)
	}
	return func() { d.mustNot(tx.Rollback()) }
}

// killedBefore runs a command and kills it when it waits to make its first change.
func (d *dying) killedBefore(table string, args ...string) {
	d.Helper()
	letGo := d.hold(table)
	command := d.command(io.Discard, args...)
	d.mustNot(command.Start())
	(&instance{T: d.T}).eventually("the command has come to the database", func() bool {
		if d.database != "" {
			return d.count("SELECT count(*) FROM pg_locks WHERE NOT granted AND relation = '"+table+"'::regclass") > 0
		}
		files, err := filepath.Glob(fmt.Sprintf("/proc/%d/fd/*", command.Process.Pid))
		d.mustNot(err)
		return slices.ContainsFunc(files, func(file string) bool {
			opened, err := os.Readlink(file)
			return err == nil && opened == filepath.Join(d.dir, "parley.db")
		})
	})
	d.mustNot(command.Process.Kill())
	_ = command.Wait()
	letGo()
}

// killedWhen runs a command and kills it when a query counts what it should: on PostgreSQL
// between two of its changes.
func (d *dying) killedWhen(query string, until func(int) bool, table string, args ...string) {
	d.Helper()
	command := d.command(io.Discard, args...)
	d.mustNot(command.Start())
	for deadline := time.Now().Add(patience); !until(d.count(query)); time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			d.Fatalf("%q does not count what is waited for", query)
		}
	}
	letGo := func() {}
	if d.database != "" { // SQLite is too fast for somebody who waits for its lock
		letGo = d.hold(table)
	}
	d.mustNot(command.Process.Kill())
	_ = command.Wait()
	letGo()
}

// columns are those of conversations.
func (d *dying) columns() []string {
	d.Helper()
	rows, err := d.db.QueryContext(d.Context(), "SELECT * FROM conversations LIMIT 1")
	d.mustNot(err)
	defer rows.Close()
	columns, err := rows.Columns()
	d.mustNot(err)
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
		d.mustNot(err)
	}
}

func TestKilledWhileErasingAnEndUser(t *testing.T) {
	t.Parallel()
	onInstallations(t, func(s *installation) {
		const doublings, conversations = 10, 1 << 10
		var tn tenantOf
		s.inside(func(w *instance) { tn = w.newTenant("baker", plan.Enterprise, opening) })
		p := s.serve()
		for _, user := range []string{"alice", "bob", "carol"} {
			p.askedFor(tn.token, user, "Is it open, "+user+"canary?")
		}
		p.terminate()
		p.endsWithin(patience)
		d := onDying(s)
		for _, user := range []string{"alice", "bob"} {
			d.multiplied(user, doublings)
		}
		erase := func(user string) []string { return []string{"enduser", "erase", tn.workspace, user, "--yes"} }

		d.killedBefore("conversations", erase("alice")...)
		if receipts, left := d.count("SELECT count(*) FROM erasures"), d.count("SELECT count(*) FROM conversations WHERE external_user_id = 'alice'"); receipts != 0 || left != conversations {
			s.Errorf("killed before its first commit it has left %d receipts and %d conversations", receipts, left)
		}
		d.killedWhen("SELECT count(*) FROM erasures", func(n int) bool { return n == 1 }, "conversations", erase("alice")...)
		d.killedWhen("SELECT count(*) FROM conversations WHERE external_user_id = (SELECT id FROM erasures ORDER BY created_at DESC LIMIT 1)",
			func(n int) bool { return n < conversations && d.count("SELECT count(*) FROM erasures") == 2 }, "conversations", erase("bob")...)
		if pending := d.count("SELECT count(*) FROM erasures WHERE done_at IS NULL"); pending != 2 {
			s.Errorf("%d erasures are under way", pending)
		}
		for user, want := range map[string]int{"alice": 0, "bob": 0, "carol": 1} {
			if n := d.count("SELECT count(*) FROM conversations WHERE external_user_id = '" + user + "'"); n != want {
				s.Errorf("%d conversations of %s are found", n, user)
			}
		}

		s.inside(func(w *instance) {
			w.must(w.server.Privacy.Work(w.Context()))
			w.must(w.server.Privacy.Work(w.Context()))
			for _, user := range []string{"alice", "bob"} {
				receipts, err := w.server.Privacy.Receipts.Find(w.Context(), privacy.EndUserHash(tn.workspace, user))
				w.must(err)
				if len(receipts) != 1 || receipts[0].DoneAt == nil || receipts[0].Remaining.Total() != 0 || receipts[0].Erased["conversations"] != conversations {
					s.Errorf("the receipts of %s are %+v", user, receipts)
				}
			}
			if n := w.recorded(audit.EndUserErased); n != 2 {
				s.Errorf("the audit log has %d erasures", n)
			}
		})
		for user, want := range map[string]bool{"alice": false, "bob": false, "carol": s.database == ""} {
			if s.hasInFiles(user+"canary") != want {
				s.Errorf("what %s said is in a file: %v", user, !want)
			}
		}
	})
}

// recorded counts the entries of an act in the audit log.
func (w *instance) recorded(action audit.Action) (n int) {
	w.Helper()
	for _, entry := range w.entries() {
		if entry.Action == action {
			n++
		}
	}
	return n
}

func TestKilledWhileErasingAWorkspace(t *testing.T) {
	t.Parallel()
	onInstallations(t, killedWhileErasingAWorkspace)
	t.Run("weaviate", func(t *testing.T) {
		t.Parallel()
		server := weaviatetest.New(t)
		prefix := server.Prefix(t)
		s := &installation{T: t, dir: t.TempDir(), database: storetest.Postgres(t), configure: withWeaviate(server, prefix)}
		shareCache(t, s.dir)
		s.environment = []string{"WEAVIATE_URL=" + server.URL, "WEAVIATE_GRPC=" + server.GRPC, "WEAVIATE_API_KEY=" + server.Key, "WEAVIATE_PREFIX=" + prefix}
		killedWhileErasingAWorkspace(s)
	})
}

func killedWhileErasingAWorkspace(s *installation) {
	const chatbots = 12
	var tn, other tenantOf
	s.inside(func(w *instance) {
		tn = w.newTenant("baker", plan.Enterprise, opening, "The word of the day is bakercanary.")
		other = w.newTenant("other", plan.Enterprise, opening, "The word of the day is othercanary.")
		for range chatbots {
			bot, err := w.server.Chatbots.Create(w.Context(), tn.workspace, chatbot.Settings{Name: "one more"})
			w.must(err)
			_, err = w.server.Knowledge.Documents.Add(w.Context(), tn.workspace, bot.ID, knowledge.NewDocument{Title: "Word", Content: "The word of the day is bakercanary."})
			w.must(err)
		}
	})
	p := s.serve()
	for _, of := range []tenantOf{tn, other} {
		p.eventually("the documents are indexed", func() bool { return strings.Contains(p.replyTo(of, "What is the word of the day?"), "canary") })
	}
	p.eventually("all documents are indexed", func() bool {
		return onDying(s).count("SELECT count(*) FROM documents WHERE state <> 'ready'") == 0
	})
	p.terminate()
	p.endsWithin(patience)
	d := onDying(s)
	remove := []string{"workspace", "delete", tn.workspace, "--now", "--yes"}

	d.killedBefore("workspaces", remove...)
	if ending, receipts := d.count("SELECT count(*) FROM workspaces WHERE delete_at IS NOT NULL"), d.count("SELECT count(*) FROM erasures"); ending != 0 || receipts != 0 {
		s.Errorf("killed before its first commit it has left %d workspaces that end, and %d receipts", ending, receipts)
	}
	d.killedWhen("SELECT count(*) FROM erasures", func(n int) bool { return n == 1 }, "workspaces", remove...)
	of := "SELECT count(*) FROM chatbots WHERE workspace_id = '" + tn.workspace + "'"
	d.killedWhen(of, func(n int) bool { return n <= chatbots/2 }, "workspaces", remove...)
	d.killedWhen(of, func(n int) bool { return n == 0 }, "erasures", remove...)

	s.inside(func(w *instance) {
		for range 2 {
			w.later(time.Minute, func(p *app.Program) { w.must(p.Privacy.Work(w.Context())) })
		}
		if n := w.recorded(audit.WorkspaceDeleted); n != 1 {
			s.Errorf("the audit log has %d deletions", n)
		}
	})
	receipt := s.receiptOf(tn.workspace)
	if receipt.DoneAt == nil || receipt.Remaining.Total() != 0 || receipt.Erased["chatbots"] != chatbots+1 || receipt.Erased[privacy.IndexEntries] != chatbots+2 {
		s.Errorf("the receipt is %+v", receipt)
	}
	if s.hasInFiles("bakercanar") {
		s.Error("a file still has the word")
	}
	p = s.serve()
	p.eventually("another workspace answers as before", func() bool {
		return strings.Contains(p.replyTo(other, "What is the word of the day?"), "othercanary")
	})
}

package servers

import (
	"fmt"
	"net/http"
	"path/filepath"
	"strings"
	"testing"

	"parley/app"
	"parley/core/plan"
	"parley/core/retrieval"
	"parley/e2e/harness"
	"parley/index/indextest"
	"parley/internal/pgtest"
	"parley/llm/llmtest"
	"parley/store/storetest"
)

// refuseAll plays what the API must answer while its database is down.
func refuseAll(w *harness.Instance, tn harness.Tenant, conversation string) {
	w.Helper()
	w.Eventually("the server forgets who may ask", func() bool {
		return w.Call("POST", harness.ConversationsPath, "", harness.Bearer(tn.Token)).StatusCode != http.StatusOK
	})
	down := func(name, method, path, body string) harness.Scenario {
		return harness.Scenario{Name: name, Method: method, Path: path, Body: body, Headers: harness.As(tn.Token), Status: 503, Code: 8, Answers: []harness.Header{{Name: "Retry-After", Value: "1"}}}
	}
	w.Play(
		down("a question is refused", "POST", harness.ChatPath, harness.OpeningQuestion),
		down("a stream is refused with a status", "POST", harness.StreamPath, harness.OpeningQuestion),
		down("a conversation is not created", "POST", harness.ConversationsPath, ""),
		down("messages are not read", "GET", harness.MessagesPath(conversation), ""),
		harness.Scenario{Name: "a malformed token is still a 401", Headers: harness.As("parley_x"), Body: harness.OpeningQuestion, Status: 401, Code: 1},
	)
	w.Run("/readyz names the database, and /healthz says that the process lives", func(t *testing.T) {
		inner := w.Within(t)
		inner.Becomes("database", false)
		ready := inner.Call("GET", "/readyz", "")
		inner.CheckParts(ready.Text, []string{`"database":{"ready":false`, `"index":{"ready":true`}, "sql", "SQLSTATE", "closed")
		if alive := inner.Call("GET", "/healthz", ""); ready.StatusCode != 503 || alive.StatusCode != 200 {
			t.Errorf("readyz %d, healthz %d", ready.StatusCode, alive.StatusCode)
		}
	})
}

func TestDatabaseOutage(t *testing.T) {
	t.Run("postgres", func(t *testing.T) {
		t.Parallel()
		w := harness.Start(t, func(c *app.Config) { c.DatabaseURL = storetest.Postgres(t) })
		baker := w.NewTenant("baker", plan.Standard, harness.Opening)
		id := harness.Written(w.NewConversation(baker.Token, ""))
		w.CheckAnswer(w.Call("POST", harness.ChatPath, harness.Asking(id), harness.Bearer(baker.Token)), 200, 0)
		restore := pgtest.Outage(t, w.Server.Config.DatabaseURL)
		refuseAll(w, baker, id)
		w.Shows(harness.Fault{Part: "database", Vital: true, Says: "does not answer", Remedy: "DATABASE_URL"}, w.Beside("doctor"))
		restore()
		w.Mended("database")
		w.Eventually("the server is ready again", func() bool { return w.Call("GET", "/readyz", "").StatusCode == 200 })
		w.Play(
			harness.Scenario{Name: "questions are answered again", Body: harness.Asking(id), Headers: harness.As(baker.Token), Has: []string{"seven in the morning"}},
			harness.Scenario{Name: "what was said is there", Method: "GET", Path: harness.MessagesPath(id), Headers: harness.As(baker.Token), Then: func(w *harness.Instance, _ harness.Reply) {
				if n := len(w.Messages(baker.Token, id, "")); n != 4 {
					w.Errorf("%d messages, want 4", n)
				}
			}},
		)
	})
	t.Run("sqlite", func(t *testing.T) {
		t.Parallel()
		w := harness.Start(t)
		baker := w.NewTenant("baker", plan.Standard, harness.Opening)
		id := harness.Written(w.NewConversation(baker.Token, ""))
		w.Must(w.Server.Store.Close())
		refuseAll(w, baker, id)
	})
}

func TestDatabaseOutageDuringAStream(t *testing.T) {
	t.Parallel()
	gate := llmtest.NewGate()
	upstream := llmtest.NewServer(t, llmtest.Reply{Pieces: []string{"At", " seven."}, Hold: gate, HoldAt: llmtest.AfterPieces(1)})
	w := harness.Start(t, harness.WithModel(upstream), func(c *app.Config) { c.DatabaseURL = storetest.Postgres(t) })
	baker := w.NewTenant("baker", plan.Standard, harness.Opening)
	id := harness.Written(w.NewConversation(baker.Token, ""))
	stream := w.Stream(harness.Asking(id), harness.Bearer(baker.Token))
	<-gate.Reached()
	restore := pgtest.Outage(t, w.Server.Config.DatabaseURL)
	gate.Release()
	t.Run("an answer that cannot be stored ends in one error and [DONE]", func(t *testing.T) {
		s := w.Within(t).Story(stream)
		if s.Text != "At seven." || len(s.Failures) != 1 || s.Failures[0].Error != 8 {
			t.Errorf("got %+v", s)
		}
	})
	restore()
	w.Eventually("the server is ready again", func() bool { return w.Call("GET", "/readyz", "").StatusCode == 200 })
	t.Run("other conversations go on", func(t *testing.T) {
		w.Within(t).CheckAnswer(w.Call("POST", harness.ChatPath, harness.OpeningQuestion, harness.Bearer(baker.Token)), 200, 0)
	})
}

func TestIndexOutage(t *testing.T) {
	t.Parallel()
	harness.OnBothDatabases(t, func(t *testing.T, start func(...func(*app.Config)) *harness.Instance) {
		for _, panics := range []bool{false, true} {
			broken := func(x retrieval.Index) retrieval.Index {
				return harness.BrokenIndex{Index: indextest.RefuseInTx(x), Panics: panics}
			}
			w := harness.StartWith(t, app.Options{Index: broken}, func(c *app.Config) { c.DatabaseURL = start().Server.Config.DatabaseURL })
			baker := w.NewTenant("baker", plan.Standard, harness.Opening)
			id := harness.Written(w.NewConversation(baker.Token, ""))
			failed := func(name, path string) harness.Scenario {
				return harness.Scenario{Name: fmt.Sprintf("%s (it panics: %t)", name, panics), Path: path, Body: harness.Asking(id), Headers: harness.As(baker.Token), Status: 500, Code: 5, Lacks: []string{"secret-1234"}}
			}
			w.Play(failed("a question is a 500", harness.ChatPath), failed("a stream is a 500 before its first byte", harness.StreamPath),
				failed("the conversation is not left busy", harness.ChatPath))
			w.Run("/readyz names the index", func(t *testing.T) {
				w := w.Within(t)
				w.Becomes("index", false)
				r := w.Call("GET", "/readyz", "")
				w.Shows(harness.Fault{Part: "index", Vital: true, Says: "does not answer", Remedy: "Weaviate"}, w.Beside("doctor"))
				w.CheckParts(r.Text, []string{`"index":{"ready":false`, `"database":{"ready":true`}, "secret-1234")
			})
		}
	})
}

func TestFullDisk(t *testing.T) {
	data := t.TempDir()
	file := filepath.Join(data, "full.db")
	limited := func(pages int) func(*app.Config) {
		return func(c *app.Config) {
			c.DataDir, c.DatabaseURL = data, "sqlite:"+file
			if pages > 0 {
				c.DatabaseURL += fmt.Sprintf("?_pragma=max_page_count(%d)", pages)
			}
		}
	}
	var baker harness.Tenant
	var id string
	t.Run("before", func(t *testing.T) {
		w := harness.Start(t, limited(0))
		baker = w.NewTenant("baker", plan.Standard, harness.Opening)
		id = harness.Written(w.NewConversation(baker.Token, ""))
		w.CheckAnswer(w.Call("POST", harness.ChatPath, harness.Asking(id), harness.Bearer(baker.Token)), 200, 0)
	})
	long := `{"message":"When does the bakery open? ` + strings.Repeat("x", 15_000) + `","conversation_id":` + id + `}`
	said := 0
	t.Run("full", func(t *testing.T) {
		w := harness.Start(t, limited(1)) // SQLite takes the size that the file has
		var refused harness.Reply
		w.Eventually("the disk is too full for a question", func() bool {
			refused = w.Call("POST", harness.ChatPath, long, harness.Bearer(baker.Token))
			return refused.StatusCode != http.StatusOK
		})
		t.Run("a question is refused with the envelope", func(t *testing.T) { w.Within(t).CheckAnswer(refused, 503, 8) })
		w.Play(
			harness.Scenario{Name: "so is the next one", Body: strings.Replace(long, `,"conversation_id":`+id, "", 1), Headers: harness.As(baker.Token), Status: 503, Code: 8},
			harness.Scenario{Name: "and its stream", Path: harness.StreamPath, Body: strings.Replace(long, `,"conversation_id":`+id, "", 1), Headers: harness.As(baker.Token), Status: 503, Code: 8},
			harness.Scenario{Name: "earlier messages can be read", Method: "GET", Path: harness.MessagesPath(id), Headers: harness.As(baker.Token), Has: []string{"seven in the morning"}},
		)
		said = len(w.Messages(baker.Token, id, ""))
	})
	t.Run("after", func(t *testing.T) {
		w := harness.Start(t, limited(0))
		w.Must(w.Server.Turns.InterruptAll(w.Context())) // as `parley serve` does
		w.Play(harness.Scenario{Name: "with free space again questions are answered", Body: long, Headers: harness.As(baker.Token), Has: []string{"seven in the morning"}})
		if n := len(w.Messages(baker.Token, id, "")); n != said+2 {
			t.Errorf("%d messages, want %d and two", n, said)
		}
	})
}

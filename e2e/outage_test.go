package e2e

import (
	"context"
	"fmt"
	"net/http"
	"path/filepath"
	"strings"
	"testing"

	"parley/app"
	"parley/core/fault"
	"parley/core/plan"
	"parley/core/retrieval"
	"parley/index/indextest"
	"parley/internal/pgtest"
	"parley/llm/llmtest"
	"parley/store/storetest"
)

// refuseAll plays what the API must answer while its database is down.
func (w *instance) refuseAll(tn tenantOf, conversation string) {
	w.Helper()
	w.eventually("the server forgets who may ask", func() bool {
		return w.call("POST", conversationsPath, "", bearer(tn.token)).StatusCode != http.StatusOK
	})
	down := func(name, method, path, body string) scenario {
		return scenario{name: name, method: method, path: path, body: body, headers: as(tn.token), status: 503, code: 8, answers: []header{{"Retry-After", "1"}}}
	}
	w.play(
		down("a question is refused", "POST", chatPath, openingQuestion),
		down("a stream is refused with a status", "POST", streamPath, openingQuestion),
		down("a conversation is not created", "POST", conversationsPath, ""),
		down("messages are not read", "GET", messagesPath(conversation), ""),
		scenario{name: "a malformed token is still a 401", headers: as("parley_x"), body: openingQuestion, status: 401, code: 1},
	)
	w.Run("/readyz names the database, and /healthz says that the process lives", func(t *testing.T) {
		inner := w.within(t)
		ready := inner.call("GET", "/readyz", "")
		inner.checkParts(ready.body, []string{`"database":{"ready":false`, `"index":{"ready":true`}, "sql", "SQLSTATE", "closed")
		if alive := inner.call("GET", "/healthz", ""); ready.StatusCode != 503 || alive.StatusCode != 200 {
			t.Errorf("readyz %d, healthz %d", ready.StatusCode, alive.StatusCode)
		}
	})
}

func TestDatabaseOutage(t *testing.T) {
	t.Run("postgres", func(t *testing.T) {
		t.Parallel()
		w := start(t, func(c *app.Config) { c.DatabaseURL = storetest.Postgres(t) })
		baker := w.newTenant("baker", plan.Standard, opening)
		id := written(w.newConversation(baker.token, ""))
		w.checkAnswer(w.call("POST", chatPath, asking(id), bearer(baker.token)), 200, 0)
		restore := pgtest.Outage(t, w.server.Config.DatabaseURL)
		w.refuseAll(baker, id)
		restore()
		w.eventually("the server is ready again", func() bool { return w.call("GET", "/readyz", "").StatusCode == 200 })
		w.play(
			scenario{name: "questions are answered again", body: asking(id), headers: as(baker.token), has: []string{"seven in the morning"}},
			scenario{name: "what was said is there", method: "GET", path: messagesPath(id), headers: as(baker.token), then: func(w *instance, _ reply) {
				if n := len(w.messages(baker.token, id, "")); n != 4 {
					w.Errorf("%d messages, want 4", n)
				}
			}},
		)
	})
	t.Run("sqlite", func(t *testing.T) {
		t.Parallel()
		w := start(t)
		baker := w.newTenant("baker", plan.Standard, opening)
		id := written(w.newConversation(baker.token, ""))
		w.must(w.server.Store.Close())
		w.refuseAll(baker, id)
	})
}

func TestDatabaseOutageDuringAStream(t *testing.T) {
	t.Parallel()
	gate := llmtest.NewGate()
	upstream := llmtest.NewServer(t, llmtest.Reply{Pieces: []string{"At", " seven."}, Hold: gate, HoldAt: llmtest.AfterPieces(1)})
	w := start(t, withModel(upstream), func(c *app.Config) { c.DatabaseURL = storetest.Postgres(t) })
	baker := w.newTenant("baker", plan.Standard, opening)
	id := written(w.newConversation(baker.token, ""))
	stream := w.stream(asking(id), bearer(baker.token))
	<-gate.Reached()
	restore := pgtest.Outage(t, w.server.Config.DatabaseURL)
	gate.Release()
	t.Run("an answer that cannot be stored ends in one error and [DONE]", func(t *testing.T) {
		s := w.within(t).story(stream)
		if s.text != "At seven." || len(s.failures) != 1 || s.failures[0].Error != 8 {
			t.Errorf("got %+v", s)
		}
	})
	restore()
	w.eventually("the server is ready again", func() bool { return w.call("GET", "/readyz", "").StatusCode == 200 })
	t.Run("other conversations go on", func(t *testing.T) {
		w.within(t).checkAnswer(w.call("POST", chatPath, openingQuestion, bearer(baker.token)), 200, 0)
	})
}

// brokenIndex is an index that cannot be searched.
type brokenIndex struct {
	retrieval.Index
	panics bool
}

func (x brokenIndex) Search(context.Context, retrieval.Scope, retrieval.IndexQuery) (retrieval.Hits, error) {
	if x.panics {
		panic("a defect of the index, secret-1234")
	}
	return retrieval.Hits{}, fault.New(fault.Upstream, "disk secret-1234 is broken")
}

func (x brokenIndex) Check(context.Context) error { return fault.New(fault.Upstream, "secret-1234") }

func TestIndexOutage(t *testing.T) {
	t.Parallel()
	onBothDatabases(t, func(t *testing.T, start func(...func(*app.Config)) *instance) {
		for _, panics := range []bool{false, true} {
			broken := func(x retrieval.Index) retrieval.Index {
				return brokenIndex{indextest.RefuseInTx(x), panics}
			}
			w := startWith(t, app.Options{Index: broken}, func(c *app.Config) { c.DatabaseURL = start().server.Config.DatabaseURL })
			baker := w.newTenant("baker", plan.Standard, opening)
			id := written(w.newConversation(baker.token, ""))
			failed := func(name, path string) scenario {
				return scenario{name: fmt.Sprintf("%s (it panics: %t)", name, panics), path: path, body: asking(id), headers: as(baker.token), status: 500, code: 5, lacks: []string{"secret-1234"}}
			}
			w.play(failed("a question is a 500", chatPath), failed("a stream is a 500 before its first byte", streamPath),
				failed("the conversation is not left busy", chatPath))
			w.Run("/readyz names the index", func(t *testing.T) {
				r := w.within(t).call("GET", "/readyz", "")
				w.within(t).checkParts(r.body, []string{`"index":{"ready":false`, `"database":{"ready":true`}, "secret-1234")
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
	var baker tenantOf
	var id string
	t.Run("before", func(t *testing.T) {
		w := start(t, limited(0))
		baker = w.newTenant("baker", plan.Standard, opening)
		id = written(w.newConversation(baker.token, ""))
		w.checkAnswer(w.call("POST", chatPath, asking(id), bearer(baker.token)), 200, 0)
	})
	long := `{"message":"When does the bakery open? ` + strings.Repeat("x", 15_000) + `","conversation_id":` + id + `}`
	said := 0
	t.Run("full", func(t *testing.T) {
		w := start(t, limited(1)) // SQLite takes the size that the file has
		var refused reply
		w.eventually("the disk is too full for a question", func() bool {
			refused = w.call("POST", chatPath, long, bearer(baker.token))
			return refused.StatusCode != http.StatusOK
		})
		t.Run("a question is refused with the envelope", func(t *testing.T) { w.within(t).checkAnswer(refused, 503, 8) })
		w.play(
			scenario{name: "so is the next one", body: strings.Replace(long, `,"conversation_id":`+id, "", 1), headers: as(baker.token), status: 503, code: 8},
			scenario{name: "and its stream", path: streamPath, body: strings.Replace(long, `,"conversation_id":`+id, "", 1), headers: as(baker.token), status: 503, code: 8},
			scenario{name: "earlier messages can be read", method: "GET", path: messagesPath(id), headers: as(baker.token), has: []string{"seven in the morning"}},
		)
		said = len(w.messages(baker.token, id, ""))
	})
	t.Run("after", func(t *testing.T) {
		w := start(t, limited(0))
		w.must(w.server.Turns.InterruptAll(w.Context())) // as `parley serve` does
		w.play(scenario{name: "with free space again questions are answered", body: long, headers: as(baker.token), has: []string{"seven in the morning"}})
		if n := len(w.messages(baker.token, id, "")); n != said+2 {
			t.Errorf("%d messages, want %d and two", n, said)
		}
	})
}

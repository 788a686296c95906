package e2e

import (
	"context"
	"net/http"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"parley/app"
	"parley/internal/pgtest"
	"parley/store/storetest"
)

// stalled is how long requests wait for the database in these tests.
const stalled = 300 * time.Millisecond

// answerAll calls every route, some at once, with credentials that were made before.
func (w *instance) answerAll(e *fullWorkspace, session header) map[string]reply {
	w.Helper()
	answers := map[string]reply{}
	var mu sync.Mutex
	var all sync.WaitGroup
	slots := make(chan struct{}, 16)
	for _, r := range rows {
		credential := session
		if r.takesTokens() {
			credential = bearer(e.token)
		}
		all.Go(func() {
			slots <- struct{}{}
			defer func() { <-slots }()
			answer := w.try(r, e.ids, credential)
			mu.Lock()
			defer mu.Unlock()
			answers[r.name()+" "+r.body] = answer
		})
	}
	all.Wait()
	return answers
}

// areUnavailable fails unless the answers of routes that need the database say that
// it is not available, and when to try again.
func (w *instance) areUnavailable(answers map[string]reply) {
	w.Helper()
	for _, r := range rows {
		answer := answers[r.name()+" "+r.body]
		switch {
		case r.route == "/readyz": // has no caller who tries again
		case answer.StatusCode == http.StatusServiceUnavailable:
			if answer.Header.Get("Retry-After") == "" || !strings.Contains(answer.body, "Try again") {
				w.Errorf("%s does not say when to try again: %s", r.name(), shortened(answer.body))
			}
		case answer.StatusCode >= 500 || !r.isPublic():
			w.Errorf("%s is answered with %d: %s", r.name(), answer.StatusCode, shortened(answer.body))
		}
	}
}

// The test does not run beside others, because it counts goroutines.
func TestADatabaseThatHangs(t *testing.T) {
	proxy := pgtest.NewProxy(t, storetest.Postgres(t))
	w := start(t, func(c *app.Config) { c.DatabaseURL, c.DatabaseTimeout = proxy.URL(), stalled })
	w.hasNoRates()
	e := w.newFullWorkspace("baker")
	session := w.session(e.owner)
	before := runtime.NumGoroutine()

	resume := proxy.HangAll()
	defer resume()
	t.Run("every route that needs it answers 503 in time, with when to try again", func(t *testing.T) {
		w.within(t).areUnavailable(w.answerAll(e, session))
	})
	t.Run("a page says so in a sentence", func(t *testing.T) {
		w := w.within(t)
		page := w.call("GET", "/chatbots/"+e.chatbot, "", session)
		w.expect(page, http.StatusServiceUnavailable)
		if title := text(w.page(page)); !strings.Contains(title, "Try again soon") || !strings.Contains(title, "The database is not available right now.") {
			t.Errorf("the page says %q", title)
		}
	})
	t.Run("an unknown token is not refused: it may be good", func(t *testing.T) {
		w.within(t).checkAnswer(w.call("POST", chatPath, openingQuestion, bearer(e.sibling.token)), 503, 8)
	})
	t.Run("/readyz is 503 and /healthz 200", func(t *testing.T) {
		w := w.within(t)
		w.expect(w.call("GET", "/readyz", ""), http.StatusServiceUnavailable)
		w.expect(w.call("GET", "/healthz", ""), http.StatusOK)
	})
	resume()
	t.Run("when it answers again, so does the server, and nothing is left waiting", func(t *testing.T) {
		w := w.within(t)
		w.eventually("the server is ready again", func() bool { return w.call("GET", "/readyz", "").StatusCode == http.StatusOK })
		w.eventually("questions are answered again", func() bool {
			return w.call("POST", chatPath, openingQuestion, bearer(e.token)).StatusCode == http.StatusOK
		})
		w.expect(w.call("GET", "/chatbots/"+e.chatbot, "", session), http.StatusOK)
		w.eventually("the goroutines have ended", func() bool { return runtime.NumGoroutine() <= before+len(rows)/2 })
	})
}

func TestADatabaseWhoseConnectionsAreAllInUse(t *testing.T) {
	t.Parallel()
	w := start(t, func(c *app.Config) { c.DatabaseURL, c.DatabaseTimeout = storetest.Postgres(t), stalled })
	w.hasNoRates()
	e := w.newFullWorkspace("baker")
	session := w.session(e.owner)
	free := w.takeConnections()
	t.Run("every route that needs one answers 503, with when to try again", func(t *testing.T) {
		w.within(t).areUnavailable(w.answerAll(e, session))
	})
	free()
	t.Run("when there are some again, questions are answered", func(t *testing.T) {
		w.within(t).checkAnswer(w.call("POST", chatPath, openingQuestion, bearer(e.token)), 200, 0)
	})
}

// takeConnections takes all connections of the server until the returned function is
// called.
func (w *instance) takeConnections() (free func()) {
	w.Helper()
	const (
		most = 1000
		// enough is how often in a row none is to be had: on a busy machine a new one may
		// come too late, and work of the server's own give one back.
		enough = 5
	)
	held := make(chan struct{})
	var holders sync.WaitGroup
	refused := 0
	for range most {
		taken := make(chan bool, 1)
		holders.Go(func() {
			err := w.server.Store.InTx(w.Context(), func(context.Context) error {
				taken <- true
				<-held
				return nil
			})
			if err != nil {
				taken <- false
			}
		})
		if refused++; <-taken {
			refused = 0
		}
		if refused == enough {
			return func() { close(held); holders.Wait() }
		}
	}
	w.Fatalf("the server has more than %d connections", most)
	return nil
}

func TestSearchWithoutConnections(t *testing.T) {
	t.Parallel()
	database := storetest.Postgres(t)
	proxy := pgtest.NewProxy(t, database)
	w := start(t, func(c *app.Config) { c.DatabaseURL = proxy.URL() })
	e := w.newFullWorkspace("baker")
	proxy.On(pgtest.Rule{SQL: "documents", Times: -1})
	for _, path := range []string{chatPath, streamPath} {
		t.Run("a question whose passages cannot be read gets 503 from "+path, func(t *testing.T) {
			answer := w.within(t).call("POST", path, openingQuestion, bearer(e.token))
			w.within(t).checkAnswer(answer, 503, 8)
		})
	}
}

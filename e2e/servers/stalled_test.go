package servers

import (
	"context"
	"net/http"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"parley/app"
	"parley/e2e/harness"
	"parley/internal/pgtest"
	"parley/store/storetest"
)

// stalled is how long requests wait for the database in these tests.
const stalled = 300 * time.Millisecond

// startStalled starts a server that waits so long for its database, which it sees at an
// address. A server that waits longer has made a workspace there before, and the session of
// its owner: on a busy machine that may take more time.
func startStalled(t *testing.T, database, seenAt string) (*harness.Instance, *harness.FullWorkspace, harness.Header) {
	t.Helper()
	patient := harness.Start(t, func(c *app.Config) { c.DatabaseURL = database })
	e := patient.NewFullWorkspace("baker")
	session := patient.Session(e.Owner)
	patient.End()
	w := harness.Start(t, func(c *app.Config) { c.DatabaseURL, c.DatabaseTimeout = seenAt, stalled })
	w.HasNoRates()
	return w, e, session
}

// answersAgain waits until a question is answered.
func answersAgain(w *harness.Instance, e *harness.FullWorkspace) {
	w.Helper()
	w.Eventually("questions are answered again", func() bool {
		return w.Call("POST", harness.ChatPath, harness.OpeningQuestion, harness.Bearer(e.Token)).StatusCode == http.StatusOK
	})
}

// answerAll calls every route, some at once, with credentials that were made before.
func answerAll(w *harness.Instance, e *harness.FullWorkspace, session harness.Header) map[string]harness.Reply {
	w.Helper()
	answers := map[string]harness.Reply{}
	var mu sync.Mutex
	var all sync.WaitGroup
	slots := make(chan struct{}, 16)
	for _, r := range harness.Routes {
		credential := session
		if r.TakesTokens() {
			credential = harness.Bearer(e.Token)
		}
		all.Go(func() {
			slots <- struct{}{}
			defer func() { <-slots }()
			answer := w.Try(r, e.IDs, credential)
			mu.Lock()
			defer mu.Unlock()
			answers[r.Name()+" "+r.Body] = answer
		})
	}
	all.Wait()
	return answers
}

// areUnavailable fails unless the answers of routes that need the database say that
// it is not available, and when to try again.
func areUnavailable(w *harness.Instance, answers map[string]harness.Reply) {
	w.Helper()
	for _, r := range harness.Routes {
		answer := answers[r.Name()+" "+r.Body]
		switch {
		case r.Pattern == "/readyz": // has no caller who tries again
		case answer.StatusCode == http.StatusServiceUnavailable:
			if answer.Header.Get("Retry-After") == "" || !strings.Contains(answer.Text, "Try again") {
				w.Errorf("%s does not say when to try again: %s", r.Name(), harness.Shortened(answer.Text))
			}
		case answer.StatusCode >= 500 || !r.IsPublic():
			w.Errorf("%s is answered with %d: %s", r.Name(), answer.StatusCode, harness.Shortened(answer.Text))
		}
	}
}

// The test does not run beside others, because it counts goroutines.
func TestADatabaseThatHangs(t *testing.T) {
	database := storetest.Postgres(t)
	proxy := pgtest.NewProxy(t, database)
	w, e, session := startStalled(t, database, proxy.URL())
	before := runtime.NumGoroutine()

	resume := proxy.HangAll()
	defer resume()
	t.Run("every route that needs it answers 503 in time, with when to try again", func(t *testing.T) {
		areUnavailable(w.Within(t), answerAll(w, e, session))
	})
	t.Run("a page says so in a sentence", func(t *testing.T) {
		w := w.Within(t)
		page := w.Call("GET", "/chatbots/"+e.Chatbot, "", session)
		w.Expect(page, http.StatusServiceUnavailable)
		if title := harness.Text(w.Page(page)); !strings.Contains(title, "Try again soon") || !strings.Contains(title, "The database is not available right now") {
			t.Errorf("the page says %q", title)
		}
	})
	t.Run("an unknown token is not refused: it may be good", func(t *testing.T) {
		w.Within(t).CheckAnswer(w.Call("POST", harness.ChatPath, harness.OpeningQuestion, harness.Bearer(e.Sibling.Token)), 503, 8)
	})
	t.Run("/readyz is 503 and /healthz 200", func(t *testing.T) {
		w := w.Within(t)
		w.Becomes("database", false)
		w.Expect(w.Call("GET", "/readyz", ""), http.StatusServiceUnavailable)
		w.Expect(w.Call("GET", "/healthz", ""), http.StatusOK)
	})
	resume()
	t.Run("when it answers again, so does the server, and nothing is left waiting", func(t *testing.T) {
		w := w.Within(t)
		w.Eventually("the server is ready again", func() bool { return w.Call("GET", "/readyz", "").StatusCode == http.StatusOK })
		answersAgain(w, e)
		w.Expect(w.Call("GET", "/chatbots/"+e.Chatbot, "", session), http.StatusOK)
		w.Eventually("the goroutines have ended", func() bool { return runtime.NumGoroutine() <= before+len(harness.Routes)/2 })
	})
}

func TestADatabaseWhoseConnectionsAreAllInUse(t *testing.T) {
	t.Parallel()
	database := storetest.Postgres(t)
	w, e, session := startStalled(t, database, database)
	free := takeConnections(w)
	t.Run("every route that needs one answers 503, with when to try again", func(t *testing.T) {
		areUnavailable(w.Within(t), answerAll(w, e, session))
	})
	free()
	t.Run("when there are some again, questions are answered", func(t *testing.T) {
		answersAgain(w.Within(t), e)
	})
}

// takeConnections takes all connections of the server until the returned function is
// called.
func takeConnections(w *harness.Instance) (free func()) {
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
			err := w.Server.Store.InTx(w.Context(), func(context.Context) error {
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
	w := harness.Start(t, func(c *app.Config) { c.DatabaseURL = proxy.URL() })
	e := w.NewFullWorkspace("baker")
	proxy.On(pgtest.Rule{SQL: "documents", Times: -1})
	for _, path := range []string{harness.ChatPath, harness.StreamPath} {
		t.Run("a question whose passages cannot be read gets 503 from "+path, func(t *testing.T) {
			answer := w.Within(t).Call("POST", path, harness.OpeningQuestion, harness.Bearer(e.Token))
			w.Within(t).CheckAnswer(answer, 503, 8)
		})
	}
}

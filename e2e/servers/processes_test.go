package servers

import (
	"database/sql"
	"net/http"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"parley/core/chatbot"
	"parley/core/plan"
	"parley/e2e/harness"
	"parley/store/storetest"
)

// twoProcesses are processes of the binary on one database, each with a data
// folder of its own.
type twoProcesses struct {
	*harness.Installation
	here, there *harness.Process
	db          *sql.DB
}

// onTwoProcesses prepares a database, and starts two processes on it.
func onTwoProcesses(t *testing.T, prepare func(w *harness.Instance)) twoProcesses {
	t.Helper()
	first := &harness.Installation{T: t, Dir: t.TempDir(), Database: storetest.Postgres(t)}
	second := &harness.Installation{T: t, Dir: t.TempDir(), Database: first.Database}
	harness.ShareCache(t, first.Dir)
	harness.ShareCache(t, second.Dir)
	first.Inside(prepare)
	db, err := sql.Open("pgx", first.Database)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	return twoProcesses{first, first.Serve(), second.Serve(), db}
}

// stored is the result of a query, as text.
func (two twoProcesses) stored(query string) (text string) {
	two.Helper()
	err := two.db.QueryRowContext(two.Context(), "SELECT COALESCE(string_agg(r::text, E'\n' ORDER BY r::text), '') FROM ("+query+") r").Scan(&text)
	if err != nil {
		two.Fatal(err)
	}
	return text
}

// flood sends requests to both processes, on several connections each, and
// returns how many were admitted. The others must be told when to come again.
func (two twoProcesses) flood(each int, send func(p *harness.Process) harness.Reply) int {
	two.Helper()
	const connections = 8
	var all sync.WaitGroup
	var admitted atomic.Int64
	for _, p := range []*harness.Process{two.here, two.there} {
		for range connections {
			all.Go(func() {
				for range each / connections {
					r := send(p)
					seconds, _ := strconv.Atoi(r.Header.Get("Retry-After"))
					switch {
					case r.StatusCode == http.StatusOK:
						admitted.Add(1)
					case r.StatusCode != http.StatusTooManyRequests || r.Error != 7 || seconds < 1:
						two.Errorf("answered %d, to come again in %d s: %s", r.StatusCode, seconds, r.Text)
					}
				}
			})
		}
	}
	all.Wait()
	return int(admitted.Load())
}

func TestTwoProcessesShareLimits(t *testing.T) {
	t.Parallel()
	var baker, smith, miller, mason harness.Tenant
	var slow, cheap string // tokens with limits of their own
	two := onTwoProcesses(t, func(w *harness.Instance) {
		w.Includes(plan.Premium, func(l *plan.Limits) { l.MessagesPerMonth, l.RequestsPerMinute = 40, plan.Unlimited })
		baker, smith = w.NewTenant("baker", plan.Standard), w.NewTenant("smith", plan.Standard)
		miller, mason = w.NewTenant("miller", plan.Premium), w.NewTenant("mason", plan.Premium)
		weaver := w.NewTenant("weaver", plan.Premium)
		_, slow = w.Issue(weaver, chatbot.NewToken{Restrictions: chatbot.Restrictions{RequestsPerMinute: 60}, Scopes: chatbot.AllScopes()})
		_, cheap = w.Issue(weaver, chatbot.NewToken{Restrictions: chatbot.Restrictions{MessagesPerMonth: 20}})
	})
	ask := func(p *harness.Process, token string) harness.Reply {
		return p.Call("POST", harness.ChatPath, `{"message":"Hello"}`, harness.Bearer(token))
	}

	t.Run("of 600 requests in a minute, the 300 that the plan includes are admitted", func(t *testing.T) {
		conversation := harness.MessagesPath(harness.Written(two.here.NewConversation(baker.Token, "")))
		read := func(p *harness.Process) harness.Reply {
			return p.Call("GET", conversation, "", harness.Bearer(baker.Token))
		}
		began := time.Now()
		admitted := two.flood(300, read)
		if took := time.Since(began); took > time.Minute {
			t.Fatalf("the requests took %v", took)
		}
		if admitted > 299 || admitted < 296 { // and one that began the conversation
			t.Errorf("%d were admitted", admitted)
		}

		const minutes = "SELECT * FROM request_minutes"
		before := two.stored(minutes)
		var flooding sync.WaitGroup
		flooding.Go(func() {
			if n := two.flood(160, read); n != 0 {
				t.Errorf("%d of those were admitted", n)
			}
		})
		for range 10 {
			if r := ask(two.there, smith.Token); r.StatusCode != http.StatusOK {
				t.Errorf("beside the flood another workspace is answered %d", r.StatusCode)
			}
		}
		flooding.Wait()
		if after := two.stored(minutes + " WHERE workspace_id = '" + baker.Workspace + "'"); after != before {
			t.Errorf("refused requests have written\n%s\nwhere there was\n%s", after, before)
		}
	})
	t.Run("of 80 messages in a month, the 40 that the plan includes are answered", func(t *testing.T) {
		if n := two.flood(40, func(p *harness.Process) harness.Reply { return ask(p, miller.Token) }); n != 40 {
			t.Errorf("%d were answered", n)
		}
		const written = "SELECT 'usage', id, messages::text FROM usages UNION ALL SELECT 'hold', id, granted || ' ' || lease_until FROM message_holds" +
			" UNION ALL SELECT 'message', id, '' FROM messages"
		before := two.stored(written)
		if n := two.flood(80, func(p *harness.Process) harness.Reply { return ask(p, miller.Token) }); n != 0 {
			t.Errorf("%d of those were answered", n)
		}
		if after := two.stored(written); after != before {
			t.Errorf("refused messages have written\n%s\nwhere there was\n%s", after, before)
		}
	})
	t.Run("the limits of a token are for both together: 60 of 160 requests a minute, and 20 of 80 messages a month", func(t *testing.T) {
		began := time.Now()
		n := two.flood(80, func(p *harness.Process) harness.Reply {
			return p.Call("GET", harness.ConversationsPath, "", harness.Bearer(slow))
		})
		if took := time.Since(began); took > time.Minute {
			t.Fatalf("the requests took %v", took)
		}
		if n > 60 || n < 57 {
			t.Errorf("%d requests were admitted", n)
		}
		if n := two.flood(40, func(p *harness.Process) harness.Reply { return ask(p, cheap) }); n != 20 {
			t.Errorf("%d messages were answered", n)
		}
	})
	t.Run("what a killed process had reserved is lost until its lease ends, and no longer", func(t *testing.T) {
		limit := func(messages int) {
			two.Inside(func(w *harness.Instance) {
				w.Includes(plan.Premium, func(l *plan.Limits) { l.MessagesPerMonth = messages })
			})
		}
		limit(1_000)
		if r := ask(two.here, mason.Token); r.StatusCode != http.StatusOK {
			t.Fatalf("answered %d", r.StatusCode)
		}
		two.here.Kill()
		var granted, lease int
		err := two.db.QueryRowContext(t.Context(), `SELECT granted, EXTRACT(epoch FROM lease_until - now())::int FROM message_holds WHERE workspace_id = $1`,
			mason.Workspace).Scan(&granted, &lease)
		if err != nil || granted != 10 || lease > 60 {
			t.Fatalf("%d are reserved for %d s: %v", granted, lease, err)
		}
		limit(12)
		answered := 0
		two.there.Eventually("no message is left", func() bool {
			r := ask(two.there, mason.Token)
			if r.StatusCode == http.StatusOK {
				answered++
			}
			return r.StatusCode == http.StatusTooManyRequests
		})
		if answered != 2 {
			t.Errorf("beside the reserved ones %d were answered", answered)
		}
		if _, err := two.db.ExecContext(t.Context(), "UPDATE message_holds SET lease_until = now() WHERE granted = 10"); err != nil {
			t.Fatal(err)
		}
		for answered < 11 {
			two.there.Eventually("another is answered", func() bool { return ask(two.there, mason.Token).StatusCode == http.StatusOK })
			answered++
		}
		if r := ask(two.there, mason.Token); r.StatusCode != http.StatusTooManyRequests {
			t.Errorf("one too many is answered %d", r.StatusCode)
		}
	})
	t.Run("a process that stops gives back what it has reserved", func(t *testing.T) {
		two.there.Terminate()
		two.there.EndsWithin(harness.Patience)
		if n := two.stored("SELECT 1 FROM message_holds WHERE lease_until > now() AND workspace_id = '" + mason.Workspace + "'"); n != "" {
			t.Errorf("reserved are still %s", n)
		}
	})
}

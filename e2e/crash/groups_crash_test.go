package crash

import (
	"context"
	"database/sql"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"

	"parley/app"
	"parley/core/plan"
	"parley/e2e/harness"
	"parley/internal/pgtest"
	"parley/llm/llmtest"
	"parley/store/storetest"
)

// sharers is how many clients ask at the same time, so that their turns share statements
// of PostgreSQL: the first one goes alone, and manyTurns that wait start another statement.
// A client whose turn is given up before that asks again.
const (
	sharers   = 12
	manyTurns = 8
)

// sharedPoint is a statement that many turns share, and the one for a turn that goes
// alone before.
type sharedPoint struct {
	name, alone, shared string
	// further says that the questions go on with conversations, and keyed that each has
	// an Idempotency-Key.
	further, keyed bool
	// ends says that the statement comes after the questions are stored.
	ends bool
}

var sharedPoints = []sharedPoint{
	{name: "the statement that begins conversations", alone: "with workspace as", shared: "insert into conversations (id,"},
	{name: "the statement that continues conversations", alone: "left join lateral", shared: "left join lateral", further: true},
	{name: "the statement that begins conversations with keys", alone: "insert into conversations (id,", shared: "insert into conversations (id,", keyed: true},
	{name: "the statement that continues conversations with keys", alone: "left join lateral", shared: "left join lateral", further: true, keyed: true},
	{name: "the statement that ends answers", alone: "from ended on conflict", shared: "select place from ended", ends: true},
}

// sharedRun is a process behind a proxy, whose clients' turns share statements.
type sharedRun struct {
	*harness.Installation
	process *harness.Process
	proxy   *pgtest.Proxy
	db      *sql.DB
	tn      harness.Tenant
}

// attempt posts a question, and returns the status, or 0 if there was no answer.
func attempt(w *harness.Instance, token, body string, headers ...harness.Header) (status int, text string) {
	request, err := http.NewRequestWithContext(context.WithoutCancel(w.Context()), "POST", w.Base+harness.ChatPath, strings.NewReader(body))
	if err != nil {
		return 0, err.Error()
	}
	request.Header.Set("Content-Type", "application/json")
	for _, h := range append(headers, harness.Bearer(token)) {
		request.Header.Set(h.Name, h.Value)
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return 0, err.Error()
	}
	defer response.Body.Close()
	answer, err := io.ReadAll(response.Body)
	if err != nil {
		return 0, err.Error()
	}
	return response.StatusCode, string(answer)
}

// rows is what a query of one number gives.
func (k *sharedRun) rows(query string, args ...any) (n int) {
	k.Helper()
	if err := k.db.QueryRowContext(context.WithoutCancel(k.Context()), query, args...).Scan(&n); err != nil {
		k.Fatal(err)
	}
	return n
}

func (k *sharedRun) counted() int {
	return k.rows("SELECT COALESCE(SUM(messages), 0) FROM usages WHERE workspace_id = $1", k.tn.Workspace)
}

func TestKilledWhileTurnsShareStatements(t *testing.T) {
	t.Parallel()
	database := storetest.Postgres(t)
	direct := &harness.Installation{T: t, Dir: t.TempDir(), Database: database}
	harness.ShareCache(t, direct.Dir)
	upstream := llmtest.NewServer(t, llmtest.Reply{})
	upstream.Always(llmtest.Reply{Pieces: harness.PiecesOfSeven})
	k := &sharedRun{Installation: &harness.Installation{T: t, Dir: direct.Dir}, proxy: pgtest.NewProxy(t, database)}
	k.Database = k.proxy.URL()
	k.AnsweredBy(upstream)
	direct.Inside(func(w *harness.Instance) { k.tn = w.NewTenant("baker", plan.Enterprise, harness.Opening) })
	var err error
	if k.db, err = sql.Open("pgx", database); err != nil {
		t.Fatal(err)
	}
	defer k.db.Close()
	k.process = k.Serve()

	for _, point := range sharedPoints {
		for at, executed := range map[pgtest.Point]bool{pgtest.BeforeExecution: false, pgtest.AfterExecution: true} {
			name := fmt.Sprintf("killed at %s (executed: %t)", point.name, executed)
			if shared := k.killedAt(t, direct, name, point, at); executed && shared < manyTurns {
				t.Errorf("%s: %d turns shared the statement", name, shared)
			}
		}
	}
}

// killedAt kills the server when turns are in the statement of the point, checks what is
// stored, starts it again, and returns how many turns the statement has stored.
func (k *sharedRun) killedAt(t *testing.T, direct *harness.Installation, name string, point sharedPoint, at pgtest.Point) int {
	pending := k.killAt(point, at, k.clientsFor(name, point))
	stored := k.storedAt(name, point)
	t.Run(name+": each turn is stored whole, at most once, and counted once", func(t *testing.T) {
		k.in(t).checkShared(name, point, at == pgtest.AfterExecution)
	})
	k.process = k.Serve()
	t.Run(name+": the server that is started next answers", func(t *testing.T) {
		status, text := attempt(k.process.Instance, k.tn.Token, harness.OpeningQuestion)
		if status != http.StatusOK {
			t.Errorf("it answers %d: %s", status, text)
		}
	})
	if point.keyed {
		t.Run(name+": each question that is sent again with its key is answered, stored once and counted once", func(t *testing.T) {
			k.in(t).sendAgain(name, pending)
		})
	}
	direct.Inside(func(w *harness.Instance) {
		w.HalfAMinuteLater()
		w.NoneGenerating()
	})
	return stored
}

// in is the same in the sub-test that t belongs to.
func (k *sharedRun) in(t *testing.T) *sharedRun {
	inner, place := *k, *k.Installation
	place.T = t
	inner.Installation = &place
	return &inner
}

// sharer is a client: what it calls itself in questions, and its conversation, if it has one.
type sharer struct {
	name         string
	conversation string
	keyed        bool
}

// shared is a question with its key, if it has one.
type shared struct{ body, key string }

// question is the n-th question of the client.
func (s sharer) question(n int) shared {
	body := fmt.Sprintf(`{"message":"%s: when does it open in month %d?"%s}`, s.name, n, s.conversation)
	if !s.keyed {
		return shared{body: body}
	}
	return shared{body, fmt.Sprint(s.name, ": ", n)}
}

// at posts the question, and returns the status, or 0 if there was no answer.
func (q shared) at(p *harness.Process, token string) (status int, text string) {
	if q.key == "" {
		return attempt(p.Instance, token, q.body)
	}
	return attempt(p.Instance, token, q.body, harness.Keyed(q.key))
}

// clientsFor are the clients, with conversations that exist if the point asks for them.
func (k *sharedRun) clientsFor(name string, point sharedPoint) (clients []sharer) {
	k.Helper()
	for n := range sharers {
		s := sharer{name: fmt.Sprintf("%s: bakery %d", name, n), keyed: point.keyed}
		if point.further {
			r := k.process.Call("POST", harness.ChatPath, harness.OpeningQuestion, harness.Bearer(k.tn.Token))
			k.process.CheckAnswer(r, http.StatusOK, 0)
			s.conversation = fmt.Sprintf(`,"conversation_id":%q`, harness.Written(k.process.Number(r, "conversation_id")))
		}
		clients = append(clients, s)
	}
	return clients
}

// killAt lets the clients ask, kills the server when many of their turns are in the
// statement of the point, and returns the questions that got no answer. The proxy holds
// every statement of fewer turns back. So the turns that come meanwhile share the next one;
// if the server gives up first, the clients ask again. The proxy tells the statements by
// their turns and not by their order: the turn that goes alone may still be opening its
// connection when those that came after it share theirs.
func (k *sharedRun) killAt(point sharedPoint, at pgtest.Point, clients []sharer) (unanswered []shared) {
	k.Helper()
	before := k.counted()
	reached := k.proxy.On(pgtest.Rule{SQL: point.shared, Elements: manyTurns, At: at, Do: pgtest.Hang, Times: -1}).Reached()
	few := k.proxy.On(pgtest.Rule{SQL: point.shared, Do: pgtest.Hang, Times: -1})
	alone := k.proxy.On(pgtest.Rule{SQL: point.alone, Do: pgtest.Hang, Times: -1})
	process := k.process
	var asking sync.WaitGroup
	var mu sync.Mutex
	for _, client := range clients {
		asking.Go(func() {
			for n, status := 1, http.StatusServiceUnavailable; status != 0; n++ {
				question := client.question(n)
				var text string
				if status, text = question.at(process, k.tn.Token); status != 0 && status != http.StatusServiceUnavailable {
					k.Errorf("a question was answered with %d: %s", status, text)
				}
				mu.Lock()
				unanswered = append(unanswered, question)
				mu.Unlock()
			}
		})
	}
	process.Comes("many turns are in one statement", reached)
	if point.ends {
		process.Eventually("every question is stored", func() bool { return k.counted()-before >= sharers })
	}
	process.Kill()
	asking.Wait()
	k.proxy.CutAll() // what the server has not been sent by now it never is
	k.proxy.Off()
	process.Eventually("the server has ended what it was sent", func() bool { return k.proxy.Open() == 0 })
	k.Logf("of %d questions %d were stored; %d statements of few turns were held back", len(unanswered), k.counted()-before, few.Applied()+alone.Applied())
	return unanswered
}

// sendAgain sends the questions again as their clients do that got no answer, and fails
// unless each is answered and stored once.
func (k *sharedRun) sendAgain(name string, questions []shared) {
	k.Helper()
	var clients sync.WaitGroup
	for _, question := range questions {
		clients.Go(func() {
			status, text := 0, ""
			for range 20 {
				if status, text = question.at(k.process, k.tn.Token); status == http.StatusOK {
					break
				}
			}
			if !strings.Contains(text, harness.AnswerOfSeven) {
				k.Errorf("%s is answered with %d: %s", question.body, status, text)
			}
		})
	}
	clients.Wait()
	asked := name + ": %"
	stored := k.rows("SELECT count(*) FROM messages WHERE content LIKE $1", asked)
	different := k.rows("SELECT count(DISTINCT content) FROM messages WHERE content LIKE $1", asked)
	if stored != len(questions) || different != len(questions) {
		k.Errorf("%d questions are stored, of which %d are different, want %d", stored, different, len(questions))
	}
	if all := k.rows("SELECT count(*) FROM messages WHERE role = 'user' AND workspace_id = $1", k.tn.Workspace); k.counted() != all {
		k.Errorf("%d questions are stored, and %d counted", all, k.counted())
	}
}

const answersOf = "SELECT count(*) FROM messages q JOIN messages a ON a.conversation_id = q.conversation_id AND a.id > q.id AND a.role = 'assistant' WHERE q.content LIKE $1"

// storedAt is how many turns the statement of the point has stored.
func (k *sharedRun) storedAt(name string, point sharedPoint) int {
	k.Helper()
	if point.ends {
		return k.rows(answersOf+" AND a.status = 'complete'", name+": %")
	}
	return k.rows("SELECT count(*) FROM messages WHERE content LIKE $1", name+": %")
}

// checkShared fails unless what is stored of the questions is whole.
func (k *sharedRun) checkShared(name string, point sharedPoint, executed bool) {
	k.Helper()
	asked := name + ": %"
	questions := k.rows("SELECT count(*) FROM messages WHERE content LIKE $1", asked)
	different := k.rows("SELECT count(DISTINCT content) FROM messages WHERE content LIKE $1", asked)
	if questions != different {
		k.Errorf("%d questions are stored, of which %d are different", questions, different)
	}
	if n := k.rows(answersOf, asked); n != questions {
		k.Errorf("%d questions have %d answers", questions, n)
	}
	complete := k.rows(answersOf+" AND a.status = 'complete'", asked)
	if n := k.rows("SELECT count(*) FROM usage_records r WHERE r.message_id IN (SELECT a.id FROM messages q JOIN messages a ON a.conversation_id = q.conversation_id AND a.id > q.id WHERE q.content LIKE $1)", asked); n != complete {
		k.Errorf("%d answers are complete, and have %d usage records", complete, n)
	}
	if all := k.rows("SELECT count(*) FROM messages WHERE role = 'user' AND workspace_id = $1", k.tn.Workspace); k.counted() != all {
		k.Errorf("%d questions are stored, and %d counted", all, k.counted())
	}
	if point.ends && questions < sharers {
		k.Errorf("%d questions are stored, want %d or more", questions, sharers)
	}
	if stored := k.storedAt(name, point); !executed && stored != 0 || executed && stored == 0 {
		k.Errorf("%d are stored", stored)
	}
}

func TestEachQuestionOnceThroughABrokenNetwork(t *testing.T) {
	t.Parallel()
	const rounds = 4
	upstream := llmtest.NewServer(t, llmtest.Reply{})
	upstream.Always(llmtest.Reply{Pieces: harness.PiecesOfSeven})
	proxy := pgtest.NewProxy(t, storetest.Postgres(t))
	w := harness.Start(t, harness.WithModel(upstream), func(c *app.Config) { c.DatabaseURL = proxy.URL() })
	w.HasNoRates()
	tn := w.NewTenant("baker", plan.Enterprise, harness.Opening)
	var faults []*pgtest.Fault
	for n, rule := range []pgtest.Rule{
		{SQL: "insert into idempotency_keys", At: pgtest.AfterExecution},
		{SQL: "insert into idempotency_keys", At: pgtest.BeforeExecution},
		{SQL: "insert into conversations", At: pgtest.AfterRows},
		{SQL: "insert into usage_records", At: pgtest.BeforeExecution},
	} {
		rule.Skip, rule.Times = n+2, 3
		faults = append(faults, proxy.On(rule))
	}
	var clients sync.WaitGroup
	for n := range sharers {
		clients.Go(func() {
			for round := range rounds {
				key := fmt.Sprintf("question %d.%d", n, round)
				body := fmt.Sprintf(`{"message":"When does bakery %d.%d open?"}`, n, round)
				said := ""
				for tries := range 20 {
					status, text := attempt(w, tn.Token, body, harness.Keyed(key))
					if status == http.StatusOK {
						said = text
						break
					}
					if status != http.StatusServiceUnavailable && status != http.StatusInternalServerError || tries == 19 {
						w.Errorf("try %d of %q is answered with %d: %s", tries, key, status, text)
						return
					}
				}
				if _, again := attempt(w, tn.Token, body, harness.Keyed(key)); !strings.Contains(said, harness.AnswerOfSeven) || !strings.Contains(again, harness.AnswerOfSeven) {
					w.Errorf("%q was answered with %s, and then with %s", key, said, again)
				}
			}
		})
	}
	clients.Wait()
	for n, fault := range faults {
		if fault.Applied() == 0 {
			t.Errorf("fault %d was met by nobody", n)
		}
	}
	proxy.Off()
	t.Run("each question is stored and counted once", func(t *testing.T) {
		w.Within(t).NoneGenerating()
		if got := w.Within(t).Tally(tn, upstream); got.Counted != sharers*rounds {
			t.Errorf("counted were %+v", got)
		}
	})
}

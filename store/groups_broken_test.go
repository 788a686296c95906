package store_test

import (
	"fmt"
	"sync"
	"testing"

	"parley/core/fault"
	"parley/internal/pgtest"
	"parley/store"
)

// groupLoss is what many callers do in one statement, whose connection is lost.
type groupLoss struct {
	name string
	// sql finds the statement.
	sql string
	// hold keeps the callers waiting while it runs a function, so that they share a
	// statement.
	hold func(x *broken, rows func())
	// prepare returns what the nth caller does, and how often that was done.
	prepare func(x *broken, n int) (do func() error, done func() int)
}

// inGroup is how many callers share a statement in these tests: too few for a second one.
const inGroup = store.SecondFrom - 1

// hold has a row under way in one of the groups of turns, which stores nothing, until so many
// others wait.
func (x *broken) hold(group string, rows func()) {
	store.HoldGroup(x.Store, groupsOf[group], inGroup, rows)
}

// groupsOf are the places of the groups of turns among those of the store.
var groupsOf = map[string]int{"conversations": 1, "turns": 2, "answers": 3}

var groupLosses = []groupLoss{
	{"first questions", "from begun", func(x *broken, rows func()) { x.hold("conversations", rows) }, func(x *broken, n int) (func() error, func() int) {
		question := fmt.Sprint("first ", n)
		return func() error { return x.ask(x.Context(), question) }, func() int { return x.asked(question) }
	}},
	{"further questions", "from begun", func(x *broken, rows func()) { x.hold("turns", rows) }, func(x *broken, n int) (func() error, func() int) {
		question := fmt.Sprint("further ", n)
		opening := x.w.newTurn()
		opening.ConversationID, opening.Question = x.finished(fmt.Sprint("before ", n)), question
		return func() error {
			_, _, err := x.BeginTurn(x.Context(), x.w.id, opening)
			return err
		}, func() int { return x.asked(question) }
	}},
	{"first questions with keys", "from begun", func(x *broken, rows func()) { x.hold("conversations", rows) }, func(x *broken, n int) (func() error, func() int) {
		question := fmt.Sprint("first with a key ", n)
		o := x.opening(question)
		o.Key = x.claiming(question)
		return func() error {
			_, _, err := x.BeginConversation(x.Context(), x.w.id, o.conversation, o.Opening)
			return err
		}, func() int { return x.askedAndClaimed(question) }
	}},
	{"further questions with keys", "from begun", func(x *broken, rows func()) { x.hold("turns", rows) }, func(x *broken, n int) (func() error, func() int) {
		question := fmt.Sprint("further with a key ", n)
		opening := x.w.newTurn()
		opening.ConversationID, opening.Question, opening.Key = x.finished(fmt.Sprint("before ", n)), question, x.claiming(question)
		return func() error {
			_, _, err := x.BeginTurn(x.Context(), x.w.id, opening)
			return err
		}, func() int { return x.askedAndClaimed(question) }
	}},
	{"answers", "select place from ended", func(x *broken, rows func()) { x.hold("answers", rows) }, func(x *broken, n int) (func() error, func() int) {
		id := x.begun(fmt.Sprint("to be answered ", n))
		return func() error { return x.FinishTurn(x.Context(), x.w.id, x.w.newAnswer(id)) }, func() int { return x.answered(id) }
	}},
}

// answered is how many usage records a complete answer has.
func (x *broken) answered(id int64) int {
	return x.aside.count(fmt.Sprintf("SELECT count(*) FROM messages m JOIN usage_records r ON r.message_id = m.id WHERE m.status = 'complete' AND m.id = %d", id))
}

func TestGroupsWhoseConnectionIsLost(t *testing.T) {
	t.Parallel()
	for _, l := range groupLosses {
		for what, do := range map[string]pgtest.Action{"lost": pgtest.Cut, "hung": pgtest.Hang} {
			testGroupLoss(t, l, what, do)
		}
	}
}

func testGroupLoss(t *testing.T, l groupLoss, what string, action pgtest.Action) {
	for at, c := range map[pgtest.Point]struct {
		when string
		done int
	}{
		pgtest.BeforeExecution: {"before the server executes it", 0},
		pgtest.AfterExecution:  {"after the commit and before its answer", 1},
		pgtest.AfterRows:       {"after the rows and before the end of the answer", 1},
	} {
		t.Run(l.name+" that share a statement: "+what+" "+c.when+", none is acknowledged, and each is stored as often as it was executed", func(t *testing.T) {
			t.Parallel()
			x := newBrokenWith(t, store.Options{AnswerWithin: 4 * soon})
			var dos []func() error
			var dones []func() int
			for n := range inGroup {
				do, done := l.prepare(x, n)
				dos, dones = append(dos, do), append(dones, done)
			}
			before := x.counted()
			lost := x.proxy.On(pgtest.Rule{SQL: l.sql, At: at, Do: action})
			errs := make([]error, len(dos))
			l.hold(x, func() {
				var all sync.WaitGroup
				for n, do := range dos {
					all.Go(func() { errs[n] = do() })
				}
				all.Wait()
			})
			if lost.Applied() != 1 {
				t.Fatalf("%d statements were lost", lost.Applied())
			}
			for n, done := range dones {
				x.wantKind(errs[n], fault.Unavailable)
				if stored := done(); stored != c.done {
					t.Errorf("caller %d got %v, and is stored %d times", n, errs[n], stored)
				}
			}
			if l.name != "answers" && x.counted()-before != c.done*inGroup {
				t.Errorf("%d questions were counted", x.counted()-before)
			}
		})
	}
}

package store_test

import (
	"context"
	"sync"
	"testing"

	"parley/core/chat"
	"parley/core/chat/turn"
	"parley/core/fault"
	"parley/internal/pgtest"
	"parley/store"
)

// broken is a store behind a proxy that breaks its connections, and one beside it that
// sees what was stored.
type broken struct {
	*bundle
	aside *bundle
	proxy *pgtest.Proxy
	w     tenancy
}

func newBroken(t *testing.T) *broken {
	t.Helper()
	return newBrokenWith(t, store.Options{})
}

func newBrokenWith(t *testing.T, options store.Options) *broken {
	t.Helper()
	database := migratedPostgres.New(t)
	aside := openBundle(t, database)
	proxy := pgtest.NewProxy(t, database)
	return &broken{openBundleWith(t, proxy.URL(), options), aside, proxy, aside.fill("a")}
}

// loss is an operation whose connection is lost, and how often it was done.
type loss struct {
	name string
	// rule finds the statement that stores it.
	rule pgtest.Rule
	// prepare returns what does it, and how often it has been done since.
	prepare func(x *broken) (do func() error, done func() int)
}

const keyOfTheTest = "key"

var losses = []loss{
	{"a first question", pgtest.Rule{SQL: "insert into conversations"}, func(x *broken) (func() error, func() int) {
		return func() error { return x.ask(x.Context(), "alone") }, func() int { return x.asked("alone") }
	}},
	{"a first question with a key", pgtest.Rule{SQL: "insert into idempotency_keys"}, func(x *broken) (func() error, func() int) {
		return func() error { return x.askWithKey(x.Context()) }, func() int { return x.askedAndClaimed(keyOfTheTest) }
	}},
	{"a question with a key that has expired", pgtest.Rule{SQL: "commit", After: "insert into idempotency_keys"}, func(x *broken) (func() error, func() int) {
		before := x.claiming(keyOfTheTest)
		x.must(x.aside.Claim(x.Context(), x.w.id, before.Key, chat.Claim{BodyHash: "of before", ConversationID: x.w.conversation, At: before.Since}, before.Since.Add(-1)))
		return func() error { return x.askWithKey(x.Context()) }, func() int { return x.askedAndClaimed(keyOfTheTest) }
	}},
	{"a further question", pgtest.Rule{SQL: "insert into messages"}, func(x *broken) (func() error, func() int) {
		opening := x.w.newTurn()
		opening.ConversationID, opening.Question = x.finished("before"), "further"
		return func() error {
			_, _, err := x.BeginTurn(x.Context(), x.w.id, opening)
			return err
		}, func() int { return x.asked("further") }
	}},
	{"an answer", pgtest.Rule{SQL: "insert into usage_records"}, func(x *broken) (func() error, func() int) {
		id := x.begun("to be answered")
		return func() error { return x.FinishTurn(x.Context(), x.w.id, x.w.newAnswer(id)) }, func() int { return x.answered(id) }
	}},
}

// opened is a conversation with its first question.
type opened struct {
	turn.Opening
	conversation chat.Conversation
}

func (x *broken) opening(question string) opened {
	opening := x.w.newTurn()
	opening.Question = question
	return opened{Opening: opening, conversation: chat.Conversation{ChatbotID: x.w.chatbot, Status: chat.Active, Origin: chat.API, CreatedAt: epoch}}
}

func (x *broken) ask(ctx context.Context, question string) error {
	o := x.opening(question)
	_, _, err := x.BeginConversation(ctx, x.w.id, o.conversation, o.Opening)
	return err
}

// askInTx asks in a transaction.
func (x *broken) askInTx(ctx context.Context) error {
	return x.InTx(ctx, func(ctx context.Context) error { return x.ask(ctx, "in a transaction") })
}

// askWithKey asks as a client does that sends its question again: not if that is stored.
func (x *broken) askWithKey(ctx context.Context) error {
	key := x.claiming(keyOfTheTest)
	if _, err := x.Claimed(ctx, x.w.id, key.Key, key.Since); !fault.Is(err, fault.NotFound) {
		return err
	}
	o := x.opening(keyOfTheTest)
	o.Key = key
	_, _, err := x.BeginConversation(ctx, x.w.id, o.conversation, o.Opening)
	return err
}

// claiming is a key for a question.
func (x *broken) claiming(question string) *chat.Claiming {
	return &chat.Claiming{Key: chat.Key{TokenID: x.w.token, Route: "POST /", Value: question, BodyHash: "hash"}, Since: epoch.AddDate(-1, 0, 0)}
}

// begun asks a question and returns the id of its answer.
func (x *broken) begun(question string) int64 {
	x.Helper()
	o := x.opening(question)
	_, answerID, err := x.aside.BeginConversation(x.Context(), x.w.id, o.conversation, o.Opening)
	x.must(err)
	return answerID
}

// finished has a conversation with an answer, and returns the conversation's id.
func (x *broken) finished(question string) int64 {
	x.Helper()
	o := x.opening(question)
	made, answerID, err := x.aside.BeginConversation(x.Context(), x.w.id, o.conversation, o.Opening)
	x.must(err)
	x.must(x.aside.FinishTurn(x.Context(), x.w.id, x.w.newAnswer(answerID)))
	return made.ID
}

// asked is how often a question is stored, with the answer that waits for it.
func (x *broken) asked(question string) int {
	return x.aside.count("SELECT count(*) FROM messages q JOIN messages a ON a.conversation_id = q.conversation_id AND a.id > q.id AND a.role = 'assistant' WHERE q.content = '" + question + "'")
}

// askedAndClaimed is asked of a question whose key has its own text. It fails unless the
// key is tied to the answer.
func (x *broken) askedAndClaimed(question string) int {
	x.Helper()
	asked := x.asked(question)
	claims := x.aside.count("SELECT count(*) FROM idempotency_keys k JOIN messages a ON a.id = k.message_id JOIN messages q ON q.conversation_id = a.conversation_id AND q.id < a.id" +
		" WHERE k.conversation_id = a.conversation_id AND k.key = '" + question + "' AND q.content = k.key")
	if claims != asked {
		x.Errorf("%q is stored %d times, and its key is tied to it %d times", question, asked, claims)
	}
	return asked
}

// counted is how many questions count in this month.
func (x *broken) counted() int {
	x.Helper()
	n, err := x.aside.MessagesOf(x.Context(), x.w.id, thisMonth)
	x.must(err)
	return n
}

func TestWhatIsStoredWhenAConnectionIsLost(t *testing.T) {
	t.Parallel()
	for _, l := range losses {
		for at, c := range map[pgtest.Point]struct {
			when string
			done int
		}{
			pgtest.BeforeExecution: {"before the server executes it", 0},
			pgtest.AfterExecution:  {"after the commit and before its answer", 1},
			pgtest.AfterRows:       {"after the rows and before the end of the answer", 1},
		} {
			t.Run(l.name+": lost "+c.when+", it is no success and is stored as often as it was executed", func(t *testing.T) {
				t.Parallel()
				x := newBroken(t)
				do, done := l.prepare(x)
				before := x.counted()
				rule := l.rule
				rule.At = at
				lost := x.proxy.On(rule)
				err := do()
				x.wantKind(err, fault.Unavailable)
				if n := done(); n != c.done || lost.Applied() != 1 {
					t.Errorf("it is stored %d times; the connection was cut %d times", n, lost.Applied())
				}
				if l.name != "an answer" && x.counted()-before != c.done {
					t.Errorf("%d questions were counted", x.counted()-before)
				}
				if err := do(); c.done == 0 && err != nil {
					t.Errorf("the next try gave %v", err)
				}
				if n := done(); n != 1 && l.name != "a first question" {
					t.Errorf("after another try it is stored %d times", n)
				}
			})
		}
	}
}

// refuseAtCommit makes the database refuse a question at the commit, as a deferred
// constraint does, or a server whose disk is full.
func (x *broken) refuseAtCommit(question string) {
	x.Helper()
	for _, statement := range []string{
		`CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'refused' USING ERRCODE = '53100'; END $$`,
		`CREATE CONSTRAINT TRIGGER refuse AFTER INSERT ON messages DEFERRABLE INITIALLY DEFERRED FOR EACH ROW
			WHEN (NEW.content = '` + question + `') EXECUTE FUNCTION refuse()`,
	} {
		_, err := x.aside.beside().ExecContext(x.Context(), statement)
		x.must(err)
	}
}

func TestACommitThatFailsAfterTheRows(t *testing.T) {
	t.Parallel()
	x := newBroken(t)
	x.refuseAtCommit("refused")
	t.Run("a question of one statement is not acknowledged", func(t *testing.T) {
		x.wantKind(x.ask(t.Context(), "refused"), fault.Unavailable)
		if n := x.asked("refused"); n != 0 {
			t.Errorf("%d are stored", n)
		}
	})
	t.Run("among questions that share a statement only the refused one fails", func(t *testing.T) {
		const each = 10
		errs := make([]error, 2*each)
		store.HoldGroup(x.Store, groupsOf["conversations"], 0, func() {
			var all sync.WaitGroup
			for i := range errs {
				all.Go(func() { errs[i] = x.ask(t.Context(), []string{"kept", "refused"}[i%2]) })
			}
			all.Wait()
		})
		for i, err := range errs {
			if refused := i%2 == 1; refused != fault.Is(err, fault.Unavailable) || !refused && err != nil {
				t.Errorf("question %d got %v", i, err)
			}
		}
		if kept, refused := x.asked("kept"), x.asked("refused"); kept != each || refused != 0 {
			t.Errorf("%d are kept and %d refused ones, too", kept, refused)
		}
	})
}

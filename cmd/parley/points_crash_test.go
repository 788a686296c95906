package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"parley/core/chat"
	"parley/core/fault"
	"parley/core/plan"
	"parley/llm/llmtest"
	"parley/store"
)

// readyWithin is what is promised of a server that was killed.
const readyWithin = 10 * time.Second

// manner is one way to ask a question, with a key.
type manner struct {
	name, path, fields string
	// ids says that the stream can be resumed.
	ids bool
}

var manners = []manner{
	{name: "a whole answer", path: chatPath},
	{name: "a stream", path: streamPath},
	{name: "a stream that can be resumed", path: streamPath, fields: `,"include":["ids","usage","sources"]`, ids: true},
}

// asked is a question that was asked of a server which was then killed.
type asked struct {
	manner
	question, body, key string
	// conversation is zero until the caller has learnt it.
	conversation int64
	client       *line
	stream       *markedEvents
	// read is what the caller of a stream has read, and whole the answer that
	// was read to its end.
	read  []marked
	whole string
}

// killing is a server that is killed at one point after the other.
type killing struct {
	*site
	*process
	tn       tenantOf
	upstream *llmtest.Server
}

// points are where a server is killed. Each brings those who have asked there.
var points = []struct {
	name string
	// attempts is the one at which the question is answered.
	attempts int
	reach    func(k *killing, all []*asked)
}{
	{"before the commit of the question", 1, func(k *killing, all []*asked) {
		defer k.holdBack()()
		k.send(all)
		for range 20 { // so that the questions have come as far as they can
			k.call("GET", conversationsPath+"/1/messages", "", bearer(k.tn.token))
		}
		k.process.kill()
	}},
	{"after the question", 2, func(k *killing, all []*asked) {
		k.upstream.Always(llmtest.Reply{Hold: llmtest.NewGate(), HoldAt: llmtest.BeforeHeaders})
		k.sendAndArrive(all)
		k.process.kill()
	}},
	{"in mid-stream", 2, func(k *killing, all []*asked) {
		k.upstream.Always(llmtest.Reply{Pieces: piecesOfSeven, Hold: llmtest.NewGate(), HoldAt: llmtest.AfterPieces(2)})
		k.sendAndArrive(all)
		for _, a := range all[1:] {
			a.begin()
			a.read = append(a.read, a.stream.until("delta")...)
		}
		k.process.kill()
	}},
	{"before the commit of the answer", 2, func(k *killing, all []*asked) {
		gate := llmtest.NewGate()
		k.upstream.Always(llmtest.Reply{Pieces: piecesOfSeven, Hold: gate, HoldAt: llmtest.BeforeHeaders})
		calls := k.sendAndArrive(all)
		defer k.holdBack()()
		gate.Release()
		for _, call := range calls {
			k.comes("the model has said all", call.Done())
		}
		all[1].begin()
		for answerIn(all[1].read) != answerOfSeven {
			all[1].read = append(all[1].read, all[1].stream.until("delta")...)
		}
		k.process.kill()
	}},
	{"after the answer", 1, func(k *killing, all []*asked) {
		k.send(all)
		for _, a := range all[1:] {
			a.begin()
			a.read = append(a.read, a.stream.rest()...)
			a.whole = gist(a.read)
		}
		answer := k.read(all[0].client.answer())
		k.checkAnswer(answer, http.StatusOK, 0)
		all[0].conversation, all[0].whole = k.number(answer, "conversation_id"), k.said(answer)
		k.process.kill()
	}},
}

func TestKilledAtEachPoint(t *testing.T) {
	t.Parallel()
	onSites(t, func(s *site) {
		k := &killing{site: s, upstream: llmtest.NewServer(s.T, llmtest.Reply{})}
		s.answeredBy(k.upstream)
		s.inside(func(w *world) { k.tn = w.newTenant("baker", plan.Enterprise, opening) })
		k.process = s.serve()
		for n, point := range points {
			k.upstream.Always(llmtest.Reply{Pieces: piecesOfSeven})
			all := k.questions(n)
			created := k.newKeyed(n)
			point.reach(k, all)

			before := k.stored(all)
			begin := time.Now()
			k.process = s.serve()
			ready := k.call("GET", "/readyz", "")
			if took := time.Since(begin); ready.StatusCode != http.StatusOK || took > readyWithin {
				s.Errorf("%v after it was killed the server says %s", took, ready.body)
			}
			k.upstream.Always(llmtest.Reply{Pieces: piecesOfSeven})
			for i, a := range all {
				s.Run("killed "+point.name+": "+a.name+" is there once", func(t *testing.T) {
					k.in(t).checkOnce(a, before[i], point.attempts)
				})
			}
			s.Run("killed "+point.name+": a conversation that was created is there once", func(t *testing.T) {
				if again := k.in(t).newKeyed(n); again != created {
					t.Errorf("it is %d, and was %d", again, created)
				}
			})
		}
		k.terminate()
		k.endsWithin(patience)
		s.inside(func(w *world) {
			w.noneGenerating()
			attempts := 0
			for _, point := range points {
				attempts += point.attempts * len(manners)
			}
			got := w.tally(k.tn, k.upstream)
			if questions := len(points) * len(manners); got.counted != questions || got.receipts != attempts {
				w.Errorf("%d questions at %d attempts are counted as %d, with %d receipts", questions, attempts, got.counted, got.receipts)
			}
		})
	})
}

// in is the same in the sub-test that t belongs to.
func (k *killing) in(t *testing.T) *killing {
	inner := *k.site
	inner.T = t
	return &killing{&inner, k.process.in(t), k.tn, k.upstream}
}

// questions are one in each manner, for the nth point.
func (k *killing) questions(n int) (all []*asked) {
	for i, m := range manners {
		a := &asked{manner: m, question: fmt.Sprintf("When does bakery %d.%d open?", n, i), key: fmt.Sprintf("point %d.%d", n, i)}
		a.body = fmt.Sprintf(`{"message":%q%s}`, a.question, m.fields)
		all = append(all, a)
	}
	return all
}

// newKeyed creates a conversation with the key of the nth point.
func (k *killing) newKeyed(n int) int64 {
	k.Helper()
	r := k.call("POST", conversationsPath, "", bearer(k.tn.token), keyed(fmt.Sprint("conversation ", n)))
	k.checkAnswer(r, http.StatusOK, 0)
	return k.number(r, "conversation_id")
}

// send sends the questions, and reads nothing.
func (k *killing) send(all []*asked) {
	k.Helper()
	for _, a := range all {
		a.client = k.dial()
		text := request("POST", a.path, k.tn.token, a.body)
		a.client.write(strings.Replace(text, "\r\n\r\n", "\r\nIdempotency-Key: "+a.key+"\r\n\r\n", 1))
	}
}

// sendAndArrive returns when the model has been asked them all.
func (k *killing) sendAndArrive(all []*asked) (calls []*llmtest.Request) {
	k.Helper()
	first := k.upstream.Arrived()
	k.send(all)
	for i := range all {
		calls = append(calls, k.upstream.Request(first+i))
		k.comes("the model is asked", calls[i].Arrived())
	}
	return calls
}

// begin reads the beginning of a stream.
func (a *asked) begin() {
	a.client.Helper()
	a.stream = markedIn(a.client.T, a.client.answer().Body)
	a.stream.plain = !a.ids
	a.read = a.stream.until("conversation")
	a.conversation = a.read[0].ConversationID
}

// errLetGo rolls back what holdBack has done.
var errLetGo = errors.New("let go")

// holdBack keeps everything of the chatbot from being committed until the
// function that it returns is called: another transaction has deleted it, and
// does not end.
func (k *killing) holdBack() (letGo func()) {
	k.Helper()
	ctx := context.WithoutCancel(k.Context())
	db := k.database(ctx)
	held, release, ended := make(chan struct{}), make(chan struct{}), make(chan error, 1)
	go func() {
		ended <- db.InTx(ctx, func(ctx context.Context) error {
			if err := db.DeleteChatbot(ctx, k.tn.workspace, k.tn.chatbot); err != nil {
				return err
			}
			close(held)
			<-release
			return errLetGo
		})
	}()
	select {
	case <-held:
	case err := <-ended:
		k.Fatal(err)
	}
	return func() {
		close(release)
		if err := <-ended; !errors.Is(err, errLetGo) {
			k.Error(err)
		}
		k.must(db.Close())
	}
}

// database opens the database beside whoever has opened it.
func (k *killing) database(ctx context.Context) *store.Store {
	k.Helper()
	db, err := store.Open(ctx, (&Config{DataDir: k.dir, DatabaseURL: k.site.database}).databaseURL())
	k.must(err)
	return db
}

// stored are the turns of the questions whose conversations the callers have
// learnt, as the database has them.
func (k *killing) stored(all []*asked) []chat.StoredTurn {
	k.Helper()
	db := k.database(k.Context())
	defer db.Close()
	turns := make([]chat.StoredTurn, len(all))
	for i, a := range all {
		if a.conversation == 0 {
			continue
		}
		var err error
		if turns[i], err = db.Turn(k.Context(), k.tn.workspace, a.conversation, 0); fault.Is(err, fault.NotFound) {
			k.Errorf("the question of %s was acknowledged and is not there", a.name)
		} else {
			k.must(err)
		}
	}
	return turns
}

// checkOnce fails unless a question, sent again and once more, is answered once,
// and what its caller had read is still there.
func (k *killing) checkOnce(a *asked, before chat.StoredTurn, attempts int) {
	k.Helper()
	status := chat.Generating
	if a.whole != "" {
		status = chat.Complete
	}
	if a.conversation != 0 && (before.Question != a.question || before.Answer.Status != status) {
		k.Errorf("when the server was killed there was %+v", before)
	}
	if a.ids && a.read != nil {
		after := k.marked("GET", resumePath(a.conversation), "", bearer(k.tn.token), lastEventID(lastOf(a.read))).rest()
		if got := answerIn(a.read) + answerIn(after); got != before.Answer.Text {
			k.Errorf("what was read and what comes after it is %q; stored is %q", got, before.Answer.Text)
		}
	}
	calls := k.upstream.Arrived()
	whole, conversation := k.again(a)
	if asked := k.upstream.Arrived() - calls; a.whole == "" && asked != 1 || a.whole != "" && (asked != 0 || whole != a.whole) {
		k.Errorf("the model is asked %d times more; the answer is\n%s\nand was\n%s", asked, whole, a.whole)
	}
	if a.conversation != 0 && conversation != a.conversation {
		k.Errorf("the conversation is %d, and was %d", conversation, a.conversation)
	}
	calls = k.upstream.Arrived()
	if more, _ := k.again(a); more != whole || k.upstream.Arrived() != calls {
		k.Errorf("once more it is\n%s\nand was\n%s", more, whole)
	}
	k.checkTurn(conversation, a.question, attempts)
}

// checkTurn fails unless a conversation is one question with its answer, which
// came at that attempt.
func (k *killing) checkTurn(conversation int64, question string, attempts int) {
	k.Helper()
	all := k.messages(k.tn.token, written(conversation), "")
	if len(all) != 2 || all[0]["content"] != question || all[1]["content"] != answerOfSeven {
		k.Errorf("the conversation is %v", all)
	}
	db := k.database(k.Context())
	defer db.Close()
	turn, err := db.Turn(k.Context(), k.tn.workspace, conversation, 0)
	if err != nil || turn.Answer.Status != chat.Complete || turn.Answer.Attempt != attempts {
		k.Errorf("stored is %+v, %v", turn, err)
	}
}

// again sends a request again, and returns what is the same whenever it is
// answered.
func (k *killing) again(a *asked) (said string, conversation int64) {
	k.Helper()
	token, key := bearer(k.tn.token), keyed(a.key)
	if a.path == streamPath {
		stream := k.marked("POST", a.path, a.body, token, key)
		stream.plain = !a.ids
		events := stream.rest()
		return gist(events), events[0].ConversationID
	}
	r := k.call("POST", a.path, a.body, token, key)
	k.checkAnswer(r, http.StatusOK, 0)
	return k.said(r), k.number(r, "conversation_id")
}

package crash

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"parley/core/chat"
	"parley/core/chat/turn"
	"parley/core/fault"
	"parley/core/plan"
	"parley/e2e/harness"
	"parley/llm/llmtest"
)

// readyWithin is what is promised of a server that was killed.
const readyWithin = 10 * time.Second

// points are where a server is killed. Each brings all questions to that point.
var points = []struct {
	name string
	// attempts is the one at which the question is answered, and sent the one if
	// PostgreSQL has received the statement: it may execute it although nobody
	// waits for it any more.
	attempts, sent int
	reach          func(k *crashRun, all []*asked)
}{
	{"before the commit of the question", 1, 2, func(k *crashRun, all []*asked) {
		defer k.holdBack()()
		k.send(all)
		for range 20 { // so that the questions have come as far as they can
			k.Call("GET", harness.ConversationsPath+"/1/messages", "", harness.Bearer(k.tn.Token))
		}
		k.Process.Kill()
	}},
	{"after the question", 2, 2, func(k *crashRun, all []*asked) {
		k.upstream.Always(llmtest.Reply{Hold: llmtest.NewGate(), HoldAt: llmtest.BeforeHeaders})
		k.sendAndArrive(all)
		k.Process.Kill()
	}},
	{"in mid-stream", 2, 2, func(k *crashRun, all []*asked) {
		k.upstream.Always(llmtest.Reply{Pieces: harness.PiecesOfSeven, Hold: llmtest.NewGate(), HoldAt: llmtest.AfterPieces(2)})
		k.sendAndArrive(all)
		for _, a := range all[1:] {
			a.begin()
			a.read = append(a.read, a.stream.Until("delta")...)
		}
		k.Process.Kill()
	}},
	{"before the commit of the answer", 2, 1, func(k *crashRun, all []*asked) {
		gate := llmtest.NewGate()
		k.upstream.Always(llmtest.Reply{Pieces: harness.PiecesOfSeven, Hold: gate, HoldAt: llmtest.BeforeHeaders})
		calls := k.sendAndArrive(all)
		defer k.holdBack()()
		gate.Release()
		for _, call := range calls {
			k.Comes("the model has said all", call.Done())
		}
		all[1].begin()
		for harness.AnswerIn(all[1].read) != harness.AnswerOfSeven {
			all[1].read = append(all[1].read, all[1].stream.Until("delta")...)
		}
		k.Process.Kill()
	}},
	{"after the answer", 1, 1, func(k *crashRun, all []*asked) {
		k.send(all)
		for _, a := range all[1:] {
			a.begin()
			a.read = append(a.read, a.stream.Rest()...)
			a.whole = harness.Gist(a.read)
		}
		answer := k.Read(all[0].client.Answer())
		k.CheckAnswer(answer, http.StatusOK, 0)
		all[0].conversation, all[0].whole = k.Number(answer, "conversation_id"), k.Said(answer)
		k.Process.Kill()
	}},
}

func TestKilledAtEachPoint(t *testing.T) {
	t.Parallel()
	harness.OnInstallations(t, func(s *harness.Installation) {
		k := &crashRun{Installation: s, upstream: llmtest.NewServer(s.T, llmtest.Reply{})}
		s.AnsweredBy(k.upstream)
		s.Inside(func(w *harness.Instance) { k.tn = w.NewTenant("baker", plan.Enterprise, harness.Opening) })
		k.Process = s.Serve()
		var answered []*asked
		for n, point := range points {
			k.upstream.Always(llmtest.Reply{Pieces: harness.PiecesOfSeven})
			all := k.questions(n)
			created := k.newKeyed(n)
			point.reach(k, all)

			before := k.stored(all)
			begin := time.Now()
			k.Process = s.Serve()
			ready := k.Call("GET", "/readyz", "")
			if took := time.Since(begin); ready.StatusCode != http.StatusOK || took > readyWithin {
				s.Errorf("%v after it was killed the server says %s", took, ready.Text)
			} else {
				s.Logf("killed %s, it is ready after %v", point.name, took)
			}
			k.upstream.Always(llmtest.Reply{Pieces: harness.PiecesOfSeven})
			for i, a := range all {
				s.Run("killed "+point.name+": "+a.name+" is there once", func(t *testing.T) {
					k.in(t).checkOnce(a, before[i], point.attempts, point.sent)
				})
			}
			answered = append(answered, all...)
			s.Run("killed "+point.name+": a conversation that was created is there once", func(t *testing.T) {
				if again := k.in(t).newKeyed(n); again != created {
					t.Errorf("it is %d, and was %d", again, created)
				}
			})
		}
		s.Run("what was answered between the kills is still there", func(t *testing.T) {
			for _, a := range answered {
				if attempts := k.in(t).checkTurn(a); attempts != a.attempts {
					t.Errorf("there are %d attempts, and were %d", attempts, a.attempts)
				}
			}
		})
		k.Terminate()
		k.EndsWithin(harness.Patience)
		s.Inside(func(w *harness.Instance) {
			w.NoneGenerating()
			attempts := 0
			for _, a := range answered {
				attempts += a.attempts
			}
			got := w.Tally(k.tn, k.upstream)
			if questions := len(answered); got.Counted != questions || got.Records != attempts {
				w.Errorf("%d questions at %d attempts are counted as %d, with %d usage records", questions, attempts, got.Counted, got.Records)
			}
		})
	})
}

// stored are the turns of the questions whose conversations the callers have
// learned, as the database has them.
func (k *crashRun) stored(all []*asked) []turn.Stored {
	k.Helper()
	p := k.open(k.Context())
	defer p.Close()
	turns := make([]turn.Stored, len(all))
	for i, a := range all {
		if a.conversation == 0 {
			continue
		}
		var err error
		if turns[i], err = p.Turns.Turns.Turn(k.Context(), k.tn.Workspace, harness.SequenceIn(k.T, p, a.conversation), 0); fault.Is(err, fault.NotFound) {
			k.Errorf("the question of %s was acknowledged and is not there", a.name)
		} else {
			k.Must(err)
		}
	}
	return turns
}

// checkOnce fails unless a question, sent again and once more, is answered once,
// at one of two attempts, and what its caller had read is still there.
func (k *crashRun) checkOnce(a *asked, before turn.Stored, attempts, sent int) {
	k.Helper()
	status := chat.Generating
	if a.whole != "" {
		status = chat.Complete
	}
	if before.Answer.Status == chat.Complete && sent < attempts && k.Installation.Database != "" {
		status = chat.Complete
	}
	if a.conversation != 0 && (before.Question != a.question || before.Answer.Status != status) {
		k.Errorf("when the server was killed there was %+v", before)
	}
	if a.ids && a.read != nil {
		after := k.Marked("GET", harness.ResumePath(a.conversation), "", harness.Bearer(k.tn.Token), harness.LastEventID(harness.LastOf(a.read))).Rest()
		if got := harness.AnswerIn(a.read) + harness.AnswerIn(after); got != before.Answer.Text {
			k.Errorf("what was read and what comes after it is %q; stored is %q", got, before.Answer.Text)
		}
	}
	calls := k.upstream.Arrived()
	whole, conversation := k.again(a)
	if a.ids && strings.Contains(whole, `"status":"interrupted"`) {
		// It joined the attempt that was killed, before that was known to have
		// ended, and read what was stored of it.
		whole, _ = k.again(a)
	}
	asked := k.upstream.Arrived() - calls
	if a.whole != "" && whole != a.whole {
		k.Errorf("the answer is\n%s\nand was\n%s", whole, a.whole)
	}
	if a.conversation != 0 && conversation != a.conversation {
		k.Errorf("the conversation is %d, and was %d", conversation, a.conversation)
	}
	calls = k.upstream.Arrived()
	if more, _ := k.again(a); more != whole || k.upstream.Arrived() != calls {
		k.Errorf("once more it is\n%s\nand was\n%s", more, whole)
	}
	a.conversation = conversation
	a.attempts = k.checkTurn(a)
	if a.attempts != attempts && (a.attempts != sent || k.Installation.Database == "") {
		k.Errorf("the answer is of attempt %d", a.attempts)
	}
	if done := a.whole != "" || a.attempts < attempts; asked != 1 && !done || asked != 0 && done {
		k.Errorf("the model is asked %d times more", asked)
	}
}

// checkTurn fails unless a conversation is one question with its answer, and
// returns how many attempts there were.
func (k *crashRun) checkTurn(a *asked) (attempts int) {
	k.Helper()
	all := k.Messages(k.tn.Token, harness.Written(a.conversation), "")
	if len(all) != 2 || all[0]["content"] != a.question || all[1]["content"] != harness.AnswerOfSeven {
		k.Errorf("the conversation is %v", all)
	}
	p := k.open(k.Context())
	defer p.Close()
	turn, err := p.Turns.Turns.Turn(k.Context(), k.tn.Workspace, harness.SequenceIn(k.T, p, a.conversation), 0)
	if err != nil || turn.Answer.Status != chat.Complete {
		k.Errorf("stored is %+v, %v", turn, err)
	}
	return turn.Answer.Attempt
}

package crash

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"strings"
	"testing"

	"parley/app"
	"parley/e2e/harness"
	"parley/llm/llmtest"
	"parley/store/tenancytest"
)

// manner is one way to ask a question, with a key.
type manner struct {
	name, path, fields string
	// ids says that the stream can be resumed.
	ids bool
}

var manners = []manner{
	{name: "a whole answer", path: harness.ChatPath},
	{name: "a stream", path: harness.StreamPath},
	{name: "a stream that can be resumed", path: harness.StreamPath, fields: `,"include":["ids","usage","sources"]`, ids: true},
}

// asked is a question that was asked of a server which was then killed.
type asked struct {
	manner
	question, body, key string
	// conversation is zero until the caller has learned it.
	conversation int64
	client       *harness.Line
	stream       *harness.MarkedEvents
	// read is what the caller of a stream has read, and whole the answer that
	// was read to its end.
	read  []harness.Marked
	whole string
	// attempts is how many there were when it was answered.
	attempts int
}

// crashRun is a server that is killed at one point after another.
type crashRun struct {
	*harness.Installation
	*harness.Process
	tn       harness.Tenant
	upstream *llmtest.Server
}

// in is the same in the sub-test that t belongs to.
func (k *crashRun) in(t *testing.T) *crashRun {
	inner := *k.Installation
	inner.T = t
	return &crashRun{&inner, k.Process.In(t), k.tn, k.upstream}
}

// questions are one in each manner, for the nth point.
func (k *crashRun) questions(n int) (all []*asked) {
	for i, m := range manners {
		a := &asked{manner: m, question: fmt.Sprintf("When does bakery %d.%d open?", n, i), key: fmt.Sprintf("point %d.%d", n, i)}
		a.body = fmt.Sprintf(`{"message":%q%s}`, a.question, m.fields)
		all = append(all, a)
	}
	return all
}

// newKeyed creates a conversation with the key of the nth point.
func (k *crashRun) newKeyed(n int) int64 {
	k.Helper()
	r := k.Call("POST", harness.ConversationsPath, "", harness.Bearer(k.tn.Token), harness.Keyed(fmt.Sprint("conversation ", n)))
	k.CheckAnswer(r, http.StatusOK, 0)
	return k.Number(r, "conversation_id")
}

// send sends the questions, and reads nothing.
func (k *crashRun) send(all []*asked) {
	k.Helper()
	for _, a := range all {
		a.client = k.Dial()
		text := harness.Request("POST", a.path, k.tn.Token, a.body)
		a.client.Send(strings.Replace(text, "\r\n\r\n", "\r\nIdempotency-Key: "+a.key+"\r\n\r\n", 1))
	}
}

// sendAndArrive returns when the model has been asked them all.
func (k *crashRun) sendAndArrive(all []*asked) (calls []*llmtest.Request) {
	k.Helper()
	first := k.upstream.Arrived()
	k.send(all)
	for i := range all {
		calls = append(calls, k.upstream.Request(first+i))
		k.Comes("the model is asked", calls[i].Arrived())
	}
	return calls
}

// begin reads the beginning of a stream.
func (a *asked) begin() {
	a.client.Helper()
	a.stream = harness.MarkedIn(a.client.T, a.client.Answer().Body)
	a.stream.Plain = !a.ids
	a.read = a.stream.Until("conversation")
	a.conversation = a.read[0].ConversationID
}

// errLetGo rolls back what holdBack has done.
var errLetGo = errors.New("let go")

// holdBack keeps everything of the chatbot from being committed until the
// function that it returns is called: another transaction has deleted it, and
// does not end.
func (k *crashRun) holdBack() (letGo func()) {
	k.Helper()
	ctx := context.WithoutCancel(k.Context())
	beside := k.open(ctx)
	db := beside.Store
	held, release, ended := make(chan struct{}), make(chan struct{}), make(chan error, 1)
	go func() {
		ended <- db.InTx(ctx, func(ctx context.Context) error {
			if err := tenancytest.DeleteChatbot(ctx, db, k.tn.Workspace, k.tn.Chatbot); err != nil {
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
		k.Must(beside.Close())
	}
}

// open opens the program beside whoever has opened it.
func (k *crashRun) open(ctx context.Context) *app.Program {
	k.Helper()
	config := &app.Config{}
	config.DataDir, config.DatabaseURL = k.Dir, k.Installation.Database
	p, err := app.Open(ctx, config, slog.New(slog.DiscardHandler))
	k.Must(err)
	return p
}

// again sends a request again, and returns what is the same whenever it is
// answered.
func (k *crashRun) again(a *asked) (said string, conversation int64) {
	k.Helper()
	token, key := harness.Bearer(k.tn.Token), harness.Keyed(a.key)
	if a.path == harness.StreamPath {
		stream := k.Marked("POST", a.path, a.body, token, key)
		stream.Plain = !a.ids
		events := stream.Rest()
		return harness.Gist(events), events[0].ConversationID
	}
	r := k.Call("POST", a.path, a.body, token, key)
	k.CheckAnswer(r, http.StatusOK, 0)
	return k.Said(r), k.Number(r, "conversation_id")
}

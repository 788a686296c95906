package turns

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"parley/app"
	"parley/core/chat"
	"parley/core/chatbot"
	"parley/core/fault"
	"parley/core/plan"
	"parley/e2e/harness"
	"parley/llm/llmtest"
	"parley/store/storetest"
)

// vanishing is how many clients go away, so many at once; with -short fewVanishing do.
const vanishing, fewVanishing, vanishingAtOnce = 1000, 300, 64

// The questions say how the model answers them: at once, or only when the test releases a
// gate, which it never does for callers who have gone.
const (
	quickQuestion = "When does the bakery open, quickly?"
	slowQuestion  = "When does the bakery open?"
	lastQuestion  = "When does the bakery open, however long it takes?"
)

func TestThousandVanishingClients(t *testing.T) {
	clientsOfAllKinds := vanishing
	if testing.Short() {
		clientsOfAllKinds = fewVanishing
	}
	for name, database := range map[string]func(*testing.T) string{
		"sqlite":   func(*testing.T) string { return "" },
		"postgres": func(t *testing.T) string { return storetest.Postgres(t) },
	} { // one after the other, for goroutines are the process's
		t.Run("clients of all kinds that vanish at random instants leave nothing behind on "+name, func(t *testing.T) {
			url := database(t)
			never, later := llmtest.NewGate(), llmtest.NewGate()
			upstream := llmtest.NewServer(t, llmtest.Reply{})
			upstream.Answers(func(body []byte) llmtest.Reply {
				reply := llmtest.Reply{Pieces: []string{"At", " seven", " in", " the morning [1]."}, Hold: never, HoldAt: llmtest.AfterPieces(3)}
				switch {
				case bytes.Contains(body, []byte(quickQuestion)):
					reply.Hold = nil
				case bytes.Contains(body, []byte(lastQuestion)):
					reply.Hold = later
				}
				return reply
			})
			w := harness.Start(t, harness.WithModel(upstream), onlyTheWatch, func(c *app.Config) { c.DatabaseURL = url })
			w.Server.API.Streams = patientStreams
			tn := w.NewTenant("baker", plan.Enterprise, harness.Opening)
			shared := w.NewConversation(tn.Token, "")
			stay := timeToAnswer(w, tn)
			before := goleak.IgnoreCurrent()

			var clients sync.WaitGroup
			room := make(chan struct{}, vanishingAtOnce)
			for n := range clientsOfAllKinds {
				random := rand.New(rand.NewPCG(2, uint64(n)))
				room <- struct{}{}
				clients.Go(func() {
					defer func() { <-room }()
					comeAndGo(w, random, tn, harness.Written(shared), stay)
				})
			}
			clients.Wait()
			later.Release()
			w.Eventually("every call of the model is canceled or has ended", func() bool { return upstream.Open() == 0 })
			w.End()
			w.NoneGenerating()
			checkUsageRecords(w, tn, w.Sequence(shared))
			// A connection to PostgreSQL may have a goroutine until it is closed.
			w.Must(errors.Join(w.Server.Queue.Close(), w.Server.Store.Close()))
			if err := goleak.Find(before,
				// As in TestVanishingClients.
				goleak.IgnoreAnyFunction("net/http.(*persistConn).readLoop"),
				goleak.IgnoreAnyFunction("net/http.(*persistConn).writeLoop"),
				goleak.IgnoreAnyFunction("net/http.(*conn).serve"),
			); err != nil {
				t.Error(err)
			}
		})
	}
}

// timeToAnswer is how long it takes to answer as many clients as will be there at once.
func timeToAnswer(w *harness.Instance, tn harness.Tenant) time.Duration {
	w.Helper()
	begin := time.Now()
	answers := atOnce(w, vanishingAtOnce, harness.ChatPath, fmt.Sprintf(`{"message":%q}`, quickQuestion), harness.Bearer(tn.Token))
	for range vanishingAtOnce {
		w.CheckAnswer(<-answers, 200, 0)
	}
	return time.Since(begin)
}

// comeAndGo asks in some way, reads for some of the time that it may stay, and
// goes.
func comeAndGo(w *harness.Instance, random *rand.Rand, tn harness.Tenant, shared string, stay time.Duration) {
	client := w.Dial()
	sent := someRequest(random, tn, shared)
	if random.IntN(10) == 0 { // in the middle of asking
		sent = sent[:random.IntN(len(sent))]
	}
	if _, err := io.WriteString(client, sent); err != nil {
		w.Error(err)
	}
	if err := client.SetReadDeadline(time.Now().Add(time.Duration(random.Int64N(int64(stay))))); err != nil {
		w.Error(err)
	}
	_, _ = io.Copy(io.Discard, client) // until then, or to the end
	if err := leaving[random.IntN(len(leaving))].leave(client); err != nil {
		w.Error(err)
	}
}

// someRequest is a question, whole, streamed or streamed to be resumed, alone
// or one of several with the same key. What has the same key is the same. A
// stream that can be resumed goes on without its reader, and is sure to end.
func someRequest(random *rand.Rand, tn harness.Tenant, shared string) string {
	kind := random.IntN(3)
	path := []string{harness.ChatPath, harness.StreamPath, harness.StreamPath}[kind]
	question := []string{slowQuestion, slowQuestion, lastQuestion}[kind]
	fields := []string{"", "", `,"include":["ids","usage","sources"]`}[kind]
	key := ""
	switch random.IntN(4) {
	case 0:
		question = quickQuestion
	case 1:
		key = fmt.Sprintf("Idempotency-Key: %d-%d\r\n", kind, random.IntN(20))
	case 2:
		if question != lastQuestion {
			fields += fmt.Sprintf(`,"conversation_id":%q`, shared)
		}
	}
	body := fmt.Sprintf(`{"message":%q%s}`, question, fields)
	return strings.Replace(harness.Request("POST", path, tn.Token, body), "\r\n\r\n", "\r\n"+key+"\r\n", 1)
}

// checkUsageRecords fails unless every turn of a tenant that is alone on the
// server has ended, and each attempt at it has left one usage record. All
// conversations but the shared one have one turn at most.
func checkUsageRecords(w *harness.Instance, tn harness.Tenant, shared int64) {
	w.Helper()
	after, err := w.Server.Chat.CreateConversation(w.Context(), &chatbot.Principal{Chatbot: chatbot.Chatbot{ID: tn.Chatbot, WorkspaceID: tn.Workspace}}, chat.Start{})
	w.Must(err)
	attempts, answers := 0, 0
	count := func(conversation, answer int64) (found int64) {
		turn, err := w.Server.Turns.Turns.Turn(w.Context(), tn.Workspace, conversation, answer)
		if fault.Is(err, fault.NotFound) {
			return 0
		}
		w.Must(err)
		if turn.Answer.Status == chat.Generating || turn.Answer.Record.At.IsZero() {
			w.Errorf("answer %d is %s, with the usage record %+v", turn.Answer.MessageID, turn.Answer.Status, turn.Answer.Record)
		}
		attempts, answers = attempts+turn.Answer.Attempt, answers+1
		return turn.Answer.MessageID
	}
	for conversation := range after.ID {
		if end := count(conversation, 0); conversation == shared {
			for answer := int64(1); answer < end; answer++ {
				count(shared, answer)
			}
		}
	}
	all, err := w.Server.Chat.Spent(w.Context(), tn.Workspace, harness.Now())
	w.Must(err)
	ended, records := map[chat.Status]int{}, 0
	for _, spent := range all {
		ended[spent.Status] += spent.Answers
		records += spent.Answers
	}
	if records != attempts || answers == 0 {
		w.Errorf("%d attempts at %d answers left %d usage records", attempts, answers, records)
	}
	w.Logf("%d attempts at %d answers: %v", attempts, answers, ended)
}

package servers

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"parley/core/chatbot"
	"parley/core/plan"
	"parley/e2e/harness"
	"parley/llm/llmtest"
	"parley/store/storetest"
)

// fleet is three processes of the binary on one PostgreSQL, each with an index of its
// own, and clients that send each request to any of them. A client repeats a request that
// fails, once, at the next process.
type fleet struct {
	*testing.T
	tn     harness.Tenant
	token  string
	client *http.Client

	mu        sync.Mutex
	homes     []*harness.Installation
	processes []*harness.Process
	failures  []string
	// acknowledged counts what each client was told, by its name.
	acknowledged map[string]int
}

func newFleet(t *testing.T, upstream *llmtest.Server) *fleet {
	t.Helper()
	f := &fleet{T: t, acknowledged: map[string]int{}, client: &http.Client{Timeout: harness.Patience, Transport: &http.Transport{MaxIdleConnsPerHost: 100}}}
	database := storetest.Postgres(t)
	for i := range 3 {
		home := &harness.Installation{T: t, Dir: t.TempDir(), Database: database}
		harness.ShareCache(t, home.Dir)
		home.AnsweredBy(upstream)
		if i == 0 {
			home.Inside(func(w *harness.Instance) {
				w.Includes(plan.Enterprise, func(l *plan.Limits) { l.RequestsPerMinute, l.ConcurrentAnswers = plan.Unlimited, plan.Unlimited })
				f.tn = w.NewTenant("baker", plan.Enterprise, harness.Opening)
				_, f.token = w.Issue(f.tn, chatbot.NewToken{Scopes: chatbot.AllScopes()})
			})
		}
		f.homes = append(f.homes, home)
		f.processes = append(f.processes, home.Serve())
	}
	return f
}

// replace starts a process anew, after end has ended it.
func (f *fleet) replace(n int, end func(p *harness.Process)) {
	f.Helper()
	end(f.processes[n])
	next := f.homes[n].Serve()
	f.mu.Lock()
	defer f.mu.Unlock()
	f.processes[n] = next
}

func (f *fleet) base(n int) string {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.processes[n%len(f.processes)].Base
}

// told notes that a client has been told once more that something was done.
func (f *fleet) told(client string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.acknowledged[client]++
}

// goOn waits until each client has been told of two more, so that no request has seen two
// processes end.
func (f *fleet) goOn() {
	f.Helper()
	f.mu.Lock()
	before := maps.Clone(f.acknowledged)
	f.mu.Unlock()
	f.processes[0].Eventually("all clients go on", func() bool {
		f.mu.Lock()
		defer f.mu.Unlock()
		if len(f.failures) > 0 {
			return true
		}
		slow := func(client string) bool { return f.acknowledged[client] < before[client]+2 }
		return len(f.acknowledged) == fleetClients && !slices.ContainsFunc(slices.Collect(maps.Keys(f.acknowledged)), slow)
	})
}

// fail notes what not even one repetition helped against.
func (f *fleet) fail(format string, args ...any) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.failures = append(f.failures, fmt.Sprintf(format, args...))
}

// send sends a request to the nth process and, if that fails, to the next one.
func (f *fleet) send(n int, method, path, key, body string, read func(io.Reader) (string, error)) (text string, ok bool) {
	var failures []error
	for try := range 2 {
		text, err := f.once(n+try, method, path, key, body, read)
		if err == nil {
			return text, true
		}
		failures = append(failures, err)
	}
	f.fail("%s %s: %v", method, path, errors.Join(failures...))
	return "", false
}

func (f *fleet) once(n int, method, path, key, body string, read func(io.Reader) (string, error)) (string, error) {
	r, err := http.NewRequestWithContext(f.Context(), method, f.base(n)+path, strings.NewReader(body))
	if err != nil {
		return "", err
	}
	r.Header.Set("Authorization", "Bearer "+f.token)
	r.Header.Set("Content-Type", "application/json")
	if key != "" {
		r.Header.Set("Idempotency-Key", key)
	}
	answer, err := f.client.Do(r)
	if err != nil {
		return "", err
	}
	defer answer.Body.Close()
	text, err := read(answer.Body)
	if err == nil && answer.StatusCode >= 300 {
		err = fmt.Errorf("status %d: %s", answer.StatusCode, text)
	}
	return text, err
}

func whole(from io.Reader) (string, error) {
	text, err := io.ReadAll(from)
	return string(text), err
}

// streamed reads a stream, which is whole if it ends as one without an error.
func streamed(from io.Reader) (string, error) {
	var all strings.Builder
	lines := bufio.NewScanner(from)
	for lines.Scan() {
		all.WriteString(lines.Text() + "\n")
		switch {
		case strings.Contains(lines.Text(), `"type":"error"`):
			return all.String(), errors.New(lines.Text())
		case lines.Text() == "data: [DONE]":
			return all.String(), nil
		}
	}
	return all.String(), errors.Join(io.ErrUnexpectedEOF, lines.Err())
}

// caller asks one question after the other in one conversation until stop is closed, and
// returns the conversation and the questions that were answered.
func (f *fleet) caller(name string, path string, stop <-chan struct{}) (conversation string, answered []string) {
	read := whole
	if path == harness.StreamPath {
		read = streamed
	}
	for n := 0; ; n++ {
		select {
		case <-stop:
			return conversation, answered
		default:
		}
		question := fmt.Sprintf("Question %d of %s?", n, name)
		body := fmt.Sprintf(`{"message":%q}`, question)
		if conversation != "" {
			body = fmt.Sprintf(`{"message":%q,"conversation_id":%s}`, question, conversation)
		}
		text, ok := f.send(n, http.MethodPost, path, question, body, read)
		if !ok {
			return conversation, answered
		}
		answered = append(answered, question)
		f.told(name)
		if _, after, found := strings.Cut(text, `"conversation_id":`); found && conversation == "" {
			conversation = after[:strings.IndexAny(after, ",}")]
		}
	}
}

// documentsEvery is how fast documents are added: on a fast machine, too, no process is asked
// for more than the 60 of a minute.
const documentsEvery = 400 * time.Millisecond

// adder adds documents until stop is closed, and returns their names.
func (f *fleet) adder(stop <-chan struct{}) (added []string) {
	pace := time.NewTicker(documentsEvery)
	defer pace.Stop()
	for n := 0; ; n++ {
		select {
		case <-stop:
			return added
		case <-pace.C:
		}
		name := fmt.Sprint("loaf", n)
		body := fmt.Sprintf(`{"title":%q,"content":"The bread called %s is sold on day %d."}`, name, name, n)
		if _, ok := f.send(n, http.MethodPut, "/api/v1/knowledge/documents/external/"+name, "", body, whole); !ok {
			return added
		}
		added = append(added, name)
		f.told(adderName)
	}
}

// fleetClients is how many clients there are, of which one adds documents.
const fleetClients = 7

const adderName = "adder"

// under runs do while clients ask and add, and checks what they were told.
func (f *fleet) under(t *testing.T, name string, do func()) {
	t.Helper()
	stop := make(chan struct{})
	var load sync.WaitGroup
	var mu sync.Mutex
	conversations := map[string][]string{}
	f.acknowledged = map[string]int{}
	for i := range fleetClients - 1 {
		load.Go(func() {
			conversation, answered := f.caller(fmt.Sprint(name, " caller ", i), []string{harness.ChatPath, harness.StreamPath}[i%2], stop)
			mu.Lock()
			defer mu.Unlock()
			conversations[conversation] = answered
		})
	}
	var added []string
	load.Go(func() { added = f.adder(stop) })
	f.goOn()
	do()
	close(stop)
	load.Wait()

	for n, p := range f.processes {
		select {
		case <-p.Ended:
			t.Errorf("process %d ended by itself with %d:\n%s", n, p.ExitCode, harness.Shortened(p.ServerLog.String()))
		default:
		}
	}
	for _, failure := range f.failures {
		t.Errorf("one repetition did not help: %s", failure)
	}
	f.failures = nil
	total := 0
	for conversation, answered := range conversations {
		f.checkOnce(t, conversation, answered)
		total += len(answered)
	}
	t.Logf("%d answers and %d documents were acknowledged", total, len(added))
	if total == 0 || len(added) == 0 {
		t.Error("nothing was asked or added")
	}
	f.checkFound(t, added)
}

// checkOnce checks that each answered question is in its conversation once, in order,
// followed by its answer.
func (f *fleet) checkOnce(t *testing.T, conversation string, answered []string) {
	t.Helper()
	text, err := f.once(0, http.MethodGet, harness.MessagesPath(strings.Trim(conversation, `"`)), "", "", whole)
	var page struct {
		Data struct {
			Messages []struct{ Role, Content, Status string }
		}
	}
	if err = errors.Join(err, json.Unmarshal([]byte(text), &page)); err != nil {
		t.Fatalf("read the messages of conversation %s: %v", conversation, err)
	}
	stored := page.Data.Messages
	next := 0
	for i, m := range stored {
		if m.Role != "user" || next == len(answered) || m.Content != answered[next] {
			continue
		}
		next++
		if i+1 == len(stored) || stored[i+1].Role != "assistant" || stored[i+1].Status != "complete" {
			t.Errorf("%q was answered, and has no answer", m.Content)
		}
	}
	if next != len(answered) {
		t.Errorf("of %d answered questions, %d are there in order", len(answered), next)
	}
	seen := map[string]bool{}
	for _, m := range stored {
		if m.Role == "user" && seen[m.Content] {
			t.Errorf("%q is there twice", m.Content)
		}
		seen[m.Content] = true
	}
}

// checkFound checks that every process comes to answer from the last documents.
func (f *fleet) checkFound(t *testing.T, added []string) {
	t.Helper()
	for n := range f.processes {
		for _, name := range added[max(0, len(added)-3):] {
			f.processes[n].In(t).Eventually("process "+fmt.Sprint(n)+" finds "+name, func() bool {
				text, err := f.once(n, http.MethodPost, harness.ChatPath, "", fmt.Sprintf(`{"message":"When is the bread called %s sold?","include":["sources"]}`, name), whole)
				return err == nil && strings.Contains(text, `"title":"`+name+`"`)
			})
		}
	}
}

func TestThreeServers(t *testing.T) {
	t.Parallel()
	upstream := llmtest.NewServer(t, llmtest.Reply{Pieces: harness.PiecesOfSeven})
	f := newFleet(t, upstream)

	t.Run("killed one after the other under load, they lose nothing and fail nobody who asks twice", func(t *testing.T) {
		f.under(t, "killed", func() {
			for n := range f.processes {
				f.replace(n, (*harness.Process).Kill)
				f.goOn()
			}
		})
	})
	t.Run("replaced one after the other under load, likewise", func(t *testing.T) {
		f.under(t, "replaced", func() {
			for n := range f.processes {
				f.replace(n, func(p *harness.Process) {
					p.Terminate()
					p.EndsWithin(harness.Patience)
				})
				f.goOn()
			}
		})
	})
	t.Run("a stream of a server that was killed is read to its end at another", func(t *testing.T) {
		gate := llmtest.NewGate()
		upstream.Next(llmtest.Reply{Pieces: harness.PiecesOfSeven, Hold: gate, HoldAt: llmtest.AfterPieces(2)})
		body, token, key := `{"message":"When do you open on Sunday?","include":["ids"]}`, harness.Bearer(f.token), harness.Keyed("across")
		other := f.processes[1].In(t)
		first := f.processes[0].In(t).Marked("POST", harness.StreamPath, body, token, key)
		read := first.Until("delta")
		gate.Release()
		conversation := harness.Written(read[0].ConversationID)
		other.Eventually("the answer is stored", func() bool {
			all := other.Messages(f.token, conversation, "?include=usage")
			return len(all) == 2 && all[1]["status"] == "complete"
		})
		f.replace(0, (*harness.Process).Kill)
		second := other.Marked("POST", harness.StreamPath, body, token, key, harness.Header{Name: "Last-Event-ID", Value: read[len(read)-1].ID})
		if got := harness.AnswerIn(append(read, second.Rest()...)); got != harness.AnswerOfSeven {
			t.Errorf("together they read %q, want %q", got, harness.AnswerOfSeven)
		}
	})
}

package e2e

import (
	"bufio"
	"context"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json"

	"parley/app"
	"parley/core/account"
	"parley/core/audit"
	"parley/core/chatbot"
	"parley/core/knowledge"
	"parley/core/plan"
	"parley/core/seal"
	"parley/index/indextest"
	"parley/llm/llmtest"
	"parley/store/storetest"
)

// Routes, as their callers write them.
const (
	apiPrefix   = "/api/"
	v1Prefix    = "/api/v1/"
	webhookPath = "/api/webhooks/stripe"
	// descriptionPath is the one route of /api/v1 that takes no token.
	descriptionPath = "/api/v1/openapi.yaml"
)

// now is the time in the precision that both databases keep.
func now() time.Time { return app.Now() }

// patience bounds every wait of these tests for something that must come.
const patience = 30 * time.Second

// instance is a running server on a database of its own, seen from outside.
type instance struct {
	*testing.T
	base    string
	server  *app.Server
	log     *lockedBuffer
	stop    context.CancelFunc
	stopped chan error
}

// users are all users of the installation, oldest first.
func (w *instance) users() (all []account.User) {
	w.Helper()
	for user, err := range w.server.Tenants.Users.All(w.Context()) {
		w.must(err)
		all = append(all, user)
	}
	return all
}

// onBothDatabases runs a test on SQLite and on PostgreSQL.
func onBothDatabases(t *testing.T, test func(t *testing.T, start func(...func(*app.Config)) *instance)) {
	for name, database := range map[string]func(*testing.T) string{
		"sqlite":   func(*testing.T) string { return "" },
		"postgres": func(t *testing.T) string { return storetest.Postgres(t) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test(t, func(change ...func(*app.Config)) *instance {
				url := database(t)
				return start(t, append([]func(*app.Config){func(c *app.Config) { c.DatabaseURL = url }}, change...)...)
			})
		})
	}
}

// withModel lets a server that speaks a model's wire format answer.
func withModel(upstream *llmtest.Server) func(*app.Config) {
	return func(c *app.Config) { c.LLMBaseURL, c.LLMAPIKey, c.LLMModel = upstream.BaseURL(), "key", "double" }
}

// start runs the whole program on a port of its own until the test ends. The
// model and the index refuse to be called inside a transaction.
func start(t *testing.T, change ...func(*app.Config)) *instance {
	t.Helper()
	return startWith(t, app.Options{Model: llmtest.RefuseInTx, Index: indextest.RefuseInTx}, change...)
}

// startWith is start with other wrappers of the model and the index.
func startWith(t *testing.T, wrap app.Options, change ...func(*app.Config)) *instance {
	t.Helper()
	return startPrepared(t, wrap, func(*app.Server) {}, change...)
}

// startPrepared is startWith for a server that a test changes before it serves.
func startPrepared(t *testing.T, wrap app.Options, prepare func(*app.Server), change ...func(*app.Config)) *instance {
	t.Helper()
	config := &app.Config{}
	own := t.TempDir()
	config.Listen, config.DataDir, config.SignUp = "127.0.0.1:0", own, true
	config.LLMTimeout, config.LLMFirst, config.DrainTimeout = patience, patience, patience
	config.PlanChanges, config.TrialDays, config.GraceDays, config.AuditDays = "owner", 14, 21, 400
	config.SecretKey, config.WebhookAllow = seal.ServerKey{1, 2, 3}.Text(), []string{nobodyListens}
	for _, c := range change {
		c(config)
	}
	if wrap.LookUpTXT == nil { // tests ask nobody's DNS
		wrap.LookUpTXT = func(context.Context, string) ([]string, error) { return nil, errors.New("no such host") }
	}
	shareCache(t, config.DataDir)
	if config.DataDir == own && config.DatabaseURL == "" {
		storetest.File(t, filepath.Join(own, "parley.db"))
	}
	w := &instance{T: t, log: &lockedBuffer{}, stopped: make(chan error, 1)}
	log := slog.New(slog.NewTextHandler(w.log, nil))
	p, err := app.OpenWith(t.Context(), config, log, wrap)
	if err != nil {
		t.Fatal(err)
	}
	// A new index is built first, as it was on a server that has run before.
	// Where it cannot be, the server tries again.
	if _, err := p.Rebuilder.Repair(t.Context()); err != nil {
		t.Logf("the index is not prepared: %v", err)
	}
	w.server, err = app.Listen(p)
	if err != nil {
		t.Fatal(err)
	}
	prepare(w.server)
	w.base = "http://" + w.server.Addr().String()
	var ctx context.Context
	ctx, w.stop = context.WithCancel(context.WithoutCancel(t.Context()))
	go func() { w.stopped <- w.server.Serve(ctx) }()
	t.Cleanup(func() {
		w.end()
		if err := p.Close(); err != nil {
			t.Errorf("closing the program: %v", err)
		}
	})
	return w
}

// end stops the server and waits until it has.
func (w *instance) end() {
	w.stop()
	select {
	case err, open := <-w.stopped:
		if open && err != nil {
			w.Errorf("the server ended with: %v", err)
		}
		if open {
			close(w.stopped)
		}
	case <-time.After(patience):
		w.Error("the server did not stop")
	}
}

// tenantOf is one workspace with what it takes to use it.
type tenantOf struct {
	email, password string
	workspace       string
	chatbot         string
	token, tokenID  string
}

// newTenant makes a workspace on a plan, with a chatbot that knows one
// document and, if the plan allows, a token.
func (w *instance) newTenant(name string, on plan.Name, documents ...string) tenantOf {
	w.Helper()
	ctx, p := w.Context(), w.server.Program
	tn := tenantOf{email: name + "@example.com", password: "correct horse " + name}
	_, workspace, err := p.Tenants.SignUps.Create(ctx, account.Account{Email: tn.email, Password: tn.password, Workspace: name})
	w.must(err)
	w.must(p.Tenants.Grants.SetPlan(audit.As(ctx, audit.Operator), workspace, on))
	bot, err := p.Chatbots.Create(ctx, workspace, chatbot.Settings{Name: name + "'s chatbot"})
	w.must(err)
	tn.workspace, tn.chatbot = workspace, bot.ID
	for _, text := range documents {
		_, err := p.Knowledge.Documents.Add(ctx, workspace, bot.ID, knowledge.NewDocument{Title: knowledge.TitleOf(name, text), Content: text})
		w.must(err)
	}
	token, secret, err := p.Chatbots.Tokens.Issue(ctx, workspace, bot.ID, chatbot.NewToken{Name: "test", CreatedBy: tn.email})
	if err == nil {
		tn.token, tn.tokenID = secret, token.ID
	}
	return tn
}

func (w *instance) must(err error) {
	w.Helper()
	if err != nil {
		w.Fatal(err)
	}
}

// reply is an answer that has been read whole.
type reply struct {
	*http.Response
	body string
	envelope
}

// envelope is the shape of every answer of the API.
type envelope struct {
	Error        int            `json:"error"`
	ErrorMessage string         `json:"error_message"`
	Data         map[string]any `json:"data"`
}

// header is a header of a request.
type header struct{ name, value string }

func bearer(token string) header { return header{"Authorization", "Bearer " + token} }

// send makes a request and returns its answer, which the caller closes.
func (w *instance) send(method, path, body string, headers ...header) *http.Response {
	w.Helper()
	request, err := http.NewRequestWithContext(w.Context(), method, w.base+path, strings.NewReader(body))
	w.must(err)
	if body != "" {
		request.Header.Set("Content-Type", "application/json")
	}
	for _, h := range headers {
		if h.value == "" {
			request.Header.Del(h.name)
			continue
		}
		request.Header.Add(h.name, h.value)
	}
	if request.Header.Get("Content-Type") == "" {
		request.Header.Del("Content-Type")
	}
	client := http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	response, err := client.Do(request)
	w.must(err)
	w.keepsTo(request.URL, request.Header, body, response)
	return response
}

// call is send for an answer that is read whole.
func (w *instance) call(method, path, body string, headers ...header) reply {
	w.Helper()
	response := w.send(method, path, body, headers...)
	defer response.Body.Close()
	return w.read(response)
}

// read reads an answer to its end.
func (w *instance) read(response *http.Response) reply {
	w.Helper()
	text, err := io.ReadAll(response.Body)
	w.must(err)
	r := reply{Response: response, body: string(text)}
	if strings.HasPrefix(response.Header.Get("Content-Type"), "application/json") {
		_ = json.Unmarshal(text, &r.envelope) // not all JSON is the envelope
	}
	return r
}

// event is one event of a stream.
type event struct {
	Type           string `json:"type"`
	Content        string `json:"content"`
	ConversationID int64  `json:"conversation_id"`
	Format         string `json:"format"`
	Error          int    `json:"error"`
	ErrorMessage   string `json:"error_message"`
	ErrorCode      string `json:"error_code"`
	// done is the literal [DONE].
	done bool
}

// events reads Server-Sent Events as the WHATWG HTML standard, section 9.2,
// says, and fails the test on anything that a default stream does not have.
type events struct {
	t       *testing.T
	lines   *bufio.Scanner
	closing io.Closer
}

func (w *instance) stream(body string, headers ...header) *events {
	w.Helper()
	response := w.send("POST", "/api/v1/chat/stream", body, headers...)
	if response.StatusCode != http.StatusOK || response.Header.Get("Content-Type") != "text/event-stream; charset=utf-8" {
		text, _ := io.ReadAll(response.Body)
		w.Fatalf("no stream: %s %s", response.Status, text)
	}
	w.Cleanup(func() { response.Body.Close() })
	return &events{t: w.T, lines: bufio.NewScanner(response.Body), closing: response.Body}
}

// next returns the next event, or false at the end of the stream.
func (e *events) next() (event, bool) {
	e.t.Helper()
	var data []string
	for e.lines.Scan() {
		line := e.lines.Text()
		if line == "" && len(data) > 0 {
			return e.parse(strings.Join(data, "\n")), true
		}
		if line == "" {
			continue
		}
		text, ok := strings.CutPrefix(line, "data: ")
		if !ok {
			e.t.Fatalf("a default stream has a line that is not data: %q", line)
		}
		data = append(data, text)
	}
	return event{}, false
}

func (e *events) parse(data string) event {
	e.t.Helper()
	if data == "[DONE]" {
		return event{done: true}
	}
	var parsed event
	if err := json.Unmarshal([]byte(data), &parsed); err != nil {
		e.t.Fatalf("an event is not JSON: %q", data)
	}
	return parsed
}

// rest returns all events that are still to come.
func (e *events) rest() []event {
	e.t.Helper()
	var all []event
	for {
		next, ok := e.next()
		if !ok {
			return all
		}
		all = append(all, next)
	}
}

// eventually waits until a condition holds. It looks often at first.
func (w *instance) eventually(what string, condition func() bool) {
	w.Helper()
	pause := time.Millisecond
	for deadline := time.Now().Add(patience); !condition(); time.Sleep(pause) {
		if time.Now().After(deadline) {
			w.Fatalf("it did not come about that %s", what)
		}
		pause = min(2*pause, pollEvery)
	}
}

// pollEvery is often enough for what takes a while, and costs next to nothing.
const pollEvery = 20 * time.Millisecond

// settled waits until nothing of a chatbot's knowledge is being worked on, and
// returns its documents.
func (w *instance) settled(tn tenantOf) (documents []knowledge.Document) {
	w.Helper()
	var sources []knowledge.Source
	// The first PDF needs a reader to be compiled, which takes its time where
	// all is watched for data races.
	deadline := time.Now().Add(4 * patience)
	for {
		var err error
		sources, err = w.server.Knowledge.Sources.List(w.Context(), tn.workspace, tn.chatbot)
		w.must(err)
		documents, err = w.server.Knowledge.Documents.List(w.Context(), tn.workspace, tn.chatbot)
		w.must(err)
		busy := func(d knowledge.Document) bool { return !d.State.Settled() }
		syncing := func(s knowledge.Source) bool {
			return s.State == knowledge.SourceSyncing || s.State == knowledge.SourceRemoving
		}
		if !slices.ContainsFunc(sources, syncing) && !slices.ContainsFunc(documents, busy) {
			return documents
		}
		if time.Now().After(deadline) {
			if w.log != nil {
				w.Logf("the log is %s", w.log.String())
			}
			w.Fatalf("not all documents are worked off: %+v %+v", sources, documents)
		}
		time.Sleep(pollEvery)
	}
}

package e2e

import (
	"bufio"
	"net"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"parley/app"
	"parley/core/plan"
	"parley/llm/llmtest"
)

const (
	chatPath          = "/api/v1/chat"
	streamPath        = "/api/v1/chat/stream"
	chatbotPath       = "/api/v1/chatbot"
	conversationsPath = "/api/v1/conversations"
	openingQuestion   = `{"message":"When does the bakery open?"}`
)

// scenario is one request to the API and what its answer must be.
type scenario struct {
	name string
	// method is POST and path is /api/v1/chat when empty.
	method, path string
	body         string
	headers      []header
	// status is 200 when zero; code is the envelope's error.
	status, code int
	// has and lacks are parts of the answer's body.
	has, lacks []string
	// answers are headers of the answer, exactly.
	answers []header
	// then looks at what the fields above cannot say.
	then func(w *instance, r reply)
}

// play makes the request of each scenario and checks its answer.
func (w *instance) play(scenarios ...scenario) {
	for _, s := range scenarios {
		w.Run(s.name, func(t *testing.T) { s.play(w.within(t)) })
	}
}

func (s scenario) play(w *instance) {
	w.Helper()
	r := w.call(orDefault(s.method, "POST"), orDefault(s.path, chatPath), s.body, s.headers...)
	w.checkAnswer(r, s.status, s.code)
	for _, part := range s.has {
		if !strings.Contains(r.body, part) {
			w.Errorf("the answer lacks %q: %s", part, shortened(r.body))
		}
	}
	for _, part := range s.lacks {
		if strings.Contains(r.body, part) {
			w.Errorf("the answer has %q: %s", part, shortened(r.body))
		}
	}
	for _, h := range s.answers {
		if got := r.Header.Get(h.name); got != h.value {
			w.Errorf("%s is %q, want %q", h.name, got, h.value)
		}
	}
	if s.then != nil && !w.Failed() {
		s.then(w, r)
	}
}

func orDefault(given, otherwise string) string {
	if given == "" {
		return otherwise
	}
	return given
}

// statuses are those that a code of the envelope may have.
var statuses = map[int][]int{
	0: {200}, 1: {401}, 2: {403}, 3: {404}, 4: {400, 405, 413, 415}, 5: {500}, 6: {409}, 7: {429}, 8: {503},
}

// internals are words that no error message may have.
var internals = regexp.MustCompile(`(?i)\.go\b|sql|pgx|panic|goroutine|runtime|jsontext|\bent\b|fiber|fasthttp|127\.0\.0\.1|/tmp`)

// checkAnswer checks the status and the code, and what holds of every answer
// of the API: the envelope's fields and none beside them, and the headers.
func (w *instance) checkAnswer(r reply, status, code int) {
	w.Helper()
	if status == 0 {
		status = http.StatusOK
	}
	if r.StatusCode != status {
		w.Errorf("status %d, want %d: %s", r.StatusCode, status, shortened(r.body))
	}
	if r.Request != nil && r.Request.Method == http.MethodHead {
		return // it has no body
	}
	w.checkEnvelope(r, code)
	w.checkHeaders(r)
}

func (w *instance) checkEnvelope(r reply, code int) {
	w.Helper()
	var fields map[string]jsontext.Value
	if err := json.Unmarshal([]byte(r.body), &fields); err != nil {
		w.Errorf("the answer is not a JSON object: %v: %s", err, shortened(r.body))
		return
	}
	if len(fields) != 3 || fields["error"] == nil || fields["error_message"] == nil || fields["data"] == nil {
		w.Errorf("the answer is not the envelope: %s", shortened(r.body))
	}
	if r.Error != code || !slices.Contains(statuses[r.Error], r.StatusCode) {
		w.Errorf("error %d with status %d, want error %d: %s", r.Error, r.StatusCode, code, shortened(r.body))
	}
	if r.Error == 0 && (r.ErrorMessage != "" || r.Data == nil) {
		w.Errorf("a success has an error message or no data: %s", shortened(r.body))
	}
	if r.Error != 0 && (r.ErrorMessage == "" || string(fields["data"]) != "null") {
		w.Errorf("a failure has no message, or has data: %s", shortened(r.body))
	}
	if found := internals.FindString(r.ErrorMessage); found != "" {
		w.Errorf("the error message shows internals, %q: %s", found, r.ErrorMessage)
	}
}

var errorCode = regexp.MustCompile(`^[a-z]+(_[a-z]+)*$`)

func (w *instance) checkHeaders(r reply) {
	w.Helper()
	if got := r.Header.Get("Content-Type"); got != "application/json" {
		w.Errorf("Content-Type is %q", got)
	}
	if r.Header.Get("X-Request-Id") == "" {
		w.Error("the answer has no X-Request-Id")
	}
	challenge := ""
	if r.StatusCode == http.StatusUnauthorized {
		challenge = "Bearer"
	}
	if got := r.Header.Get("WWW-Authenticate"); got != challenge {
		w.Errorf("WWW-Authenticate is %q, want %q", got, challenge)
	}
	if named := errorCode.MatchString(r.Header.Get("X-Error-Code")); named != (r.Error != 0) {
		w.Errorf("X-Error-Code is %q", r.Header.Get("X-Error-Code"))
	}
	if r.StatusCode == http.StatusServiceUnavailable && r.Header.Get("Retry-After") == "" {
		w.Error("the answer has no Retry-After")
	}
}

// raw sends bytes that net/http would not, and returns the first answer.
func (w *instance) raw(request string) reply {
	w.Helper()
	conn, err := net.Dial("tcp", strings.TrimPrefix(w.base, "http://"))
	w.must(err)
	defer conn.Close()
	w.must(conn.SetDeadline(time.Now().Add(patience)))
	_, err = conn.Write([]byte(request))
	w.must(err)
	response, err := http.ReadResponse(bufio.NewReader(conn), nil)
	w.must(err)
	defer response.Body.Close()
	return w.read(response)
}

// bakery is a server with two workspaces.
type bakery struct {
	*instance
	baker, rival tenantOf
}

// onBakery runs a test on both databases, on a server with two workspaces.
func onBakery(t *testing.T, test func(b bakery), change ...func(*app.Config)) {
	onBothDatabases(t, func(t *testing.T, start func(...func(*app.Config)) *instance) {
		w := start(change...)
		w.hasNoHurry()
		test(bakery{w, w.newTenant("baker", plan.Standard, opening), w.newTenant("rival", plan.Standard, rivalOpening)})
	})
}

// onModel is onBakery with a model's server of its own for each database.
func onModel(t *testing.T, test func(b bakery, upstream *llmtest.Server)) {
	onBothDatabases(t, func(t *testing.T, start func(...func(*app.Config)) *instance) {
		upstream := llmtest.NewServer(t, llmtest.Reply{Pieces: []string{"At seven."}})
		w := start(withModel(upstream))
		w.hasNoHurry()
		b := bakery{w, w.newTenant("baker", plan.Standard, opening), w.newTenant("rival", plan.Standard, rivalOpening)}
		test(b, upstream)
	})
}

const rivalOpening = "# Opening hours\n\nThe rival opens at midnight and sells the secret pretzel.\n"

// as are the headers of a request with a token.
func as(token string) []header { return []header{bearer(token)} }

// newConversation creates a conversation and returns its identifier.
func (w *instance) newConversation(token, body string) int64 {
	w.Helper()
	r := w.call("POST", conversationsPath, body, bearer(token))
	w.checkAnswer(r, 200, 0)
	return w.number(r, "conversation_id")
}

// number is a field of the data that must be an integer below 2^53.
func (w *instance) number(r reply, field string) int64 {
	w.Helper()
	value, ok := r.Data[field].(float64)
	if !ok || value < 1 || value >= 1<<53 || value != float64(int64(value)) {
		w.Fatalf("%s is no identifier: %s", field, shortened(r.body))
	}
	return int64(value)
}

// sequence is the number that the database has for a conversation.
func (w *instance) sequence(conversation int64) int64 {
	w.Helper()
	return sequenceIn(w.T, w.server.Program, conversation)
}

// sequenceIn is the number that a program's database has for a conversation.
func sequenceIn(t *testing.T, p *app.Program, conversation int64) int64 {
	t.Helper()
	sequence, err := p.ConversationID(written(conversation))
	if err != nil {
		t.Fatal(err)
	}
	return sequence
}

// written is an identifier as a caller writes it.
func written(id int64) string { return strconv.FormatInt(id, 10) }

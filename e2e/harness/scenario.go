package harness

import (
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// Scenario is one request to the API and what its answer must be.
type Scenario struct {
	Name string
	// Method is POST and path is /api/v1/chat when empty.
	Method, Path string
	Body         string
	Headers      []Header
	// Status is 200 when zero; code is the envelope's error.
	Status, Code int
	// Has and lacks are parts of the answer's body.
	Has, Lacks []string
	// Answers are headers of the answer, exactly.
	Answers []Header
	// Then looks at what the fields above cannot say.
	Then func(w *Instance, r Reply)
}

// Play makes the request of each scenario and checks its answer.
func (w *Instance) Play(scenarios ...Scenario) {
	for _, s := range scenarios {
		w.Run(s.Name, func(t *testing.T) { s.Play(w.Within(t)) })
	}
}

// Play makes the request and checks its answer.
func (s Scenario) Play(w *Instance) {
	w.Helper()
	r := w.Call(OrDefault(s.Method, "POST"), OrDefault(s.Path, ChatPath), s.Body, s.Headers...)
	w.CheckAnswer(r, s.Status, s.Code)
	for _, part := range s.Has {
		if !strings.Contains(r.Text, part) {
			w.Errorf("the answer lacks %q: %s", part, Shortened(r.Text))
		}
	}
	for _, part := range s.Lacks {
		if strings.Contains(r.Text, part) {
			w.Errorf("the answer has %q: %s", part, Shortened(r.Text))
		}
	}
	for _, h := range s.Answers {
		if got := r.Header.Get(h.Name); got != h.Value {
			w.Errorf("%s is %q, want %q", h.Name, got, h.Value)
		}
	}
	if s.Then != nil && !w.Failed() {
		s.Then(w, r)
	}
}

// OrDefault is a text, or another if it is empty.
func OrDefault(given, otherwise string) string {
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

// CheckAnswer checks the status and the code, and what holds of every answer
// of the API: the envelope's fields and none beside them, and the headers.
func (w *Instance) CheckAnswer(r Reply, status, code int) {
	w.Helper()
	if status == 0 {
		status = http.StatusOK
	}
	if r.StatusCode != status {
		w.Errorf("status %d, want %d: %s", r.StatusCode, status, Shortened(r.Text))
	}
	if r.Request != nil && r.Request.Method == http.MethodHead {
		return // it has no body
	}
	w.CheckEnvelope(r, code)
	w.CheckHeaders(r)
}

// CheckEnvelope checks that an answer is the envelope with a code.
func (w *Instance) CheckEnvelope(r Reply, code int) {
	w.Helper()
	var fields map[string]jsontext.Value
	if err := json.Unmarshal([]byte(r.Text), &fields); err != nil {
		w.Errorf("the answer is not a JSON object: %v: %s", err, Shortened(r.Text))
		return
	}
	if len(fields) != 3 || fields["error"] == nil || fields["error_message"] == nil || fields["data"] == nil {
		w.Errorf("the answer is not the envelope: %s", Shortened(r.Text))
	}
	if r.Error != code || !slices.Contains(statuses[r.Error], r.StatusCode) {
		w.Errorf("error %d with status %d, want error %d: %s", r.Error, r.StatusCode, code, Shortened(r.Text))
	}
	if r.Error == 0 && (r.ErrorMessage != "" || r.Data == nil) {
		w.Errorf("a success has an error message or no data: %s", Shortened(r.Text))
	}
	if r.Error != 0 && (r.ErrorMessage == "" || string(fields["data"]) != "null") {
		w.Errorf("a failure has no message, or has data: %s", Shortened(r.Text))
	}
	if found := internals.FindString(r.ErrorMessage); found != "" {
		w.Errorf("the error message shows internals, %q: %s", found, r.ErrorMessage)
	}
}

var errorCode = regexp.MustCompile(`^[a-z]+(_[a-z]+)*$`)

// CheckHeaders checks the headers that every answer of the API has.
func (w *Instance) CheckHeaders(r Reply) {
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

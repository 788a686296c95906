package harness

import (
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json"

	"parley/app"
	"parley/llm/llmtest"
)

// Asking is a question in a conversation, whose identifier is JSON.
func Asking(conversation string) string {
	return `{"message":"When does the bakery open?","conversation_id":` + conversation + `}`
}

// MessagesPath is where the messages of a conversation are.
func MessagesPath(conversation string) string {
	return ConversationsPath + "/" + conversation + "/messages"
}

// iso8601 is a moment in UTC.
var iso8601 = regexp.MustCompile(`^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$`)

// CheckMoment fails unless a value is a moment in UTC, and returns it.
func (w *Instance) CheckMoment(value any) time.Time {
	w.Helper()
	text, _ := value.(string)
	at, err := time.Parse(time.RFC3339Nano, text)
	if err != nil || !iso8601.MatchString(text) {
		w.Errorf("%v is no ISO 8601 moment in UTC", value)
	}
	return at
}

// CheckFields fails unless an object has exactly the fields.
func (w *Instance) CheckFields(object map[string]any, names ...string) {
	w.Helper()
	var has []string
	for name := range object {
		has = append(has, name)
	}
	slices.Sort(has)
	slices.Sort(names)
	if !slices.Equal(has, names) {
		w.Errorf("the fields are %v, want %v", has, names)
	}
}

// Messages reads a conversation back and checks the shape of what it says.
func (w *Instance) Messages(token, conversation, query string) []map[string]any {
	w.Helper()
	r := w.Call("GET", MessagesPath(conversation)+query, "", Bearer(token))
	w.CheckAnswer(r, 200, 0)
	list, ok := r.Data["messages"].([]any)
	if !ok {
		w.Fatalf("no messages: %s", Shortened(r.Text))
	}
	var all []map[string]any
	for _, item := range list {
		message := item.(map[string]any)
		ours := []string{"format"}
		for _, name := range []string{"status", "outcome", "finish_reason", "sources", "usage"} {
			if message[name] != nil {
				ours = append(ours, name)
			}
		}
		w.CheckFields(message, append(ours, "id", "role", "content", "created_at")...)
		w.CheckMoment(message["created_at"])
		all = append(all, message)
	}
	return all
}

// InFormat is a question whose answer has a format.
func InFormat(format string) string {
	return `{"message":"When does the bakery open?","format":"` + format + `"}`
}

// Message is the answer in a reply.
func Message(r Reply) string {
	text, _ := r.Data["message"].(string)
	return text
}

// CheckParts fails unless a text has some parts and lacks others.
func (w *Instance) CheckParts(text string, has []string, lacks ...string) {
	w.Helper()
	for _, part := range has {
		if !strings.Contains(text, part) {
			w.Errorf("it lacks %q: %s", part, text)
		}
	}
	for _, part := range lacks {
		if strings.Contains(text, part) {
			w.Errorf("it has %q: %s", part, text)
		}
	}
}

// NewConversation creates a conversation and returns its identifier.
func (w *Instance) NewConversation(token, body string) int64 {
	w.Helper()
	r := w.Call("POST", ConversationsPath, body, Bearer(token))
	w.CheckAnswer(r, 200, 0)
	return w.Number(r, "conversation_id")
}

// Number is a field of the data that must be an integer below 2^53.
func (w *Instance) Number(r Reply, field string) int64 {
	w.Helper()
	value, ok := r.Data[field].(float64)
	if !ok || value < 1 || value >= 1<<53 || value != float64(int64(value)) {
		w.Fatalf("%s is no identifier: %s", field, Shortened(r.Text))
	}
	return int64(value)
}

// Sequence is the number that the database has for a conversation.
func (w *Instance) Sequence(conversation int64) int64 {
	w.Helper()
	return SequenceIn(w.T, w.Server.Program, conversation)
}

// SequenceIn is the number that a program's database has for a conversation.
func SequenceIn(t *testing.T, p *app.Program, conversation int64) int64 {
	t.Helper()
	sequence, err := p.ConversationID(Written(conversation))
	if err != nil {
		t.Fatal(err)
	}
	return sequence
}

// Written is an identifier as a caller writes it.
func Written(id int64) string { return strconv.FormatInt(id, 10) }

// AskedFor asks for an end user, and returns the answer's identifier and its
// conversation's.
func (w *Instance) AskedFor(token, user, question string) (message, conversation string) {
	w.Helper()
	r := w.Call("POST", "/api/v1/chat", fmt.Sprintf(`{"message":%q,"external_user_id":%q}`, question, user), Bearer(token))
	w.CheckAnswer(r, 200, 0)
	return Written(int64(r.Data["message_id"].(float64))), Written(int64(r.Data["conversation_id"].(float64)))
}

// Said is what of an answer is the same whenever it is given.
func (w *Instance) Said(r Reply) string {
	w.Helper()
	if r.Response == nil || r.StatusCode != http.StatusOK {
		w.Fatalf("it is refused: %s", r.Text)
	}
	if strings.HasPrefix(r.Header.Get("Content-Type"), "text/event-stream") {
		return GistOf(w.T, r.Text)
	}
	return r.Text
}

// SevenInPieces is a model's answer with markup across its pieces.
var SevenInPieces = llmtest.Reply{Pieces: []string{"At **sev", "en** in ", "the morning [1]."}}

// Including is a question whose answer includes what a list names.
func Including(list string) string {
	return `{"message":"When does the bakery open?","format":"html","include":` + list + `}`
}

// Quoted is a text as JSON.
func Quoted(w *Instance, text string) string {
	w.Helper()
	b, err := json.Marshal(text)
	w.Must(err)
	return string(b)
}

// PiecesOfSeven are the pieces of an answer with characters of several bytes.
var PiecesOfSeven = []string{"At **se", "ven** —", " früh,", " as ever [1]."}

// AnswerOfSeven is the whole of that answer.
var AnswerOfSeven = strings.Join(PiecesOfSeven, "")

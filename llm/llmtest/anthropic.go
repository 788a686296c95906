package llmtest

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// Anthropic is a double of Anthropic's Messages API, scripted and observed like
// [Server]. Its routes are POST /v1/messages, streamed or whole as requested, and
// GET /v1/models. Safe for concurrent use.
//
// It translates a [Reply]: Reasoning becomes thinking deltas, Finish is the
// stop_reason ("end_turn" or "tool_use" if empty), OmitFinish omits the
// message_delta and OmitDone the message_stop. It splits the prompt's tokens as a
// server with a prompt cache does.
type Anthropic struct{ *Server }

// NewAnthropic starts a server that answers the first requests with the replies,
// in order, and all others with the last one. It stops when the test ends.
func NewAnthropic(t testing.TB, replies ...Reply) *Anthropic {
	t.Helper()
	a := &Anthropic{&Server{closing: make(chan struct{})}}
	if last := len(replies) - 1; last >= 0 {
		a.next, a.always = append(a.next, replies[:last]...), replies[last]
	}
	mux := http.NewServeMux()
	mux.HandleFunc("POST /v1/messages", a.complete)
	mux.HandleFunc("GET /v1/models", a.listModels)
	a.server = httptest.NewServer(mux)
	t.Cleanup(func() {
		close(a.closing)
		a.server.CloseClientConnections()
		a.server.Close()
	})
	return a
}

// BaseURL is the address for a client's configuration. It ends without /v1.
func (a *Anthropic) BaseURL() string { return a.server.URL }

func (a *Anthropic) complete(w http.ResponseWriter, r *http.Request) {
	a.open.Add(1)
	body, err := io.ReadAll(r.Body)
	request, reply := a.arrive(body)
	request.arrive(r.Header, body)
	gone := err != nil
	defer func() { // A cut reply panics past the end of this function.
		a.open.Add(-1)
		request.leave(gone)
	}()
	if !gone {
		gone = !a.answer(w, r, request, reply)
	}
}

// answer reports whether the whole answer was sent.
func (a *Anthropic) answer(w http.ResponseWriter, r *http.Request, request *Request, reply Reply) bool {
	wait := func() bool { return reply.Hold.wait(r.Context().Done(), a.closing) }
	if reply.Hold != nil && reply.HoldAt == BeforeHeaders && !wait() {
		return false
	}
	if reply.Status != 0 && reply.Status != http.StatusOK {
		if reply.ErrorBody == "" {
			reply.ErrorBody = `{"type":"error","error":{"type":"api_error","message":"scripted failure"},"request_id":"req_1"}`
		}
		refuse(w, reply)
		return true
	}
	if !request.wanted().Stream {
		// A whole answer is sent only after its last piece.
		if reply.Hold != nil && reply.HoldAt != BeforeHeaders && !wait() {
			return false
		}
		anthropicWhole(w, reply)
		return true
	}
	w.Header().Set("Content-Type", "text/event-stream; charset=utf-8")
	w.WriteHeader(http.StatusOK)
	out := &anthropicStream{stream: stream{
		w: w, flush: http.NewResponseController(w), reply: reply, gone: r.Context().Done(), closing: a.closing,
	}}
	return out.send()
}

func anthropicWhole(w http.ResponseWriter, reply Reply) {
	var content []string
	for _, thought := range reply.Reasoning {
		content = append(content, `{"type":"thinking","thinking":`+quote(thought)+`,"signature":"c2lnbmF0dXJl"}`)
	}
	if len(reply.Pieces) > 0 {
		content = append(content, `{"type":"text","text":`+quote(strings.Join(reply.Pieces, ""))+`}`)
	}
	for _, call := range reply.ToolCalls {
		arguments := call.Arguments
		if arguments == "" {
			arguments = "{}"
		}
		content = append(content, `{"type":"tool_use","id":`+quote(call.ID)+`,"name":`+quote(call.Name)+`,"input":`+arguments+`}`)
	}
	usage := `"usage":` + reply.anthropicUsage()
	if reply.OmitUsage {
		usage = `"usage":null`
	}
	body := `{"id":"msg_1","type":"message","role":"assistant","model":"test-model","content":[` + strings.Join(content, ",") +
		`],"stop_reason":` + quote(reply.stopReason()) + `,"stop_sequence":null,` + usage + `}`
	if len(reply.Raw) > 0 {
		body = strings.Join(reply.Raw, "\n")
	}
	writeWhole(w, reply, body)
}

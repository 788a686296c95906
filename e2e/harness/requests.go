package harness

import (
	"bufio"
	"io"
	"net"
	"net/http"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
)

// What most tests call, and ask.
const (
	ChatPath          = "/api/v1/chat"
	StreamPath        = "/api/v1/chat/stream"
	ChatbotPath       = "/api/v1/chatbot"
	ConversationsPath = "/api/v1/conversations"
	OpeningQuestion   = `{"message":"When does the bakery open?"}`
)

// Raw sends bytes that net/http would not, and returns the first answer.
func (w *Instance) Raw(request string) Reply {
	w.Helper()
	conn, err := net.Dial("tcp", strings.TrimPrefix(w.Base, "http://"))
	w.Must(err)
	defer conn.Close()
	w.Must(conn.SetDeadline(time.Now().Add(Patience)))
	_, err = conn.Write([]byte(request))
	w.Must(err)
	response, err := http.ReadResponse(bufio.NewReader(conn), nil)
	w.Must(err)
	defer response.Body.Close()
	return w.Read(response)
}

// As are the headers of a request with a token.
func As(token string) []Header { return []Header{Bearer(token)} }

// Routes, as their callers write them.
const (
	APIPrefix   = "/api/"
	v1Prefix    = "/api/v1/"
	WebhookPath = "/api/webhooks/stripe"
	// descriptionPath is the one route of /api/v1 that takes no token.
	descriptionPath = "/api/v1/openapi.yaml"
)

// Reply is an answer that has been read whole.
type Reply struct {
	*http.Response
	// Text is the body.
	Text string
	envelope
}

// envelope is the shape of every answer of the API.
type envelope struct {
	Error        int            `json:"error"`
	ErrorMessage string         `json:"error_message"`
	Data         map[string]any `json:"data"`
}

// Header is a header of a request.
type Header struct{ Name, Value string }

// Bearer is the header with a token.
func Bearer(token string) Header { return Header{"Authorization", "Bearer " + token} }

// Send makes a request and returns its answer, which the caller closes.
func (w *Instance) Send(method, path, body string, headers ...Header) *http.Response {
	w.Helper()
	request, err := http.NewRequestWithContext(w.Context(), method, w.Base+path, strings.NewReader(body))
	w.Must(err)
	if body != "" {
		request.Header.Set("Content-Type", "application/json")
	}
	for _, h := range headers {
		if h.Value == "" {
			request.Header.Del(h.Name)
			continue
		}
		request.Header.Add(h.Name, h.Value)
	}
	if request.Header.Get("Content-Type") == "" {
		request.Header.Del("Content-Type")
	}
	client := http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	response, err := client.Do(request)
	w.Must(err)
	w.keepsTo(request.URL, request.Header, body, response)
	return response
}

// Call is Send for an answer that is read whole.
func (w *Instance) Call(method, path, body string, headers ...Header) Reply {
	w.Helper()
	response := w.Send(method, path, body, headers...)
	defer response.Body.Close()
	return w.Read(response)
}

// Read reads an answer to its end.
func (w *Instance) Read(response *http.Response) Reply {
	w.Helper()
	text, err := io.ReadAll(response.Body)
	w.Must(err)
	r := Reply{Response: response, Text: string(text)}
	if strings.HasPrefix(response.Header.Get("Content-Type"), "application/json") {
		_ = json.Unmarshal(text, &r.envelope) // not all JSON is the envelope
	}
	return r
}

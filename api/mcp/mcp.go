// Package mcp owns a chatbot as a server of the Model Context Protocol: its tools, what
// they take and return, and one exchange of the transport Streamable HTTP.
//
// It does not own who calls, how often, nor how a question gets its answer: package api
// admits callers, and asks.
package mcp

import (
	"bytes"
	"context"
	"log/slog"
	"net/http"
	"strings"
	"sync"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// Path is the path of the endpoint, below the prefix of the API.
const Path = "/mcp"

const instructions = "A chatbot that answers from a business's own documents. Use ask for an answer with its sources. " +
	"Where search and fetch are offered, use them to read the documents themselves."

type callerKey struct{}

// Server answers messages. It keeps nothing between them.
type Server struct {
	asking, all *mcp.StreamableHTTPHandler
}

// New returns a server.
func New() *Server {
	return &Server{asking: handlerOf(addAsking), all: handlerOf(addReading, addAsking)}
}

func handlerOf(add ...func(*mcp.Server)) *mcp.StreamableHTTPHandler {
	server := mcp.NewServer(&mcp.Implementation{Name: "parley", Title: "Parley", Version: "1"}, &mcp.ServerOptions{
		Instructions: instructions, Logger: slog.New(slog.DiscardHandler),
		// The tools of a token never change, and nothing is logged to clients.
		Capabilities: &mcp.ServerCapabilities{Tools: &mcp.ToolCapabilities{}},
	})
	for _, add := range add {
		add(server)
	}
	return mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return server }, &mcp.StreamableHTTPOptions{
		Stateless: true, JSONResponse: true, PropagateRequestCancellation: true,
		DisableLocalhostProtection: true, // the Origin is checked before
		Logger:                     slog.New(slog.DiscardHandler),
	})
}

// Request is a message with what came with it.
type Request struct {
	Message *Message
	Body    []byte
	// Headers are the protocol's headers.
	Headers http.Header
	// ReadsKnowledge offers the tools that show the knowledge, too.
	ReadsKnowledge bool
	Caller         Caller
}

// IsHeader reports whether a header is the protocol's.
func IsHeader(name string) bool {
	name = strings.ToLower(name)
	return strings.HasPrefix(name, "mcp-") && name != "mcp-session-id"
}

// Response is the answer to a message.
type Response struct {
	Status      int
	ContentType string
	Body        []byte
}

// Answer answers a message. When ctx ends, it returns as soon as the caller's tool does.
func (s *Server) Answer(ctx context.Context, r Request) Response {
	if r.Message.waits() { // it would be a stream without events
		return unknownMethod(r.Message.ID)
	}
	ctx = context.WithValue(ctx, callerKey{}, r.Caller)
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, Path, bytes.NewReader(r.Message.taken(r.Body)))
	if err != nil {
		return Response{Status: http.StatusBadRequest}
	}
	request.Header = r.Headers
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("Accept", "application/json, text/event-stream")
	handler := s.asking
	if r.ReadsKnowledge {
		handler = s.all
	}
	w := &recorder{header: http.Header{}}
	handler.ServeHTTP(w, request)
	return w.response()
}

// unknownMethod is the answer to a method that there is not.
func unknownMethod(id jsontext.Value) Response {
	if len(id) == 0 {
		id = jsontext.Value("null")
	}
	body := append([]byte(`{"jsonrpc":"2.0","id":`), id...)
	body = append(body, `,"error":{"code":-32601,"message":"This server sends no notifications. It has no such method."}}`...)
	return Response{http.StatusNotFound, "application/json", body}
}

// recorder keeps an answer. The SDK may still write when its handler has returned.
type recorder struct {
	header http.Header

	mu     sync.Mutex
	status int
	body   bytes.Buffer
}

func (w *recorder) Header() http.Header { return w.header }

func (w *recorder) WriteHeader(status int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.status == 0 {
		w.status = status
	}
}

func (w *recorder) Write(b []byte) (int, error) {
	w.WriteHeader(http.StatusOK)
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.body.Write(b)
}

// Flush does nothing: the whole answer is sent at once.
func (w *recorder) Flush() {}

func (w *recorder) response() Response {
	w.mu.Lock()
	defer w.mu.Unlock()
	status := w.status
	if status == 0 {
		status = http.StatusOK
	}
	return Response{status, w.header.Get("Content-Type"), bytes.Clone(w.body.Bytes())}
}

// Package llmtest helps to test adapters of the ports answer.Model and
// retrieval.Embedder. It has servers on a loopback port that speak OpenAI's chat
// completions and embeddings, a suite that every adapter of a model must pass, and
// a model that refuses calls inside a transaction.
package llmtest

import (
	"io"
	"net/http"
	"net/http/httptest"
	"sync"
	"sync/atomic"
	"testing"
)

// Server is a double of a model's server. Its routes are POST
// /v1/chat/completions, streamed or whole as requested, and GET /v1/models. Safe
// for concurrent use.
type Server struct {
	server  *httptest.Server
	closing chan struct{}
	open    atomic.Int64
	checks  atomic.Int64

	mu       sync.Mutex
	arrived  int
	requests []*Request
	next     []Reply
	always   Reply
	answers  func(body []byte) Reply
	models   Reply
}

// NewServer starts a server that answers every request with reply. It stops when
// the test ends.
func NewServer(t testing.TB, reply Reply) *Server {
	t.Helper()
	s := &Server{always: reply, closing: make(chan struct{})}
	mux := http.NewServeMux()
	mux.HandleFunc("POST /v1/chat/completions", s.complete)
	mux.HandleFunc("GET /v1/models", s.listModels)
	s.server = httptest.NewServer(mux)
	t.Cleanup(func() {
		close(s.closing)
		s.server.CloseClientConnections()
		s.server.Close()
	})
	return s
}

// BaseURL is the address for a client's configuration. It ends with /v1.
func (s *Server) BaseURL() string { return s.server.URL + "/v1" }

// Next queues replies for the next requests, ahead of the permanent reply.
func (s *Server) Next(replies ...Reply) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.next = append(s.next, replies...)
}

// Always sets the permanent reply.
func (s *Server) Always(reply Reply) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.always, s.answers = reply, nil
}

// Answers makes answer choose the reply to every request from now on, by the
// request's body. Several requests may call it at once.
func (s *Server) Answers(answer func(body []byte) Reply) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.answers = answer
}

// AnswerModels makes the list of models respond with the status and headers of
// reply.
func (s *Server) AnswerModels(reply Reply) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.models = reply
}

// Open is the number of completions in progress.
func (s *Server) Open() int { return int(s.open.Load()) }

// Checks counts the requests for the list of models.
func (s *Server) Checks() int { return int(s.checks.Load()) }

// Arrived counts the requests for completions so far.
func (s *Server) Arrived() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.arrived
}

// Request returns the nth request for a completion, from zero. A test can call it
// before the request arrives, to wait for it.
func (s *Server) Request(n int) *Request {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.requestAt(n)
}

func (s *Server) requestAt(n int) *Request {
	for len(s.requests) <= n {
		s.requests = append(s.requests, newRequest())
	}
	return s.requests[n]
}

func (s *Server) arrive(body []byte) (*Request, Reply) {
	request, reply, answer := s.take()
	if answer != nil {
		reply = answer(body)
	}
	return request, reply
}

// take returns the next request with its reply, or with the function that chooses it.
func (s *Server) take() (*Request, Reply, func(body []byte) Reply) {
	s.mu.Lock()
	defer s.mu.Unlock()
	request := s.requestAt(s.arrived)
	s.arrived++
	if len(s.next) == 0 {
		return request, s.always, s.answers
	}
	reply := s.next[0]
	s.next = s.next[1:]
	return request, reply, nil
}

func (s *Server) complete(w http.ResponseWriter, r *http.Request) {
	s.open.Add(1)
	body, err := io.ReadAll(r.Body)
	request, reply := s.arrive(body)
	request.arrive(r.Header, body)
	gone := err != nil
	defer func() { // A cut reply panics past the end of this function.
		s.open.Add(-1)
		request.leave(gone)
	}()
	if !gone {
		gone = !s.answer(w, r, request, reply)
	}
}

func (s *Server) listModels(w http.ResponseWriter, r *http.Request) {
	s.checks.Add(1)
	s.mu.Lock()
	reply := s.models
	s.mu.Unlock()
	if reply.Hold != nil && !reply.Hold.wait(r.Context().Done(), s.closing) {
		return
	}
	if reply.Status != 0 && reply.Status != http.StatusOK {
		refuse(w, reply)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	_, _ = io.WriteString(w, `{"object":"list","data":[{"id":"test-model","object":"model","created":1,"owned_by":"test"}]}`)
}

package stripetest

import (
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/stripe/stripe-go/v76"
)

// maxBody bounds the body of a request, in bytes.
const maxBody = 1 << 20

// Request is a request that a client made of the API.
type Request struct {
	Method, Path string
	// Form are the parameters, of the query or of the body.
	Form url.Values
	// IdempotencyKey is empty if the request had none.
	IdempotencyKey string
	// Status is the status of the answer, or zero if there was none.
	Status int

	id string
}

func (r *Request) params() params { return params(r.Form) }

// handler answers a request, under the lock.
type handler func(*Request) (any, error)

// handle routes requests of the API.
func (s *Server) handle(mux *http.ServeMux, pattern string, h handler) {
	mux.HandleFunc(pattern, func(w http.ResponseWriter, r *http.Request) {
		request := &Request{Method: r.Method, Path: r.URL.Path, IdempotencyKey: r.Header.Get("Idempotency-Key"), id: r.PathValue("id"), Form: r.URL.Query()}
		body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody))
		if err == nil && len(body) > 0 {
			request.Form, err = url.ParseQuery(string(body))
		}
		if err != nil {
			write(w, storedAnswer{Status: http.StatusBadRequest, Body: rendered(failure{Type: invalidRequest, Message: "The body of the request cannot be read."})})
			return
		}
		answer, hook := s.answer(request, r.Header, h)
		if hook != nil {
			hook(*request)
		}
		write(w, answer)
	})
}

func (s *Server) answer(r *Request, header http.Header, h handler) (storedAnswer, func(Request)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	answer := s.refused(r, header)
	if answer.Status == 0 {
		answer = s.once(r, h)
	}
	r.Status = answer.Status
	s.requests = append(s.requests, *r)
	return answer, s.onAnswer
}

// refused answers requests that reach no handler.
func (s *Server) refused(r *Request, header http.Header) storedAnswer {
	version := header.Get("Stripe-Version")
	key, _ := strings.CutPrefix(header.Get("Authorization"), "Bearer ")
	if err := s.admits(r, key); err != nil && !s.down {
		return answerOf(nil, err)
	}
	switch {
	case s.refusing > 0:
		s.refusing--
		return answerOf(nil, failure{Status: s.refusal, Type: apiError, Message: "Try again later."})
	case s.down:
		return answerOf(nil, failure{Status: http.StatusServiceUnavailable, Type: apiError, Message: "Stripe is away."})
	case version != "" && version != stripe.APIVersion:
		return answerOf(nil, invalid("", "Invalid Stripe API version: %s", version))
	}
	return storedAnswer{}
}

func answerOf(value any, err error) storedAnswer {
	var f failure
	switch {
	case err == nil:
		return storedAnswer{Status: http.StatusOK, Body: rendered(value)}
	case !errors.As(err, &f):
		f = failure{Status: http.StatusInternalServerError, Type: apiError, Message: err.Error()}
	}
	return storedAnswer{Status: f.Status, Body: rendered(f)}
}

func rendered(value any) []byte {
	if f, ok := value.(failure); ok {
		value = map[string]any{"error": f}
	}
	text, err := json.Marshal(value)
	if err != nil {
		panic(err) // Every field of an object can be written as JSON.
	}
	return text
}

func write(w http.ResponseWriter, answer storedAnswer) {
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Request-Id", "req_test")
	if answer.replayed {
		w.Header().Set("Idempotent-Replayed", "true")
	}
	w.WriteHeader(answer.Status)
	_, _ = w.Write(answer.Body)
}

// Requests returns the requests that the API has answered, in order.
func (s *Server) Requests() []Request {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.requests)
}

// OnAnswer sets a function that runs after each answer was made and before it is
// sent. It may wait, so that another request overtakes. Nil sets none.
func (s *Server) OnAnswer(hook func(Request)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.onAnswer = hook
}

// SetDown makes the API answer 503, or work again.
func (s *Server) SetDown(down bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.down = down
}

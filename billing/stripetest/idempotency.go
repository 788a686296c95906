package stripetest

import (
	"net/http"
	"net/url"
	"time"
)

// storedAnswer is a response with its request.
type storedAnswer struct {
	Status int
	Body   []byte

	request  string
	at       time.Time
	replayed bool
}

// keptFor is how long an idempotency key is valid.
const keptFor = day

// once answers a request, or repeats the response to an identical one: see
// https://docs.stripe.com/api/idempotent_requests. Responses to invalid requests are not
// stored.
func (s *Server) once(r *Request, h handler) storedAnswer {
	if r.IdempotencyKey == "" || r.Method != http.MethodPost {
		return s.run(r, h)
	}
	same := r.Method + " " + r.Path + "?" + url.Values(r.Form).Encode()
	stored, known := s.answers[r.IdempotencyKey]
	switch {
	case known && s.now.Sub(stored.at) >= keptFor:
	case known && stored.request != same:
		return answerOf(nil, failure{
			Status: http.StatusBadRequest, Type: idempotencyError,
			Message: "Keys for idempotent requests can only be used with the same parameters they were first used with. Try using a key other than '" + r.IdempotencyKey + "' if you meant to execute a different request.",
		})
	case known:
		stored.replayed = true
		return stored
	}
	answer := s.run(r, h)
	if answer.Status == http.StatusOK || answer.Status == http.StatusPaymentRequired {
		answer.request, answer.at = same, s.now
		s.answers[r.IdempotencyKey] = answer
	}
	return answer
}

func (s *Server) run(r *Request, h handler) storedAnswer {
	value, err := h(r)
	if err != nil {
		return answerOf(nil, err)
	}
	expanded, err := s.expand(value, r.params().list("expand"))
	return answerOf(expanded, err)
}

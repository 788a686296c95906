package api

import (
	"github.com/gofiber/fiber/v2"

	"parley/api/wire"
	"parley/core/retrieval"
	"parley/internal/id"
)

// evaluateRequest is the body of POST /api/chatbots/:id/evaluate.
type evaluateRequest struct {
	Questions []struct {
		Question   string  `json:"question"`
		DocumentID *string `json:"document_id"`
		Title      string  `json:"title"`
	} `json:"questions"`
	// K is how many passages of each question are wanted.
	K *int `json:"k"`
}

// evaluations are the handlers that measure a chatbot's search.
type evaluations struct{ evaluator *retrieval.Evaluator }

// run searches for questions, and says where the documents stand that
// should answer.
func (h evaluations) run(c *fiber.Ctx, at visit) error {
	var request evaluateRequest
	if err := decode(c, &request); err != nil {
		return err
	}
	k := retrieval.DefaultShown
	if request.K != nil {
		k = *request.K
	}
	result, err := h.evaluator.Evaluate(c.UserContext(), at.WorkspaceID, at.ID, request.probes(), k)
	if err != nil {
		return err
	}
	return succeed(c, wire.EvaluationToWire(result))
}

func (r evaluateRequest) probes() []retrieval.Probe {
	probes := make([]retrieval.Probe, len(r.Questions))
	for i, q := range r.Questions {
		probes[i] = retrieval.Probe{Question: q.Question, Title: q.Title}
		if q.DocumentID != nil {
			// What cannot be an identifier names nothing, and is not the same as none.
			if probes[i].DocumentID = id.Parse(*q.DocumentID); probes[i].DocumentID == "" {
				probes[i].DocumentID = "_"
			}
		}
	}
	return probes
}

package api

import (
	"strconv"

	"github.com/gofiber/fiber/v2"

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

// evaluationData says how well the search finds passages for an owner's questions.
type evaluationData struct {
	Questions []probedData `json:"questions"`
	// Measured is the number of questions that name a document.
	Measured int `json:"measured"`
	// Within has, for each depth, the share of them that was found there.
	Within map[string]float64 `json:"within"`
	MRR    float64            `json:"mrr"`
}

type probedData struct {
	Question string `json:"question"`
	// Expected are the documents that should answer.
	Expected []string `json:"expected"`
	// Rank is the place of their first passage, or null.
	Rank     *int        `json:"rank"`
	Passages []foundData `json:"passages"`
}

// foundData is a source with what was found.
type foundData struct {
	DocumentID  string   `json:"document_id"`
	Title       string   `json:"title"`
	HeadingPath []string `json:"heading_path"`
	URL         string   `json:"url,omitzero"`
	Place       string   `json:"place,omitzero"`
	// Text is the beginning of the passage.
	Text  string  `json:"text"`
	Score float64 `json:"score"`
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
	return succeed(c, evaluationToWire(result))
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

func evaluationToWire(e retrieval.Evaluation) evaluationData {
	data := evaluationData{Questions: mapSlice(e.Probes, probeToWire), Measured: e.Measured, Within: map[string]float64{}, MRR: e.MRR}
	for _, depth := range retrieval.EvaluateDepths {
		data.Within[strconv.Itoa(depth)] = e.Within[depth]
	}
	return data
}

func probeToWire(p retrieval.Probed) probedData {
	data := probedData{Question: p.Question, Expected: headings(p.Expected), Passages: mapSlice(p.Found, foundToWire)}
	if p.Rank > 0 {
		data.Rank = &p.Rank
	}
	return data
}

func foundToWire(f retrieval.Result) foundData {
	return foundData{f.DocumentID, f.Title, headings(f.HeadingPath), f.URL, f.Place, f.Excerpt(), f.Score}
}

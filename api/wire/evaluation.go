package wire

import (
	"strconv"

	"parley/core/retrieval"
)

// Evaluation says how well a search did.
type Evaluation struct {
	Questions []Probed `json:"questions"`
	// Measured is how many questions name a document.
	Measured int `json:"measured"`
	// Within is the share of those whose document was found within a depth.
	Within map[string]float64 `json:"within"`
	MRR    float64            `json:"mrr"`
}

// Probed is a question with what was found.
type Probed struct {
	Question string `json:"question"`
	// Title is of the document that should answer, where it was named by that.
	Title string `json:"title,omitzero"`
	// Expected are the documents that should answer.
	Expected []string `json:"expected"`
	// Rank is null when no expected document was found.
	Rank     *int    `json:"rank"`
	Passages []Found `json:"passages"`
}

// Found is a passage of a search.
type Found struct {
	DocumentID  string   `json:"document_id"`
	Title       string   `json:"title"`
	HeadingPath []string `json:"heading_path"`
	URL         string   `json:"url,omitzero"`
	Place       string   `json:"place,omitzero"`
	// Text is the beginning of the passage.
	Text  string  `json:"text"`
	Score float64 `json:"score"`
}

// EvaluationToWire returns an evaluation.
func EvaluationToWire(e retrieval.Evaluation) Evaluation {
	data := Evaluation{Questions: MapSlice(e.Probes, probedToWire), Measured: e.Measured, Within: map[string]float64{}, MRR: e.MRR}
	for _, depth := range retrieval.EvaluateDepths {
		data.Within[strconv.Itoa(depth)] = e.Within[depth]
	}
	return data
}

func probedToWire(p retrieval.Probed) Probed {
	return Probed{Question: p.Question, Title: p.Title, Expected: orEmpty(p.Expected), Rank: unlessZero(p.Rank), Passages: MapSlice(p.Found, foundToWire)}
}

func foundToWire(f retrieval.Result) Found {
	return Found{f.DocumentID, f.Title, orEmpty(f.HeadingPath), f.URL, f.Place, f.Excerpt(), f.Score}
}

package retrieval

import (
	"context"
	"slices"
	"strings"

	"parley/core/fault"
	"parley/internal/plain"
)

// Probe is a question of an owner who wants to see what it finds.
type Probe struct {
	Question string
	// DocumentID or Title name the document that should answer. If both are
	// empty, nothing is measured.
	DocumentID, Title string
}

// Probed is a probe with the passages that the search found.
type Probed struct {
	Probe
	// Found are the first passages, best first.
	Found []Result
	// Expected are the documents that should answer: several if they share
	// the title.
	Expected []string
	// Rank is the place, from 1, of the first passage of an expected
	// document among the passages found, or zero if it is not among the first
	// [EvaluateDepth].
	Rank int
}

// Expects reports whether a document is one of those that should answer.
func (p Probed) Expects(documentID string) bool { return slices.Contains(p.Expected, documentID) }

// Evaluation is the result of all probes.
type Evaluation struct {
	Probes []Probed
	// Measured counts the probes that name a document.
	Measured int
	// Within is the share of them, from 0 to 1, whose document has a passage
	// among the first of each of [EvaluateDepths].
	Within map[int]float64
	// MRR is the mean reciprocal rank.
	MRR float64
}

// The limits of an evaluation.
const (
	// MaxProbes is how many questions there may be.
	MaxProbes = 50
	// MaxShown is how many passages of each may be wanted.
	MaxShown = 20
	// DefaultShown is how many are shown unless something else is wanted.
	DefaultShown = 5
	// EvaluateDepth is how many passages are searched for a document.
	EvaluateDepth = 100
	maxQuestion   = 2_000
	maxTitle      = 200
)

// EvaluateDepths are the depths that [Evaluation.Within] is of.
var EvaluateDepths = []int{1, 3, 5}

// Titles is the port to the documents of a chatbot.
type Titles interface {
	// Titles returns the documents of a chatbot but those that are being
	// removed. A chatbot that is not there is a NotFound fault.
	Titles(ctx context.Context, workspaceID, chatbotID string) ([]Titled, error)
}

// Titled is a document with its title.
type Titled struct{ DocumentID, Title string }

// Evaluator measures the search by an owner's questions.
type Evaluator struct {
	searcher *Searcher
	titles   Titles
}

// NewEvaluator returns an evaluator over its ports.
func NewEvaluator(searcher *Searcher, titles Titles) *Evaluator { return &Evaluator{searcher, titles} }

// Evaluate searches for each question as a conversation that begins with it
// does, and says where the documents stand that should answer. It returns the
// first shown passages of each, from 1 to [MaxShown].
func (e *Evaluator) Evaluate(ctx context.Context, workspaceID, chatbotID string, probes []Probe, shown int) (Evaluation, error) {
	documents, err := e.titles.Titles(ctx, workspaceID, chatbotID)
	if err != nil {
		return Evaluation{}, err
	}
	if shown < 1 || shown > MaxShown {
		return Evaluation{}, fault.InField("k", "k is from 1 to %d.", MaxShown)
	}
	asked, err := expect(probes, documents)
	if err != nil {
		return Evaluation{}, err
	}
	result := Evaluation{Probes: asked, Within: map[int]float64{}}
	for i := range asked {
		found, err := e.searcher.find(ctx, Scope{workspaceID, chatbotID}, Query{Text: asked[i].Question, Limit: EvaluateDepth})
		if err != nil {
			return Evaluation{}, err
		}
		asked[i].findRank(found, shown)
	}
	result.measure()
	return result, nil
}

// measure sums up where the expected documents stand.
func (e *Evaluation) measure() {
	found := map[int]int{}
	for _, p := range e.Probes {
		if len(p.Expected) == 0 {
			continue
		}
		e.Measured++
		if p.Rank == 0 {
			continue
		}
		e.MRR += 1 / float64(p.Rank)
		for _, depth := range EvaluateDepths {
			if p.Rank <= depth {
				found[depth]++
			}
		}
	}
	measured := float64(max(1, e.Measured))
	e.MRR /= measured
	for _, depth := range EvaluateDepths {
		e.Within[depth] = float64(found[depth]) / measured
	}
}

// expect looks up the documents that the probes name.
func expect(probes []Probe, documents []Titled) ([]Probed, error) {
	switch {
	case len(probes) == 0:
		return nil, fault.InField("questions", "Give at least one question.")
	case len(probes) > MaxProbes:
		return nil, fault.InField("questions", "These are %d questions; at most %d are allowed.", len(probes), MaxProbes)
	}
	asked := make([]Probed, len(probes))
	for i, p := range probes {
		p.Question, p.Title = strings.TrimSpace(p.Question), plain.Line(p.Title)
		switch {
		case p.Question == "":
			return nil, fault.InField("questions", "Question %d is empty.", i+1)
		case len(p.Question) > maxQuestion || !plain.Storable(p.Question):
			return nil, fault.InField("questions", "Question %d is not plain text of at most %d bytes.", i+1, maxQuestion)
		}
		asked[i] = Probed{Probe: p}
		if p.DocumentID == "" && p.Title == "" {
			continue
		}
		for _, d := range documents {
			if p.expects(d) {
				asked[i].Expected = append(asked[i].Expected, d.DocumentID)
			}
		}
		if len(asked[i].Expected) == 0 {
			return nil, p.missing(i)
		}
	}
	return asked, nil
}

// expects reports whether a document is the one that the probe names.
func (p Probe) expects(d Titled) bool {
	if p.DocumentID != "" {
		return d.DocumentID == p.DocumentID
	}
	return strings.EqualFold(plain.Line(d.Title), p.Title)
}

func (p Probe) missing(i int) error {
	if p.DocumentID != "" {
		return fault.New(fault.NotFound, "Document not found.")
	}
	return fault.InField("questions", "Question %d: there is no document called %q.", i+1, plain.Shorten(p.Title, maxTitle))
}

// findRank keeps the first passages, and finds the rank of the expected one.
func (p *Probed) findRank(found []Result, shown int) {
	p.Found = found[:min(shown, len(found))]
	for i, f := range found {
		if p.Expects(f.DocumentID) {
			p.Rank = i + 1
			return
		}
	}
}

// excerptOf is how many characters of a passage [Passage.Excerpt] has.
const excerptOf = 200

// Excerpt returns the first characters of a passage's text, for lists.
func (p Passage) Excerpt() string {
	start := plain.Shorten(p.Text, excerptOf)
	if len(start) < len(strings.TrimSpace(p.Text)) {
		start += "…"
	}
	return start
}

// ReadProbes reads questions, one a line. What follows the last "=>" of a line
// is the title of the document that should answer.
func ReadProbes(text string) []Probe {
	var probes []Probe
	for line := range strings.Lines(text) {
		if strings.TrimSpace(line) == "" {
			continue
		}
		question, title := line, ""
		if at := strings.LastIndex(line, "=>"); at >= 0 {
			question, title = line[:at], line[at+len("=>"):]
		}
		probes = append(probes, Probe{Question: strings.TrimSpace(question), Title: strings.TrimSpace(title)})
	}
	return probes
}

package testrun

import (
	"regexp"
	"slices"
	"strings"
	"time"

	"parley/core/answer"
	"parley/core/chat"
	"parley/core/fault"
	"parley/core/insight"
	"parley/internal/plain"
	"parley/text/citation"
)

// Result is what a test question was answered in a run.
type Result struct {
	RunID, QuestionID string
	// Passed says that the answer is all that was expected of it.
	Passed  bool
	Outcome chat.Outcome
	Answer  string
	// Failure is why there is no answer, for a person: the model or the search failed.
	// Such a result says nothing about the chatbot.
	Failure   string
	Citations []answer.Citation
	// F1 is how many words the answer shares with the reference, from 0 to 1, or nil
	// without a reference. An answer that is none has 0.
	F1 *float64
	// Cites says whether the expected document is cited, or nil without one.
	Cites *bool
	// Model is the name of the model that answered, as an inspector shows it.
	Model string
	Usage answer.Usage
	Took  time.Duration
	At    time.Time
}

// keptOfAnswer is how many characters of an answer a result keeps: a page shows all answers
// of two runs side by side.
const keptOfAnswer = 10_000

// Judge compares a reply with the expectations.
func (w Wanted) Judge(reply insight.Reply) Result {
	r := Result{Outcome: reply.Outcome, Answer: plain.Shorten(reply.Text, keptOfAnswer), Citations: reply.Citations, Model: reply.Record.Model, Usage: reply.Usage(), Took: reply.Record.Total}
	if w.Reference != "" {
		f1 := 0.0
		if reply.Outcome == chat.Answered {
			f1 = OverlapOf(withoutCitations(reply.Text), w.Reference).F1
		}
		r.F1 = &f1
	}
	if w.Document != "" {
		cites := reply.Outcome == chat.Answered && w.citedIn(reply.Citations)
		r.Cites = &cites
	}
	r.Passed = w.Right(reply.Outcome) && (r.Cites == nil || *r.Cites)
	if w.Expects == AText {
		r.Passed = r.Passed && w.SaidIn(reply.Text)
	}
	return r
}

// Unanswered is the result of a question that got no answer because something failed.
func Unanswered(err error) Result {
	failure := fault.As(err)
	if failure.Kind == fault.Internal {
		failure = errUnknown
	}
	return Result{Outcome: chat.OutcomeFailed, Failure: failure.Message}
}

var errUnknown = fault.New(fault.Internal, "Something went wrong while the question was asked. Run the test questions again.")

// Failed reports whether there is no answer because something failed.
func (r Result) Failed() bool { return r.Outcome == chat.OutcomeFailed }

// Right reports whether a question is answered, or not, as is wanted.
func (w Wanted) Right(outcome chat.Outcome) bool {
	if w.Expects == NoAnswer {
		return outcome == chat.NoAnswer
	}
	return outcome == chat.Answered
}

// SaidIn reports whether an answer says the expected text.
func (w Wanted) SaidIn(answer string) bool {
	return strings.Contains(folded(answer), folded(w.Expected))
}

func (w Wanted) citedIn(citations []answer.Citation) bool {
	for _, c := range citations {
		if c.Cited && SameTitle(c.Title, w.Document) {
			return true
		}
	}
	return false
}

// SameTitle reports whether a document's title is the expected one, but for upper and
// lower case and spaces.
func SameTitle(title, wanted string) bool {
	return strings.EqualFold(plain.Line(title), plain.Line(wanted))
}

// sourceLine matches the line under a quotation that names its source.
var sourceLine = regexp.MustCompile(`(?m)^\*\pL[^\n]*\* \[\d+\]$`)

// withoutCitations returns an answer without its citations.
func withoutCitations(text string) string {
	return citation.Strip(sourceLine.ReplaceAllString(text, ""))
}

// Figures sum up results.
type Figures struct {
	// Asked counts the results, and Passed those that are as expected.
	Asked, Passed int
	// Failed counts the results without an answer, which the figures below leave out, and
	// FailedLast how many of the last results are of that kind, one after the other.
	// Failure is why the last of them failed, for a person.
	Failed, FailedLast int
	Failure            string
	// Answered counts the questions that got an answer, and Right those that were
	// answered, or not, as they should be.
	Answered, Right int
	// References counts those with a reference answer, and F1 is their mean.
	References int
	F1         float64
	// Documents counts those with an expected document, and Cited those that cite it.
	Documents, Cited int
	// Models are the names of those that answered, in order. Runs of older programs have
	// none.
	Models []string
	Usage  answer.Usage
	// Took is the time of all answers together.
	Took time.Duration
}

// Add counts one more result.
func (f *Figures) Add(w Wanted, r Result) {
	f.Asked++
	if r.Failed() {
		f.Failed++
		f.FailedLast++
		f.Failure = r.Failure
		return
	}
	f.FailedLast = 0
	f.Passed += countIf(r.Passed)
	f.Answered += countIf(r.Outcome == chat.Answered)
	f.Right += countIf(w.Right(r.Outcome))
	if r.F1 != nil {
		f.F1 = (f.F1*float64(f.References) + *r.F1) / float64(f.References+1)
		f.References++
	}
	if r.Cites != nil {
		f.Documents++
		f.Cited += countIf(*r.Cites)
	}
	if r.Model != "" && !slices.Contains(f.Models, r.Model) {
		f.Models = append(slices.Clip(f.Models), r.Model) // copies of a run share them
		slices.Sort(f.Models)
	}
	f.Usage = f.Usage.Plus(r.Usage)
	f.Took += r.Took
}

// Judged is how many answers the figures are of.
func (f Figures) Judged() int { return f.Asked - f.Failed }

// Mean is the time of one answer.
func (f Figures) Mean() time.Duration { return f.Took / time.Duration(max(1, f.Judged())) }

func countIf(yes bool) int {
	if yes {
		return 1
	}
	return 0
}

package lexical

import (
	"math"
	"slices"

	"parley/text/language"
)

// Term is a term of a question, with how often it counts.
type Term struct {
	Text   string
	Weight int
}

// Unit is the weight of a term that stands once in the question.
const Unit = 20

const (
	// MaxTerms is how many terms are searched for. The time of a search grows
	// with it.
	MaxTerms = 40
	// maxWords bounds how much of a text is looked at: a pasted log has the
	// question before or behind it.
	maxWords = 400
	// maxShort is the length, in bytes, up to which a text may be too short to tell its
	// language.
	maxShort = 100
	// maxHistory is how many earlier questions lend terms.
	maxHistory = 5
)

// Weights say what a term of a question counts. The question's own count 1.
type Weights struct {
	// MaxCount is how often a repeated word of a question counts.
	MaxCount float64
	// A term of the question before counts History, and one of each question
	// before that the share Decay of it. As much as the question's own they would
	// drown it.
	History, Decay float64
	// MaxReply is what all terms of a reply count together, each at most 1: a
	// short one names what the next question is about, and a long one names much.
	MaxReply float64
	// Filler is the share for words that ask rather than name.
	Filler float64
	// Alike is the share for words that mean the same as one of the question, and Part
	// for parts of a compound.
	Alike, Part float64
}

// Chosen are the weights in use. lab/notebook says how they were chosen.
var Chosen = Weights{MaxCount: 2, History: 0.3, Decay: 0.5, MaxReply: 10, Filler: 0.25, Alike: 0.4, Part: 0.3}

// Question returns the distinct terms of a question that follows earlier ones,
// oldest first: the question's own terms, then the terms of the latest question
// before it, and so on.
func Question(text string, earlier []string) []Term { return FollowUp(text, earlier, nil) }

// FollowUp is [Weights.FollowUp] with the weights in use.
func FollowUp(text string, earlier, replies []string) []Term {
	return Chosen.FollowUp(text, earlier, replies)
}

// FollowUp is like [Question], but the earlier questions had replies. The terms of a reply
// come after the terms of its question. The i-th reply is to the i-th question and may be
// empty or missing.
func (w Weights) FollowUp(text string, earlier, replies []string) []Term {
	q := question{weights: w, at: map[string]int{}}
	in := languageOfQuestion(text, earlier)
	for _, term := range wordsOf(text, in) {
		q.count(term)
	}
	own := len(q.terms)
	share := 1.0
	for i := len(earlier) - 1; i >= max(0, len(earlier)-maxHistory); i-- {
		q.carry(wordsOf(earlier[i], in), w.History*share)
		if i < len(replies) {
			terms := wordsOf(replies[i], in)
			q.carry(terms, min(1, w.MaxReply/float64(distinct(terms))))
		}
		share *= w.Decay
	}
	if own > 0 {
		q.widen(text, in, own)
	}
	if own > MaxTerms { // the first and the last
		q.terms = append(q.terms[:MaxTerms/2:MaxTerms/2], q.terms[own-MaxTerms/2:own]...)
	}
	return w.weighted(q.terms[:min(len(q.terms), MaxTerms)])
}

type question struct {
	weights Weights
	terms   []counted
	at      map[string]int
}

type counted struct {
	text  string
	count float64
	lent  bool
}

func (q *question) count(term string) {
	if i, ok := q.at[term]; ok {
		q.terms[i].count = min(q.terms[i].count+1, q.weights.MaxCount)
		return
	}
	q.at[term] = len(q.terms)
	q.terms = append(q.terms, counted{text: term, count: 1})
}

// carry lends terms of the conversation to the question. Of several weights for
// one term the highest counts.
func (q *question) carry(terms []string, weight float64) {
	for _, term := range terms {
		i, ok := q.at[term]
		switch {
		case !ok:
			q.at[term] = len(q.terms)
			q.terms = append(q.terms, counted{term, weight, true})
		case q.terms[i].lent:
			q.terms[i].count = max(q.terms[i].count, weight)
		}
	}
}

func distinct(terms []string) int { return len(slices.Compact(slices.Sorted(slices.Values(terms)))) }

func (w Weights) weighted(terms []counted) []Term {
	list := make([]Term, len(terms))
	for i, t := range terms {
		if fillers[t.text] {
			t.count *= w.Filler
		}
		list[i] = Term{t.text, max(1, int(math.Round(t.count*Unit)))}
	}
	return list
}

// languageOfQuestion returns the language of the question, or of the latest one before it
// that tells its language.
func languageOfQuestion(text string, earlier []string) language.Code {
	in := language.Of(text)
	for i := len(earlier) - 1; i >= 0 && in == ""; i-- {
		in = language.Of(earlier[i])
	}
	return in
}

// wordsOf returns the terms of a text, of a long one the first and the last. A text in
// another language than English may be asked of passages whose language was not clear, and
// a short one whose own is not clear, of passages in any. A long one is a log or code.
func wordsOf(text string, in language.Code) []string {
	a := analysis{in: in}
	switch in {
	case "":
		if len(text) <= maxShort {
			a.also = language.Latin
		}
	case language.English:
	default:
		a.also = []language.Code{language.English}
	}
	a.add(text)
	if len(a.terms) > maxWords {
		return append(a.terms[:maxWords/2:maxWords/2], a.terms[len(a.terms)-maxWords/2:]...)
	}
	return a.terms
}

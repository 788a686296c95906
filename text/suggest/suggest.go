// Package suggest owns the questions that documents suggest, and a sentence to greet
// people with: made from headings, pairs of questions and answers, and first sentences,
// in the language of the documents, without a model. It is a pure function of texts.
//
// It does not own which documents are read for it, nor how much of them (package
// core/knowledge/browse).
package suggest

import (
	"strings"

	"parley/text/language"
	"parley/text/lexical"
	"parley/text/passage"
	sentences "parley/text/sentence"
)

// Document is what is read of a document: some of its passages, in order.
type Document struct {
	// Pairs says that each heading is a question with its answer.
	Pairs    bool
	Title    string
	Passages []passage.Passage
}

// Questions are up to so many that the documents should answer, each from another
// document where there are several. It takes turns between documents, in rounds: what
// each has of the best kind of question comes before the next kind.
func (l Library) Questions(most int) []string {
	asked := make([][kinds][]candidate, len(l.documents))
	for i, d := range l.documents {
		for _, c := range d.candidates(l.wording) {
			asked[i][c.kind] = append(asked[i][c.kind], c)
		}
	}
	var chosen chosen
	for kind := range kinds {
		for depth, more := 0, true; more; depth++ {
			more = false
			for _, of := range asked {
				if depth >= len(of[kind]) {
					continue
				}
				more = true
				if len(chosen.questions) < most {
					chosen.add(of[kind][depth])
				}
			}
		}
	}
	return chosen.questions
}

// The kinds of questions, the best first: questions of pairs, headings that ask, what
// people are known to ask about a heading or what a first sentence answers, questions made
// of a heading, and questions made of a title.
const (
	ofPairs = iota
	headingsThatAsk
	natural
	made
	ofTitle
	kinds
)

// candidate is a question that a section answers.
type candidate struct {
	question string
	kind     int
	// subject is what of the question is not made: it tells it from others.
	subject string
	section section
	in      language.Code
}

// candidates are the questions of a document's sections, at most one of each.
func (d reading) candidates(w wording) []candidate {
	var found []candidate
	for _, s := range d.sections {
		c := d.candidate(s, w)
		if c.question != "" {
			c.section, c.in = s, d.in
			found = append(found, c)
		}
	}
	return found
}

func (d reading) candidate(s section, w wording) candidate {
	heading, isTitle := s.heading, s.heading == d.title
	if d.Pairs {
		switch question := asking(heading, d.in); {
		case isTitle:
			return candidate{}
		case question != "":
			return candidate{question: question, kind: ofPairs, subject: question}
		}
	}
	if sentences.Asks(heading) {
		if selfContained(heading, d.in) {
			return candidate{question: heading, kind: headingsThatAsk, subject: heading}
		}
		heading = ""
	}
	told := tellsSomething(heading) && lexical.Names(heading, d.in)
	if question := topic(heading, d.in); told && question != "" {
		return d.known(question, isTitle, w)
	}
	if d.in == language.English || d.in == "" { // whose sentences are known
		if question := answered(firstSentence(s.body)); question != "" {
			return candidate{question: question, kind: natural, subject: question}
		}
	}
	if !told {
		return candidate{}
	}
	question, kind := ask(heading, d.size, d.in, w)
	if isTitle && kind == made { // what is below it is more to the point
		kind = ofTitle
	}
	return candidate{question: question, kind: kind, subject: heading}
}

// known is what people are known to ask. Below the title of a document, "What are the
// prices?" asks for the prices of what the title names; a question that cannot say so comes
// after those that can.
func (d reading) known(question string, isTitle bool, w wording) candidate {
	c := candidate{question: question, kind: natural, subject: question}
	if isTitle || !strings.HasPrefix(question, ofTheTitle) || d.in != language.English {
		return c
	}
	c.kind = made
	if of, isKnown := w.within(d.title, topic(d.title, d.in) != ""); isKnown && isNoun(d.title) && tellsSomething(d.title) {
		c.question = strings.TrimSuffix(question, "?") + " for " + of + "?"
		c.kind, c.subject = natural, c.question
	}
	return c
}

// ofTheTitle begins questions about something that the title names.
const ofTheTitle = "What are the "

// chosen are questions of which none asks what another does.
type chosen struct {
	questions []string
	// of are their subjects, and subjects the stems of those.
	of       []string
	subjects []terms
}

// add adds a question unless one asks the same, and reports whether it did.
func (c *chosen) add(q candidate) bool {
	subject := termsOf(q.subject, q.in)
	for i, other := range c.questions {
		// What one word is about tells questions apart by how they begin: "Can I open it?".
		alike := subject.equal(c.subjects[i]) && (len(subject) > 1 || firstWord(q.subject) == firstWord(c.of[i]))
		if alike || strings.EqualFold(other, q.question) {
			return false
		}
	}
	c.questions, c.of, c.subjects = append(c.questions, q.question), append(c.of, q.subject), append(c.subjects, subject)
	return true
}

func firstWord(text string) string {
	word, _, _ := strings.Cut(strings.ToLower(text), " ")
	return word
}

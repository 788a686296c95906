// Package suggest owns the questions that documents suggest, and a sentence to greet
// people with: made from headings, pairs of questions and answers, and first sentences,
// in the language of the documents, without a model. It is a pure function of texts.
//
// It does not own which documents are read for it, nor how much of them (package
// browse).
package suggest

import (
	"strings"

	"parley/core/knowledge"
	"parley/core/language"
	"parley/core/retrieval"
)

// Document is what is read of a document: some of its passages, in order.
type Document struct {
	Kind     knowledge.Kind
	Title    string
	Passages []retrieval.Passage
}

// Questions are up to so many that the documents should answer, each from another
// document where there are several. It takes turns between documents, in rounds: what
// each has of the best kind of question comes before the next kind.
func Questions(from []Document, most int) []string {
	mostly := languageOf(from)
	asked := make([][kinds][]candidate, len(from))
	for i, d := range from {
		for _, c := range d.candidates(mostly) {
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

// The kinds of questions, the best first: those of pairs, headings that ask, what
// people are known to ask about a heading or what a first sentence answers, what is
// made of a heading, and what is made of a title.
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
func (d Document) candidates(mostly language.Code) []candidate {
	in, text := d.language(mostly), d.text()
	var found []candidate
	for _, s := range d.sections() {
		c := d.candidate(s, in, text)
		if c.question != "" {
			c.section, c.in = s, in
			found = append(found, c)
		}
	}
	return found
}

func (d Document) candidate(s section, in language.Code, text string) candidate {
	heading, isTitle := s.heading, s.heading == heading(d.Title)
	if d.Kind == knowledge.Pairs {
		switch question := asking(heading, in); {
		case isTitle:
			return candidate{}
		case question != "":
			return candidate{question: question, kind: ofPairs, subject: question}
		}
	}
	if endsAsking(heading) {
		if selfContained(heading, in) {
			return candidate{question: heading, kind: headingsThatAsk, subject: heading}
		}
		heading = ""
	}
	told := tellsSomething(heading)
	if question := topic(heading, in); told && question != "" {
		return candidate{question: question, kind: natural, subject: question}
	}
	if in == language.English || in == "" { // whose sentences are known
		if question := answered(firstSentence(s.body)); question != "" {
			return candidate{question: question, kind: natural, subject: question}
		}
	}
	if !told {
		return candidate{}
	}
	c := candidate{question: ask(heading, text, in), kind: made, subject: heading}
	if isTitle { // what is below it is more to the point
		c.kind = ofTitle
	}
	return c
}

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

// language is that of a document, or the one that most is in where that is not clear.
func (d Document) language(mostly language.Code) language.Code {
	if in := language.Of(d.Title + "\n" + d.text()); in != "" {
		return in
	}
	return mostly
}

// text is that of the passages.
func (d Document) text() string {
	var whole strings.Builder
	for _, p := range d.Passages {
		whole.WriteString(p.Text)
		whole.WriteByte('\n')
	}
	return whole.String()
}

// languageOf is the language that most of the documents are in.
func languageOf(from []Document) language.Code {
	counts := map[language.Code]int{}
	var most language.Code
	for _, d := range from {
		in := d.language("")
		if counts[in]++; in != "" && counts[in] > counts[most] || most == "" {
			most = in
		}
	}
	return most
}

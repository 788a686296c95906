package ground

import (
	"strconv"
	"strings"

	"parley/text/clean"
	"parley/text/language"
	"parley/text/lexical"
	"parley/text/passage"
	"parley/text/sentence"
	"parley/text/shown"
)

// passageFacts are the parts of a passage that a sentence is compared with.
type passageFacts struct {
	document string
	ordinal  int
	in       language.Code
	terms    map[string]bool
	// numbers are the values of the passage's numbers, free those that are not part of
	// a date, bare those without a unit, and written how they are written.
	numbers, free, bare, written map[string]bool
	// keys are the numbers with their units.
	keys  map[string]bool
	dates []date
	// lines are the text's lines, without list markers and other leads.
	lines map[string]bool
	text  string
	url   string
	// clauses has the clauses of all sentences, in order. postings lists, for each term,
	// the numbers of the clauses that hold it.
	clauses   []clause
	sentences []sentenceFacts
	postings  map[string][]int
}

// sentenceFacts is a sentence of a passage: its clauses, and the numbers of the sentences
// that stand over it, announce it and come before it, or a negative one.
type sentenceFacts struct {
	from, end             int
	heading, lead, before int
}

// maxSentences bounds the sentences of a passage that are looked at.
const maxSentences = 400

func factsOf(p passage.Passage, otherwise language.Code) passageFacts {
	raw := clean.Text(p.All())
	text := shown.Passage(raw)
	in := language.Of(p.Text)
	if in == "" {
		in = language.Of(text)
	}
	if in == "" {
		in = otherwise
	}
	facts := passageFacts{
		document: p.Document, ordinal: p.Ordinal, in: in, text: shown.WithoutComments(raw), url: p.URL,
		terms: setOf(lexical.Terms(text, in)), lines: map[string]bool{}, postings: map[string][]int{},
		numbers: map[string]bool{}, free: map[string]bool{}, bare: map[string]bool{}, written: map[string]bool{}, keys: map[string]bool{},
	}
	facts.readNumbers(asciiDigits(text))
	for line := range strings.Lines(raw) {
		facts.lines[codeOf(line)] = true
	}
	facts.readSentences(p)
	return facts
}

// readNumbers reads line by line: the cells of a table's column are no range.
func (p *passageFacts) readNumbers(text string) {
	tokens := tokensOf(addresses.ReplaceAllString(text, " "), p.in)
	dates, part := datesOf(tokens, p.in)
	p.dates = dates
	for _, q := range quantitiesOf(tokens, p.in) {
		p.numbers[q.value], p.written[q.raw] = true, true
		for _, key := range q.keys {
			p.keys[key] = true
		}
		if len(q.keys) == 0 && !q.counts {
			p.bare[q.value] = true
		}
	}
	for _, q := range quantitiesOf(blanked(tokens, part), p.in) {
		p.free[q.value] = true
	}
}

// holds reports whether the passage has a number with its unit. A number that stands there
// without one, as in a table, is taken for any.
func (p *passageFacts) holds(q quantity) bool {
	if len(q.keys) == 0 {
		return p.numbers[q.value] || p.written[q.raw]
	}
	for _, key := range q.keys {
		if p.keys[key] {
			return true
		}
	}
	return p.bare[q.value]
}

// holdsDate reports whether the passage has a date, or its parts where they stand alone.
func (p *passageFacts) holdsDate(d date) bool {
	hasMonth := false
	for _, own := range p.dates {
		if own.matches(d) {
			return d.year == 0 || own.year != 0 || p.hasNumber(d.year)
		}
		hasMonth = hasMonth || own.month == d.month && (d.year == 0 || own.year == 0 || own.year == d.year)
	}
	return hasMonth && p.free[textOf(d.day)]
}

func (p *passageFacts) hasNumber(n int) bool { return p.numbers[textOf(n)] }

// readSentences cuts the text into sentences, below the title and headings of the passage.
func (p *passageFacts) readSentences(of passage.Passage) {
	over := -1
	if len(of.Title) > 0 || len(of.HeadingPath) > 0 {
		over = p.addSentence(clean.Text(of.Title+" . "+strings.Join(of.HeadingPath, " . ")), sentenceFacts{heading: -1, lead: -1, before: -1})
	}
	heading, lead, before, inTable := over, -1, -1, false
	for line := range strings.Lines(shown.Passage(clean.Text(of.Text))) {
		line = strings.TrimSpace(line)
		isRow := strings.HasPrefix(line, "|")
		switch {
		case line == "":
			continue
		case strings.HasPrefix(line, "#"):
			heading, lead, before = p.addSentence(line, sentenceFacts{heading: over, lead: -1, before: -1}), -1, -1
			continue
		case isRow && !inTable:
			lead = p.addSentence(line, sentenceFacts{heading: heading, lead: -1, before: before})
		case isRow:
			p.addSentence(line, sentenceFacts{heading: heading, lead: lead, before: -1})
		default:
			sentence.Each(line, func(text string) {
				before = p.addSentence(text, sentenceFacts{heading: heading, lead: lead, before: before})
			})
			if strings.HasSuffix(line, ":") {
				lead = before
			} else if !startsItem(line) {
				lead = -1
			}
		}
		inTable = isRow
	}
}

// startsItem reports whether a line is an item of a list.
func startsItem(line string) bool {
	return strings.HasPrefix(line, "- ") || strings.HasPrefix(line, "* ") || strings.HasPrefix(line, "• ") || line[0] >= '0' && line[0] <= '9'
}

// addSentence returns the number of the sentence, or a negative one if there is none.
func (p *passageFacts) addSentence(text string, s sentenceFacts) int {
	clauses := clausesOf(tokensOf(addresses.ReplaceAllString(asciiDigits(text), " "), p.in), p.in)
	if len(clauses) == 0 || len(p.sentences) >= maxSentences {
		return -1
	}
	s.from, s.end = len(p.clauses), len(p.clauses)+len(clauses)
	for i, c := range clauses {
		for _, term := range c.terms {
			p.postings[term] = append(p.postings[term], s.from+i)
		}
	}
	p.clauses = append(p.clauses, clauses...)
	p.sentences = append(p.sentences, s)
	return len(p.sentences) - 1
}

func textOf(n int) string { return strconv.Itoa(n) }

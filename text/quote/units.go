package quote

import (
	"strings"

	"parley/text/fence"
	sentences "parley/text/sentence"
)

// kind says what a unit is.
type kind int

const (
	sentence kind = iota
	item
	row
	code
)

// maxUnits bounds how many units of one passage are examined.
const maxUnits = 400

// maxPassage bounds how many bytes of one passage are examined.
const maxPassage = 64 << 10

// unit is the smallest piece of a passage that an answer quotes.
type unit struct {
	kind kind
	// block numbers the paragraphs, lists, tables and code blocks of a passage.
	block int
	// text is one line without its marker, or the lines of a code block.
	text string
	// marker is "-" or a number with its dot, for items.
	marker string
	// header is the first row of the table, for rows.
	header string
	// info is the language of a code block.
	info string
	// heading is the heading in the passage above the unit.
	heading string
	// linksOnly says that it is nothing but links.
	linksOnly bool
	// at is the byte of the passage that its block begins at.
	at int32
}

// Units returns the texts of all that an answer from the passages could quote: sentences,
// items of lists, rows of tables and blocks of code, each sentence once.
func Units(passages []Passage) []string {
	var texts []string
	for _, units := range readAll(passages, waits) {
		for _, unit := range units {
			texts = append(texts, unit.text)
		}
	}
	return texts
}

// unitsOf splits a passage into units. It reads the block structure of CommonMark
// 0.31 with GitHub's tables line by line: good enough to quote from any text. It
// treats what it cannot read as a paragraph.
func unitsOf(markdown string) []unit {
	if len(markdown) > maxPassage {
		markdown = markdown[:maxPassage]
	}
	reader := reader{rest: strings.ToValidUTF8(markdown, "\uFFFD"), units: make([]unit, 0, 32)}
	reader.all = len(reader.rest)
	for reader.more() && len(reader.units) < maxUnits {
		reader.at = reader.all - len(reader.rest)
		reader.block()
	}
	return reader.units
}

// reader reads a passage line by line.
type reader struct {
	rest string
	// all is how long the passage is, and at where the block begins that is read.
	all, at int
	units   []unit
	blocks  int
	heading string
	// labeled says that the heading is a question with a label, as its answer may be.
	labeled bool
	// unclosed says that no comment ends in the rest.
	unclosed bool
}

func (r *reader) more() bool { return r.rest != "" }

func (r *reader) peek() string {
	line, _, _ := strings.Cut(r.rest, "\n")
	return strings.TrimSuffix(line, "\r")
}

func (r *reader) take() string {
	line, rest, _ := strings.Cut(r.rest, "\n")
	r.rest = rest
	return strings.TrimSuffix(line, "\r")
}

func (r *reader) add(u unit) {
	u.at, u.block, u.heading = int32(r.at), r.blocks, r.heading
	u.linksOnly = u.kind != code && isLinks(u.text)
	r.units = append(r.units, u)
}

// head makes a line the heading of what follows, without the "Q:" of a question.
func (r *reader) head(line string) {
	r.heading, r.labeled = line, false
	if sentences.Asks(line) {
		r.heading = line[labelLength(line):]
		r.labeled = len(r.heading) < len(line)
	}
}

// block reads the next block. Each case consumes at least one line.
func (r *reader) block() {
	line := r.peek()
	text := strings.TrimLeft(line, " \t>")
	switch {
	case text == "" || isRule(text):
		r.take()
		if text != "" || !r.listGoesOn() {
			r.blocks++
		}
	case strings.HasPrefix(text, "<!--") && r.comment():
	case fence.Of(text) != "":
		r.blocks++
		r.code()
		r.blocks++
	case headingOf(text) != "":
		r.take()
		r.head(headingOf(text))
		r.blocks++
	case markerOf(text) != "":
		r.item(text)
	case strings.Contains(text, "|") && r.tableAhead():
		r.blocks++
		r.table()
		r.blocks++
	default:
		r.paragraph()
	}
}

// listGoesOn reports whether a blank line stands between two items.
func (r *reader) listGoesOn() bool {
	n := len(r.units)
	return n > 0 && r.units[n-1].kind == item && r.units[n-1].block == r.blocks && markerOf(strings.TrimLeft(r.rest, " \t\r\n>")) != ""
}

// comment skips a comment of HTML, which nobody sees, and reports whether it ends.
func (r *reader) comment() bool {
	if r.unclosed {
		return false
	}
	_, rest, closed := strings.Cut(r.rest, "-->")
	if r.unclosed = !closed; closed {
		r.rest = rest
		r.blocks++
	}
	return closed
}

func (r *reader) code() {
	var within fence.Lines
	opening := r.take()
	within.Code(opening)
	_, info, _ := strings.Cut(opening, fence.Of(opening))
	indent := len(opening) - len(strings.TrimLeft(opening, " \t"))
	var lines []string
	for r.more() {
		line := r.take()
		if within.Code(line); !within.Open() {
			break
		}
		lines = append(lines, dedent(line, indent))
	}
	if text := strings.Trim(strings.Join(lines, "\n"), "\n"); strings.TrimSpace(text) != "" {
		r.add(unit{kind: code, text: text, info: codeLanguage(info)})
	}
}

func (r *reader) item(text string) {
	r.take()
	marker := markerOf(text)
	parts := []string{strings.TrimSpace(text[len(marker):])}
	for r.more() && r.continues() {
		parts = append(parts, strings.TrimSpace(r.take()))
	}
	if text := strings.Join(parts, " "); hasLetter(text) {
		if marker == "*" || marker == "+" {
			marker = "-"
		}
		r.add(unit{kind: item, marker: strings.Replace(marker, ")", ".", 1), text: text})
	}
}

func (r *reader) table() {
	header := r.take()
	r.take()
	for r.more() && strings.Contains(r.peek(), "|") {
		if line := r.take(); hasLetter(line) {
			r.add(unit{kind: row, text: line, header: header})
		}
	}
}

func (r *reader) paragraph() {
	parts := []string{strings.TrimLeft(r.take(), " \t>")}
	for r.more() && r.continues() {
		parts = append(parts, strings.TrimLeft(r.take(), " \t>"))
	}
	r.blocks++
	defer func() { r.blocks++ }()
	text := strings.Join(parts, " ")
	if len(parts) == 1 && (isUnderline(r.peek()) || looksLikeHeading(text) && r.headsNext(text)) {
		r.head(unmarked(text))
		return
	}
	r.sentences(text)
}

// sentences adds the sentences of a paragraph. A question at the beginning of a paragraph
// is the heading of its answer: the rest of the paragraph or, if nothing follows in it,
// what comes next.
func (r *reader) sentences(text string) {
	above, asked, first := r.heading, false, len(r.units)
	label := labelLength(text)
	if first, _ := sentences.First(text[label:]); r.labeled || label > 0 && sentences.Asks(text[label:][:first]) {
		text = text[label:]
	}
	r.labeled = false
	sentences.Each(text, func(text string) {
		switch {
		case !hasLetter(text):
		case len(r.units) == first && !asked && sentences.Asks(text):
			r.head(unmarked(text))
			asked, r.labeled = true, r.labeled || label > 0
		default:
			if r.labeled {
				text, r.labeled = text[labelLength(text):], false
			}
			r.add(unit{kind: sentence, text: text})
		}
	})
	if asked && len(r.units) > first {
		r.heading = above
	}
}

// headsNext reports whether what follows a line is more than another such line.
func (r *reader) headsNext(line string) bool {
	next, _, _ := strings.Cut(strings.TrimLeft(r.rest, " \t\r\n>"), "\n")
	return next != "" && headingOf(next) == "" && !isRule(next) && (!looksLikeHeading(next) || len(next) > 2*len(line))
}

// continues reports whether the next line belongs to the paragraph or item
// before it.
func (r *reader) continues() bool {
	text := strings.TrimLeft(r.peek(), " \t>")
	return text != "" && !isRule(text) && fence.Of(text) == "" && headingOf(text) == "" && markerOf(text) == "" &&
		(r.unclosed || !strings.HasPrefix(text, "<!--")) && (!strings.Contains(text, "|") || !r.tableAhead())
}

// tableAhead reports whether the line after next is a table's delimiter row.
func (r *reader) tableAhead() bool {
	_, after, _ := strings.Cut(r.rest, "\n")
	line, _, _ := strings.Cut(after, "\n")
	return strings.Contains(line, "-") && strings.Contains(line, "|") && strings.Trim(line, " \t\r>|:-") == ""
}

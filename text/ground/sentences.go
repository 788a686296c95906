package ground

import (
	"strings"

	"parley/text/fence"
)

// unit is a part of an answer that is kept or dropped as a whole: a sentence, a
// heading, a row of a table, or a block of code.
type unit struct {
	kind unitKind
	text string
	// lead stands before the text: spaces, or for the first unit of a line the
	// line's.
	lead string
	// line is the lead of the line: the ends of lines before it, and the signs
	// that make a list, a heading or a quotation of it. number counts lines.
	line   string
	number int
	// over says that it was too long to be kept whole.
	over bool
}

type unitKind int

const (
	sentenceUnit unitKind = iota
	headingUnit
	rowUnit
	codeUnit
)

const (
	// maxSentence and maxCode bound a unit, in bytes. A longer sentence is cut
	// there; a longer block of code goes on, and is marked as too long.
	maxSentence = 4 << 10
	maxCode     = 32 << 10
	// maxSign is the length of the longest sign that begins a line.
	maxSign = 16
	// maxLead bounds the lead of a line, of which the rest is dropped.
	maxLead = 256
)

// sentences cuts an answer into units as it comes. Texts and leads together
// are the answer, within the limits.
type sentences struct {
	held string
	now  unit
	lead strings.Builder // of the line, or of a unit within it
	text strings.Builder
	// begun says that the line's own text has begun.
	begun  bool
	code   fence.Code
	inside inside
}

// waiting is the length that step returns when it takes more text to decide.
const waiting = -1

// write returns the units that a piece completes.
func (s *sentences) write(piece string) []unit {
	units, rest := s.scan(s.held+piece, false)
	s.held = rest
	return units
}

// end returns the last units.
func (s *sentences) end() []unit {
	units, _ := s.scan(s.held, true)
	s.held = ""
	return s.cut(units)
}

func (s *sentences) scan(text string, final bool) ([]unit, string) {
	var units []unit
	for text != "" {
		n, ends := s.step(text, final)
		if n == waiting {
			break
		}
		text = text[n:]
		if ends {
			units = s.cut(units)
		}
	}
	return units, text
}

// step takes the beginning of a text and returns its length, and whether a
// unit ends behind it.
func (s *sentences) step(text string, final bool) (n int, ends bool) {
	switch {
	case s.code.Fenced():
		return s.codeLine(text, final)
	case !s.begun:
		return s.beginLine(text, final), false
	case text[0] == '\n':
		s.begun = false
		return 0, true
	case s.now.kind == sentenceUnit:
		return s.sentence(text, final)
	}
	n = strings.IndexByte(text, '\n')
	if n < 0 {
		n = len(text)
	}
	n = min(n, maxSentence-s.text.Len())
	s.text.WriteString(text[:n])
	return n, s.text.Len() >= maxSentence
}

// cut ends the current unit. A lead without text waits for some.
func (s *sentences) cut(units []unit) []unit {
	if s.text.Len() == 0 {
		return units
	}
	u := s.now
	u.text = s.text.String()
	s.text.Reset()
	if s.lead.Len() > 0 {
		u.lead = s.lead.String()
		s.lead.Reset()
	}
	s.now.lead, s.now.over = "", false
	return append(units, u)
}

// beginLine takes what stands before the text of a line.
func (s *sentences) beginLine(text string, final bool) int {
	switch text[0] {
	case '\n':
		s.addLead("\n")
		s.now.kind = sentenceUnit
		return 1
	case ' ', '\t', '>':
		s.addLead(text[:1])
		return 1
	}
	end := strings.IndexAny(text[:min(len(text), maxSign)], " \t\n")
	if end < 0 && len(text) < maxSign && !final {
		return waiting
	}
	if end > 0 && text[end] != '\n' {
		if level := fence.RunLength(text, '#', 6); level == end {
			s.now.kind = headingUnit
			s.addLead(text[:end])
			return end
		}
		if fence.IsContainer(text[:end] + " ") {
			s.addLead(text[:end])
			return end
		}
	}
	return s.beginText(text, final)
}

func (s *sentences) addLead(text string) {
	if s.lead.Len() < maxLead {
		s.lead.WriteString(text)
	}
}

// beginText begins the text of a line, or a block of code.
func (s *sentences) beginText(text string, final bool) int {
	n, verdict := fenceOf(text, final)
	if verdict == fence.Wait {
		return waiting
	}
	s.now.line = s.lead.String()
	s.now.number++
	s.begun, s.inside = true, inside{}
	switch {
	case verdict == fence.IsCode:
		s.now.kind = codeUnit
		s.code.Open(text[0], fence.RunLength(text, text[0], fence.MaxRun), s.now.line[strings.LastIndexByte(s.now.line, '\n')+1:])
		s.text.WriteString(text[:n])
		return n
	case s.now.kind == headingUnit:
	case text[0] == '|':
		s.now.kind = rowUnit
	default:
		s.now.kind = sentenceUnit
	}
	return 0
}

// fenceOf returns the length of the line that opens a block of code, without
// its end.
func fenceOf(text string, final bool) (int, fence.Verdict) {
	if text[0] != '`' && text[0] != '~' {
		return 0, fence.Prose
	}
	window := text[:min(len(text), fence.MaxSpan)]
	end := strings.IndexByte(window, '\n')
	if end < 0 && len(window) < fence.MaxSpan && !final {
		return 0, fence.Wait
	}
	if end < 0 {
		end = len(window)
	}
	signs := fence.RunLength(text[:end], text[0], fence.MaxRun)
	if signs < 3 || text[0] == '`' && strings.IndexByte(text[signs:end], '`') >= 0 {
		return 0, fence.Prose
	}
	return end, fence.IsCode
}

// codeLine takes a line of a block of code, or what there is of it.
func (s *sentences) codeLine(text string, final bool) (n int, ends bool) {
	n, verdict := s.code.Line(text, final)
	if verdict == fence.Wait {
		return waiting, false
	}
	if verdict == fence.Prose {
		s.begun = false
		return 0, true
	}
	line := text[:n]
	if ended := !s.code.Fenced(); ended {
		line = strings.TrimSuffix(line, "\n")
		n = len(line)
		s.begun = false
		ends = true
	}
	if s.text.Len()+len(line) > maxCode {
		s.now.over = true
	} else {
		s.text.WriteString(line)
	}
	return n, ends
}

// Package separated reads separated values (RFC 4180) of strangers: no text is an error,
// and what is made of a row is bounded, however many cells it has.
package separated

import "strings"

// Rows are the rows of a text, one after another. Quotes within a cell that does not begin
// with one are text, as are those that end no cell; empty lines are no rows.
type Rows struct {
	rest  string
	comma string
	most  int
	line  int
	cells []string
	open  bool
}

// Unclosed reports whether the text has ended within quotes.
func (r *Rows) Unclosed() bool { return r.open }

// New returns the rows of a text, with at most so many cells of each: the others are
// skipped.
func New(text string, comma rune, most int) *Rows {
	return &Rows{rest: text, comma: string(comma), most: most, line: 1}
}

// Next returns the cells of the next row, valid until the next call, and the number of the
// line on which it begins, from 1. Ok is false after the last row.
func (r *Rows) Next() (cells []string, line int, ok bool) {
	for r.lineEnds() {
	}
	if r.rest == "" {
		return nil, 0, false
	}
	line = r.line
	r.cells = r.cells[:0]
	for more := true; more; {
		var cell string
		cell, more = r.cell()
		if len(r.cells) < r.most {
			r.cells = append(r.cells, cell)
		}
	}
	return r.cells, line, true
}

// lineEnds skips the end of a line, if one is next.
func (r *Rows) lineEnds() bool {
	rest, found := strings.CutPrefix(r.rest, "\n")
	if !found {
		rest, found = strings.CutPrefix(r.rest, "\r\n")
	}
	if found {
		r.rest = rest
		r.line++
	}
	return found
}

// cell returns the next cell, and whether another follows in the row.
func (r *Rows) cell() (cell string, more bool) {
	if rest, quoted := strings.CutPrefix(r.rest, `"`); quoted {
		r.rest = rest
		return r.quoted()
	}
	at := strings.IndexAny(r.rest, r.comma+"\n")
	switch {
	case at < 0:
		cell, r.rest = strings.TrimSuffix(r.rest, "\r"), ""
		return cell, false
	case r.rest[at] == '\n':
		cell, r.rest = strings.TrimSuffix(r.rest[:at], "\r"), r.rest[at+1:]
		r.line++
		return cell, false
	}
	cell, r.rest = r.rest[:at], r.rest[at+len(r.comma):]
	return cell, true
}

// quoted returns a cell whose first quote was read.
func (r *Rows) quoted() (string, bool) {
	var b strings.Builder
	for {
		part, rest, found := strings.Cut(r.rest, `"`)
		b.WriteString(strings.ReplaceAll(part, "\r\n", "\n"))
		r.line += strings.Count(part, "\n")
		r.rest = rest
		if !found {
			r.open = true
			return b.String(), false
		}
		if rest, doubled := strings.CutPrefix(r.rest, `"`); doubled {
			b.WriteByte('"')
			r.rest = rest
			continue
		}
		if rest, ends := strings.CutPrefix(r.rest, r.comma); ends {
			r.rest = rest
			return b.String(), true
		}
		if r.rest == "" || r.rest == "\r" || r.lineEnds() {
			r.rest = strings.TrimPrefix(r.rest, "\r")
			return b.String(), false
		}
		b.WriteByte('"')
	}
}

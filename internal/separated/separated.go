// Package separated reads separated values (RFC 4180) of strangers: no text is an error,
// and what is made of a row is bounded, however many cells it has.
package separated

import "strings"

// Rows are the rows of a text, one after another. Empty lines are no rows. Quotes that do not
// enclose a cell are characters, so a quote that is never closed swallows no other row.
type Rows struct {
	rest  string
	comma string
	most  int
	line  int
	cells []string
	open  bool
	// after is how much of the text follows the current line, and unclosed the same of a line
	// in which no quote closes a cell any more.
	after, unclosed int
	// literal says that quotes are characters unless a cell needs them.
	literal bool
}

// maxQuoted is how long a cell between quotes may be where quotes are characters, as in Excel.
const maxQuoted = 32_767

// Unclosed reports whether a quote has begun a cell that none ends.
func (r *Rows) Unclosed() bool { return r.open }

// New returns the rows of a text, with at most so many cells of each: the others are
// skipped. Lines end with CR, LF or both. Between tabs quotes are characters, unless a cell
// has a tab, a comma, a line end or doubled quotes between them, as Excel writes it, or all cells of the
// first line are quoted.
func New(text string, comma rune, most int) *Rows {
	if strings.Contains(text, "\r") {
		text = strings.ReplaceAll(strings.ReplaceAll(text, "\r\n", "\n"), "\r", "\n")
	}
	r := &Rows{rest: text, comma: string(comma), most: most, line: 1, after: len(text) + 1, unclosed: -1}
	r.literal = comma == '\t' && !allQuoted(text)
	return r
}

// allQuoted reports whether all cells of the first line, which tabs divide, are quoted.
func allQuoted(text string) bool {
	first, _, _ := strings.Cut(strings.TrimLeft(text, "\n"), "\n")
	for cell := range strings.SplitSeq(first, "\t") {
		if len(cell) < 2 || cell[0] != '"' || cell[len(cell)-1] != '"' {
			return false
		}
	}
	return true
}

// Next returns the cells of the next row, valid until the next call, and the number of the
// line on which it begins, from 1. Ok is false after the last row.
func (r *Rows) Next() (cells []string, line int, ok bool) {
	for strings.HasPrefix(r.rest, "\n") {
		r.rest = r.rest[1:]
		r.line++
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

// cell returns the next cell, and whether another follows in the row.
func (r *Rows) cell() (cell string, more bool) {
	if cell, more, is := r.quoted(); is {
		return cell, more
	}
	end := strings.IndexAny(r.rest, r.comma+"\n")
	if end < 0 {
		end = len(r.rest)
	}
	cell = r.rest[:end]
	return cell, r.skip(end)
}

// quoted returns the next cell if quotes enclose it. Spaces may stand before them.
func (r *Rows) quoted() (cell string, more, is bool) {
	written := r.rest
	if r.rest = strings.TrimLeft(written, " "); !strings.HasPrefix(r.rest, `"`) || r.literal && len(r.rest) < len(written) {
		r.rest = written
		return "", false, false
	}
	spaced := len(r.rest) < len(written)
	open := r.open
	if end := r.closing(); end > 0 {
		if cell = r.rest[1:end]; !r.literal || strings.ContainsAny(cell, "\",\t\n") {
			r.line += strings.Count(cell, "\n")
			more = r.skip(end + 1)
			return strings.ReplaceAll(cell, `""`, `"`), more, true
		}
	} else if end := r.closingInLine(); end > 0 && !r.literal {
		cell = r.rest[1:end]
		more = r.skip(end + 1)
		return strings.NewReplacer(`""`, `"`, `\"`, `"`).Replace(cell), more, true
	}
	r.rest = written
	r.open = r.open && (open || !spaced)
	return "", false, false
}

// skip skips a cell and what ends it: a comma, after which another follows, or the line's end.
func (r *Rows) skip(cell int) (more bool) {
	r.rest = r.rest[cell:]
	if rest, found := strings.CutPrefix(r.rest, r.comma); found {
		r.rest = rest
		return true
	}
	if rest, found := strings.CutPrefix(r.rest, "\n"); found {
		r.rest = rest
		r.line++
	}
	return false
}

// ends reports whether a cell can end at a place of the text.
func (r *Rows) ends(at int) bool {
	return at == len(r.rest) || r.rest[at] == '\n' || strings.HasPrefix(r.rest[at:], r.comma)
}

// closing returns the place of the quote that closes the cell which begins here, if all
// quotes in it are doubled, or 0. It looks no further than the next cell that begins with a quote, so that
// all calls together read the text a few times at most.
func (r *Rows) closing() int {
	for at := 1; ; at += 2 {
		next := strings.IndexByte(r.rest[at:], '"')
		if next < 0 {
			r.open = !r.literal
			return 0
		}
		if at += next; r.literal && at > maxQuoted {
			return 0
		}
		if r.ends(at + 1) {
			return at
		}
		if r.rest[at+1] != '"' {
			return 0
		}
	}
}

// closingInLine returns the place of the quote that closes the cell which begins here, if
// it is on the same line, or 0. Other quotes in it are characters, as are those behind a
// backslash.
func (r *Rows) closingInLine() int {
	if len(r.rest) <= r.after {
		_, after, _ := strings.Cut(r.rest, "\n")
		r.after = len(after)
	}
	line := r.rest[:len(r.rest)-r.after]
	for at := 1; r.unclosed != r.after; at++ {
		next := strings.IndexByte(line[at:], '"')
		if next < 0 {
			r.unclosed = r.after
			break
		}
		if at += next; r.ends(at+1) && line[at-1] != '\\' {
			return at
		}
	}
	return 0
}

package citation

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

const (
	// maxQuotation is how much of a quotation is kept, in characters. Of a
	// longer one the beginning is compared.
	maxQuotation = 2000
	// A quotation is checked from so many words, or so many characters, on:
	// a shorter one may be a name or irony.
	minQuotedWords, minQuotedRunes = 3, 15
)

// quotation follows the quotations of an answer, to know the one that a marker
// stands behind.
type quotation struct {
	open  rune
	text  strings.Builder
	runes int
	// closed says that the quotation has ended, and nothing but punctuation
	// came since.
	closed bool
	// settled says that a marker behind it was right, and corrected that one
	// was corrected.
	settled, corrected bool

	previous rune
	newlines int
}

// ends are the quotation marks that a mark can be closed by.
var ends = map[rune]string{'“': "”“", '„': "“”", '«': "»", '»': "«", '"': `"`, '「': "」"}

func (q *quotation) forget() { q.open, q.closed = 0, false }

// feed takes the next text.
func (q *quotation) feed(text string) {
	for _, r := range text {
		q.next(r)
		q.previous = r
	}
}

func (q *quotation) next(r rune) {
	if r == '\n' {
		if q.newlines++; q.newlines > 1 { // a blank line ends the paragraph
			q.forget()
		}
	} else if !unicode.IsSpace(r) {
		q.newlines = 0
	}
	switch {
	case q.open != 0 && q.closes(r):
		q.open, q.closed, q.settled, q.corrected = 0, true, false, false
	case (r == '"' || r >= utf8.RuneSelf) && ends[r] != "" && (q.open == 0 || r == q.open) && q.opensHere():
		q.open, q.closed, q.runes = r, false, 0
		q.text.Reset()
	case q.open != 0:
		if q.runes < maxQuotation {
			q.runes++
			q.text.WriteRune(r)
		}
	case q.closed && !unicode.IsSpace(r) && !strings.ContainsRune(".,;:!?…()*_`", r):
		q.closed = false
	}
}

func (q *quotation) closes(r rune) bool {
	return strings.ContainsRune(ends[q.open], r) && (r != q.open || !unicode.IsSpace(q.previous))
}

// opensHere reports whether a mark stands where a quotation begins.
func (q *quotation) opensHere() bool {
	return q.previous == 0 || unicode.IsSpace(q.previous) || strings.ContainsRune("([{/|*_—–->:", q.previous)
}

// before returns the quotation that a marker belongs to: the one before it, or
// the one that it ends. It is false for a short one.
func (q *quotation) before(next rune) (string, bool) {
	inside := q.open != 0 && strings.ContainsRune(ends[q.open], next)
	if !inside && (!q.closed || q.open != 0) {
		return "", false
	}
	text := strings.TrimSpace(q.text.String())
	return text, len(strings.Fields(text)) >= minQuotedWords || utf8.RuneCountInString(text) >= minQuotedRunes
}

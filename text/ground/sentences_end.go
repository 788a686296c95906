package ground

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"parley/text/fence"
	"parley/text/sentence"
)

// maxAfter is how far behind a full stop, in bytes, text may still belong to
// the sentence.
const maxAfter = 64

// inside says what of a line a sentence does not end in.
type inside struct {
	ticks    int // the length of the run that opened the code
	bold     bool
	brackets int
}

func (i inside) any() bool { return i.ticks > 0 || i.bold || i.brackets > 0 }

// sentence takes the next of a sentence.
func (s *sentences) sentence(text string, final bool) (n int, ends bool) {
	sign := text[0]
	switch {
	case s.text.Len() == 0 && (sign == ' ' || sign == '\t'):
		s.addLead(text[:1])
		return 1, false
	case sign == '`':
		n = fence.RunLength(text, '`', fence.MaxRun)
		if n == len(text) && n < fence.MaxRun && !final {
			return waiting, false
		}
		s.inside.run(n)
	case s.inside.ticks > 0:
		_, n = utf8.DecodeRuneInString(text)
	case sign == '*' || sign == '\\':
		if len(text) == 1 && !final {
			return waiting, false
		}
		n = s.pair(text)
	default:
		var verdict fence.Verdict
		if n, ends, verdict = s.character(text, final); verdict == fence.Wait {
			return waiting, false
		}
	}
	s.text.WriteString(text[:n])
	return n, ends || s.text.Len() >= maxSentence
}

func (i *inside) run(length int) {
	switch i.ticks {
	case 0:
		i.ticks = length
	case length:
		i.ticks = 0
	}
}

// pair is the length of "**", or of a backslash with what it escapes.
func (s *sentences) pair(text string) int {
	if strings.HasPrefix(text, "**") {
		s.inside.bold = !s.inside.bold
		return 2
	}
	if text[0] == '\\' && len(text) > 1 && text[1] != '\n' {
		_, size := utf8.DecodeRuneInString(text[1:])
		return 1 + size
	}
	return 1
}

// character takes a character, and with a full stop what belongs to it.
func (s *sentences) character(text string, final bool) (n int, ends bool, verdict fence.Verdict) {
	r, size := utf8.DecodeRuneInString(text)
	switch {
	case r == '[' || r == '(':
		s.inside.brackets++
	case r == ']' || r == ')':
		s.inside.brackets = max(0, s.inside.brackets-1)
	case s.inside.any() || !sentence.Ends(r):
	case r == '.' && sentence.Abbreviated(s.text.String()):
	default:
		return endOf(text, size, final)
	}
	return size, false, fence.Prose
}

// endOf returns the length of the end of a sentence, which begins with a full
// stop of a size, whether it is one, and whether that takes more text.
func endOf(text string, size int, final bool) (n int, ends bool, verdict fence.Verdict) {
	wide, _ := utf8.DecodeRuneInString(text)
	window := text[:min(len(text), maxAfter)]
	whole := final || len(window) == maxAfter
	at := size
	for {
		at += sentence.Closing(window[at:])
		n, verdict := citationLength(window[at:], whole)
		if verdict == fence.Wait {
			return 0, false, fence.Wait
		}
		if n == 0 {
			break
		}
		at += n
	}
	rest := window[at:]
	next := strings.TrimLeft(rest, " \t")
	switch {
	case next == "" && !whole:
		return 0, false, fence.Wait
	case next == "" || next[0] == '\n':
		return at, true, fence.Prose
	case sentence.Wide(wide):
		return at, true, fence.Prose
	case next == rest:
		return at, false, fence.Prose
	}
	r, _ := utf8.DecodeRuneInString(next)
	return at, !unicode.IsLower(r), fence.Prose
}

// citationLength is the length of spaces and a marker "[n]", or zero.
func citationLength(text string, whole bool) (int, fence.Verdict) {
	at := len(text) - len(strings.TrimLeft(text, " "))
	if at == len(text) {
		return 0, fence.Prose
	}
	if text[at] != '[' {
		return 0, fence.Prose
	}
	digits := strings.TrimLeft(text[at+1:], "0123456789")
	if digits == "" && !whole {
		return 0, fence.Wait
	}
	if !strings.HasPrefix(digits, "]") || text[at+1] == ']' {
		return 0, fence.Prose
	}
	return len(text) - len(digits) + 1, fence.Prose
}

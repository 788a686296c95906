package document

import (
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"

	"parley/text/writing"
)

// Clean returns text as valid UTF-8 with newlines as line ends. It removes
// control characters and invisible ones: those hide text from people that a
// model still reads, and split words that an index looks for. Letters are written in
// their usual form: see [writing.Usual].
func Clean(text string) string {
	if plain(text) {
		return text
	}
	var b strings.Builder
	b.Grow(len(text))
	before := rune(0)
	for i := 0; i < len(text); {
		r, width := utf8.DecodeRuneInString(text[i:])
		i += width
		switch {
		case r == '\r':
			if !strings.HasPrefix(text[i:], "\n") {
				b.WriteByte('\n')
			}
			continue
		case r == '\v' || r == '\f' || r == '\u0085' || r == '\u2028' || r == '\u2029':
			r = '\n'
		case r == '\u200c' || r == '\u200d':
			if !joins(before, text[i:]) {
				continue
			}
		case invisible(r):
			continue
		}
		if usual, ok := writing.Usual(r); ok {
			b.WriteString(usual)
			before, _ = utf8.DecodeLastRuneInString(usual)
			continue
		}
		b.WriteRune(r)
		before = r
	}
	return b.String()
}

// plain reports whether text is printable ASCII with newlines and tabs.
func plain(text string) bool {
	for i := range len(text) {
		if c := text[i]; c >= 0x7f || c < ' ' && c != '\n' && c != '\t' {
			return false
		}
	}
	return true
}

// joins reports whether a zero-width joiner or non-joiner has a meaning
// between two characters: in scripts that join letters, and in emoji.
func joins(before rune, after string) bool {
	next, _ := utf8.DecodeRuneInString(after)
	return before >= 0x600 && next >= 0x600 && !unicode.IsSpace(before) && !unicode.IsSpace(next) && !invisible(next)
}

func invisible(r rune) bool {
	switch {
	case r == '\n' || r == '\t':
		return false
	case r < ' ' || r >= 0x7f && r < 0xa0: // control characters
		return true
	case r == 0xad: // soft hyphen
		return true
	case r == 0x34f || r == 0x61c || r == 0x180e || r == 0x115f || r == 0x1160 || r == 0x3164 || r == 0xffa0:
		return true
	case r >= 0x200b && r <= 0x200f, r >= 0x202a && r <= 0x202e, r >= 0x2060 && r <= 0x206f:
		return true
	case r == 0xfeff || r >= 0xfff0 && r <= 0xfffb || r >= 0xe000 && r <= 0xf8ff: // byte order marks, private use
		return true
	case r >= 0xe0000 || r&0xfffe == 0xfffe: // tags, variation selectors, private use
		return true
	}
	return false
}

// Line returns text as a single clean line without surrounding space.
func Line(text string) string {
	return strings.Join(strings.Fields(Clean(text)), " ")
}

// Clip returns at most n bytes of text, cut between two characters.
func Clip(text string, n int) string {
	if len(text) <= n {
		return text
	}
	for n > 0 && !utf8.RuneStart(text[n]) {
		n--
	}
	return text[:n]
}

var (
	linked = regexp.MustCompile(`!?\[([^\]]*)\]\([^)]*\)`)
	marks  = strings.NewReplacer("**", "", "__", "", "`", "", `\`, "")
)

// Unmark removes the most common marks from a line of Markdown, for a title.
func Unmark(text string) string {
	return Line(marks.Replace(linked.ReplaceAllString(text, "$1")))
}

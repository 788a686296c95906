package document

import (
	"regexp"
	"strings"
)

// leading matches what makes a line something other than a paragraph. The first
// character is always one of leads, which is much faster to check.
var leading = regexp.MustCompile(`^(?:[#>]|[-+*]\s|[-=_*]{3,}\s*$|\d{1,9}[.)]\s|~{3}|:?-+:?\s*\|)`)

const leads = "#>-+*=_~:0123456789"

// Escape turns plain text, such as a paragraph of a word processor, into
// Markdown that displays it. It escapes only what Markdown would read as markup,
// so that names such as max_tokens stay as people search for them.
func Escape(text string) string { return EscapeAfter("", text) }

// EscapeAfter is [Escape] for text that follows other text, so that its first
// line does not start a line.
func EscapeAfter(before, text string) string {
	var b strings.Builder
	for i, part := range strings.Split(text, "\n") {
		switch {
		case i > 0:
			b.WriteByte('\n')
			fallthrough
		case before == "":
			escapeLine(&b, part)
		default:
			escapeInline(&b, part)
		}
	}
	return b.String()
}

func escapeLine(b *strings.Builder, text string) {
	start := strings.TrimLeft(text, " \t")
	if start != "" && strings.IndexByte(leads, start[0]) >= 0 && leading.MatchString(start) {
		// The delimiter of an ordered list follows its number.
		digits := len(start) - len(strings.TrimLeft(start, "0123456789"))
		b.WriteString(text[:len(text)-len(start)+digits])
		b.WriteByte('\\')
		b.WriteByte(start[digits])
		text = start[digits+1:]
	}
	escapeInline(b, text)
}

func escapeInline(b *strings.Builder, text string) {
	for i := range len(text) {
		c := text[i]
		switch {
		case c == '\\' && punctuation(at(text, i+1)), c == '`', c == '*' && !(spaceAt(text, i-1) && spaceAt(text, i+1)):
			b.WriteByte('\\')
		case c == '_' && (spaceAt(text, i-1) != spaceAt(text, i+1)):
			b.WriteByte('\\')
		case c == '<' && (letter(at(text, i+1)) || at(text, i+1) == '/' || at(text, i+1) == '!' || at(text, i+1) == '?'):
			b.WriteByte('\\')
		case c == '[' && strings.Contains(text[i:min(len(text), i+500)], "]("):
			b.WriteByte('\\')
		}
		b.WriteByte(c)
	}
}

// at returns the byte at i, or 0 if i is out of range.
func at(text string, i int) byte {
	if i < 0 || i >= len(text) {
		return 0
	}
	return text[i]
}

func spaceAt(text string, i int) bool {
	c := at(text, i)
	return c == 0 || c == ' ' || c == '\t' || c == '\n'
}

func letter(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' }

func punctuation(c byte) bool {
	return c > ' ' && c < 0x7f && !letter(c) && (c < '0' || c > '9')
}

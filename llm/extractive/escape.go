package extractive

import (
	"strings"
	"unicode"
)

// line is one line of a passage as Markdown that stays within its line: its
// emphasis, links and code spans are kept, but HTML is escaped, as a comment
// or <pre> would swallow what follows. At the start of a block, signs that
// begin another kind of block are escaped too.
func line(text string, startsBlock bool) string {
	text = shorten(text, maxLine)
	if strings.ContainsAny(text, "<\n\r") {
		text = withoutHTML(strings.NewReplacer("\n", " ", "\r", " ").Replace(text))
	}
	if startsBlock && beginsBlock(text) {
		return escapeStart(text)
	}
	return text
}

// withoutHTML escapes each "<" outside of code spans.
func withoutHTML(text string) string {
	var out strings.Builder
	for text != "" {
		at := strings.IndexAny(text, "<`")
		if at < 0 {
			break
		}
		out.WriteString(text[:at])
		text = text[at:]
		if text[0] == '<' {
			out.WriteString("&lt;")
			text = text[1:]
			continue
		}
		span := codeSpan(text)
		out.WriteString(text[:span])
		text = text[span:]
	}
	out.WriteString(text)
	return out.String()
}

// codeSpan is the length of the code span that text begins with, or of its
// backticks when no others close it (CommonMark 0.31, 6.1).
func codeSpan(text string) int {
	run := len(text) - len(strings.TrimLeft(text, "`"))
	for i := run; i < len(text); {
		next := strings.IndexByte(text[i:], '`')
		if next < 0 {
			break
		}
		i += next
		closing := len(text[i:]) - len(strings.TrimLeft(text[i:], "`"))
		i += closing
		if closing == run {
			return i
		}
	}
	return run
}

func beginsBlock(text string) bool {
	return headingOf(text) != "" || markerOf(text) != "" || fenceOf(text) != "" || isRule(text) ||
		strings.HasPrefix(text, ">") || strings.HasPrefix(text, "|") || strings.HasPrefix(text, "#") ||
		strings.HasPrefix(text, "[") && strings.Contains(text, "]:")
}

// escapeStart escapes the sign that makes text begin a block.
func escapeStart(text string) string {
	if marker := markerOf(text); len(marker) > 1 {
		return text[:len(marker)-1] + `\` + text[len(marker)-1:]
	}
	return `\` + text
}

// plain is text, such as a title, without any meaning in Markdown.
func plain(text string) string {
	var out strings.Builder
	for _, r := range shorten(text, maxLabel) {
		switch {
		case unicode.IsControl(r):
			out.WriteByte(' ')
		case strings.ContainsRune("\\`*_[]<>|~&!", r):
			out.WriteByte('\\')
			out.WriteRune(r)
		default:
			out.WriteRune(r)
		}
	}
	return strings.Join(strings.Fields(out.String()), " ")
}

// shorten cuts text to so many bytes, at a character.
func shorten(text string, limit int) string {
	if len(text) <= limit {
		return text
	}
	return strings.ToValidUTF8(text[:limit], "") + "…"
}

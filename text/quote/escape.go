package quote

import (
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"

	"parley/text/fence"
)

// line turns one line of a passage into Markdown that stays within its line. It
// keeps emphasis, links and code spans. It escapes HTML, because a comment or
// <pre> would swallow what follows, and numbers in brackets, which would cite
// passages of this answer. At the start of a block it also escapes signs that
// begin another kind of block.
func line(text string, startsBlock bool) string {
	text = shorten(text, maxLine)
	if strings.ContainsAny(text, "\n\r") {
		text = strings.NewReplacer("\n", " ", "\r", " ").Replace(text)
	}
	if strings.ContainsAny(text, meaning) {
		text = withoutMeaning(text)
	}
	if startsBlock && beginsBlock(text) {
		return escapeStart(text)
	}
	return text
}

// meaning holds the signs that [withoutMeaning] checks.
const meaning = "<`\\[［【"

// withoutMeaning escapes each "<" and each number in brackets outside of code
// spans, and unclosed backticks.
func withoutMeaning(text string) string {
	var out strings.Builder
	for {
		at := strings.IndexAny(text, meaning)
		if at < 0 {
			break
		}
		out.WriteString(text[:at])
		text = text[at:]
		taken, written := sign(text)
		out.WriteString(written)
		text = text[taken:]
	}
	out.WriteString(text)
	return out.String()
}

// sign returns how many bytes the first sign of text takes, and its replacement.
func sign(text string) (taken int, written string) {
	switch text[0] {
	case '<':
		return 1, "&lt;"
	case '\\':
		_, size := utf8.DecodeRuneInString(text[1:])
		return 1 + size, text[:1+size]
	case '`':
		span, closed := codeSpan(text)
		if !closed {
			return span, strings.Repeat("\\`", span)
		}
		return span, text[:span]
	}
	if found := bracketed.FindStringSubmatch(text); found != nil && !strings.HasPrefix(text[len(found[0]):], "(") {
		return len(found[0]), `\[` + found[1] + "]"
	}
	_, size := utf8.DecodeRuneInString(text)
	return size, text[:size]
}

// bracketed matches whatever is read as a citation: see package chat. A link
// whose text is a number does not count.
var bracketed = regexp.MustCompile(`^[\[［【]((?i:passages? |sources? )?\^?[0-9][0-9^,;:、， –—-]*(?:†[^\]］】]{0,60})?)[\]］】]`)

// codeSpan returns the length of the code span that text begins with, or of its
// backticks if nothing closes them (CommonMark 0.31, 6.1).
func codeSpan(text string) (length int, closed bool) {
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
			return i, true
		}
	}
	return run, false
}

func beginsBlock(text string) bool {
	return headingOf(text) != "" || markerOf(text) != "" || fence.Of(text) != "" || isRule(text) ||
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

// plain returns text, such as a title, without any meaning in Markdown.
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

// shorten cuts text to at most limit bytes, between characters.
func shorten(text string, limit int) string {
	if len(text) <= limit {
		return text
	}
	return strings.ToValidUTF8(text[:limit], "") + "…"
}

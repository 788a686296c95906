package quote

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// codeLanguage returns the first word of a fence's info string, if it can be one.
func codeLanguage(info string) string {
	for i, r := range strings.TrimSpace(info) {
		if !(r < utf8.RuneSelf && (unicode.IsLetter(r) || unicode.IsDigit(r)) || strings.ContainsRune("+#-_.", r)) || i >= 20 {
			return strings.TrimSpace(info)[:i]
		}
	}
	return strings.TrimSpace(info)
}

func headingOf(text string) string {
	rest := strings.TrimLeft(text, "#")
	if level := len(text) - len(rest); level < 1 || level > 6 || !strings.HasPrefix(rest, " ") {
		return ""
	}
	return strings.TrimSpace(strings.TrimRight(rest, "# "))
}

// markerOf returns "-", "*", "+", or a number with its dot or parenthesis if text
// is a list item, or else "".
func markerOf(text string) string {
	digits := 0
	for digits < len(text) && digits < 9 && '0' <= text[digits] && text[digits] <= '9' {
		digits++
	}
	if digits >= len(text)-1 {
		return ""
	}
	isBullet := digits == 0 && strings.IndexByte("-*+", text[0]) >= 0
	isNumber := digits > 0 && strings.IndexByte(".)", text[digits]) >= 0
	if (!isBullet && !isNumber) || (text[digits+1] != ' ' && text[digits+1] != '\t') {
		return ""
	}
	return text[:digits+1]
}

// isRule reports thematic breaks, underlines of headings and the fences of front
// matter.
func isRule(text string) bool {
	text = strings.TrimSpace(text)
	if len(text) < 3 || strings.IndexByte("-*_=", text[0]) < 0 {
		return false
	}
	return strings.Trim(text, text[:1]+" ") == ""
}

// isUnderline reports whether a line makes a heading of the one before it.
func isUnderline(line string) bool {
	line = strings.TrimRight(line, " \t")
	return len(line) > 2 && (strings.Trim(line, "=") == "" || strings.Trim(line, "-") == "")
}

func dedent(line string, indent int) string {
	for indent > 0 && line != "" && (line[0] == ' ' || line[0] == '\t') {
		line = line[1:]
		indent--
	}
	return line
}

func hasLetter(text string) bool {
	return strings.ContainsFunc(text, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) })
}

// maxHeading is how long a line may be that is taken for a heading, in bytes.
const maxHeading = 70

// looksLikeHeading reports whether a line that stands alone may be a heading without
// the sign for one: texts of PDF files and plain texts have such.
func looksLikeHeading(line string) bool {
	text := unmarked(line)
	bold := len(text) < len(strings.TrimSpace(line)) && strings.HasPrefix(line, "**") && !strings.Contains(text, "**")
	first, _ := utf8.DecodeRuneInString(text)
	last, _ := utf8.DecodeLastRuneInString(strings.TrimRight(text, ":"))
	if len(text) > maxHeading || !unicode.IsUpper(first) || !unicode.IsLetter(last) && last != ')' {
		return false
	}
	return bold || !strings.ContainsAny(text, ".:;@|[]0123456789")
}

// unmarked returns a line without the signs of emphasis around it.
func unmarked(line string) string { return strings.Trim(line, " \t*_") }

// wordsOf are the words of a text, in lower case.
func wordsOf(text string) []string {
	return strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !unicode.IsMark(r) })
}

// isLinks reports whether a line holds nothing but links.
func isLinks(line string) bool {
	if !strings.Contains(line, "](") {
		return false
	}
	for rest := line; ; {
		before, after, found := strings.Cut(rest, "[")
		if hasLetter(before) {
			return false
		}
		if !found {
			return true
		}
		_, target, isLink := strings.Cut(after, "](")
		_, rest, found = strings.Cut(target, ")")
		if !isLink || !found {
			return false
		}
	}
}

// Package block tells what blocks of Markdown begin with: headings, and the second rows of
// tables. It looks at lines alone, and does not own what a block holds.
package block

import "strings"

// StartsWithHeading reports whether a text starts with a heading of either
// kind (CommonMark 0.31, sections 4.2 and 4.3).
func StartsWithHeading(text string) bool {
	first, rest, _ := strings.Cut(strings.TrimLeft(text, "\r\n"), "\n")
	second, _, _ := strings.Cut(rest, "\n")
	second = strings.TrimSpace(second)
	return IsATX(first) || second != "" && (strings.Trim(second, "=") == "" || strings.Trim(second, "-") == "")
}

// LineEnd returns where the line that holds a position ends, its line feed
// included.
func LineEnd(text string, at int) int {
	if i := strings.IndexByte(text[at:], '\n'); i >= 0 {
		return at + i + 1
	}
	return len(text)
}

// IsATX reports whether a heading line is of the kind that starts with #.
func IsATX(line string) bool {
	line = strings.TrimLeft(line, " ")
	rest := strings.TrimLeft(line, "#")
	return len(rest) < len(line) && (rest == "" || strings.ContainsRune(" \t\r\n", rune(rest[0])))
}

// IsDelimiter reports whether a line is the delimiter row of a table.
func IsDelimiter(line string) bool {
	return strings.Trim(line, " \t\r\n|:-") == "" &&
		strings.Contains(line, "-") && strings.Contains(line, "|")
}

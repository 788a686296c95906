package quote

import (
	"strconv"
	"strings"

	"parley/text/language"
)

const (
	maxLine      = 1200
	maxCodeLines = 30
	maxCode      = 2000
	maxLabel     = 120
)

// compose writes the answer: for each passage its units, its source and its
// citation, in the language of the question.
//
// Every block ends with a blank line and every fence is closed, whatever the
// passages hold, so that none affects what follows.
func compose(found []quoted, phrases language.Phrases) string {
	var out strings.Builder
	for i, quote := range found {
		if i > 0 {
			out.WriteString("\n\n")
		}
		for u, unit := range quote.units {
			if u > 0 {
				out.WriteString(between(quote.units[u-1], unit))
			}
			writeUnit(&out, unit, u == 0 || !sameBlock(quote.units[u-1], unit))
		}
		out.WriteString("\n\n*" + phrases.Source + " ")
		out.WriteString(label(quote, phrases.Untitled))
		out.WriteString("* [" + strconv.Itoa(quote.number) + "]")
	}
	return out.String()
}

func sameBlock(a, b unit) bool {
	return a.kind == b.kind && a.block == b.block
}

func between(a, b unit) string {
	switch {
	case !sameBlock(a, b) || b.kind == code:
		return "\n\n"
	case b.kind == sentence:
		return " "
	default:
		return "\n"
	}
}

func writeUnit(out *strings.Builder, u unit, first bool) {
	switch u.kind {
	case code:
		writeCode(out, u)
	case row:
		if first {
			out.WriteString(tableRow(u.header) + "\n" + delimiter(u.header) + "\n")
		}
		out.WriteString(tableRow(u.text))
	case item:
		out.WriteString(u.marker + " " + line(u.text, true))
	default:
		out.WriteString(line(u.text, first))
	}
}

// writeCode fences a block with more backticks than it holds.
func writeCode(out *strings.Builder, u unit) {
	lines := strings.Split(u.text, "\n")
	cut := len(lines) > maxCodeLines
	lines = lines[:min(len(lines), maxCodeLines)]
	text := strings.Join(lines, "\n")
	if len(text) > maxCode {
		text, cut = strings.ToValidUTF8(text[:maxCode], ""), true
	}
	fence := "```"
	for strings.Contains(text, fence) {
		fence += "`"
	}
	out.WriteString(fence + u.info + "\n" + text + "\n" + fence)
	if cut {
		out.WriteString("\n\n…")
	}
}

func tableRow(text string) string {
	text = strings.TrimSuffix(strings.TrimPrefix(strings.Trim(text, " \t>"), "|"), "|")
	return "| " + line(strings.TrimSpace(text), false) + " |"
}

func delimiter(header string) string {
	columns := strings.Count(strings.ReplaceAll(tableRow(header), `\|`, ""), "|") - 1
	return strings.Repeat("| --- ", max(columns, 1)) + "|"
}

// nested maps quotation marks to those for a quotation within another. Other
// marks, with a citation after them, would claim that the passage says the title.
var nested = strings.NewReplacer(`"`, "'", "“", "‘", "”", "’", "„", "‚", "«", "‹", "»", "›", "「", "『", "」", "』")

// label names the source: the title and the heading above what is quoted, or else the
// innermost of the passage.
func label(quote quoted, untitled string) string {
	heading := quote.heading
	if path := quote.passage.HeadingPath; heading == "" && len(path) > 0 {
		heading = path[len(path)-1]
	}
	title := plain(nested.Replace(quote.passage.Title))
	heading = plain(nested.Replace(unmarked(heading)))
	switch {
	case title == "" && heading == "":
		return untitled
	case title == "" || heading == "" || heading == title:
		return max(title, heading)
	default:
		return title + " › " + heading
	}
}

package html

import (
	"regexp"
	"strconv"
	"strings"

	"parley/extract/document"
)

// listStyle matches the numbering that a style chooses.
var listStyle = regexp.MustCompile(`(?i)list-style(?:-type)?\s*:[^;]*?\b((?:lower|upper)-(?:alpha|latin|roman)|lower-greek|decimal-leading-zero)\b`)

// numberings are the names of numberings in HTML and CSS, with those of [document.Numeral].
var numberings = map[string]string{
	"a": "lowerLetter", "A": "upperLetter", "i": "lowerRoman", "I": "upperRoman",
	"lower-alpha": "lowerLetter", "lower-latin": "lowerLetter", "upper-alpha": "upperLetter", "upper-latin": "upperLetter",
	"lower-roman": "lowerRoman", "upper-roman": "upperRoman", "lower-greek": "lowerGreek", "decimal-leading-zero": "decimalZero",
}

// numberingOf returns how a list counts, or "" for plain numbers.
func numberingOf(list *node) string {
	if chosen := listStyle.FindStringSubmatch(attr(list, "style")); chosen != nil {
		return numberings[strings.ToLower(chosen[1])]
	}
	return numberings[strings.TrimSpace(attr(list, "type"))]
}

// shapeNumbers writes the numbers of a list into its items where Markdown cannot count so:
// letters, Roman numerals, backwards, or with gaps.
func shapeNumbers(list *node) {
	var items []*node
	gaps := false
	for c := range list.ChildNodes() {
		if element(c, "li") {
			items = append(items, c)
			gaps = gaps || hasAttr(c, "value")
		}
	}
	style, step := numberingOf(list), 1
	number, err := strconv.Atoi(strings.TrimSpace(attr(list, "start")))
	if hasAttr(list, "reversed") {
		if step = -1; err != nil {
			number = len(items)
		}
	} else if err != nil {
		number = 1
	}
	if style == "" && !gaps && step > 0 && number >= 0 {
		return
	}
	for _, item := range items {
		if value, err := strconv.Atoi(strings.TrimSpace(attr(item, "value"))); err == nil {
			number = value
		}
		item.InsertBefore(newText(document.Numeral(number, style)+". "), item.FirstChild)
		number += step
	}
	list.Data = "ul"
}

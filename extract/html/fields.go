package html

import (
	"slices"
	"strings"

	"parley/extract/document"
)

const (
	// mostOptions is how many options of a list are text: a list of all countries says
	// nothing about a business.
	mostOptions = 40
	// longestField is how long the text of a field may be, in bytes.
	longestField = 2_000
)

// typed are the types of inputs whose value visitors read.
var typed = []string{"", "text", "number", "email", "tel", "url", "date", "time", "datetime-local", "month", "week", "range"}

// showFields writes what the fields of a form show: what stands in them, the options of a
// list, and how full a bar is.
func showFields(root *node) {
	for _, e := range all(root, "input", "select", "textarea", "meter", "progress") {
		if e.Parent == nil || isHidden(e) {
			continue
		}
		text := ""
		switch e.Data {
		case "input":
			if slices.Contains(typed, strings.ToLower(attr(e, "type"))) {
				text = document.Line(attr(e, "value"))
			}
		case "select":
			text = optionsOf(e)
		default:
			text = textOf(e)
		}
		if text != "" && len(text) <= longestField {
			replace(e, newText(" "+text+" "))
		}
	}
}

// optionsOf returns the options of a list, with commas between them.
func optionsOf(list *node) string {
	var texts []string
	for _, option := range all(list, "option") {
		text := textOf(option)
		if label := document.Line(attr(option, "label")); text == "" {
			text = label
		}
		if text != "" && !hasAttr(option, "hidden") {
			texts = append(texts, text)
		}
	}
	if len(texts) > mostOptions {
		return ""
	}
	return strings.Join(texts, ", ")
}

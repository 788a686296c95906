package html

import (
	"regexp"
	"slices"
	"strings"
	"unicode"

	"parley/extract/document"

	nethtml "golang.org/x/net/html"
)

var (
	yesNames = []string{"check", "checks", "checkmark", "checked", "check2", "tick", "yes", "ok", "included", "available", "true"}
	noNames  = []string{"cross", "times", "xmark", "close", "x", "no", "unchecked", "unavailable", "excluded", "false", "ban"}
	// signLabels are descriptions that say yes or no.
	signLabels = regexp.MustCompile(`(?i)^(?:yes|no|(?:not )?(?:included|available|supported)|unavailable|excluded|check(?:ed|mark)?|tick|cross|ja|nein|nee|oui|non|s[ií]|no incluido|sim|não|[✓✔✅✗✘❌×])$`)
	imageFile  = regexp.MustCompile(`(?i)\.(?:svg|png|jpe?g|gif|webp|avif|ico)$`)
)

// showSigns writes what pictures and boxes in tables and lists say: whether a plan has a
// feature, say.
func showSigns(root *node) {
	blank := map[*node]bool{} // cells without words
	for _, e := range slices.Collect(elements(root)) {
		if element(e, "td", "th") && isBlank(e, blank) && first(e, "img", "svg", "i", "span", "input") == nil {
			if label := labelOf(e); label != "" {
				e.AppendChild(newText(label))
			} else if sign := signOf(attr(e, "class"), true); sign != "" {
				e.AppendChild(newText(sign))
			}
			continue
		}
		if !element(e, "img", "svg", "i", "span", "em", "b", "div", "input") {
			continue
		}
		cell := cellOf(e)
		if cell == nil || isHidden(e) {
			continue
		}
		if box := boxOf(e, cell); box != "" {
			replace(e, newText(box))
			continue
		}
		sign := ""
		switch {
		case element(e, "input"):
		case element(e, "img", "svg") || wordless(e):
			sign = pictured(e, cell, blank)
		case strings.EqualFold(attr(e, "aria-hidden"), "true") && isBlank(cell, blank):
			sign = document.Clip(textOf(e), 40) // the only thing that the cell shows
		}
		if sign != "" {
			replace(e, newText(sign+" "))
		}
	}
}

// pictured is what a picture in a cell says. Beside words it says only yes or no.
func pictured(e, cell *node, blank map[*node]bool) string {
	label := labelOf(e)
	alone := element(cell, "td", "th", "dd") && isBlank(cell, blank)
	switch {
	case label != "" && (alone || signLabels.MatchString(label)):
		return label
	case label == "" && (alone || element(cell, "li")) && (element(e, "svg", "img") || attr(e, "class") != ""):
		return signOf(namesOf(e), false)
	}
	return ""
}

func cellOf(e *node) *node {
	for p := e.Parent; p != nil; p = p.Parent {
		if element(p, "td", "th", "li", "dd") {
			return p
		}
	}
	return nil
}

// labelOf is the description of a picture, unless it is a file's name.
func labelOf(e *node) string {
	labels := []string{attr(e, "alt"), attr(e, "aria-label"), attr(e, "title")}
	if element(e, "svg") {
		if title := first(e, "title"); title != nil {
			labels = append(labels, textOf(title))
		}
	}
	for _, label := range labels {
		if label = document.Line(label); label != "" && len(label) <= 200 && !imageFile.MatchString(label) {
			return label
		}
	}
	return ""
}

// namesOf are the names that the author of a page gave to a picture.
func namesOf(e *node) string {
	names := attr(e, "class")
	if source := attr(e, "src"); source != "" && len(source) <= 500 {
		names += " " + imageFile.ReplaceAllString(source[strings.LastIndexByte(source, '/')+1:], "")
	}
	if element(e, "svg") {
		if use := first(e, "use"); use != nil {
			for _, a := range use.Attr {
				if a.Key == "href" && len(a.Val) <= 500 {
					names += " " + a.Val[strings.LastIndexByte(a.Val, '#')+1:]
				}
			}
		}
	}
	return names
}

// signOf is the sign that names stand for. A whole name must be exact.
func signOf(names string, whole bool) string {
	for name := range strings.FieldsSeq(strings.ToLower(names)) {
		parts := []string{name}
		if !whole {
			parts = strings.FieldsFunc(name, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
		}
		for i, part := range parts {
			part = strings.TrimSuffix(part, "icon")
			switch {
			case slices.Contains(yesNames, part):
				return "✓"
			case slices.Contains(noNames, part) && (part != "no" || i == len(parts)-1):
				return "✗"
			}
		}
	}
	return ""
}

// boxOf is the sign of a box that shows a state. One in a form waits to be checked.
func boxOf(e, cell *node) string {
	role := strings.ToLower(attr(e, "role"))
	kind := strings.ToLower(attr(e, "type"))
	checked := hasAttr(e, "checked")
	switch {
	case element(e, "input") && (kind == "checkbox" || kind == "radio"):
		if !hasAttr(e, "disabled") && !element(cell, "td", "th") && within(cell, "form") {
			return ""
		}
	case (role == "checkbox" || role == "radio" || role == "switch") && wordless(e):
		checked = strings.EqualFold(attr(e, "aria-checked"), "true")
	default:
		return ""
	}
	if checked {
		return "☑ "
	}
	return "☐ "
}

// isBlank reports whether a cell shows no words.
func isBlank(cell *node, blank map[*node]bool) bool {
	is, known := blank[cell]
	if !known {
		is = wordless(cell)
		blank[cell] = is
	}
	return is
}

// wordless reports whether an element shows no words to people who read or hear a page.
func wordless(n *node) bool {
	for c := range n.ChildNodes() {
		switch {
		case c.Type == nethtml.TextNode:
			if strings.TrimSpace(c.Data) != "" {
				return false
			}
		case element(c, never...) || c.Type == nethtml.ElementNode && (isHidden(c) || strings.EqualFold(attr(c, "aria-hidden"), "true")):
		case !wordless(c):
			return false
		}
	}
	return true
}

package html

import (
	"regexp"
	"slices"
	"strings"

	nethtml "golang.org/x/net/html"
)

var (
	struckStyle = regexp.MustCompile(`(?i)text-decoration(?:-line)?\s*:[^;]*line-through`)
	struckRule  = regexp.MustCompile(`(?i)\.([a-z_][\w-]{0,99})\s*\{[^{}]*text-decoration(?:-line)?\s*:[^;{}]*line-through`)
)

// struckClasses returns the classes whose text is struck out: those of common style
// sheets, and those of the page's own.
func struckClasses(root *node) []string {
	classes := []string{"line-through", "text-decoration-line-through", "strikethrough", "strike-through", "old-price", "price-old", "was-price"}
	for _, style := range all(root, "style") {
		for _, found := range struckRule.FindAllStringSubmatch(textOf(style), maxStruckRules) {
			classes = append(classes, found[1])
		}
	}
	return classes[:min(len(classes), maxStruckRules)]
}

// maxStruckRules is how many classes struckClasses returns.
const maxStruckRules = 100

// markStruck makes del elements of all that is struck out, so that an old price does not
// stand beside the new one unmarked.
func markStruck(root *node) {
	classes := struckClasses(root)
	for _, e := range slices.Collect(elements(root)) {
		switch {
		case element(e, "html", "head", "body", "style", "script", "template"):
		case element(e, "s", "del", "strike"), struckStyle.MatchString(attr(e, "style")),
			slices.ContainsFunc(strings.Fields(attr(e, "class")), func(c string) bool { return slices.Contains(classes, c) }):
			strike(e)
		}
	}
}

func strike(e *node) {
	if element(e, "s", "del", "strike") {
		e.Data, e.DataAtom = "span", 0
	}
	if within(e, "del", "pre", "code") {
		return
	}
	if !hasBlock(e) {
		e.AppendChild(newElement("del", children(e)...))
		return
	}
	for _, d := range slices.Collect(e.Descendants()) {
		if d.Type == nethtml.TextNode && strings.TrimSpace(d.Data) != "" && !within(d, "del", "pre", "code", "style", "script") {
			struck := &node{Type: nethtml.ElementNode, Data: "del"}
			d.Parent.InsertBefore(struck, d)
			remove(d)
			struck.AppendChild(d)
		}
	}
}

func hasBlock(e *node) bool {
	for d := range elements(e) {
		if block(d) && d.Data != "br" {
			return true
		}
	}
	return false
}

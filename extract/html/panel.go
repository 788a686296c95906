package html

import (
	"regexp"
	"slices"
	"strings"

	nethtml "golang.org/x/net/html"
)

var (
	// folding matches the names of parts that open and close.
	folding = regexp.MustCompile(`(?i)(?:^|[-_ ])(?:accordion\w*|collaps\w*|faqs?\w*|toggle\w*|expand\w*|disclosure|spoiler|tabs?|tab-?(?:pane|panel|content)s?)(?:$|[-_ ])`)
	// overlay matches the names of parts that open over a page and are none of its text.
	overlay    = regexp.MustCompile(`(?i)(?:^|[-_ ])(?:modal|popup|overlay|lightbox|off-?canvas|drawer|(?:sub|drop|mobile-)?menu|dropdown|tooltip|search|toast|alert)(?:$|[-_ ])`)
	targetName = regexp.MustCompile(`(?i)^data-.*(?:target|controls|toggle|tab|panel|collapse)`)
	quotedID   = regexp.MustCompile(`['"]#?([A-Za-z][\w:.-]{0,99})['"]`)
	// plainLabel matches buttons that say nothing of what they open.
	plainLabel = regexp.MustCompile(`(?i)^(?:(?:read|show|see|view|load|learn) ?(?:more|less|all|details)?|more|less|open|close|toggle|expand|collapse|details|menu|search|[^\pL\pN]*)$`)
)

// panels knows which parts of a page its controls open.
type panels struct {
	control map[string]*node // the first control of a part, by the part's id
	byID    map[string]*node
}

func panelsOf(root *node) *panels {
	p := &panels{map[string]*node{}, map[string]*node{}}
	for e := range elements(root) {
		if id := attr(e, "id"); id != "" && p.byID[id] == nil {
			p.byID[id] = e
		}
		if isHidden(e) {
			continue
		}
		for _, id := range targetsOf(e) {
			if p.control[id] == nil && showsSomething(e) {
				p.control[id] = e
			}
		}
	}
	return p
}

// targetsOf returns the ids of the parts that an element opens.
func targetsOf(e *node) []string {
	var ids []string
	for _, a := range e.Attr {
		switch {
		case a.Key == "aria-controls":
			ids = append(ids, strings.Fields(a.Val)...)
		case a.Key == "popovertarget":
			ids = append(ids, a.Val)
		case a.Key == "href" && element(e, "a") && strings.HasPrefix(a.Val, "#"), targetName.MatchString(a.Key):
			ids = append(ids, strings.TrimPrefix(strings.TrimSpace(a.Val), "#"))
		case a.Key == "onclick" && len(a.Val) <= 1000:
			for _, found := range quotedID.FindAllStringSubmatch(a.Val, 5) {
				ids = append(ids, found[1])
			}
		}
	}
	return ids
}

// showsSomething reports whether a visitor has something to press.
func showsSomething(e *node) bool {
	return attr(e, "aria-label") != "" || attr(e, "title") != "" || textOf(e) != "" || first(e, "svg", "img", "i") != nil
}

// opens reports whether a visitor can open an element that is hidden at first.
func (p *panels) opens(e *node) bool {
	names := attr(e, "id") + " " + attr(e, "class")
	if consent.MatchString(names) || overlay.MatchString(names) || element(e, "a", "span", "nav", "dialog", "form", "svg", "img", "button") {
		return false
	}
	return (p.controlled(e) || led(e) || folds(e)) && !listsLinks(e)
}

func (p *panels) controlled(e *node) bool {
	if id := attr(e, "id"); id != "" && p.control[id] != nil {
		return !nestedIn(p.control[id], e)
	}
	for id := range strings.FieldsSeq(attr(e, "aria-labelledby")) {
		if label := p.byID[id]; label != nil && !isHidden(label) && !nestedIn(label, e) && (isControl(label) || firstControl(label) != nil) {
			return true
		}
	}
	return false
}

func nestedIn(n, outer *node) bool { return slices.Contains(slices.Collect(n.Ancestors()), outer) }

// isControl reports whether a visitor would press an element.
func isControl(e *node) bool {
	role := strings.ToLower(attr(e, "role"))
	return element(e, "button", "summary", "label") || role == "button" || role == "tab" ||
		hasAttr(e, "aria-expanded") || hasAttr(e, "aria-controls") || hasAttr(e, "onclick") || hasAttr(e, "tabindex")
}

func firstControl(n *node) *node {
	for e := range elements(n) {
		if isControl(e) {
			return e
		}
	}
	return nil
}

// led reports whether the heading or control of an element stands right before it.
func led(e *node) bool {
	before := elementBefore(e)
	switch {
	case before == nil || isHidden(before) || within(e, "form"):
		return false
	case element(before, "dt", "summary") || isControl(before):
		return textOf(before) != ""
	case element(before, "h2", "h3", "h4", "h5", "h6"):
		return firstControl(before) != nil || element(e, "div", "section", "ul", "ol", "dl", "dd", "table", "article") && textOf(before) != ""
	}
	control := firstControl(before) // which is all that it holds
	return control != nil && !element(before, "form") && textOf(control) != "" && textOf(control) == textOf(before)
}

func elementBefore(e *node) *node {
	for s := e.PrevSibling; s != nil; s = s.PrevSibling {
		if s.Type == nethtml.ElementNode {
			return s
		}
		if s.Type == nethtml.TextNode && strings.TrimSpace(s.Data) != "" {
			return nil
		}
	}
	return nil
}

// foldsWithin is how many ancestors of a panel may have the name of an accordion.
const foldsWithin = 3

// folds reports whether an element is the panel of an accordion or of tabs by its name or
// its ancestors', and has something before it that could open it.
func folds(e *node) bool {
	before := elementBefore(e) != nil
	for n := range foldsWithin + 1 {
		if e == nil || element(e, "html", "body", "main", "article", "form") {
			return false
		}
		before = before || n == 1 && elementBefore(e) != nil
		if before && folding.MatchString(attr(e, "id")+" "+attr(e, "class")) {
			return true
		}
		e = e.Parent
	}
	return false
}

// listsLinks reports whether an element is a menu: nearly all of its text is links.
func listsLinks(e *node) bool {
	links := all(e, "a")
	linked := 0
	for _, a := range links {
		linked += lengthOf(a)
	}
	return len(links) >= 4 && 10*linked >= 9*lengthOf(e)
}

// keepLabels keeps what the buttons say that open parts of a page: the question of an
// answer, the name of a tab.
func (p *panels) keepLabels(root *node) {
	for _, e := range slices.Collect(elements(root)) {
		if e.Parent == nil || !element(e, "button") && !strings.EqualFold(attr(e, "role"), "tab") || within(e, "nav", "menu", "form") {
			continue
		}
		label := textOf(e)
		if label == "" || plainLabel.MatchString(label) && !within(e, "h2", "h3", "h4", "h5", "h6", "dt") {
			continue
		}
		target := p.target(e)
		switch {
		case strings.EqualFold(attr(e, "role"), "tab"):
			if target != nil {
				if !startsWith(target, label) {
					target.InsertBefore(newElement("p", newElement("strong", newText(label))), target.FirstChild)
				}
				remove(e)
			}
		case within(e, "h1", "h2", "h3", "h4", "h5", "h6", "dt", "summary"):
			unwrap(e)
		case target != nil, target == nil && !hasAttr(e, "aria-controls") && (hasAttr(e, "aria-expanded") || folding.MatchString(attr(e, "class"))):
			replace(e, newElement("p", newElement("strong", children(e)...)))
		}
	}
}

// target returns the part of a page that a control opens first, if the page has it.
func (p *panels) target(e *node) *node {
	for _, id := range targetsOf(e) {
		target := p.byID[id]
		if target == nil || p.control[id] != e || nestedIn(e, target) || element(target, never...) || within(target, "nav", "menu", "form") {
			continue
		}
		names := attr(target, "id") + " " + attr(target, "class")
		if !overlay.MatchString(names) && !consent.MatchString(names) && !slices.Contains(aroundRoles, strings.ToLower(attr(target, "role"))) && !listsLinks(target) {
			return target
		}
	}
	return nil
}

// startsWith reports whether a panel repeats its label.
func startsWith(panel *node, label string) bool {
	for d := range panel.Descendants() {
		if d.Type == nethtml.TextNode && strings.TrimSpace(d.Data) != "" {
			return strings.EqualFold(strings.TrimSpace(d.Data), label)
		}
	}
	return false
}

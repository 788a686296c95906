package html

import (
	"iter"
	"net/url"
	"regexp"
	"slices"
	"strings"

	nethtml "golang.org/x/net/html"

	"parley/extract/document"
)

// never lists elements that hold no text for readers.
var never = []string{
	"script", "style", "noscript", "template", "iframe", "object", "embed", "svg", "math-renderer", "canvas", "nav", "button",
	"input", "select", "textarea", "dialog", "audio", "video", "map", "head", "menu", "progress", "meter",
}

// aroundRoles lists ARIA's landmarks around a page's content, and overlays.
var aroundRoles = []string{"navigation", "contentinfo", "search", "dialog", "alertdialog", "menu", "menubar", "toolbar", "banner", "complementary"}

var (
	aroundNames = regexp.MustCompile(`(?i)(?:^|[-_ ])(?:breadcrumbs?|skip-?(?:link|nav|to)\w*|side-?bar|share|sharing|social|newsletter|adverts?|advertisement|ads|promo|popup|modal|site-?footer|page-?footer|toc|pagination|related)(?:$|[-_ ])`)
	consent     = regexp.MustCompile(`(?i)(?:^|[-_ ])(?:cookies?|cookie\w*|consent|gdpr|onetrust|cc-window|cmp)(?:$|[-_ ])`)
	hiddenStyle = regexp.MustCompile(`(?i)(?:display\s*:\s*none|visibility\s*:\s*hidden|opacity\s*:\s*0(?:\.0+)?\s*(?:;|!|$))`)
	// unseenStyle is of text that nobody can open: without size, or off the screen.
	unseenStyle = regexp.MustCompile(`(?i)(?:font-size\s*:\s*0(?:\.0+)?(?:px|pt|r?em|%)?\s*(?:;|!|$)|(?:^|[;\s])(?:left|right|top|text-indent|margin-left)\s*:\s*-(?:\d{4,}|999))`)
)

// noteNames matches the names of footnotes and endnotes, or of what holds them.
var noteNames = regexp.MustCompile(`(?i)(?:foot|end)-?note|doc-endnote|(?:^|[-_ ])(?:ftn|edn|fn)(?:ref)?[-_:]?\d|cite_note`)

// isNote reports whether an element is a note, or holds notes.
func isNote(e *node) bool {
	return noteNames.MatchString(attr(e, "id") + " " + attr(e, "class") + " " + attr(e, "role") + " " + attr(e, "epub:type"))
}

// tidy removes what people do not see and what is unwanted, and reshapes the rest into
// forms that Markdown has.
func tidy(root *node, base *url.URL, unwanted func(e *node, whole int) bool) {
	showSigns(root)
	showFields(root)
	markStruck(root)
	panels := panelsOf(root)
	removeAll(root, func(e *node) bool {
		return element(e, never...) && e.Data != "button" && e.Data != "input" || panels.hide(e)
	})
	panels.keepLabels(root)
	whole := lengthOf(root)
	removeAll(root, func(e *node) bool { return unwanted(e, whole) })
	shape(root, base)
	mergeText(root)
}

func removeAll(root *node, remove func(*node) bool) {
	var found []*node
	for e := range elements(root) {
		if remove(e) {
			found = append(found, e)
		}
	}
	for _, e := range found {
		if e.Parent != nil {
			e.Parent.RemoveChild(e)
		}
	}
}

// around reports whether an element is not part of a page's content, but stands around it.
// It keeps an element that holds most of the page, whatever its name.
func around(e *node, whole int) bool {
	switch {
	case element(e, never...):
		return true
	case element(e, "html", "body", "main", "article", "h1", "h2", "h3", "h4", "h5", "h6", "pre", "table", "code"):
		return false
	}
	if isNote(e) && !element(e, "a", "sup") {
		return false
	}
	inside := within(e, "main", "article")
	role, names := strings.ToLower(attr(e, "role")), attr(e, "id")+" "+attr(e, "class")
	outer := false
	switch {
	case role == "main":
		return false
	case slices.Contains(aroundRoles, role):
		outer = !inside || role != "complementary" && role != "banner"
	case element(e, "aside", "footer"):
		outer = !inside
	case element(e, "header"):
		outer = !inside && first(e, "h1") == nil
	case consent.MatchString(names):
		outer = !inside || first(e, "button", "input") != nil
	case aroundNames.MatchString(names):
		outer = !inside || element(e, "ul", "ol", "a")
	}
	return outer && lengthOf(e) <= whole/2
}

// hide reports whether people cannot see an element, nor open it. A panel behind a tab is
// content, and so is one that the browser's search within the page opens.
func (p *panels) hide(e *node) bool {
	style := attr(e, "style")
	switch {
	case strings.EqualFold(attr(e, "role"), "tabpanel"):
		return false
	case unseenStyle.MatchString(style) || sameColors(style):
		return true
	}
	return (isHidden(e) || isSilent(e) && !isSeen(e)) && !p.opens(e)
}

// isSilent reports whether an element is not read aloud. Most people see it.
func isSilent(e *node) bool { return strings.EqualFold(attr(e, "aria-hidden"), "true") }

var (
	// icons matches the names of elements whose text stands for a picture.
	icons = regexp.MustCompile(`(?i)(?:^|[-_ ])(?:\w*icons?\w*|fa[bsrl]?|glyph\w*|material\w*|symbols?|ligature)(?:$|[-_ ])`)
	// spoken matches the names of elements that are only read aloud.
	spoken = regexp.MustCompile(`(?i)(?:^|[-_ ])(?:sr-only|visually-?hidden|screen-?reader\w*|off-?screen|a11y\w*|assistive\w*)(?:$|[-_ ])`)
)

// isSeen reports whether a silent element shows words: it is no icon, nothing that opens over
// the page, and nothing that stands beside it in other words for people who listen.
func isSeen(e *node) bool {
	names := attr(e, "id") + " " + attr(e, "class")
	if element(e, "i", "svg", "img") || icons.MatchString(names) || overlay.MatchString(names) || consent.MatchString(names) || textOf(e) == "" {
		return false
	}
	for sibling := range e.Parent.ChildNodes() {
		if sibling != e && sibling.Type == nethtml.ElementNode && spoken.MatchString(attr(sibling, "class")) {
			return false
		}
	}
	return attr(e.Parent, "aria-label") == ""
}

// isHidden reports whether an element is not shown at first.
func isHidden(e *node) bool {
	if hasAttr(e, "hidden") && !strings.EqualFold(attr(e, "hidden"), "until-found") {
		return true
	}
	return hiddenStyle.MatchString(attr(e, "style"))
}

// sameColors reports whether a style writes in the color of its own background.
func sameColors(style string) bool {
	color, background := "", ""
	for rule := range strings.SplitSeq(strings.ToLower(style), ";") {
		name, value, _ := strings.Cut(rule, ":")
		value, _, _ = strings.Cut(strings.TrimSpace(value), " ")
		if same, known := whites[value]; known {
			value = same
		}
		switch strings.TrimSpace(name) {
		case "color":
			color = value
		case "background", "background-color":
			background = value
		}
	}
	return color != "" && color == background && color != "inherit"
}

// whites are the ways to write white and black.
var whites = map[string]string{"#fff": "white", "#ffffff": "white", "rgb(255,255,255)": "white", "#000": "black", "#000000": "black", "rgb(0,0,0)": "black"}

// shape rewrites what Markdown cannot express.
func shape(root *node, base *url.URL) {
	for _, e := range slices.Collect(elements(root)) {
		if e.Parent == nil {
			continue
		}
		if isRaised(e) || isLowered(e) {
			shapeRaised(e)
			continue
		}
		switch e.Data {
		case "math":
			shapeMath(e)
		case "ruby":
			shapeRuby(e)
		case "a":
			shapeLink(e, base)
		case "img":
			replace(e, newText(imageText(e)))
		case "q":
			replace(e, slices.Concat([]*node{newText("“")}, detached(e), []*node{newText("”")})...)
		case "ol":
			shapeNumbers(e)
		case "dl":
			shapeDefinitions(e)
		case "table":
			shapeTable(e)
		case "code", "var", "samp", "kbd", "tt":
			freeSpace(e)
		case "summary":
			replace(e, newElement("p", newElement("strong", children(e)...)))
		}
	}
}

// freeSpace moves the space at the ends of code outside: the converter drops it, which glues
// words.
func freeSpace(code *node) {
	var texts []*node
	for d := range code.Descendants() {
		if d.Type == nethtml.TextNode {
			texts = append(texts, d)
		}
	}
	if within(code, "code", "var", "samp", "kbd", "tt") {
		unwrap(code) // the code around it shows its text
		return
	}
	if within(code, "pre") || strings.TrimSpace(textOf(code)) == "" {
		return
	}
	const space = " \t\r\n"
	trim := func(texts iter.Seq2[int, *node], cut func(string, string) string, before *node) {
		for _, text := range texts {
			if kept := cut(text.Data, space); kept != text.Data {
				code.Parent.InsertBefore(newText(" "), before)
				text.Data = kept
			}
			if text.Data != "" {
				return
			}
		}
	}
	trim(slices.All(texts), strings.TrimLeft, code)
	trim(slices.Backward(texts), strings.TrimRight, code.NextSibling)
}

// markNames matches the names of marks beside headings that link to the headings themselves.
var markNames = regexp.MustCompile(`(?i)anchor|(?:perma|header|self)-?link`)

// isMark reports whether a link within a page is a sign and no text: a mark beside a heading,
// a reference to a note, or the way to the top.
func isMark(a *node, link string) bool {
	text := textOf(a)
	if !strings.HasPrefix(link, "#") || len(text) > len("🔗") {
		return false
	}
	if strings.IndexFunc(text, isWord) < 0 || strings.EqualFold(text, "top") {
		return true
	}
	for _, name := range []string{"h1", "h2", "h3", "h4", "h5", "h6"} {
		if heading := closest(a, name); heading != nil && textOf(heading) != text && !within(a, "sup") {
			return strings.EqualFold(text, "link") || markNames.MatchString(attr(a, "class"))
		}
	}
	return within(a, "sup") || first(a, "sup") != nil || noteNames.MatchString(link[1:]) || isNote(a) || strings.Contains(attr(a, "epub:type")+attr(a, "role"), "noteref")
}

// shapeLink keeps links to other pages, and removes signs.
func shapeLink(a *node, base *url.URL) {
	link := strings.TrimSpace(attr(a, "href"))
	if isMark(a, link) {
		remove(a)
		return
	}
	if contact := contactOf(link); contact != "" {
		shapeContact(a, contact)
		return
	}
	address, err := absolute(base, link)
	if err != nil || within(a, "h1", "h2", "h3", "h4", "h5", "h6") {
		unwrap(a)
		return
	}
	for i := range a.Attr {
		if a.Attr[i].Key == "href" {
			a.Attr[i].Val = address
		}
	}
	a.Attr = slices.DeleteFunc(a.Attr, func(each attribute) bool { return each.Key == "title" })
}

// imageText returns an image's description for people who cannot see it.
func imageText(img *node) string {
	alt := document.Line(attr(img, "alt"))
	if cell := cellOf(img); element(cell, "td", "th") && labelOf(img) == alt && !strings.Contains(textOf(cell), alt) {
		return alt
	}
	if len(alt) > 1000 || !strings.Contains(alt, " ") && !strings.ContainsAny(alt, "$€£¥₹%½") {
		return "" // a file's name, "logo", or not meant for people
	}
	return alt
}

// shapeDefinitions turns a definition list into a list of "**Term**: definition".
func shapeDefinitions(dl *node) {
	list := newElement("ul")
	var item *node
	defined := false
	for _, e := range all(dl, "dt", "dd") {
		if closest(e, "dl") != dl {
			continue
		}
		if e.Data == "dt" && item != nil && !defined {
			item.AppendChild(newText(", "))
		} else if e.Data == "dt" || item == nil {
			item = newElement("li")
			list.AppendChild(item)
		}
		if e.Data == "dt" {
			item.AppendChild(newElement("strong", children(e)...))
		} else {
			separator := ": "
			if defined || item.FirstChild == nil {
				separator = " "
			}
			item.AppendChild(newText(separator))
			if len(all(e, "p")) == 1 && element(e.FirstChild, "p") {
				unwrap(e.FirstChild)
			}
			for _, c := range children(e) {
				c.Parent.RemoveChild(c)
				item.AppendChild(c)
			}
		}
		defined = e.Data == "dd"
	}
	replace(dl, list)
}

// closest returns the nearest ancestor of n with a name.
func closest(n *node, name string) *node {
	for p := n.Parent; p != nil; p = p.Parent {
		if element(p, name) {
			return p
		}
	}
	return nil
}

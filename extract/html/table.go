package html

import (
	"slices"
	"strconv"
	"strings"

	nethtml "golang.org/x/net/html"
)

type attribute = nethtml.Attribute

// shapeTable makes the cells of a table fit Markdown, where each is a single
// line. It unwraps tables that only lay out a page.
func shapeTable(t *node) {
	if code := codeOf(t); code != nil {
		replace(t, code)
		return
	}
	cells := all(t, "td", "th")
	if arranges(t, cells) {
		for _, e := range all(t, "table", "thead", "tbody", "tfoot", "tr", "td", "th", "caption", "colgroup") {
			e.Data, e.DataAtom, e.Attr = "div", 0, nil
		}
		t.Data, t.DataAtom, t.Attr = "div", 0, nil
		return
	}
	rows := len(all(t, "tr"))
	for _, c := range cells {
		bound(c, "colspan", 50)
		bound(c, "rowspan", rows)
		flatten(c)
	}
}

// codeOf returns the code in a table that only adds line numbers.
func codeOf(t *node) *node {
	var code []*node
	for _, pre := range all(t, "pre") {
		if strings.Trim(textOf(pre), "0123456789 ") != "" {
			code = append(code, pre)
		}
	}
	if len(code) != 1 {
		return nil
	}
	for d := range t.Descendants() {
		if d.Type == nethtml.TextNode && strings.Trim(d.Data, "0123456789 \t\r\n\u00a0") != "" && !nestedIn(d, code[0]) {
			return nil
		}
	}
	return newElement("div", code[0])
}

// arranges reports whether a table only lays out a page.
func arranges(t *node, cells []*node) bool {
	role := attr(t, "role")
	return len(cells) < 2 || role == "presentation" || role == "none" || first(t, "table", "pre", "h1", "h2", "h3") != nil
}

// bound limits how many rows or columns a cell spans.
func bound(c *node, name string, most int) {
	for i, a := range c.Attr {
		if a.Key == name {
			n, err := strconv.Atoi(strings.TrimSpace(a.Val))
			if err != nil || n < 1 {
				n = 1
			}
			c.Attr[i].Val = strconv.Itoa(min(n, most))
		}
	}
}

// flatten turns the contents of a cell into one line.
func flatten(c *node) {
	for _, e := range slices.Collect(elements(c)) {
		switch {
		case element(e, "br", "hr"):
			replace(e, newText(" "))
		case element(e, "li"):
			e.Parent.InsertBefore(newText(itemMark(e)), e)
			unwrap(e)
		case element(e, "p", "div", "ul", "ol", "blockquote", "section", "h4", "h5", "h6"):
			e.Parent.InsertBefore(newText(" "), e)
			unwrap(e)
		}
	}
	for d := range c.Descendants() {
		if d.Type == nethtml.TextNode {
			d.Data = strings.ReplaceAll(d.Data, "\n", " ")
		}
	}
}

// itemMark returns what separates an item from the one before it.
func itemMark(li *node) string {
	for s := li.PrevSibling; s != nil; s = s.PrevSibling {
		if s.Type == nethtml.TextNode && strings.TrimSpace(s.Data) != "" || s.Type == nethtml.ElementNode {
			return "; "
		}
	}
	return " "
}

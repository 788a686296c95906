package html

import (
	"net/url"
	"slices"
	"strings"

	"codeberg.org/readeck/go-readability/v2"
)

const (
	// enough is how much text, in bytes, an element marked as the main one must
	// hold before we believe the mark.
	enough = 250
	// maxElements is how many elements a page may have for mainText, which
	// visits some of them many times.
	maxElements = 20_000
)

// mainText returns the element that holds a tidy page's main text. It believes
// what the page itself marks as such, and otherwise lets Readability guess. If the
// guess loses much, it takes the whole page except for lists of links. Title is the page's,
// which a heading may repeat.
func mainText(root *node, title string) *node {
	body := first(root, "body")
	if body == nil {
		return root
	}
	whole := lengthOf(body)
	if marked := markedMain(body); marked != nil && (lengthOf(marked) >= enough || 3*lengthOf(marked) >= whole) {
		return marked
	}
	if articles := all(body, "article"); len(articles) == 1 && 2*lengthOf(articles[0]) >= whole {
		return articles[0]
	}
	dropLinkLists(body)
	if found := readable(root); found != nil && keeps(found, body) && !losesTitle(found, body, title) {
		return found
	}
	return body
}

// markedMain returns the only element that is marked as the main one.
func markedMain(body *node) *node {
	var found []*node
	for e := range elements(body) {
		if e.Data == "main" || attr(e, "role") == "main" {
			found = append(found, e)
		}
	}
	if len(found) == 0 || len(found) > 1 && !nested(found) {
		return nil
	}
	return found[0]
}

// nested reports whether the first element contains all others.
func nested(found []*node) bool {
	for _, e := range found[1:] {
		if !slices.Contains(slices.Collect(e.Ancestors()), found[0]) {
			return false
		}
	}
	return true
}

// dropLinkLists removes lists whose text is nearly all links.
func dropLinkLists(body *node) {
	whole := lengthOf(body)
	for _, list := range all(body, "ul", "ol") {
		links := all(list, "a")
		if list.Parent == nil || len(links) < 4 || 3*lengthOf(list) > whole {
			continue
		}
		linked := 0
		for _, a := range links {
			linked += lengthOf(a)
		}
		if 10*linked >= 9*lengthOf(list) {
			remove(list)
		}
	}
}

// readable returns what Readability considers the main text. It works on a copy.
func readable(root *node) *node {
	parser := readability.NewParser()
	parser.MaxElemsToParse = maxElements
	parser.DisableJSONLD = true
	article, err := parser.ParseDocument(root, &url.URL{})
	if err != nil {
		return nil
	}
	if article.Node != nil {
		restoreTitle(article.Node, first(root, "h1"))
	}
	return article.Node
}

// restoreTitle turns the title back into a heading of level one, after
// Readability made it one of level two.
func restoreTitle(found, h1 *node) {
	if h1 == nil {
		return
	}
	if h2 := first(found, "h2"); h2 != nil && textOf(h2) == textOf(h1) {
		h2.Data, h2.DataAtom = h1.Data, h1.DataAtom
	}
}

// keeps reports whether a guess lost none of what people ask about: tables,
// code, lists other than lists of links, notes, most headings, and half of the text.
func keeps(found, body *node) bool {
	if len(all(found, "table", "pre")) < len(all(body, "table", "pre")) || proseLists(found) < proseLists(body) || losesNotes(found, body) {
		return false
	}
	return 10*len(all(found, "h2", "h3", "h4")) >= 6*len(all(body, "h2", "h3", "h4")) && 2*lengthOf(found) >= lengthOf(body)
}

// losesTitle reports whether a guess lost a heading of level one that is not the page's title.
func losesTitle(found, body *node, title string) bool {
	headings := all(body, "h1")
	if len(headings) > maxNotes {
		return true
	}
	for _, h1 := range headings {
		if text := textOf(h1); !strings.Contains(title, text) && !strings.Contains(textOf(found), text) {
			return true
		}
	}
	return false
}

// maxNotes is how many notes or titles a page may have that a guess has to keep.
const maxNotes = 100

func losesNotes(found, body *node) bool {
	kept, seen := "", 0
	for e := range elements(body) {
		if !isNote(e) || element(e, "a", "sup") {
			continue
		}
		if seen++; seen == 1 {
			kept = textOf(found)
		}
		if seen > maxNotes || !strings.Contains(kept, textOf(e)) {
			return seen <= maxNotes
		}
	}
	return false
}

// proseLists counts the lists whose text is not mostly links.
func proseLists(root *node) int {
	n := 0
	for _, list := range all(root, "ul", "ol") {
		linked := 0
		for _, a := range all(list, "a") {
			linked += lengthOf(a)
		}
		if 2*linked < lengthOf(list) {
			n++
		}
	}
	return n
}

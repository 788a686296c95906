package html

import (
	"regexp"
	"strings"

	"parley/extract/document"
)

// empty matches elements that close themselves in XHTML but not in HTML, where
// <title/> would swallow the page.
var empty = regexp.MustCompile(`<(title|script|style|a|p|div|span|td|th|li|i|b|em|strong|iframe|textarea|noscript|h[1-6])((?:\s[^<>]*)?)/>`)

// Chapter reads a chapter of a book, which is XHTML, and keeps all its text: in a book asides
// are boxes and notes. It adds to notes what it does not read.
func Chapter(body []byte, notes *document.Notes) (name, markdown string, err error) {
	text, err := decodeHTML(body, "")
	if err != nil {
		return "", "", err
	}
	root, err := parseHTML(empty.ReplaceAllString(text, "<$1$2></$1>"))
	if err != nil {
		return "", "", err
	}
	notes.AddAll(unread(root))
	tidy(root, baseOf(root, ""), func(e *node, _ int) bool { return element(e, never...) })
	content := first(root, "body")
	name = textOf(first(root, "h1", "h2", "h3"))
	if name == "" {
		name = strings.TrimSpace(textOf(first(root, "title")))
	}
	markdown, err = markdownOf(content)
	return name, markdown, err
}

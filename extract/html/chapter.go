package html

import (
	"regexp"
	"strings"
)

// empty matches elements that close themselves in XHTML but not in HTML, where
// <title/> would swallow the page.
var empty = regexp.MustCompile(`<(title|script|style|a|p|div|span|td|th|li|i|b|em|strong|iframe|textarea|noscript|h[1-6])((?:\s[^<>]*)?)/>`)

// Chapter reads a chapter of a book, which is XHTML, and keeps all its text: in a book asides
// are boxes and notes.
func Chapter(body []byte) (name, markdown string, err error) {
	root, err := parseHTML(empty.ReplaceAllString(decodeHTML(body, ""), "<$1$2></$1>"))
	if err != nil {
		return "", "", err
	}
	tidy(root, baseOf(root, ""), func(e *node, _ int) bool { return element(e, never...) })
	content := first(root, "body")
	name = textOf(first(root, "h1", "h2", "h3"))
	if name == "" {
		name = strings.TrimSpace(textOf(first(root, "title")))
	}
	markdown, err = markdownOf(content)
	return name, markdown, err
}

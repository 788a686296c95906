package webtest

import (
	"net/url"
	"strings"
	"testing"

	"golang.org/x/net/html"
)

// Filled reads the form of a page as a browser would send it.
func Filled(t *testing.T, page, action string) url.Values {
	t.Helper()
	root, err := html.Parse(strings.NewReader(page))
	Must(t, err)
	typed := url.Values{}
	for node := range root.Descendants() {
		if node.Type == html.ElementNode && node.Data == "form" && Attribute(node, "action") == action {
			for input := range node.Descendants() {
				fillIn(typed, input)
			}
		}
	}
	if len(typed) == 0 {
		t.Fatalf("no form leads to %s: %s", action, page)
	}
	return typed
}

func fillIn(typed url.Values, node *html.Node) {
	name := Attribute(node, "name")
	switch {
	case node.Data == "textarea":
		text := ""
		if node.FirstChild != nil {
			text = node.FirstChild.Data
		}
		typed.Set(name, text)
	case node.Data == "option" && has(node, "selected"):
		typed.Set(Attribute(node.Parent, "name"), Attribute(node, "value"))
	case node.Data == "input" && (Attribute(node, "type") == "checkbox" || Attribute(node, "type") == "radio"):
		if has(node, "checked") {
			typed.Set(name, Attribute(node, "value"))
		}
	case node.Data == "input":
		typed.Set(name, Attribute(node, "value"))
	}
}

func has(node *html.Node, name string) bool {
	for _, a := range node.Attr {
		if a.Key == name {
			return true
		}
	}
	return false
}

func Attribute(node *html.Node, name string) string {
	for _, a := range node.Attr {
		if a.Key == name {
			return a.Val
		}
	}
	return ""
}

func Words(node *html.Node) string {
	var all []string
	for part := range node.Descendants() {
		if part.Type == html.TextNode {
			all = append(all, strings.Fields(part.Data)...)
		}
	}
	return strings.Join(all, " ")
}

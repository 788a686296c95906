package gallery

import (
	"bytes"
	"context"
	"strings"
	"testing"

	"github.com/a-h/templ"
	"golang.org/x/net/html"
)

// element is an element with its attributes.
type element struct {
	*html.Node
}

func (e element) attr(name string) (string, bool) {
	for _, a := range e.Attr {
		if a.Key == name {
			return a.Val, true
		}
	}
	return "", false
}

func elements(t *testing.T, page []byte) []element {
	t.Helper()
	root, err := html.Parse(bytes.NewReader(page))
	if err != nil {
		t.Fatal(err)
	}
	var all []element
	for node := range root.Descendants() {
		if node.Type == html.ElementNode {
			all = append(all, element{node})
		}
	}
	return all
}

func count(all []element, tag string) int {
	n := 0
	for _, e := range all {
		if e.Data == tag {
			n++
		}
	}
	return n
}

func TestEveryPage(t *testing.T) {
	for name, page := range Pages() {
		source := rendered(t, page)
		all := elements(t, source)
		t.Run(name+" has one heading of the first level, one main part and a language", func(t *testing.T) {
			if count(all, "h1") != 1 || count(all, "main") != 1 {
				t.Errorf("%d h1 and %d main elements", count(all, "h1"), count(all, "main"))
			}
			if lang, _ := all[0].attr("lang"); lang != "en" {
				t.Errorf("lang is %q", lang)
			}
		})
		t.Run(name+" has no script, style or handler of its own", func(t *testing.T) {
			for _, e := range all {
				refuseInline(t, e)
			}
		})
		t.Run(name+" has no identifier twice, and none is meant that is not there", func(t *testing.T) {
			checkIDs(t, all)
		})
		t.Run(name+" names every input", func(t *testing.T) {
			checkLabels(t, all)
		})
		t.Run(name+" says what every table header is for", func(t *testing.T) {
			for _, e := range all {
				if _, scoped := e.attr("scope"); e.Data == "th" && !scoped {
					t.Error("a th element has no scope")
				}
			}
		})
	}
}

func refuseInline(t *testing.T, e element) {
	t.Helper()
	if _, fetched := e.attr("src"); e.Data == "script" && !fetched || e.Data == "style" {
		t.Errorf("an inline %s element", e.Data)
	}
	for _, a := range e.Attr {
		if strings.HasPrefix(a.Key, "on") || a.Key == "style" {
			t.Errorf("attribute %s of %s", a.Key, e.Data)
		}
	}
}

func checkIDs(t *testing.T, all []element) {
	t.Helper()
	known := map[string]bool{}
	for _, e := range all {
		id, has := e.attr("id")
		if has && known[id] {
			t.Errorf("two elements have the id %q", id)
		}
		known[id] = true
	}
	for _, e := range all {
		for _, name := range []string{"for", "aria-describedby", "aria-labelledby", "data-copy"} {
			ids, _ := e.attr(name)
			for _, id := range strings.Fields(ids) {
				if !known[id] {
					t.Errorf("%s of %s means %q, which is not there", name, e.Data, id)
				}
			}
		}
	}
}

func checkLabels(t *testing.T, all []element) {
	t.Helper()
	labeled := map[string]bool{}
	for _, e := range all {
		if id, has := e.attr("for"); has {
			labeled[id] = true
		}
	}
	for _, e := range all {
		kind, _ := e.attr("type")
		if e.Data != "input" && e.Data != "select" && e.Data != "textarea" || kind == "hidden" {
			continue
		}
		id, _ := e.attr("id")
		if _, named := e.attr("aria-label"); !named && !labeled[id] {
			t.Errorf("%s %q has no label", e.Data, id)
		}
	}
}

func rendered(t *testing.T, page templ.Component) []byte {
	t.Helper()
	var out bytes.Buffer
	if err := page.Render(context.Background(), &out); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

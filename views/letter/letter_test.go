package letter

import (
	"strings"
	"testing"

	"golang.org/x/net/html"
)

const hostile = `<script>alert("1")</script> & "Co" 'x' <img src=https://evil.example/p.png>`

// parsed returns the elements of a letter's page, and all of its text.
func parsed(t *testing.T, l Letter) (all []*html.Node, text string) {
	t.Helper()
	page, err := HTML(l)
	if err != nil {
		t.Fatal(err)
	}
	root, err := html.Parse(strings.NewReader(page))
	if err != nil {
		t.Fatal(err)
	}
	for node := range root.Descendants() {
		switch node.Type {
		case html.ElementNode:
			all = append(all, node)
		case html.TextNode:
			text += node.Data
		}
	}
	return all, text
}

func attribute(node *html.Node, name string) string {
	for _, a := range node.Attr {
		if a.Key == name {
			return a.Val
		}
	}
	return ""
}

func TestHTML(t *testing.T) {
	letter := Letter{
		Subject: "News of " + hostile, Home: "https://parley.example",
		Says: []string{hostile + " invites you:"}, Then: []string{"Or here:", "https://parley.example/billing", "javascript:alert(1)"},
		Button: Button{Text: "Join " + hostile, URL: "https://parley.example/join#code"},
	}
	all, text := parsed(t, letter)

	t.Run("what a letter says is text, whatever it looks like", func(t *testing.T) {
		for _, says := range []string{"News of " + hostile, hostile + " invites you:", "Join " + hostile} {
			if !strings.Contains(text, says) {
				t.Errorf("the text does not say %q", says)
			}
		}
	})
	t.Run("nothing is fetched, executed or counted", func(t *testing.T) {
		for _, e := range all {
			switch e.Data {
			case "script", "img", "link", "iframe", "object", "svg", "form", "base":
				t.Errorf("there is an element %s", e.Data)
			}
			for _, a := range e.Attr {
				if strings.HasPrefix(a.Key, "on") || a.Key == "src" || a.Key == "background" || strings.Contains(a.Val, "url(") {
					t.Errorf("%s has %s=%q", e.Data, a.Key, a.Val)
				}
			}
		}
	})
	t.Run("the button's address is there twice, once in clear, and a paragraph that is an address is a link", func(t *testing.T) {
		var led []string
		for _, e := range all {
			if e.Data == "a" {
				led = append(led, attribute(e, "href"))
			}
		}
		want := "https://parley.example/join#code https://parley.example/join#code https://parley.example/billing https://parley.example"
		if got := strings.Join(led, " "); got != want {
			t.Errorf("the links lead to %s", got)
		}
		if strings.Count(text, letter.Button.URL) != 1 {
			t.Error("the address is not in clear")
		}
	})
	t.Run("the tables are no data for screen readers, and the page has a language and one heading", func(t *testing.T) {
		headings := 0
		for _, e := range all {
			if e.Data == "table" && attribute(e, "role") != "presentation" {
				t.Error("a table is read as one")
			}
			if e.Data == "html" && attribute(e, "lang") != "en" {
				t.Error("the page has no language")
			}
			if e.Data == "h1" {
				headings++
			}
		}
		if headings != 1 {
			t.Errorf("there are %d headings", headings)
		}
	})
	t.Run("an address that is none of a page leads nowhere", func(t *testing.T) {
		for _, address := range []string{"javascript:alert(1)", "data:text/html,x", "https:", "/sign-in", "https://a b"} {
			all, _ := parsed(t, Letter{Subject: "x", Button: Button{Text: "y", URL: address}})
			for _, e := range all {
				if href := attribute(e, "href"); e.Data == "a" && href != "" {
					t.Errorf("%q leads to %q", address, href)
				}
			}
		}
	})
	t.Run("a letter without a button has none", func(t *testing.T) {
		all, text := parsed(t, Letter{Subject: "x", Says: []string{"Only this."}})
		for _, e := range all {
			if e.Data == "a" {
				t.Errorf("it has a link to %q", attribute(e, "href"))
			}
		}
		if !strings.Contains(text, "Only this.") {
			t.Errorf("it says %q", text)
		}
	})
}

package fetch

import (
	"strings"
	"testing"

	"pgregory.net/rapid"

	"parley/core/fault"
)

func TestRules(t *testing.T) {
	for _, test := range []struct {
		name     string
		rules    Rules
		address  string
		sentence string
	}{
		{"a page of the site", Rules{}, "https://example.com/any", ""},
		{"a page of www", Rules{}, "https://www.example.com/any", ""},
		{"a page in capitals", Rules{}, "HTTPS://EXAMPLE.COM/any", ""},
		{"a page at another port", Rules{}, "https://example.com:8443/any", ""},
		{"a page of a subdomain", Rules{}, "https://blog.example.com/", "The page is on another site."},
		{"a page of a site that ends alike", Rules{}, "https://badexample.com/", "The page is on another site."},
		{"a page of a site that begins alike", Rules{}, "https://example.com.evil.example/", "The page is on another site."},
		{"an address that is not a page", Rules{}, "mailto:a@example.com", "Parley fetches only addresses that begin with http:// or https://."},

		{"the page of an included path", Rules{Include: []string{"/docs"}}, "https://example.com/docs", ""},
		{"with its slash", Rules{Include: []string{"/docs"}}, "https://example.com/docs/", ""},
		{"without its slash", Rules{Include: []string{"/docs/"}}, "https://example.com/docs", ""},
		{"with a query", Rules{Include: []string{"/docs"}}, "https://example.com/docs?a=b", ""},
		{"a page below an included path", Rules{Include: []string{"/docs"}}, "https://example.com/docs/a/b", ""},
		{"a page that only begins alike", Rules{Include: []string{"/docs"}}, "https://example.com/docs-old", "The page is not among the paths to include."},
		{"a path in other letters", Rules{Include: []string{"/docs"}}, "https://example.com/Docs", "The page is not among the paths to include."},
		{"a page that leaves its path", Rules{Include: []string{"/docs"}}, "https://example.com/docs/../private", "The page is not among the paths to include."},
		{"one of two included paths", Rules{Include: []string{"/docs", "/blog"}}, "https://example.com/blog/a", ""},
		{"the root", Rules{Include: []string{"/"}}, "https://example.com/any", ""},
		{"an international path", Rules{Include: []string{"/über uns"}}, "https://example.com/%c3%bcber%20uns/a", ""},

		{"a pattern", Rules{Include: []string{"/docs/*.html"}}, "https://example.com/docs/a/b.html", ""},
		{"a pattern with a query behind", Rules{Include: []string{"/docs/*.html"}}, "https://example.com/docs/a.html?b", ""},
		{"a pattern that does not reach the end", Rules{Include: []string{"/docs/*.html"}}, "https://example.com/docs/a.html/b", "The page is not among the paths to include."},
		{"a pattern from anywhere", Rules{Include: []string{"*.pdf"}}, "https://example.com/files/a.pdf", ""},
		{"a star in the address", Rules{Include: []string{"/a/b"}}, "https://example.com/a/*", "The page is not among the paths to include."},
		{"a dollar sign", Rules{Include: []string{"/a$"}}, "https://example.com/a$/b", ""},

		{"an excluded page", Rules{Exclude: []string{"/private"}}, "https://example.com/private/a", "The page is excluded by /private."},
		{"an excluded page of an included path", Rules{Include: []string{"/docs"}, Exclude: []string{"/docs/*/draft"}}, "https://example.com/docs/a/draft", "The page is excluded by /docs/*/draft."},
		{"an excluded query", Rules{Exclude: []string{"*?*print=1*"}}, "https://example.com/a?x=1&print=1", "The page is excluded by *?*print=1*."},
		{"another query", Rules{Exclude: []string{"*?*print=1*"}}, "https://example.com/a?x=1", ""},
	} {
		t.Run(test.name+" is judged", func(t *testing.T) {
			test.rules.Host = "Example.com"
			if err := test.rules.Check(); err != nil {
				t.Fatal(err)
			}
			err := test.rules.Admits(test.address)
			switch {
			case test.sentence == "" && err != nil:
				t.Error(err)
			case test.sentence != "" && (!fault.Is(err, fault.Invalid) || fault.As(err).Message != test.sentence):
				t.Errorf("%v, want %q", err, test.sentence)
			}
		})
	}
	t.Run("an international host is one site in both its forms", func(t *testing.T) {
		if err := (Rules{Host: "bücher.example"}).Admits("https://www.xn--bcher-kva.example/"); err != nil {
			t.Error(err)
		}
	})
}

func TestCheckRules(t *testing.T) {
	for name, test := range map[string]struct {
		rules Rules
		field string
	}{
		"no host":               {Rules{}, "host"},
		"a host that is a URL":  {Rules{Host: "https://example.com"}, "host"},
		"a host with a path":    {Rules{Host: "example.com/docs"}, "host"},
		"an impossible host":    {Rules{Host: "exa mple.com"}, "host"},
		"a negative number":     {Rules{Host: "a.example", MaxPages: -1}, ""},
		"a path without slash":  {Rules{Host: "a.example", Include: []string{"docs"}}, "include"},
		"an empty path":         {Rules{Host: "a.example", Exclude: []string{""}}, "exclude"},
		"a path that is long":   {Rules{Host: "a.example", Exclude: []string{"/" + strings.Repeat("a", 1000)}}, "exclude"},
		"more paths than a few": {Rules{Host: "a.example", Include: strings.Split(strings.Repeat("/ ", 101), " ")}, "include"},
	} {
		t.Run(name+" is refused", func(t *testing.T) {
			err := test.rules.Check()
			if !fault.Is(err, fault.Invalid) || fault.As(err).Field != test.field {
				t.Errorf("%v", err)
			}
		})
	}
}

// checkRules checks what every rule must satisfy, whatever the texts are.
func checkRules(t interface{ Fatalf(string, ...any) }, pattern, path string) {
	address, err := Normalize("https://a.example/", path)
	if err != nil {
		return
	}
	included := Rules{Host: "a.example", Include: []string{pattern}}.Admits(address)
	excluded := Rules{Host: "a.example", Exclude: []string{pattern}}.Admits(address)
	onSite := Rules{Host: "a.example"}.Admits(address) == nil
	if onSite && (included == nil) == (excluded == nil) {
		t.Fatalf("%q at %q: include says %v, exclude says %v", pattern, address, included, excluded)
	}
	if !onSite && (included == nil || excluded == nil) {
		t.Fatalf("%q was admitted by a pattern", address)
	}
	both := Rules{Host: "a.example", Include: []string{pattern}, Exclude: []string{pattern}}
	if both.Admits(address) == nil {
		t.Fatalf("%q at %q: included although it is excluded", pattern, address)
	}
}

func FuzzRules(f *testing.F) {
	for _, pattern := range []string{"/a", "/a/", "*", "/*b", "/a*b*c", "/a?b", "/a$", "/ü", "/%", "", "**"} {
		f.Add(pattern, "/a/b?c=d")
	}
	f.Fuzz(func(t *testing.T, pattern, path string) { checkRules(t, pattern, path) })
}

func TestRulesProperties(t *testing.T) {
	part := rapid.SampledFrom([]string{"/", "a", "b", "*", "?", "$", "%2A", "%", "ü", ".", "=", "&"})
	text := rapid.Custom(func(t *rapid.T) string { return "/" + strings.Join(rapid.SliceOfN(part, 0, 8).Draw(t, "parts"), "") })
	rapid.Check(t, func(t *rapid.T) { checkRules(t, text.Draw(t, "pattern"), text.Draw(t, "path")) })
}

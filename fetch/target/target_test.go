package target

import (
	"net/url"
	"regexp"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestCanonical(t *testing.T) {
	for in, want := range map[string]string{
		"/a-b_c.d~e":        "/a-b_c.d~e",
		"/%7Eu/%61":         "/~u/a",
		"/%2f%3A%c3%bc":     "/%2F%3A%C3%BC",
		"/ü ß":              "/%C3%BC%20%C3%9F",
		"/%":                "/%25",
		"/%4":               "/%254",
		"/%zz%41":           "/%25zzA",
		"/%%41":             "/%25A",
		"/%2541":            "/%2541",
		"/a\"<>\\^`{|}\x7f": "/a%22%3C%3E%5C%5E%60%7B%7C%7D%7F",
		"/\xff":             "/%FF",
		"":                  "",
	} {
		t.Run(in+" has one canonical form", func(t *testing.T) {
			if got := Canonical(in); got != want {
				t.Errorf("%q, want %q", got, want)
			}
		})
	}
	t.Run("it means the same, and is already canonical", func(t *testing.T) {
		rapid.Check(t, func(t *rapid.T) {
			in := rapid.OneOf(rapid.String(), rapid.StringMatching(`/([a%/ü ]|%[0-9A-Fa-f]{2}){0,12}`)).Draw(t, "in")
			got := Canonical(in)
			if Canonical(got) != got {
				t.Fatalf("%q becomes %q", got, Canonical(got))
			}
			meant, err := url.PathUnescape(in)
			if after, _ := url.PathUnescape(got); err == nil && after != meant {
				t.Fatalf("%q means %q, but %q", in, meant, after)
			}
		})
	})
}

func TestPattern(t *testing.T) {
	for _, test := range []struct {
		pattern, target string
		want            bool
	}{
		// The examples in Google's documentation, on which RFC 9309 is based
		// (https://developers.google.com/search/docs/crawling-indexing/robots/robots_txt).
		{"/", "/any", true},
		{"/fish", "/fish", true},
		{"/fish", "/fish.html", true},
		{"/fish", "/fish/salmon.html", true},
		{"/fish", "/fishheads", true},
		{"/fish", "/fish.php?id=anything", true},
		{"/fish", "/Fish.asp", false},
		{"/fish", "/catfish", false},
		{"/fish*", "/fish", true},
		{"/fish*", "/desert/fish", false},
		{"/fish/", "/fish/?id=anything", true},
		{"/fish/", "/fish", false},
		{"/*.php", "/folder/any.php.file.html", true},
		{"/*.php", "/filename.php?parameters", true},
		{"/*.php", "/windows.PHP", false},
		{"/*.php", "/", false},
		{"/*.php$", "/folder/filename.php", true},
		{"/*.php$", "/filename.php?parameters", false},
		{"/*.php$", "/filename.php5", false},
		{"/*.php$", "/a.php/b.php", true},
		{"/fish*.php", "/fishheads/catfish.php?parameters", true},
		{"/fish*.php", "/Fish.PHP", false},
		// RFC 9309, section 2.2.2.
		{"/foo/bar?baz=quz", "/foo/bar?baz=quz", true},
		{"/foo/bar?baz=https://foo.bar", "/foo/bar?baz=https%3A%2F%2Ffoo.bar", false},
		{"/foo/bar/ツ", "/foo/bar/%E3%83%84", true},
		{"/foo/bar/%E3%83%84", "/foo/bar/ツ", true},
		{"/foo/bar/%62%61%7A", "/foo/bar/baz", true},
		// Section 2.2.3.
		{"/path/file-with-a-%2A.html", "/path/file-with-a-*.html", true},
		{"/path/file-with-a-%2A.html", "/path/file-with-a-b.html", false},
		{"/path/foo-%24", "/path/foo-$", true},
		{"/a$b", "/a$b", true},
		{"/a$b", "/a", false},
		{"/a$", "/a$", false},
		{"$", "", true},
		{"$", "/", false},
		{"", "/any", true},
		{"*", "", true},
		{"**a**", "/bab", true},
		{"*$", "/any", true},
		{"/a*a$", "/a", false},
		{"/a*b*c$", "/a-b-b-c-c", true},
	} {
		t.Run(test.pattern+" and "+test.target+" are compared", func(t *testing.T) {
			if got := Compile(test.pattern).Matches(For(test.target)); got != test.want {
				t.Errorf("%v", got)
			}
		})
	}
	t.Run("it agrees with the regular expression", func(t *testing.T) {
		rapid.Check(t, func(t *rapid.T) {
			pattern := rapid.StringMatching(`/[ab*/]{0,8}\$?`).Draw(t, "pattern")
			path := rapid.StringMatching(`/[ab/]{0,12}`).Draw(t, "path")
			text, end := strings.CutSuffix(pattern, "$")
			text = "^" + strings.ReplaceAll(regexp.QuoteMeta(text), `\*`, `.*`)
			if end {
				text += "$"
			}
			if got, want := Compile(pattern).Matches(For(path)), regexp.MustCompile(text).MatchString(path); got != want {
				t.Fatalf("%q and %q: %v, want %v", pattern, path, got, want)
			}
		})
	})
}

// BenchmarkWorstPattern matches many stars against a target that fails at its end.
func BenchmarkWorstPattern(b *testing.B) {
	pattern, subject := Compile(strings.Repeat("*a", 2000)+"b$"), For("/"+strings.Repeat("a", 4000))
	for b.Loop() {
		if pattern.Matches(subject) {
			b.Fatal("it matches")
		}
	}
}

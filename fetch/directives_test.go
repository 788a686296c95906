package fetch

import (
	"net/http"
	"strings"
	"testing"
	"time"
)

func TestDirectives(t *testing.T) {
	now := time.Date(2026, 5, 1, 0, 0, 0, 0, time.UTC)
	for name, c := range map[string]struct {
		headers string
		want    directives
	}{
		"a page without the header is read":                 {"", directives{}},
		"noindex":                                           {"noindex", directives{noIndex: true}},
		"capital letters and spaces":                        {" NoIndex , NOFOLLOW ", directives{true, true}},
		"none is both":                                      {"none", directives{true, true}},
		"a second header":                                   {"nofollow|noindex", directives{true, true}},
		"all crawlers by a star":                            {"*: noindex", directives{noIndex: true}},
		"Parley by its name":                                {"parleybot: noindex, nofollow", directives{true, true}},
		"another crawler":                                   {"googlebot: noindex, nofollow", directives{}},
		"another crawler first, and then Parley":            {"googlebot: nofollow, ParleyBot: noindex", directives{noIndex: true}},
		"a directive with a value names no crawler":         {"max-snippet: 20, noindex", directives{noIndex: true}},
		"no preview of images does not keep from reading":   {"max-image-preview: none", directives{}},
		"a day that is over":                                {"unavailable_after: 25 Jun 2010 15:00:00 PST", directives{noIndex: true}},
		"a day that is over, with a comma":                  {"unavailable_after: Fri, 25 Jun 2010 15:00:00 GMT", directives{noIndex: true}},
		"a day that comes":                                  {"unavailable_after: 2030-06-25", directives{}},
		"archives and translations do not concern Parley":   {"noarchive, notranslate, noimageindex", directives{}},
		"a word that only begins as a directive is no such": {"noindexifembedded", directives{}},
	} {
		t.Run(name, func(t *testing.T) {
			header := http.Header{}
			for value := range strings.SplitSeq(c.headers, "|") {
				header.Add("X-Robots-Tag", value)
			}
			if got := directivesFor("parleybot", header, now); got != c.want {
				t.Errorf("got %+v, want %+v", got, c.want)
			}
		})
	}
}

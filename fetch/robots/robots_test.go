package robots

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"
)

func TestRules(t *testing.T) {
	for _, test := range []struct {
		name, file string
		allowed    string // paths, with a space between
		disallowed string
	}{
		{"nothing", "", "/ /a", ""},
		{"a page that is not a robots.txt", "<!DOCTYPE html>\n<p>User-agent: *</p>\n<a href=\"x:y\">Disallow: /</a>", "/ /a", ""},
		{"binary data", "\x00\xff\xfe\nUser-agent\x00: *\nDisallow: /", "/a", ""},
		{"everything", "User-agent: *\nDisallow: /", "/robots.txt", "/ /a"},
		{"an empty rule", "User-agent: *\nDisallow:", "/ /a", ""},
		{
			"the example of RFC 9309, section 5.1",
			"User-Agent: *\nDisallow: *.gif$\nDisallow: /example/\nAllow: /publications/\n\nUser-Agent: foobot\nDisallow:/\nAllow:/example/page.html\nAllow:/example/allowed.gif\n\n" +
				"User-Agent: barbot\nUser-Agent: bazbot\nDisallow: /example/page.html\n\nUser-Agent: quxbot\n",
			"/publications/a /a.gif?b", "/a.gif /example/a",
		},
		{"the longest match, section 5.2", "User-Agent: *\nAllow: /example/page/\nDisallow: /example/page/disallowed.gif", "/example/page/a", "/example/page/disallowed.gif"},
		{"the order of rules", "User-agent: *\nAllow: /a/b\nDisallow: /a", "/a/b /a/bc", "/a /a/c"},
		{"two equal rules", "User-agent: *\nDisallow: /a\nAllow: /a", "/a", ""},
		{"two equal rules in the other order", "User-agent: *\nAllow: /a\nDisallow: /a", "/a", ""},
		{"a pattern as long as a path", "User-agent: *\nDisallow: /a*c\nAllow: /abc", "/abc", "/axc"},
		{"an encoded rule", "User-agent: *\nDisallow: /%7Ejoe/%C3%BC", "/~joe", "/~joe/ü /%7ejoe/%c3%bc"},

		{"a group for this robot", "User-agent: *\nDisallow: /\nUser-agent: parley\nDisallow: /a", "/b", "/a"},
		{"a group for this robot in capitals", "USER-AGENT: PARLEY/2.0 (nice)\nDISALLOW: /a", "/b", "/a"},
		{"a group for this robot that is empty", "User-agent: *\nDisallow: /\n\nUser-agent: parley", "/a", ""},
		{"separate groups for this robot", "User-agent: parley\nDisallow: /a\nUser-agent: b\nDisallow: /b\nUser-agent: parley\nDisallow: /c", "/b", "/a /c"},
		{"a group for several robots", "User-agent: other\nUser-agent: parley\nDisallow: /a", "/b", "/a"},
		{"groups for robots of similar names", "User-agent: par\nDisallow: /a\nUser-agent: parleybot\nDisallow: /b\nUser-agent: *\nDisallow: /c", "/a /b", "/c"},
		{"a rule without a group", "Disallow: /a\nUser-agent: *\nDisallow: /b", "/a", "/b"},
		{"other records between", "User-agent: parley\nSitemap: https://a.example/s.xml\nHost: a\nUser-agent: other\nCrawl-delay: 5\nDisallow: /a", "/b", "/a"},

		{"comments", "# User-agent: parley\nUser-agent: * # all\nDisallow: /a # not /b\n#Disallow: /c", "/b /c", "/a"},
		{"line ends of all systems", "User-agent: *\r\nDisallow: /a\rDisallow: /b\n\n\nDisallow: /c", "/d", "/a /b /c"},
		{"a byte order mark", "\ufeffUser-agent: *\nDisallow: /a", "/b", "/a"},
		{"spaces", "  User-agent :  *  \n\tDisallow\t:\t/a\t", "/b", "/a"},
		{"a path without its slash", "User-agent: *\nDisallow: a/", "/b", "/a/"},
		{"invalid lines", "hello\nUser-agent: *\nCrawl-delay: soon\n:::\nDisallow\nDisallow: /a\nNoindex: /b", "/b", "/a"},
	} {
		t.Run(test.name+" is understood", func(t *testing.T) {
			rules := Parse([]byte(test.file), "Parley")
			for _, path := range strings.Fields(test.allowed) {
				if !rules.Allows(path) {
					t.Errorf("%s is not allowed", path)
				}
			}
			for _, path := range strings.Fields(test.disallowed) {
				if rules.Allows(path) {
					t.Errorf("%s is allowed", path)
				}
			}
		})
	}
}

func TestOtherRecords(t *testing.T) {
	t.Run("the delay is that of the robot's group", func(t *testing.T) {
		for file, want := range map[string]time.Duration{
			"User-agent: *\nCrawl-delay: 2.5":                                         2500 * time.Millisecond,
			"User-agent: *\nCrawl-delay: 2\nUser-agent: parley\nDisallow: /a":         0,
			"User-agent: parley\nDisallow: /a\nCrawl-delay: 3\nUser-agent: *\nAllow:": 3 * time.Second,
			"User-agent: *\nCrawl-delay: -1":                                          0,
			"User-agent: *\nCrawl-delay: NaN":                                         0,
			"User-agent: *\nCrawl-delay: 1e300":                                       24 * time.Hour,
			"Crawl-delay: 5":                                                          0,
		} {
			if got := Parse([]byte(file), "Parley").Delay; got != want {
				t.Errorf("%q: %v, want %v", file, got, want)
			}
		}
	})
	t.Run("sitemaps belong to no group, and their number is bounded", func(t *testing.T) {
		file := "Sitemap: https://a.example/1.xml\nUser-agent: x\nDisallow: /\nsitemap:/2.xml\nSitemap:\n"
		if got := Parse([]byte(file), "Parley").Sitemaps; !slices.Equal(got, []string{"https://a.example/1.xml", "/2.xml"}) {
			t.Errorf("%q", got)
		}
		if got := Parse([]byte(strings.Repeat("Sitemap: /a\n", 1000)), "Parley").Sitemaps; len(got) != maxSitemaps {
			t.Errorf("%d sitemaps", len(got))
		}
	})
	t.Run("the token is the beginning of a User-Agent", func(t *testing.T) {
		for agent, want := range map[string]string{"Parley/1.0 (+https://a.example)": "Parley", "My-Robot_x y": "My-Robot_x", "": "", "1": "", "Parley": "Parley"} {
			if got := Token(agent); got != want {
				t.Errorf("%q: %q", agent, got)
			}
		}
	})
}

func FuzzParse(f *testing.F) {
	f.Add("User-agent: *\nDisallow: /a*b$\nAllow: /a\nCrawl-delay: 1\nSitemap: x", "/a?b")
	f.Fuzz(func(t *testing.T, file, path string) {
		rules := Parse([]byte(file), "Parley")
		rules.Allows(path)
		if rules.Delay < 0 || rules.Delay > 24*time.Hour || len(rules.Sitemaps) > maxSitemaps {
			t.Errorf("%v, %d sitemaps", rules.Delay, len(rules.Sitemaps))
		}
	})
}

// BenchmarkHostileFile reads the most expensive files: as many rules as fit.
func BenchmarkHostileFile(b *testing.B) {
	file := []byte("User-agent: *\n" + strings.Repeat("Disallow: *a$\n", MaxBytes/14))
	path := "/" + strings.Repeat("b", 2000)
	b.Run("parse", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			Parse(file, "Parley")
		}
	})
	for _, rule := range []string{"*a$", "*a*c", "*b*b*b*b*a"} {
		rules := Parse([]byte("User-agent: *\n"+strings.Repeat("Disallow: "+rule+"\n", MaxBytes/(len(rule)+11))), "Parley")
		b.Run(fmt.Sprintf("allows with %d of %s", len(rules.rules), rule), func(b *testing.B) {
			for b.Loop() {
				rules.Allows(path)
			}
		})
	}
}

package fetch

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"parley/core/fault"
)

// serveFiles serves files of a site; "SITE" in a text is the site's address.
func serveFiles(t *testing.T, files map[string]string) *httptest.Server {
	t.Helper()
	return httpFiles(t, files, nil)
}

func httpFiles(t *testing.T, files map[string]string, asked *atomic.Int64) *httptest.Server {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if asked != nil {
			asked.Add(1)
		}
		text, ok := files[r.URL.Path]
		if !ok {
			http.NotFound(w, r)
			return
		}
		w.Header().Set("Content-Type", "application/octet-stream")
		_, _ = w.Write([]byte(strings.ReplaceAll(text, "SITE", "http://"+r.Host)))
	}))
	t.Cleanup(server.Close)
	return server
}

func urlset(paths ...string) string {
	var b strings.Builder
	for _, path := range paths {
		fmt.Fprintf(&b, "<url><loc>SITE%s</loc></url>", path)
	}
	return "<urlset>" + b.String() + "</urlset>"
}

func index(addresses ...string) string {
	var b strings.Builder
	for _, address := range addresses {
		fmt.Fprintf(&b, "<sitemap><loc>%s</loc></sitemap>", address)
	}
	return "<sitemapindex>" + b.String() + "</sitemapindex>"
}

// paths returns addresses without the site's.
func paths(addresses []string, site string) []string {
	var paths []string
	for _, address := range addresses {
		paths = append(paths, strings.TrimPrefix(address, site))
	}
	return paths
}

// surveyed returns the pages of a sitemap and those in its index.
func surveyed(ctx context.Context, t *testing.T, f *Fetcher, address string) ([]string, error) {
	t.Helper()
	u, err := parseURL(address)
	if err != nil {
		t.Fatal(err)
	}
	s := newSurvey(f, nil)
	s.read(ctx, u, 1)
	return s.found, s.problem
}

func TestSitemap(t *testing.T) {
	files := map[string]string{
		"/one.xml":      urlset("/a", "/b?utm_source=x", "/A/../b", "/c#d"),
		"/index.xml":    index("SITE/one.xml", "SITE/two.txt", "SITE/gone.xml"),
		"/two.txt":      "SITE/c\nSITE/d\n",
		"/self.xml":     index("SITE/self.xml", "SITE/other.xml", "SITE/two.txt"),
		"/other.xml":    index("SITE/self.xml", "SITE/one.xml"),
		"/deep1.xml":    index("SITE/deep2.xml"),
		"/deep2.xml":    index("SITE/deep3.xml"),
		"/deep3.xml":    index("SITE/deep4.xml"),
		"/deep4.xml":    urlset("/deep"),
		"/away.xml":     index("http://other.example/sitemap.xml", "http://169.254.169.254/", "SITE/two.txt"),
		"/page.html":    "<html><body>Not found</body></html>",
		"/damaged.xml":  "<urlset><url><loc>SITE/a</loc></url><url><lo",
		"/packed.gz":    "",
		"/bomb.xml.gz":  "",
		"/robots.txt":   "User-agent: *\nDisallow: /*.xml",
		"/no-pages.xml": "<urlset></urlset>",
	}
	// Compressed texts cannot have the site's address filled in.
	files["/packed.gz"] = string(packed(t, []byte("http://a.example/a\nhttp://a.example/b")))
	spaces := packed(t, []byte(strings.Repeat(strings.Repeat(" ", 8000)+"\n", 130)))
	files["/bomb.xml.gz"] = string(packed(t, []byte("https://a.example/\n"))) + strings.Repeat(string(spaces), 30)
	site := serveFiles(t, files)
	f := open(t, Config{}, site.URL)
	for path, test := range map[string]struct {
		want     []string
		sentence string
	}{
		"/one.xml":      {[]string{"/a", "/b", "/c"}, ""},
		"/two.txt":      {[]string{"/c", "/d"}, ""},
		"/no-pages.xml": {nil, ""},
		"/index.xml":    {[]string{"/a", "/b", "/c", "/d"}, "The server answered 404: the page is gone."},
		"/self.xml":     {[]string{"/a", "/b", "/c", "/d"}, ""},
		"/deep1.xml":    {nil, "The site's sitemaps are nested more than 3 deep."},
		"/away.xml":     {[]string{"/c", "/d"}, "A sitemap of the site points to another site. Parley does not follow it."},
		"/page.html":    {nil, "The address holds no sitemap."},
		"/damaged.xml":  {[]string{"/a"}, "A sitemap of the site is damaged. Parley reads only its beginning."},
		"/packed.gz":    {[]string{"http://a.example/a", "http://a.example/b"}, ""},
		"/bomb.xml.gz":  {[]string{"https://a.example/"}, "A sitemap of the site is larger than 20 MB or names more than 50000 pages. Parley reads only its beginning."},
		"/gone":         {nil, "The server answered 404: the page is gone."},
	} {
		t.Run(path+" is read", func(t *testing.T) {
			got, err := surveyed(t.Context(), t, f, site.URL+path)
			if !slices.Equal(paths(got, site.URL), test.want) {
				t.Errorf("%q", paths(got, site.URL))
			}
			if test.sentence == "" && err != nil || test.sentence != "" && (!fault.Is(err, fault.Invalid) || fault.As(err).Message != test.sentence) {
				t.Errorf("%v, want %q", err, test.sentence)
			}
		})
	}
	t.Run("the number of files is bounded", func(t *testing.T) {
		var addresses []string
		many := map[string]string{}
		for i := range 200 {
			addresses = append(addresses, fmt.Sprintf("SITE/%d.xml", i))
			many[fmt.Sprintf("/%d.xml", i)] = urlset(fmt.Sprintf("/page%d", i))
		}
		many["/sitemap.xml"] = index(addresses...)
		var asked atomic.Int64
		site := httpFiles(t, many, &asked)
		got, err := surveyed(t.Context(), t, open(t, Config{}, site.URL), site.URL+"/sitemap.xml")
		if len(got) != 49 || asked.Load() != 51 || !fault.Is(err, fault.Invalid) {
			t.Errorf("%d pages, %d requests, %v", len(got), asked.Load(), err)
		}
	})
	t.Run("a caller who goes away ends the reading", func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if _, err := surveyed(ctx, t, f, site.URL+"/index.xml"); !errors.Is(err, context.Canceled) {
			t.Error(err)
		}
	})
}

func TestDiscover(t *testing.T) {
	for _, test := range []struct {
		name    string
		files   map[string]string
		rules   Rules
		want    []string
		problem string
	}{
		{"a site without a sitemap has its start page", nil, Rules{}, []string{"/start"}, ""},
		{
			"a sitemap in its usual place is found",
			map[string]string{"/sitemap.xml": urlset("/a", "/b")},
			Rules{},
			[]string{"/a", "/b"},
			"",
		},
		{
			"an ordinary page in its place does not count",
			map[string]string{"/sitemap.xml": "<html></html>"},
			Rules{},
			[]string{"/start"},
			"",
		},
		{
			"robots.txt names sitemaps",
			map[string]string{"/robots.txt": "Sitemap: SITE/1.xml\nSitemap: /2.xml", "/1.xml": urlset("/a"), "/2.xml": urlset("/a", "/b"), "/sitemap.xml": urlset("/c")},
			Rules{},
			[]string{"/a", "/b"},
			"",
		},
		{
			"a missing sitemap is reported",
			map[string]string{"/robots.txt": "Sitemap: SITE/1.xml\nSitemap: SITE/2.xml", "/1.xml": urlset("/a")},
			Rules{},
			[]string{"/a"},
			"The server answered 404: the page is gone.",
		},
		{
			"rules choose among the pages",
			map[string]string{"/sitemap.xml": urlset("/docs/a", "/blog/a", "/docs/private/b") + "<!-- -->"},
			Rules{Include: []string{"/docs"}, Exclude: []string{"/docs/private"}},
			[]string{"/docs/a"},
			"",
		},
		{
			"so does robots.txt",
			map[string]string{"/robots.txt": "User-agent: *\nDisallow: /docs/b", "/sitemap.xml": urlset("/docs/a", "/docs/b")},
			Rules{},
			[]string{"/docs/a"},
			"",
		},
		{
			"pages of other sites are left out",
			map[string]string{"/sitemap.xml": "<urlset><url><loc>http://other.example/a</loc></url><url><loc>SITE/a</loc></url></urlset>"},
			Rules{},
			[]string{"/a"},
			"",
		},
		{
			"no more pages are returned than allowed",
			map[string]string{"/sitemap.xml": urlset("/a", "/b", "/c")},
			Rules{MaxPages: 2},
			[]string{"/a", "/b"},
			"The site's sitemaps list more than 2 pages. Parley does not read the rest.",
		},
		{
			"if no page is admitted, the start page remains",
			map[string]string{"/sitemap.xml": urlset("/a")},
			Rules{Include: []string{"/start"}},
			[]string{"/start"},
			"",
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			site := serveFiles(t, test.files)
			got, err := open(t, Config{}, site.URL).Discover(t.Context(), site.URL+"/start#top", test.rules)
			if err != nil {
				t.Fatal(err)
			}
			if !slices.Equal(paths(got.Pages, site.URL), test.want) {
				t.Errorf("%+v", got)
			}
			if test.problem == "" && got.Problem != nil || test.problem != "" && fault.As(got.Problem).Message != test.problem {
				t.Errorf("%v, want %q", got.Problem, test.problem)
			}
		})
	}
	t.Run("a site that robots.txt disallows is refused", func(t *testing.T) {
		site := serveFiles(t, map[string]string{"/robots.txt": "User-agent: *\nDisallow: /", "/sitemap.xml": urlset("/a")})
		_, err := open(t, Config{}, site.URL).Discover(t.Context(), site.URL, Rules{})
		if !errors.Is(err, ErrDisallowed) {
			t.Error(err)
		}
	})
	t.Run("a private site is refused", func(t *testing.T) {
		_, err := open(t, Config{Ports: []int{80}}).Discover(t.Context(), "http://10.0.0.1/", Rules{})
		if !errors.Is(err, ErrPrivate) {
			t.Error(err)
		}
	})
	t.Run("invalid rules are refused", func(t *testing.T) {
		_, err := open(t, Config{}).Discover(t.Context(), "http://a.example/", Rules{Include: []string{"docs"}})
		if !fault.Is(err, fault.Invalid) {
			t.Error(err)
		}
	})
	t.Run("sitemaps that drip are read for a limited time, and what they had named is kept", func(t *testing.T) {
		var asked atomic.Int64
		site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			switch r.URL.Path {
			case "/robots.txt":
				http.NotFound(w, r)
			case "/sitemap.xml":
				_, _ = w.Write([]byte(strings.ReplaceAll(index("SITE/good.xml", "SITE/slow1.xml", "SITE/slow2.xml"), "SITE", "http://"+r.Host)))
			case "/good.xml":
				_, _ = w.Write([]byte(strings.ReplaceAll(urlset("/a"), "SITE", "http://"+r.Host)))
			default:
				asked.Add(1)
				_, _ = w.Write([]byte("<urlset>"))
				_ = http.NewResponseController(w).Flush()
				<-r.Context().Done()
			}
		}))
		t.Cleanup(site.Close)
		got, err := open(t, Config{Longest: time.Second}, site.URL).Discover(t.Context(), site.URL+"/start", Rules{})
		if err != nil || !slices.Equal(paths(got.Pages, site.URL), []string{"/a"}) || !fault.Is(got.Problem, fault.Upstream) || asked.Load() > 1 {
			t.Errorf("%+v, %v, and %d slow files are asked for", got, err, asked.Load())
		}
	})
	t.Run("a site that fails is tried again later", func(t *testing.T) {
		site := serveRobots(t, says(""), answers(http.StatusServiceUnavailable))
		got, err := open(t, Config{}, site.URL).Discover(t.Context(), site.URL, Rules{})
		if err != nil || !fault.Is(got.Problem, fault.Upstream) {
			t.Errorf("%+v, %v", got, err)
		}
	})
}

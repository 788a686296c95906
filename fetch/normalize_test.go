package fetch

import (
	"net/netip"
	"net/url"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"parley/core/fault"
)

func TestNormalize(t *testing.T) {
	const base = "https://www.example.com/docs/guide/?page=1"
	for _, test := range []struct{ name, href, want string }{
		{"a relative path", "intro", "https://www.example.com/docs/guide/intro"},
		{"a path from the root", "/a", "https://www.example.com/a"},
		{"another host", "//Other.Example/a", "https://other.example/a"},
		{"a query alone", "?page=2", "https://www.example.com/docs/guide/?page=2"},
		{"nothing", "", base},
		{"a fragment alone", "#top", base},
		{"a fragment", "/a#top", "https://www.example.com/a"},
		{"dot segments", "/a/./b/../../c", "https://www.example.com/c"},
		{"too many dot segments", "../../../../etc/passwd", "https://www.example.com/etc/passwd"},
		{"encoded dot segments", "/a/%2e%2E/c", "https://www.example.com/c"},
		{"capitals in scheme and host", "HTTPS://WWW.Example.COM/Path", "https://www.example.com/Path"},
		{"the scheme's own port", "http://example.com:80/", "http://example.com/"},
		{"the secure scheme's own port", "https://example.com:443/", "https://example.com/"},
		{"another port", "https://example.com:08443/", "https://example.com:8443/"},
		{"an empty port", "https://example.com:/", "https://example.com/"},
		{"no path", "https://example.com", "https://example.com/"},
		{"no path but a query", "https://example.com?a", "https://example.com/?a"},
		{"an empty query", "/a?", "https://www.example.com/a"},
		{"a final dot", "https://example.com./", "https://example.com/"},
		{"an international name", "https://Bücher.example/", "https://xn--bcher-kva.example/"},
		{"a name that old rules map otherwise", "https://straße.example/", "https://xn--strae-oqa.example/"},
		{"a name with hyphens in third place", "https://r3---sn-a.example/", "https://r3---sn-a.example/"},
		{"a name with an underscore", "https://my_site.example/", "https://my_site.example/"},
		{"international paths", "/straße?q=ü", "https://www.example.com/stra%C3%9Fe?q=%C3%BC"},
		{"needless encoding", "/%7euser/%41?%62=%2f", "https://www.example.com/~user/A?b=%2F"},
		{"encoded delimiters", "/a%2fb%3fc", "https://www.example.com/a%2Fb%3Fc"},
		{"spaces and line ends", " \n/a b\t/c\r\n ", "https://www.example.com/a%20b/c"},
		{"a percent sign", "/50%-off?100%", "https://www.example.com/50%25-off?100%25"},
		{"empty segments", "/a//b///", "https://www.example.com/a//b///"},
		{"parameters of advertisements", "/a?utm_source=x&id=1&UTM_Medium=y&gclid=2&fbclid=3&msclkid=4", "https://www.example.com/a?id=1"},
		{"nothing but such parameters", "/a?utm_source=x&&gclid", "https://www.example.com/a"},
		{"parameters in an order", "/a?b=2&a=1&b=1", "https://www.example.com/a?b=2&a=1&b=1"},
		{"a parameter that only resembles", "/a?utm=1&xutm_source=2", "https://www.example.com/a?utm=1&xutm_source=2"},
		{"an IPv6 address", "http://[2606:4700:0:0::1]:80/", "http://[2606:4700::1]/"},
		{"a mapped address", "http://[::ffff:1.2.3.4]/", "http://1.2.3.4/"},
	} {
		t.Run(test.name+" has one canonical form", func(t *testing.T) {
			got, err := Normalize(base, test.href)
			if err != nil || got != test.want {
				t.Errorf("%q, %v; want %q", got, err, test.want)
			}
		})
	}
	for _, href := range []string{
		"mailto:a@example.com", "javascript:void(0)", "tel:+1", "ftp://example.com/", "http://", "http:/", "http://user@example.com/",
		"http://exa mple.com/", "http://example.com:0/", "http://example.com:65536/", "http://a\x00b/", "http://127.1/",
		"http://" + strings.Repeat("a", 5000) + ".com/", "/" + strings.Repeat("ü", 2000),
	} {
		t.Run(short(href)+" is refused", func(t *testing.T) {
			if got, err := Normalize(base, href); !fault.Is(err, fault.Invalid) {
				t.Errorf("%q, %v", got, err)
			}
		})
	}
	t.Run("a relative address needs a base", func(t *testing.T) {
		if got, err := Normalize("", "/a"); !fault.Is(err, fault.Invalid) {
			t.Errorf("%q, %v", got, err)
		}
	})
}

// checkNormal checks what every normal form must satisfy.
func checkNormal(t interface{ Fatalf(string, ...any) }, base, href string) {
	got, err := Normalize(base, href)
	if err != nil {
		if !fault.Is(err, fault.Invalid) || got != "" {
			t.Fatalf("%q at %q: %q, %v", href, base, got, err)
		}
		return
	}
	again, err := Normalize("", got)
	if err != nil || again != got {
		t.Fatalf("%q at %q: %q becomes %q, %v", href, base, got, again, err)
	}
	u, err := url.Parse(got)
	if err != nil {
		t.Fatalf("%q: %v", got, err)
	}
	if u.Scheme != "http" && u.Scheme != "https" || u.User != nil || u.Fragment != "" || u.Hostname() == "" ||
		!strings.HasPrefix(u.EscapedPath(), "/") || len(got) > maxURLBytes {
		t.Fatalf("%q at %q: %q", href, base, got)
	}
	if _, err := netip.ParseAddr(u.Hostname()); err != nil && endsInNumber(u.Hostname()) {
		t.Fatalf("%q at %q: %q is neither a name nor an address", href, base, got)
	}
	if strings.ContainsFunc(got, func(r rune) bool { return r <= ' ' || r >= 0x7f }) {
		t.Fatalf("%q is not printable ASCII", got)
	}
	for segment := range strings.SplitSeq(u.EscapedPath(), "/") {
		if segment == "." || segment == ".." {
			t.Fatalf("%q at %q: %q", href, base, got)
		}
	}
}

func FuzzNormalize(f *testing.F) {
	for _, href := range []string{"", "/a/../b?utm_x=1&a=%7e#f", "//b.example:80", "http://[::1]:8/", "HTTP://１２７.1/", "http://a%2eb/", "a:b", "/%%2e", "?&&", "http://xn--a/", "//\x80"} {
		f.Add("https://a.example/b/", href)
	}
	f.Fuzz(func(t *testing.T, base, href string) { checkNormal(t, base, href) })
}

func TestNormalizeProperties(t *testing.T) {
	part := rapid.SampledFrom([]string{
		"http:", "https:", "//", "/", "..", ".", "a", "b.example", "%2e", "%2F", "%", "%zz", "?", "&", "=", "#", "utm_a=1", ":80", ":443", ":",
		"ü", " ", "\\", "@", "[::1]", "127.0.0.1", "0x7f", "1", "*", "$", ";", "|", "\x7f", "\u00ad", "。", "１",
	})
	rapid.Check(t, func(t *rapid.T) {
		base := "https://a.example/" + strings.Join(rapid.SliceOfN(part, 0, 4).Draw(t, "base"), "")
		href := strings.Join(rapid.SliceOfN(part, 0, 10).Draw(t, "href"), "")
		checkNormal(t, base, href)
	})
}

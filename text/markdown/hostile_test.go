package markdown_test

import (
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"parley/text/markdown"
)

var goodHosts = markdown.Hosts{"good.example"}

// harmless lists all elements that may occur, with a pattern for the value of
// each attribute.
var harmless = map[string]map[string]*regexp.Regexp{
	"p": nil, "br": nil, "hr": nil, "h1": nil, "h2": nil, "h3": nil, "h4": nil, "h5": nil, "h6": nil,
	"blockquote": nil, "pre": nil, "em": nil, "strong": nil, "del": nil, "sup": nil, "sub": nil, "ul": nil, "li": nil,
	"table": nil, "thead": nil, "tbody": nil, "tr": nil,
	"code":  {"class": regexp.MustCompile(`^language-[A-Za-z0-9_+#.-]+$`)},
	"ol":    {"start": regexp.MustCompile(`^[0-9]+$`)},
	"th":    {"align": regexp.MustCompile(`^(left|center|right)$`)},
	"td":    {"align": regexp.MustCompile(`^(left|center|right)$`)},
	"input": {"type": regexp.MustCompile(`^checkbox$`), "disabled": regexp.MustCompile(`^$`), "checked": regexp.MustCompile(`^$`)},
	"a":     {"href": regexp.MustCompile(`^(https?://[^/]|mailto:)`), "rel": regexp.MustCompile(`^nofollow noopener noreferrer$`), "title": regexp.MustCompile(`.*`)},
	"img":   {"src": regexp.MustCompile(`(?i)^https://good\.example(/|$|\?|#)`), "alt": regexp.MustCompile(`(?s).*`), "title": regexp.MustCompile(`(?s).*`)},
}

// required are the attributes without which an element is not harmless.
var required = map[string][]string{"a": {"href", "rel"}, "img": {"src", "alt"}, "input": {"type", "disabled"}}

// checkHTML fails unless a browser that shows the HTML would execute nothing,
// and fetch nothing but images from good.example.
func checkHTML(t *testing.T, out string) {
	t.Helper()
	for _, fault := range faultsOfHTML(out) {
		t.Error(fault)
	}
}

func checkCharacters(t *testing.T, out string) {
	t.Helper()
	for _, fault := range faultsOfText(out) {
		t.Error(fault)
	}
}

func faultsOfHTML(out string) []string {
	body := &html.Node{Type: html.ElementNode, DataAtom: atom.Body, Data: "body"}
	nodes, err := html.ParseFragment(strings.NewReader(out), body)
	if err != nil {
		return []string{fmt.Sprintf("the HTML does not parse: %v", err)}
	}
	faults := faultsOfText(out)
	for _, root := range nodes {
		faults = append(faults, faultsOfNode(root)...)
		for n := range root.Descendants() {
			faults = append(faults, faultsOfNode(n)...)
		}
	}
	return faults
}

func faultsOfNode(n *html.Node) []string {
	switch n.Type {
	case html.TextNode:
		return nil
	case html.ElementNode:
		return faultsOfElement(n)
	}
	return []string{fmt.Sprintf("a node of type %d is in the HTML: %q", n.Type, n.Data)}
}

func faultsOfElement(n *html.Node) (faults []string) {
	allowed, known := harmless[n.Data]
	if !known || n.Namespace != "" {
		faults = append(faults, fmt.Sprintf("element %s:%s is in the HTML", n.Namespace, n.Data))
	}
	var names []string
	for _, attr := range n.Attr {
		names = append(names, attr.Key)
		if pattern := allowed[attr.Key]; pattern == nil || !pattern.MatchString(attr.Val) || attr.Namespace != "" {
			faults = append(faults, fmt.Sprintf("attribute %s=%q is on <%s>", attr.Key, attr.Val, n.Data))
		}
		if (attr.Key == "href" || attr.Key == "src") && deceptive(attr.Val) {
			faults = append(faults, fmt.Sprintf("address %q reads as another than it is", attr.Val))
		}
	}
	for _, name := range required[n.Data] {
		if !slices.Contains(names, name) {
			faults = append(faults, fmt.Sprintf("<%s> has no %s", n.Data, name))
		}
	}
	return faults
}

// deceptive reports whether an address holds characters that a browser strips
// or folds, or a name before the host.
func deceptive(address string) bool {
	u, err := url.Parse(address)
	return err != nil || u.User != nil || strings.ContainsAny(address, "\\ \t\n\r\"<>`")
}

func faultsOfText(out string) (faults []string) {
	if !utf8.ValidString(out) {
		faults = append(faults, fmt.Sprintf("output is not UTF-8: %q", out))
	}
	for _, r := range out {
		if r != '\n' && r != '\t' && unicode.IsControl(r) || strings.ContainsRune(reordering, r) {
			faults = append(faults, fmt.Sprintf("output holds %U", r))
		}
	}
	return faults
}

const reordering = "\u202A\u202B\u202C\u202D\u202E\u2066\u2067\u2068\u2069"

func hostileFiles(t testing.TB) map[string]string {
	t.Helper()
	paths, err := filepath.Glob("testdata/hostile/*.md")
	if err != nil || len(paths) == 0 {
		t.Fatalf("the hostile files are missing: %v", err)
	}
	files := map[string]string{}
	for _, path := range paths {
		content, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		files[filepath.Base(path)] = string(content)
	}
	return files
}

func TestHostileMarkdown(t *testing.T) {
	for name, written := range hostileFiles(t) {
		t.Run(name+" becomes HTML that executes and fetches nothing", func(t *testing.T) {
			checkHTML(t, markdown.Render(written, markdown.HTML, goodHosts))
		})
		t.Run(name+" does so line by line too", func(t *testing.T) {
			for line := range strings.Lines(written) {
				checkHTML(t, markdown.Render(line, markdown.HTML, goodHosts))
			}
		})
		t.Run(name+" fetches no image at all without allowed hosts", func(t *testing.T) {
			if out := markdown.Render(written, markdown.HTML, nil); strings.Contains(out, "<img") {
				t.Errorf("an image remains:\n%s", out)
			}
		})
		t.Run(name+" becomes plain text without control characters", func(t *testing.T) {
			checkCharacters(t, markdown.Render(written, markdown.PlainText, nil))
		})
		t.Run(name+" stays as it is in Markdown", func(t *testing.T) {
			if markdown.Render(written, markdown.Markdown, nil) != written {
				t.Error("the Markdown changed")
			}
		})
	}
}

func TestTheCheckerItself(t *testing.T) {
	for _, bad := range []string{
		`<script>x</script>`, `<p onclick="x">`, `<p style="x">`, `<p id="x">`, `<a href="javascript:x" rel="nofollow noopener noreferrer">x</a>`,
		`<a href="https://a.example">x</a>`, `<a href="//a.example" rel="nofollow noopener noreferrer">x</a>`, `<img src="https://evil.example/x" alt="">`,
		`<img src="https://good.example.evil.example/x" alt="">`, `<img src="https://good.example@evil.example/x" alt="">`, `<svg></svg>`, `<!-- x -->`,
		`<input type="image" disabled="">`, `<code class="x">x</code>`, "\x00", "\u202e",
	} {
		t.Run("refuses "+bad, func(t *testing.T) {
			if len(faultsOfHTML(bad)) == 0 {
				t.Errorf("the checker lets %q pass", bad)
			}
		})
	}
}

package saved_test

import (
	"bytes"
	"compress/gzip"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	nethtml "golang.org/x/net/html"

	"parley/core/knowledge"
	"parley/extract"
	"parley/extract/document"
	"parley/extract/extracttest"
	"parley/extract/html"
	"parley/internal/testinputs"
)

const (
	// documentation is where Debian's packages put their documents.
	documentation = "/usr/share/doc"
	// mostFiles and mostBytes bound what the test reads.
	mostFiles, mostBytes = 2_000, 1 << 20
)

var read = []string{".html", ".htm", ".xhtml", ".md", ".txt", ".csv", ".pdf", ".epub"}

// TestDocumentationOfDebianLosesNothing compares what the readers keep with what another
// program would show: the text itself, and the texts of a page's elements.
func TestDocumentationOfDebianLosesNothing(t *testing.T) {
	testinputs.Use()
	e := newExtractor(t)
	found := map[string]int{}
	files := 0
	err := filepath.WalkDir(documentation, func(path string, file fs.DirEntry, err error) error {
		name := strings.TrimSuffix(path, ".gz")
		extension := strings.ToLower(filepath.Ext(name))
		if err != nil || !file.Type().IsRegular() || !slices.Contains(read, extension) {
			return err
		}
		if files++; files > mostFiles {
			return fs.SkipAll
		}
		body, err := contents(path)
		if err != nil || len(body) == 0 || len(body) > mostBytes {
			return err
		}
		found[extension]++
		result, err := e.Extract(t.Context(), extract.Input{Name: filepath.Base(name), Body: body})
		if err != nil {
			t.Errorf("%s: %v", path, err)
			return nil
		}
		switch result.Kind {
		case knowledge.HTML:
			losesNothingOfPage(t, path, body)
		case knowledge.Text, knowledge.Markdown, knowledge.CSV:
			text := string(body)
			if result.Kind == knowledge.Markdown {
				text = frontMatter.ReplaceAllString(text, "")
			}
			if !utf8.Valid(body) {
				text = strings.Map(ascii, text) // whatever the others are in its encoding
			}
			if lost := extracttest.LostSigns(result.Markdown, text); lost != "" {
				t.Errorf("%s: lost %q", path, lost)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("read %v", found)
	for _, extension := range []string{".html", ".txt", ".md"} {
		if found[extension] == 0 {
			t.Errorf("%s has no %s file. This test needs Debian's packages with their documentation: in an image that leaves it out, remove what /etc/dpkg/dpkg.cfg.d excludes, and install them again.", documentation, extension)
		}
	}
}

// frontMatter is what a reader of Markdown takes for data about the document.
var frontMatter = regexp.MustCompile(`(?s)\A---\n.*?\n---\n`)

func ascii(r rune) rune {
	if r >= utf8.RuneSelf {
		return -1
	}
	return r
}

// contents are those of a file, unpacked if it is packed.
func contents(path string) ([]byte, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	var from io.Reader = file
	if strings.HasSuffix(path, ".gz") {
		if from, err = gzip.NewReader(file); err != nil {
			return nil, err
		}
	}
	return io.ReadAll(io.LimitReader(from, mostBytes+1))
}

// addresses are of links, whose letters are not a page's text.
var addresses = regexp.MustCompile(`\]\(<?https?://(?:[^()\s\\]|\\.|\([^()\s]*\))*\)`)

// losesNothingOfPage reads a page as a chapter, which shares all with a page but the choice
// of its main text: what surrounds that is left out on purpose.
func losesNothingOfPage(t *testing.T, path string, body []byte) {
	t.Helper()
	root, err := nethtml.Parse(bytes.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	if !utf8.Valid(body) {
		return // another decoder would have to guess, too
	}
	var whole, onLine strings.Builder
	visible(&whole, root, nil)
	visible(&onLine, root, []string{"sup", "sub"})
	_, chapter, err := html.Chapter(body, new(document.Notes))
	if err != nil {
		t.Errorf("%s: %v", path, err)
		return
	}
	chapter = addresses.ReplaceAllString(chapter, "]")
	if lost := extracttest.LostWords(chapter, []string{onLine.String()}); len(lost) > 0 {
		t.Errorf("%s: lost the words %q", path, lost)
	}
	if lost := extracttest.LostSigns(chapter, whole.String()); lost != "" {
		t.Errorf("%s: lost %q", path, lost)
	}
}

// inline are elements around which words go on.
var inline = []string{
	"a", "abbr", "acronym", "b", "bdi", "bdo", "big", "cite", "code", "del", "dfn", "em", "font", "i", "ins", "kbd", "mark", "q", "s", "samp", "small", "span", "strike", "strong", "sub", "sup", "tt", "u", "var", "wbr",
}

// visible writes the text of a page without some elements, and without what the reader leaves
// out on purpose: elements that show no text, navigation, and the numbers of notes.
func visible(b *strings.Builder, n *nethtml.Node, without []string) {
	if n.Type == nethtml.TextNode {
		b.WriteString(n.Data)
		return
	}
	if n.Type == nethtml.ElementNode && (leftOut(n) || slices.Contains(without, n.Data)) {
		return
	}
	apart := n.Type == nethtml.ElementNode && !slices.Contains(inline, n.Data)
	if apart {
		b.WriteByte('\n')
	}
	for c := range n.ChildNodes() {
		visible(b, c, without)
	}
	if apart {
		b.WriteByte('\n')
	}
}

func leftOut(n *nethtml.Node) bool {
	switch n.Data {
	case "head", "script", "style", "template", "noscript", "nav", "button", "select", "textarea", "svg", "iframe", "object":
		return true
	case "a":
		text := strings.TrimSpace(textOf(n))
		note := n.Parent.Data == "sup" || n.FirstChild != nil && n.FirstChild.Data == "sup"
		return strings.EqualFold(text, "top") || note && strings.HasPrefix(hrefOf(n), "#")
	}
	return false
}

func textOf(n *nethtml.Node) string {
	var b strings.Builder
	for d := range n.Descendants() {
		if d.Type == nethtml.TextNode {
			b.WriteString(d.Data)
		}
	}
	return b.String()
}

func hrefOf(n *nethtml.Node) string {
	for _, a := range n.Attr {
		if a.Key == "href" {
			return a.Val
		}
	}
	return ""
}

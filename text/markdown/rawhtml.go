package markdown

import (
	"bytes"
	"io"
	"regexp"
	"strings"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
	"golang.org/x/net/html"
)

// elements are HTML's, but for those of alone. What else stands in angle brackets is text:
// <your-domain>, List<String>.
var elements = setOf(`a abbr address applet area article aside audio b base basefont bdi bdo big blink blockquote body button canvas
	caption center cite code col colgroup data datalist dd del details dfn dialog dir dl dt em embed fieldset figcaption figure font footer
	form frame frameset h1 h2 h3 h4 h5 h6 head header hgroup html i iframe ins kbd label legend link main map mark marquee math menu meta meter
	nav noembed noframes noscript object ol optgroup option output param picture pre progress q rp rt ruby s samp script search section select
	slot small source span strike strong style sub summary sup svg table tbody template textarea tfoot thead time title track tt u ul var video`)

// alone are elements that stand without an end.
var alone = setOf(`br div hr img input li p td th tr wbr`)

// unseen are elements whose content no reader sees.
var unseen = setOf(`frameset iframe noembed noframes noscript object script style template`)

func setOf(words string) map[string]bool {
	all := map[string]bool{}
	for _, word := range strings.Fields(words) {
		all[word] = true
	}
	return all
}

// tagPairs tell a tag from a word in angle brackets that is the name of an element by
// chance, as in "the <title> of your page": a tag has a counterpart.
type tagPairs struct {
	first map[string]int // where an element is opened first
	last  map[string]int // where it is closed last
	// comment is where the last comment ends, or -1.
	comment int
}

var (
	tagPairsKey = parser.NewContextKey()
	tagName     = regexp.MustCompile(`</?([A-Za-z][A-Za-z0-9-]*)`)
)

func pairsOf(source []byte) tagPairs {
	pairs := tagPairs{map[string]int{}, map[string]int{}, bytes.LastIndex(source, []byte("-->"))}
	if bytes.IndexByte(source, '<') < 0 {
		return pairs
	}
	for _, at := range tagName.FindAllSubmatchIndex(source, -1) {
		name := strings.ToLower(string(source[at[2]:at[3]]))
		switch _, opened := pairs.first[name]; {
		case source[at[0]+1] == '/':
			pairs.last[name] = at[0]
		case !opened:
			pairs.first[name] = at[0]
		}
	}
	return pairs
}

// marks reports whether what begins at an offset with "<" is markup: a tag, or a comment.
func (p tagPairs) marks(source []byte, at int) bool {
	found := tagName.FindSubmatchIndex(source[at:min(len(source), at+maxTagName)])
	if found == nil || found[0] != 0 {
		return bytes.HasPrefix(source[at:], []byte("<!--")) && p.comment > at
	}
	name := strings.ToLower(string(source[at+found[2] : at+found[3]]))
	if alone[name] {
		return true
	}
	if !elements[name] {
		return false
	}
	if source[at+1] == '/' {
		first, opened := p.first[name]
		return opened && first < at
	}
	return p.last[name] > at
}

// maxTagName is more than the name of any element has, with what stands before it.
const maxTagName = 24

// inlineTags finds the tags within a paragraph.
type inlineTags struct{ parser.InlineParser }

func (t inlineTags) Parse(parent ast.Node, block text.Reader, pc parser.Context) ast.Node {
	_, segment := block.PeekLine()
	if !pc.Get(tagPairsKey).(tagPairs).marks(block.Source(), segment.Start) {
		return nil
	}
	return t.InlineParser.Parse(parent, block, pc)
}

// tagBlocks finds the blocks that begin with a tag.
type tagBlocks struct{ parser.BlockParser }

func (t tagBlocks) Open(parent ast.Node, reader text.Reader, pc parser.Context) (ast.Node, parser.State) {
	line, segment := reader.PeekLine()
	at := bytes.IndexByte(line, '<')
	if at < 0 || !pc.Get(tagPairsKey).(tagPairs).marks(reader.Source(), segment.Start+at) {
		return nil, parser.NoChildren
	}
	return t.BlockParser.Open(parent, reader, pc)
}

var startsLine = regexp.MustCompile(`(?i)^<(br|p|div|li|tr|hr)\b`)

// breaksLine reports whether a tag inside a paragraph starts a new line.
func breaksLine(tag *ast.RawHTML, source []byte) bool {
	return startsLine.Match(tag.Segments.Value(source))
}

// textOfHTML is the text between the tags of a block of HTML.
func textOfHTML(block *ast.HTMLBlock, source []byte) string {
	raw := block.Lines().Value(source)
	if block.HasClosure() {
		raw = append(raw, block.ClosureLine.Value(source)...)
	}
	var lines []string
	for line := range strings.Lines(withoutTags(raw)) {
		if words := strings.Fields(line); len(words) > 0 {
			lines = append(lines, strings.Join(words, " "))
		}
	}
	return strings.Join(lines, "\n")
}

func withoutTags(raw []byte) string {
	tokens := html.NewTokenizer(bytes.NewReader(raw))
	var out strings.Builder
	within := "" // an element that nobody sees
	for at := 0; ; {
		kind := tokens.Next()
		if kind == html.ErrorToken {
			if tokens.Err() != io.EOF {
				out.Write(raw[min(at, len(raw)):])
			}
			return out.String()
		}
		written := tokens.Raw()
		from := at
		at += len(written)
		switch kind {
		case html.TextToken:
			if within == "" {
				out.WriteString(html.UnescapeString(string(written)))
			}
		case html.StartTagToken, html.EndTagToken, html.SelfClosingTagToken:
			name, _ := tokens.TagName()
			switch element := string(name); {
			case within != "":
				if kind == html.EndTagToken && element == within {
					within = ""
				}
			case !elements[element] && !alone[element]:
				out.Write(raw[from:at])
			case kind == html.StartTagToken && unseen[element]:
				within = element
			case element == "img":
				out.WriteString(" " + altOf(raw[from:at]) + " ")
			case startsLine.Match(raw[from:at]):
				out.WriteByte('\n')
			default:
				out.WriteByte(' ')
			}
		}
	}
}

// altOf is the text that stands for the picture of a tag, if it is one.
func altOf(tag []byte) string {
	tokens := html.NewTokenizer(bytes.NewReader(tag))
	tokens.Next()
	name, more := tokens.TagName()
	for is := string(name) == "img"; is && more; {
		var key, value []byte
		if key, value, more = tokens.TagAttr(); string(key) == "alt" {
			return strings.Join(strings.Fields(string(value)), " ")
		}
	}
	return ""
}

package split

import (
	"strings"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"

	blocks "parley/text/block"
)

var inlineParser = goldmark.New(goldmark.WithExtensions(extension.GFM)).Parser()

// headingBlock returns a heading with the line under it that makes a setext
// heading one. Beyond maxHeading bytes it is prose.
func headingBlock(src string, node *ast.Heading, offset, start, limit int) block {
	lines := node.Lines()
	first := lineEnd(src, min(start+1, limit))
	if lines.Len() == 0 {
		return block{start: start, end: first, shape: heading, level: node.Level}
	}
	end := min(lineEnd(src, offset+lines.At(lines.Len()-1).Stop), limit)
	end = max(end, first)
	if !blocks.IsATX(src[start:first]) && end < limit {
		end = lineEnd(src, end+1)
	}
	if end-start > maxHeading {
		return block{start: start, end: end}
	}
	var source strings.Builder
	for i := range lines.Len() {
		source.WriteString(src[offset+lines.At(i).Start : offset+lines.At(i).Stop])
		source.WriteByte('\n')
	}
	return block{start: start, end: end, shape: heading, level: node.Level, title: plainText(source.String())}
}

// plainText renders the Markdown of a heading as plain text.
func plainText(source string) string {
	if !strings.ContainsAny(source, "\\`*_[]<>&~!:@.") {
		return strings.Join(strings.Fields(source), " ")
	}
	raw := []byte(strings.TrimSpace(source))
	var b strings.Builder
	// A heading is at most maxHeading bytes, so the recursion is shallow.
	_ = ast.Walk(inlineParser.Parse(text.NewReader(raw)), func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if entering {
			writePlain(&b, n, raw)
		}
		return ast.WalkContinue, nil
	})
	words := strings.Join(strings.Fields(b.String()), " ")
	if words == "" {
		return strings.Join(strings.Fields(source), " ")
	}
	return words
}

func writePlain(b *strings.Builder, node ast.Node, raw []byte) {
	switch node := node.(type) {
	case *ast.Text:
		value := node.Segment.Value(raw)
		if !node.IsRaw() && node.Parent().Kind() != ast.KindCodeSpan {
			value = util.ResolveEntityNames(util.ResolveNumericReferences(util.UnescapePunctuations(value)))
		}
		b.Write(value)
		if node.SoftLineBreak() || node.HardLineBreak() {
			b.WriteByte(' ')
		}
	case *ast.String:
		b.Write(node.Value)
	case *ast.AutoLink:
		b.Write(node.Label(raw))
	case *ast.RawHTML:
		if tag := string(node.Segments.Value(raw)); !isMarkup(tag) {
			b.WriteString(tag)
		}
	}
}

// isMarkup reports whether what Markdown takes for a tag is one of HTML, or a
// comment. Others are words: "Vec<T>", "GET /users/<id>".
func isMarkup(tag string) bool {
	name := strings.TrimLeft(tag, "</")
	end := strings.IndexFunc(name, func(r rune) bool {
		return (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && (r < '0' || r > '9')
	})
	return end <= 0 || strings.Contains(htmlTags, " "+strings.ToLower(name[:end])+" ")
}

// htmlTags are those that stand in headings, within a line.
const htmlTags = " a abbr acronym b bdi bdo big blink br button center cite code data del dfn div em font h1 h2 h3 h4 h5 h6 hr i iframe img input ins " +
	"kbd label mark math nobr object p picture pre q rp rt ruby s samp script select small source span strike strong style sub sup svg time tt u var video wbr "

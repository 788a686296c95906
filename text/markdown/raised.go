package markdown

import (
	"strings"

	"github.com/yuin/goldmark/ast"

	"parley/text/raised"
)

// writeRaised writes a superscript or subscript that begins with a tag, and returns the tag
// with which it ends: nil if none begins there.
func writeRaised(out *strings.Builder, tag *ast.RawHTML, source []byte) ast.Node {
	text, end := raisedText(tag, "sup", source)
	if end == nil {
		if text, end = raisedText(tag, "sub", source); end != nil {
			out.WriteString(raised.Sub(text))
		}
		return end
	}
	if denominator, last := denominatorAfter(end, source); last != nil {
		out.WriteString(raised.Fraction(tail(out), text, denominator))
		return last
	}
	out.WriteString(raised.Super(tail(out), text))
	return end
}

// raisedText is what stands between a tag and its end, if it is of an element.
func raisedText(tag ast.Node, element string, source []byte) (text string, end ast.Node) {
	if !isTag(tag, "<"+element+">", source) {
		return "", nil
	}
	var inside strings.Builder
	for n := tag.NextSibling(); n != nil; n = n.NextSibling() {
		switch n := n.(type) {
		case *ast.RawHTML:
			if isTag(n, "</"+element+">", source) {
				return inside.String(), n
			}
			return "", nil
		case *ast.Text:
			writeText(&inside, n, source)
		default:
			writeInline(&inside, n, source)
		}
	}
	return "", nil
}

// denominatorAfter is a subscript that stands behind a stroke, as in ³/₄.
func denominatorAfter(end ast.Node, source []byte) (text string, last ast.Node) {
	stroke, ok := end.NextSibling().(*ast.Text)
	if !ok || stroke.NextSibling() == nil {
		return "", nil
	}
	if sign := string(stroke.Segment.Value(source)); sign != "/" && sign != "⁄" {
		return "", nil
	}
	return raisedText(stroke.NextSibling(), "sub", source)
}

func isTag(n ast.Node, written string, source []byte) bool {
	tag, ok := n.(*ast.RawHTML)
	return ok && strings.EqualFold(string(tag.Segments.Value(source)), written)
}

// tail is the end of what is written, as far as it matters for what follows.
func tail(out *strings.Builder) string {
	text := out.String()
	return text[max(0, len(text)-4):]
}

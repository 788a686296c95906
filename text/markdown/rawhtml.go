package markdown

import (
	"bytes"
	"html"
	"regexp"
	"strings"

	"github.com/microcosm-cc/bluemonday"
	"github.com/yuin/goldmark/ast"
)

var (
	startsLine = regexp.MustCompile(`(?i)^<(br|p|div|li|tr|hr)\b`)
	noTags     = bluemonday.StrictPolicy().AddSpaceWhenStrippingTag(true)
)

// breaksLine reports whether a tag inside a paragraph starts a new line.
func breaksLine(tag *ast.RawHTML, source []byte) bool {
	return startsLine.Match(tag.Segments.Value(source))
}

// textOfHTML is the text between the tags of a block of HTML. What stands
// inside a script or a style sheet is not text.
func textOfHTML(block *ast.HTMLBlock, source []byte) string {
	var raw bytes.Buffer
	raw.Write(block.Lines().Value(source))
	if block.HasClosure() {
		raw.Write(block.ClosureLine.Value(source))
	}
	var lines []string
	for line := range strings.Lines(html.UnescapeString(noTags.SanitizeReader(&raw).String())) {
		if words := strings.Fields(line); len(words) > 0 {
			lines = append(lines, strings.Join(words, " "))
		}
	}
	return strings.Join(lines, "\n")
}

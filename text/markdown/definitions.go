package markdown

import (
	"regexp"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
)

var (
	// definition matches the definition of a link up to where it leads.
	definition = regexp.MustCompile(`(?m)^ {0,3}\[(?:[^\[\]\\]|\\.){1,999}\]:[ \t]*\n?[ \t]*<?(\S*)`)
	// address matches what a definition may lead to.
	address = regexp.MustCompile(`^(?i:https?://|mailto:|tel:|www\.|[/#?.]|[a-z0-9-]+(?:\.[a-z0-9-]+)*\.[a-z]{2,}(?:[:/?#>]|$)|[\w-]+/)`)
)

// linkDefinitions leaves a paragraph alone that only looks like the definition of a link, which
// is not shown: "[Price]: $5" leads to no address.
type linkDefinitions struct{ parser.ParagraphTransformer }

func (d linkDefinitions) Transform(node *ast.Paragraph, r text.Reader, pc parser.Context) {
	for _, found := range definition.FindAllSubmatch(node.Lines().Value(r.Source()), -1) {
		if !address.Match(found[1]) {
			return
		}
	}
	d.ParagraphTransformer.Transform(node, r, pc)
}

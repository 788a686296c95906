package markdown

import (
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"
)

var markdownParser = newParser()

// parse returns the tree of an answer, or nil if it exceeds the limits.
func parse(source []byte) ast.Node {
	if len(source) > maxSource {
		return nil
	}
	s := &spending{}
	pc := parser.NewContext()
	pc.Set(spendingKey, s)
	pc.Set(tagPairsKey, pairsOf(source))
	doc := markdownParser.Parse(text.NewReader(source), parser.WithContext(pc))
	if s.exceeded || !withinLimits(doc) {
		return nil
	}
	return doc
}

// newParser is goldmark's parser for GitHub's Markdown, every part that could
// take more than its share of work within the limits.
func newParser() parser.Parser {
	return parser.NewParser(
		parser.WithBlockParsers(
			util.Prioritized(parser.NewSetextHeadingParser(), 100),
			util.Prioritized(parser.NewThematicBreakParser(), 200),
			util.Prioritized(limitedContainer{parser.NewListParser()}, 300),
			util.Prioritized(numberedItems{parser.NewListItemParser()}, 400),
			util.Prioritized(parser.NewCodeBlockParser(), 500),
			util.Prioritized(parser.NewATXHeadingParser(), 600),
			util.Prioritized(parser.NewFencedCodeBlockParser(), 700),
			util.Prioritized(limitedContainer{parser.NewBlockquoteParser()}, 800),
			util.Prioritized(tagBlocks{parser.NewHTMLBlockParser()}, 900),
			util.Prioritized(parser.NewParagraphParser(), 1000),
		),
		parser.WithInlineParsers(
			util.Prioritized(limitedInline{InlineParser: extension.NewTaskCheckBoxParser(), free: true}, 0),
			util.Prioritized(limitedInline{InlineParser: parser.NewCodeSpanParser()}, 100),
			util.Prioritized(limitedInline{InlineParser: formula{}}, 150),
			util.Prioritized(limitedInline{InlineParser: parser.NewLinkParser()}, 200),
			util.Prioritized(limitedInline{InlineParser: parser.NewAutoLinkParser()}, 300),
			util.Prioritized(limitedInline{InlineParser: inlineTags{parser.NewRawHTMLParser()}}, 400),
			util.Prioritized(limitedInline{InlineParser: emphasis{parser.NewEmphasisParser()}}, 500),
			util.Prioritized(limitedInline{InlineParser: strikethrough{extension.NewStrikethroughParser()}}, 500),
			util.Prioritized(limitedInline{InlineParser: extension.NewLinkifyParser(), free: true}, 999),
		),
		parser.WithParagraphTransformers(
			util.Prioritized(limitedDefinitions{linkDefinitions{parser.LinkReferenceParagraphTransformer}}, 100),
			util.Prioritized(limitedTables{extension.NewTableParagraphTransformer()}, 200),
		),
		parser.WithASTTransformers(
			util.Prioritized(extension.NewTableASTTransformer(), 0),
		),
	)
}

package markdown

import (
	"bytes"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
)

// Markdown can be written so that parsing it takes the square of its length, or
// so that its output does. These limits are far above what anyone would read,
// and keep both in proportion.
const (
	// maxSource is the longest answer that is parsed, in bytes.
	maxSource = 256 << 10
	// maxDepth is how deep blocks and the markup in them may be nested. One
	// level of a list takes two.
	maxDepth = 50
	// maxLookahead bounds the sum, over all characters that may start or end
	// markup, of the bytes of the block they stand in: that far the parser may
	// look for their counterpart.
	maxLookahead = 16 << 20
	// maxDefinitions is how many link definitions may follow one another.
	maxDefinitions = 500
	// maxTables bounds the sum, over all tables, of rows times bytes of the
	// header: each row gets all columns, in plain text with their headings.
	maxTables = 256 << 10
	// maxTargets bounds the addresses and titles of all links together: one
	// definition can be used by many.
	maxTargets = 256 << 10
)

// spending is what parsing one answer has taken so far.
type spending struct {
	block     ast.Node
	length    int // of block
	lookahead int
	tables    int
	exceeded  bool
}

var spendingKey = parser.NewContextKey()

func spent(pc parser.Context) *spending { return pc.Get(spendingKey).(*spending) }

func (s *spending) marker(block ast.Node) {
	if s.block != block {
		s.block, s.length = block, 0
		for i := range block.Lines().Len() {
			line := block.Lines().At(i)
			s.length += line.Len()
		}
	}
	s.lookahead += s.length
	s.exceeded = s.exceeded || s.lookahead > maxLookahead
}

func (s *spending) table(rows, width int) {
	s.tables += rows * width
	s.exceeded = s.exceeded || s.tables > maxTables
}

// limitedContainer opens no block deeper than maxDepth.
type limitedContainer struct{ parser.BlockParser }

func (l limitedContainer) Open(parent ast.Node, r text.Reader, pc parser.Context) (ast.Node, parser.State) {
	if depth(parent) >= maxDepth {
		spent(pc).exceeded = true
		return nil, parser.NoChildren
	}
	return l.BlockParser.Open(parent, r, pc)
}

func depth(n ast.Node) int {
	d := 0
	for ; n != nil; n = n.Parent() {
		d++
	}
	return d
}

// limitedInline tries no markup once a limit is exceeded.
type limitedInline struct {
	parser.InlineParser
	// free says that trying costs next to nothing, and is not counted.
	free bool
}

func (l limitedInline) Parse(parent ast.Node, block text.Reader, pc parser.Context) ast.Node {
	s := spent(pc)
	if !l.free {
		s.marker(parent)
	}
	if s.exceeded {
		return nil
	}
	return l.InlineParser.Parse(parent, block, pc)
}

// CloseBlock passes on the end of a block, which links need to know.
func (l limitedInline) CloseBlock(parent ast.Node, block text.Reader, pc parser.Context) {
	if inner, ok := l.InlineParser.(parser.CloseBlocker); ok {
		inner.CloseBlock(parent, block, pc)
	}
}

// limitedDefinitions leaves a paragraph alone that has too many link definitions.
type limitedDefinitions struct{ parser.ParagraphTransformer }

func (l limitedDefinitions) Transform(node *ast.Paragraph, r text.Reader, pc parser.Context) {
	definitions := 0
	for i := range node.Lines().Len() {
		line := node.Lines().At(i)
		if bytes.Contains(line.Value(r.Source()), []byte("]:")) {
			definitions++
		}
	}
	if definitions > maxDefinitions {
		spent(pc).exceeded = true
		return
	}
	l.ParagraphTransformer.Transform(node, r, pc)
}

// limitedTables leaves a paragraph alone that would make too large a table.
type limitedTables struct{ parser.ParagraphTransformer }

func (l limitedTables) Transform(node *ast.Paragraph, r text.Reader, pc parser.Context) {
	lines := node.Lines()
	for i := 1; i < lines.Len(); i++ {
		head, rule := lines.At(i-1), lines.At(i)
		if len(bytes.Trim(rule.Value(r.Source()), " \t\n|:-")) > 0 {
			continue
		}
		spent(pc).table(lines.Len()-i-1, max(head.Len(), rule.Len()))
	}
	if spent(pc).exceeded {
		return
	}
	l.ParagraphTransformer.Transform(node, r, pc)
}

// withinLimits reports whether a parsed answer is shallow enough to be walked
// and its links short enough to be written.
func withinLimits(doc ast.Node) bool {
	depth, targets := 0, 0
	err := ast.Walk(doc, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if !entering {
			depth--
			return ast.WalkContinue, nil
		}
		depth++
		switch n := n.(type) {
		case *ast.Link:
			targets += len(n.Destination) + len(n.Title)
		case *ast.Image:
			targets += len(n.Destination) + len(n.Title)
		}
		if depth > maxDepth+2 || targets > maxTargets {
			return ast.WalkStop, nil
		}
		return ast.WalkContinue, nil
	})
	return err == nil && depth == 0
}

package split

import (
	"strings"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"
)

// shape says how a block is cut when it alone is too long.
type shape int

const (
	prose shape = iota
	table
	code
	heading
)

// block is a stretch of the source: src[start:end]. Blocks adjoin, so that
// whatever a parser makes of the source no text is lost between them.
type block struct {
	start, end int
	// tokens is filled in by measure.
	tokens int
	shape  shape
	// level and title are the heading's, if the block is one.
	level int
	title string
	// inner are the blocks in a list item or quote, for when it is too long.
	inner []block
}

const (
	// window is how much is parsed at once. It bounds the memory that the
	// tree of a large document takes.
	window = 64 << 10
	// maxWindow bounds the parsing of one block that has no end.
	maxWindow = 1 << 20
	// maxHeading is the length of a heading, in bytes. What is longer is
	// prose: it would be repeated with every passage below it.
	maxHeading = 300
)

// blockParser reads blocks only. Inline parsing is not needed, and neither are
// goldmark's tables: their trees hold a cell for each column in each row
// however short the row, which hostile input turns into gigabytes.
var blockParser = parser.NewParser(parser.WithBlockParsers(
	util.Prioritized(parser.NewSetextHeadingParser(), 100),
	util.Prioritized(parser.NewThematicBreakParser(), 200),
	util.Prioritized(parser.NewListParser(), 300),
	util.Prioritized(parser.NewListItemParser(), 400),
	util.Prioritized(parser.NewCodeBlockParser(), 500),
	util.Prioritized(parser.NewATXHeadingParser(), 600),
	util.Prioritized(parser.NewFencedCodeBlockParser(), 700),
	util.Prioritized(parser.NewBlockquoteParser(), 800),
	util.Prioritized(parser.NewHTMLBlockParser(), 900),
	util.Prioritized(parser.NewParagraphParser(), 1000),
))

// scan returns the blocks of a Markdown source.
//
// It stops when it has counted too many. It parses a window at a time and goes on at the last block found, which the end of the
// window may have cut. Between top-level blocks the parser has no state, so it finds the
// same blocks as in the whole document at once.
func (s *splitter) scan() []block {
	src, headings := s.src, 0
	start := frontMatter(src)
	var blocks []block
	if start > 0 {
		blocks = append(blocks, block{end: start})
	}
	size := window
	for start < len(src) {
		end := lineEnd(src, min(start+size, len(src)))
		found, last := parse(src, start, end)
		if end < len(src) && last <= start && size < maxWindow {
			size *= 2
			continue
		}
		next := end
		if end < len(src) && last > start {
			for len(found) > 0 && found[len(found)-1].start >= last {
				found = found[:len(found)-1]
			}
			next = last
		}
		blocks, start, size = append(blocks, found...), next, window
		headings += countHeadings(found)
		if headings > s.most.Headings {
			s.tooMany = &TooMany{"heading", s.most.Headings}
			return nil
		}
		if len(blocks) > s.most.Blocks {
			s.tooMany = &TooMany{"paragraph", s.most.Blocks}
			return nil
		}
	}
	return blocks
}

func countHeadings(blocks []block) (n int) {
	for i := range blocks {
		if blocks[i].shape == heading {
			n++
		}
	}
	return n
}

// measure fills in the tokens of blocks, and where the blocks in them end. All
// text is counted once: a container has the tokens of what is in it.
func (s *splitter) measure(blocks []block) (tokens int) {
	for i := range blocks {
		b := &blocks[i]
		if len(b.inner) == 0 {
			b.tokens = s.size(s.src[b.start:b.end])
		} else {
			for i := range b.inner[1:] {
				b.inner[i].end = b.inner[i+1].start
			}
			b.inner[len(b.inner)-1].end = b.end
			b.tokens = s.measure(b.inner)
		}
		tokens += b.tokens
	}
	return tokens
}

// parse returns the blocks of src[from:to], and where the last of the top
// level starts.
func parse(src string, from, to int) (blocks []block, last int) {
	source := []byte(src[from:to])
	root := blockParser.Parse(text.NewReader(source))
	at := from
	for node := root.FirstChild(); node != nil; node = node.NextSibling() {
		start, ok := lineOf(src, node, from)
		if !ok || start < at {
			continue
		}
		blocks = extend(blocks, at, start)
		blocks = append(blocks, readNode(src, node, from, start, to)...)
		at, last = blocks[len(blocks)-1].end, start
	}
	return extend(blocks, at, to), last
}

// extend gives src[from:to] to the last block, or to a new one behind a
// heading, which ends with its line.
func extend(blocks []block, from, to int) []block {
	if from >= to {
		return blocks
	}
	if n := len(blocks); n > 0 && blocks[n-1].shape != heading {
		blocks[n-1].end = to
		return blocks
	}
	return append(blocks, block{start: from, end: to})
}

// readNode returns the blocks of one node. Only a heading's end is final; the
// others reach as far as the next block starts.
func readNode(src string, node ast.Node, offset, start, limit int) []block {
	switch node := node.(type) {
	case *ast.Heading:
		return []block{headingBlock(src, node, offset, start, limit)}
	case *ast.FencedCodeBlock:
		return []block{{start: start, end: start, shape: code}}
	case *ast.Paragraph, *ast.TextBlock:
		return paragraphBlocks(src, node, offset, start)
	case *ast.List:
		return itemBlocks(src, node, offset, start)
	case *ast.Blockquote:
		return []block{{start: start, end: start, inner: innerBlocks(src, node, offset, start)}}
	}
	return []block{{start: start, end: start}}
}

func itemBlocks(src string, list *ast.List, offset, start int) []block {
	blocks := []block{{start: start, end: start}}
	for item := list.FirstChild(); item != nil; item = item.NextSibling() {
		at, ok := lineOf(src, item, offset)
		if !ok || at < start {
			continue
		}
		last := &blocks[len(blocks)-1]
		if at > last.start {
			last.end = at
			blocks = append(blocks, block{start: at, end: at})
			last = &blocks[len(blocks)-1]
		}
		if last.inner == nil {
			last.inner = innerBlocks(src, item, offset, at)
		}
	}
	return blocks
}

// innerBlocks returns the blocks in a list item or quote that starts at start,
// or nil if it is one paragraph. Headings in it are prose.
func innerBlocks(src string, container ast.Node, offset, start int) []block {
	var inner []block
	for node := container.FirstChild(); node != nil; node = node.NextSibling() {
		at, ok := lineOf(src, node, offset)
		if !ok || at < next(inner, start) {
			continue
		}
		if len(inner) == 0 {
			at = start
		}
		if node.Kind() == ast.KindHeading {
			inner = append(inner, block{start: at, end: at})
			continue
		}
		inner = append(inner, readNode(src, node, offset, at, at)...)
	}
	if len(inner) == 1 && inner[0].shape == prose && inner[0].inner == nil {
		return nil
	}
	return inner
}

// next returns where a block behind the given ones may start: on a later line
// than the last of them, or at start if there are none.
func next(blocks []block, start int) int {
	if len(blocks) == 0 {
		return start
	}
	return blocks[len(blocks)-1].start + 1
}

// lineOf returns the start of the line that a node starts on.
func lineOf(src string, node ast.Node, offset int) (int, bool) {
	pos := node.Pos()
	if pos < 0 || offset+pos > len(src) {
		return 0, false
	}
	return max(offset, strings.LastIndexByte(src[:offset+pos], '\n')+1), true
}

// lineEnd returns where the line that holds position at-1 ends, its line feed
// included.
func lineEnd(src string, at int) int {
	if at == 0 || at >= len(src) || src[at-1] == '\n' {
		return at
	}
	if i := strings.IndexByte(src[at:], '\n'); i >= 0 {
		return at + i + 1
	}
	return len(src)
}

package split

import (
	"strings"

	"github.com/yuin/goldmark/ast"

	blocks "parley/text/block"
)

// paragraphBlocks returns a paragraph, or the prose before a table and the
// table. A GFM table is lines of a paragraph of which one is a delimiter row
// with as many cells as the line above it (GFM 0.29, section 4.10).
func paragraphBlocks(src string, node ast.Node, offset, start int) []block {
	lines := node.Lines()
	for i := 1; i < lines.Len(); i++ {
		seg := lines.At(i)
		delimiter := src[offset+seg.Start : offset+seg.Stop]
		if !blocks.IsDelimiter(delimiter) {
			continue
		}
		seg = lines.At(i - 1)
		if cells(src[offset+seg.Start:offset+seg.Stop]) != cells(delimiter) {
			return []block{{start: start, end: start}}
		}
		at := strings.LastIndexByte(src[:offset+seg.Start], '\n') + 1
		if at <= start {
			return []block{{start: start, end: start, shape: table}}
		}
		return []block{{start: start, end: at}, {start: at, end: at, shape: table}}
	}
	return []block{{start: start, end: start}}
}

// cells counts the cells of a table row.
func cells(line string) int {
	line = strings.TrimSpace(line)
	line = strings.TrimPrefix(line, "|")
	if strings.HasSuffix(line, "|") && !strings.HasSuffix(line, `\|`) {
		line = line[:len(line)-1]
	}
	return 1 + strings.Count(line, "|") - strings.Count(line, `\|`)
}

package split

import (
	"strings"
)

// maxDepth is how deep lists and quotes may nest, and leading columns count
// two to a level. A parser's time grows with depth times lines.
const maxDepth = 32

// tooDeep reports whether the source opens containers deeper than anybody
// writes. Such a source is read as text.
func tooDeep(src string) bool {
	for line := range strings.Lines(src) {
		if depth(line) > maxDepth {
			return true
		}
	}
	return false
}

// depth bounds how deep the containers that a line opens can be: half of the
// columns in front of them, and the markers. Without a marker it is zero.
func depth(line string) int {
	columns, markers, bound := 0, 0, 0
	for i := 0; i < len(line); i++ {
		switch c := line[i]; {
		case c == ' ':
			columns++
		case c == '\t':
			columns += 4
		case c == '>' || opensItem(line, i):
			markers++
			bound = markers + columns/2
		case c >= '0' && c <= '9':
		default:
			return bound
		}
	}
	return bound
}

// opensItem reports whether the byte is the end of a list marker.
func opensItem(line string, i int) bool {
	switch line[i] {
	case '-', '+', '*':
	case '.', ')':
		if i == 0 || line[i-1] < '0' || line[i-1] > '9' {
			return false
		}
	default:
		return false
	}
	return i+1 == len(line) || strings.IndexByte(" \t\r\n", line[i+1]) >= 0
}

// textBlocks returns the paragraphs of src[from:to]: what blank lines part.
func (s *splitter) textBlocks(from, to int) []block {
	src := s.src
	var blocks []block
	start, at, blank := from, from, false
	for line := range strings.Lines(src[from:to]) {
		isBlank := strings.TrimSpace(line) == ""
		if blank && !isBlank {
			if len(blocks) >= s.most.Blocks {
				s.tooMany = &TooMany{"paragraph", s.most.Blocks}
				return nil
			}
			blocks = append(blocks, block{start: start, end: at})
			start = at
		}
		blank = isBlank
		at += len(line)
	}
	if start < to {
		blocks = append(blocks, block{start: start, end: to})
	}
	return blocks
}

// frontMatter returns the length of the YAML header that many tools put at the
// top of a file, or zero. Markdown would read it as a heading.
func frontMatter(src string) int {
	at, count := 0, 0
	for line := range strings.Lines(src) {
		at += len(line)
		fence := strings.TrimRight(line, " \t\r\n") == "---"
		if count == 0 && !fence || count > 100 {
			return 0
		}
		if count > 0 && fence {
			return at
		}
		count++
	}
	return 0
}

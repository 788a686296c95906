package markdown

import (
	"bytes"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
)

// formula keeps a formula in LaTeX as it is written, with the signs around it: \( … \),
// \[ … \], $$ … $$ or $ … $ on one line. Brackets that are escaped and dollars of prices
// are no formula.
type formula struct{}

// Trigger is where a formula may begin.
func (formula) Trigger() []byte { return []byte{'\\', '$'} }

// Parse returns a formula as text in which nothing is markup.
func (formula) Parse(_ ast.Node, block text.Reader, _ parser.Context) ast.Node {
	line, segment := block.PeekLine()
	length := formulaLength(line)
	if length == 0 {
		return nil
	}
	block.Advance(length)
	return ast.NewRawTextSegment(segment.WithStop(segment.Start + length))
}

// formulaLength is how long the formula is with which a line begins, or zero.
func formulaLength(line []byte) int {
	for _, signs := range []struct{ open, end string }{{`\(`, `\)`}, {`\[`, `\]`}, {"$$", "$$"}, {"$", "$"}} {
		inside, found := bytes.CutPrefix(line, []byte(signs.open))
		if !found {
			continue
		}
		inside, _, found = bytes.Cut(inside, []byte(signs.end))
		if !found || !isFormula(inside, signs.open) {
			return 0
		}
		return len(signs.open) + len(inside) + len(signs.end)
	}
	return 0
}

// isFormula tells a formula from escaped brackets, as in \[1\], and from what stands
// between two prices.
func isFormula(inside []byte, open string) bool {
	switch open {
	case `\(`:
		return true
	case `\[`:
		return bytes.HasPrefix(inside, []byte(" ")) || bytes.ContainsAny(inside, `\^_={`)
	case "$$":
		return len(bytes.TrimSpace(inside)) > 0
	}
	return len(inside) > 0 && inside[0] != ' ' && inside[len(inside)-1] != ' ' && bytes.ContainsAny(inside, `\^_={`)
}

package markdown

import (
	"unicode"
	"unicode/utf8"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"
)

// emphasis is goldmark's, but for signs that are meant as themselves: a star in a product
// of numbers. In languages that are written without spaces it begins and ends at any
// letter.
type emphasis struct{ parser.InlineParser }

// strikethrough needs two tildes: one stands in ranges, such as 9:00~12:00.
type strikethrough struct{ parser.InlineParser }

func (e emphasis) Parse(parent ast.Node, block text.Reader, pc parser.Context) ast.Node {
	before, after, length := around(block)
	if isFactor(before, after, length) {
		return literally(block, length)
	}
	found, ok := e.InlineParser.Parse(parent, block, pc).(*parser.Delimiter)
	if !ok {
		return nil
	}
	if isUnspaced(before) || isUnspaced(after) {
		flank(found, before, after)
	}
	return found
}

func (s strikethrough) Parse(parent ast.Node, block text.Reader, pc parser.Context) ast.Node {
	before, after, length := around(block)
	if length != 2 || isNumeric(before) && isNumeric(after) {
		return literally(block, length)
	}
	found, ok := s.InlineParser.Parse(parent, block, pc).(*parser.Delimiter)
	if !ok {
		return nil
	}
	if isUnspaced(before) || isUnspaced(after) {
		flank(found, before, after)
	}
	return found
}

// around returns what stands before and after the signs at the reader, a space at the end
// of a line, and how many they are.
func around(block text.Reader) (before, after rune, length int) {
	line, _ := block.PeekLine()
	for length < len(line) && line[length] == line[0] {
		length++
	}
	after = ' '
	if length < len(line) {
		after, _ = utf8.DecodeRune(line[length:])
	}
	return block.PrecendingCharacter(), after, length
}

// literally takes signs for text.
func literally(block text.Reader, length int) ast.Node {
	_, segment := block.PeekLine()
	block.Advance(length)
	return ast.NewTextSegment(segment.WithStop(segment.Start + length))
}

// isFactor reports whether signs between two characters mean a product or a power, as in
// 2*3*4, 5*x*2 and 2**8. Emphasis there would join what they part.
func isFactor(before, after rune, length int) bool {
	if length > 1 {
		return isNumeric(before) && isNumeric(after)
	}
	return isNumeric(before) && (isNumeric(after) || unicode.IsLetter(after)) || unicode.IsLetter(before) && isNumeric(after)
}

func isNumeric(r rune) bool { return unicode.IsNumber(r) || unicode.Is(unicode.Sc, r) }

// flank decides again whether signs open and close, where a neighbor belongs to a language
// without spaces: as CommonMark does (section 6.2), with letters and punctuation of such a
// language taken for the space that would stand there.
func flank(d *parser.Delimiter, before, after rune) {
	left := !util.IsSpaceRune(after) && (!punctuates(after) || parts(before))
	right := !util.IsSpaceRune(before) && (!punctuates(before) || parts(after))
	if d.Char == '_' {
		d.CanOpen, d.CanClose = left && (!right || util.IsPunctRune(before)), right && (!left || util.IsPunctRune(after))
		return
	}
	d.CanOpen, d.CanClose = left, right
}

func punctuates(r rune) bool { return util.IsPunctRune(r) && !isUnspaced(r) }

func parts(r rune) bool { return util.IsSpaceRune(r) || util.IsPunctRune(r) || isUnspaced(r) }

// isUnspaced reports whether a character is of a script in which words are not parted by
// spaces, or in which endings follow a word at once.
func isUnspaced(r rune) bool {
	return unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul, unicode.Bopomofo, unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar) ||
		'\u3000' <= r && r <= '\u303F' || '\uFF00' <= r && r <= '\uFFEF'
}

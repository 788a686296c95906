package markdown

import (
	"bytes"
	"strconv"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
)

// numberedItems keeps the number of each item of a list. CommonMark counts on from the first,
// so that "1.", "3." would become "1.", "2.".
type numberedItems struct{ parser.BlockParser }

// numberKey is the attribute of an item that has its number, as an int.
var numberKey = []byte("number")

func (p numberedItems) Open(parent ast.Node, reader text.Reader, pc parser.Context) (ast.Node, parser.State) {
	line, _ := reader.PeekLine()
	number := numberBefore(line)
	item, state := p.BlockParser.Open(parent, reader, pc)
	list, ok := parent.(*ast.List)
	if item == nil || number < 0 || !ok || !list.IsOrdered() {
		return item, state
	}
	item.SetAttribute(numberKey, number)
	if before := parent.LastChild(); before != nil && number != numberOf(before)+1 {
		item.SetAttributeString("value", []byte(strconv.Itoa(number)))
	}
	return item, state
}

// numberBefore returns the number that a line of a list begins with, or -1.
func numberBefore(line []byte) int {
	line = bytes.TrimLeft(line, " \t")
	digits := len(line) - len(bytes.TrimLeft(line, "0123456789"))
	number, err := strconv.Atoi(string(line[:min(digits, 10)]))
	if err != nil {
		return -1
	}
	return number
}

// numberOf returns the number of an item, or 0 for one without.
func numberOf(item ast.Node) int {
	value, _ := item.Attribute(numberKey)
	number, _ := value.(int)
	return number
}

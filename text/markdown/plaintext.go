package markdown

import (
	"strconv"
	"strings"

	"github.com/yuin/goldmark/ast"
	extast "github.com/yuin/goldmark/extension/ast"
)

func toPlainText(markdown string) string {
	source := widened([]byte(markdown))
	text := markdown
	if doc := parse(source); doc != nil {
		text = clean(children(doc, source, "\n\n"))
	}
	return strings.TrimRight(text, " \t\n")
}

// children is the text of the blocks in a block. Those without text, such as
// rules and link definitions, leave no trace.
func children(parent ast.Node, source []byte, separator string) string {
	var texts []string
	for n := parent.FirstChild(); n != nil; n = n.NextSibling() {
		if text := blockText(n, source); text != "" {
			texts = append(texts, text)
		}
	}
	return strings.Join(texts, separator)
}

func blockText(n ast.Node, source []byte) string {
	switch n := n.(type) {
	case *ast.Paragraph, *ast.TextBlock, *ast.Heading:
		return strings.Trim(inlineText(n, source), " \t\n")
	case *ast.Blockquote:
		return children(n, source, "\n\n")
	case *ast.CodeBlock, *ast.FencedCodeBlock:
		return strings.TrimRight(string(n.Lines().Value(source)), "\n")
	case *ast.HTMLBlock:
		return textOfHTML(n, source)
	case *ast.List:
		return listText(n, source)
	case *extast.Table:
		return tableText(n, source)
	}
	return ""
}

// listText puts "- " or a number before each item and moves its other lines in
// under it.
func listText(list *ast.List, source []byte) string {
	between, within := "\n\n", "\n\n"
	if list.IsTight {
		between, within = "\n", "\n"
	}
	var items []string
	for item := list.FirstChild(); item != nil; item = item.NextSibling() {
		marker, indent := "- ", "  "
		if list.IsOrdered() {
			marker, indent = strconv.Itoa(numberOf(item))+". ", "   "
		}
		if text := children(item, source, within); text != "" {
			items = append(items, marker+indented(text, indent))
		}
	}
	return strings.Join(items, between)
}

// indented moves all lines but the first in; empty ones stay empty.
func indented(text, indent string) string {
	var out strings.Builder
	first := true
	for line := range strings.Lines(text) {
		if !first && line != "\n" {
			out.WriteString(indent)
		}
		out.WriteString(line)
		first = false
	}
	return out.String()
}

// tableText makes a line of each row: "Plan: Free; Price: $0". Each line then
// makes sense alone and in any font. Empty cells are left out.
func tableText(table *extast.Table, source []byte) string {
	var header, lines []string
	for row := table.FirstChild(); row != nil; row = row.NextSibling() {
		cells := cellTexts(row, source)
		if row.Kind() == extast.KindTableHeader {
			header = cells
			continue
		}
		if line := rowText(header, cells); line != "" {
			lines = append(lines, line)
		}
	}
	if len(lines) == 0 {
		return rowText(nil, header)
	}
	return strings.Join(lines, "\n")
}

func rowText(header, cells []string) string {
	var parts []string
	for i, cell := range cells {
		if cell == "" {
			continue
		}
		if i < len(header) && header[i] != "" {
			cell = strings.TrimSuffix(header[i], ":") + ": " + cell
		}
		parts = append(parts, cell)
	}
	return strings.Join(parts, "; ")
}

func cellTexts(row ast.Node, source []byte) []string {
	var cells []string
	for cell := row.FirstChild(); cell != nil; cell = cell.NextSibling() {
		cells = append(cells, strings.Join(strings.Fields(inlineText(cell, source)), " "))
	}
	return cells
}

package office

import (
	"bytes"
	"fmt"
	"html"
	"regexp"
	"strconv"
	"strings"

	"github.com/xuri/excelize/v2"
)

// Programs other than spreadsheets write formulas without values, which a spreadsheet
// calculates when it opens the file. Parley calculates the simple ones, within bounds that the
// library's own calculator lacks, and shows the others as they are written.

// formulaMark stands before a formula that is shown in place of its value. No text has it:
// package document removes characters of private use.
const formulaMark = "\ue000"

// formulaCell matches a cell with a formula: the cell's attributes, the formula's, its
// text, and the element of its value.
var formulaCell = regexp.MustCompile(`^<(?:[a-z0-9]+:)?c((?:\s[^<>]*)?)>\s*<(?:[a-z0-9]+:)?f((?:\s[^<>]*?)?)(?:/>|>([^<]*)</(?:[a-z0-9]+:)?f>)\s*(<(?:[a-z0-9]+:)?v[^<>]*?(?:/>|>([^<]*)</(?:[a-z0-9]+:)?v>))?`)

// root matches the first element of a sheet with its prefix.
var root = regexp.MustCompile(`<((?:[a-z0-9]+:)?)worksheet[\s>]`)

// formulaCells yields where the cells with formulas begin and end in a sheet. The expression alone would take
// seconds for a large sheet.
func formulaCells(xml []byte, prefix string) func(func(begin, end int) bool) {
	return func(yield func(begin, end int) bool) {
		formula, closing := []byte("<"+prefix+"f"), []byte("</"+prefix+"c>")
		for at := 0; ; {
			next := bytes.Index(xml[at:], formula)
			if next < 0 {
				return
			}
			next += at
			begin, end := bytes.LastIndexByte(xml[at:next], '<'), bytes.Index(xml[next:], closing)
			if end < 0 {
				return
			}
			if begin < 0 || strings.IndexByte("> /\t\r\n", xml[next+len(formula)]) < 0 {
				at = next + len(formula)
				continue
			}
			begin, end = at+begin, next+end+len(closing)
			if !yield(begin, end) {
				return
			}
			at = end
		}
	}
}

var attribute = regexp.MustCompile(`\s([a-zA-Z]+)\s*=\s*("[^"]*"|'[^']*')`)

func attributes(text []byte) map[string]string {
	found := map[string]string{}
	for _, match := range attribute.FindAllSubmatch(text, 20) {
		found[string(match[1])] = html.UnescapeString(string(match[2][1 : len(match[2])-1]))
	}
	return found
}

// calculate gives the formulas of a workbook that have no values the values that they have, or
// themselves as text.
func calculate(book *excelize.File, w *workbook) {
	parts := map[string]string{} // as the library names them, by entry
	book.Pkg.Range(func(key, _ any) bool {
		if name, ok := key.(string); ok {
			parts[entryName(name)] = name
		}
		return true
	})
	part := func(name string) []byte {
		loaded, _ := book.Pkg.Load(parts[entryName(name)])
		xml, _ := loaded.([]byte)
		return xml
	}
	calc := newCalculator(w, part)
	filled := map[string][]byte{}
	for _, sheet := range w.sheets {
		xml := part(sheet.part)
		if sheet.hidden {
			continue
		}
		if xml = calc.fill(sheet.name, xml); xml != nil {
			filled[parts[entryName(sheet.part)]] = xml
		}
	}
	for name, xml := range filled {
		book.Pkg.Store(name, xml)
	}
}

// uncalculated reports whether no spreadsheet has calculated a formula. An empty text may be
// its value; a program that wants everything calculated when the file is opened often writes 0.
func (w *workbook) uncalculated(cellType string, value []byte, hasValue bool) bool {
	switch {
	case !hasValue:
		return true
	case len(value) == 0:
		return cellType != "str" || w.calculatesOnLoad
	}
	return w.calculatesOnLoad && string(value) == "0"
}

// fill returns a sheet with the values of its formulas, or nil if none lacks its own.
func (c *calculator) fill(sheet string, xml []byte) []byte {
	var out bytes.Buffer
	done := 0
	shared := map[string]expression{}
	prefix := ""
	if found := root.FindSubmatch(xml[:min(len(xml), 4096)]); found != nil {
		prefix = string(found[1])
	}
	for begin, end := range formulaCells(xml, prefix) {
		group := formulaCell.FindSubmatch(xml[begin:end])
		if group == nil {
			continue
		}
		cell, own := attributes(group[1]), attributes(group[2])
		column, row, err := excelize.CellNameToCoordinates(cell["r"])
		formula := expression{text: html.UnescapeString(string(group[3])), sheet: sheet, column: column, row: row}
		if own["t"] == "shared" {
			if formula.text != "" {
				shared[own["si"]] = formula
			} else if first, known := shared[own["si"]]; known {
				formula = first
			}
		}
		if !c.book.uncalculated(cell["t"], group[5], group[4] != nil) {
			continue
		}
		text := strings.TrimPrefix(strings.TrimSpace(formula.text), "=")
		kind, value := "str", formulaMark+"="+text
		if text == "" {
			value = formulaMark + "=?"
		} else if err != nil {
			cell["r"] = ""
		} else if found, ok := c.cell(sheet, column, row, &formula); ok {
			kind, value = found.xml()
		} else {
			value = formulaMark + "=" + formula.movedText(column, row)
		}
		out.Write(xml[done:begin])
		out.WriteString("<" + prefix + "c")
		for _, name := range []string{"r", "s"} {
			if cell[name] != "" {
				fmt.Fprintf(&out, ` %s="%s"`, name, html.EscapeString(cell[name]))
			}
		}
		fmt.Fprintf(&out, ` t="%s"><%sv>%s</%sv></%sc>`, kind, prefix, html.EscapeString(value), prefix, prefix)
		done = end
	}
	if done == 0 {
		return nil
	}
	out.Write(xml[done:])
	return out.Bytes()
}

// xml returns a value as the type and the text of a cell.
func (v value) xml() (kind, text string) {
	switch v.kind {
	case numberValue:
		return "n", strconv.FormatFloat(v.number, 'g', 15, 64)
	case truthValue:
		return "b", strconv.Itoa(int(v.number))
	case failureValue:
		return "e", v.text
	}
	return "str", v.text
}

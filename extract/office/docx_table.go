package office

import (
	"strconv"
	"strings"

	"parley/extract/document"
)

// table writes a table. A table of a single cell is a frame around text.
func (w *wordFile) table(t *xmlNode) {
	w.listed = false
	var rows [][]string
	for _, tr := range rowsIn(t) {
		var above []string
		if len(rows) > 0 {
			above = rows[len(rows)-1]
		}
		if cells := w.row(tr, above); len(cells) > 0 {
			rows = append(rows, cells)
		}
		if len(rows) > w.doc.Limits.Rows {
			break
		}
	}
	if len(rows) == 1 && len(rows[0]) == 1 {
		w.framed(t)
		return
	}
	w.doc.WriteTable(rows)
}

// rowsIn returns a table's rows without the deleted ones.
func rowsIn(t *xmlNode) []*xmlNode {
	var rows []*xmlNode
	for _, k := range t.kids {
		switch {
		case k.name == "tr" && k.kid("trPr", "del") == nil:
			rows = append(rows, k)
		case k.name == "sdt" || k.name == "sdtContent" || k.name == "ins" || k.name == "customXml":
			rows = append(rows, rowsIn(k)...)
		}
	}
	return rows
}

// row returns the cells of a row. It repeats a cell that spans several columns or
// rows in each of them, so that every row is complete on its own.
func (w *wordFile) row(tr *xmlNode, above []string) []string {
	var cells []string
	for _, tc := range cellsIn(tr) {
		text := w.cell(tc)
		if merge := tc.kid("tcPr", "vMerge"); merge != nil && merge.attr("val") != "restart" && len(cells) < len(above) {
			text = above[len(cells)]
		}
		span, _ := strconv.Atoi(tc.val("tcPr", "gridSpan"))
		for range min(max(span, 1), 100) {
			cells = append(cells, text)
		}
		if len(cells) > document.MaxColumns {
			break
		}
	}
	return cells
}

func cellsIn(tr *xmlNode) []*xmlNode {
	var cells []*xmlNode
	for _, k := range tr.kids {
		switch k.name {
		case "tc":
			cells = append(cells, k)
		case "sdt", "sdtContent", "customXml":
			cells = append(cells, cellsIn(k)...)
		}
	}
	return cells
}

// cell returns all text of a cell, nested tables included, as one line.
func (w *wordFile) cell(n *xmlNode) string {
	var parts []string
	for _, k := range n.kids {
		text := ""
		if k.name == "p" {
			text = document.Line(w.runs(k))
		} else if k.name != "tcPr" && k.name != "del" && k.name != "Fallback" {
			text = w.cell(k)
		}
		if text != "" {
			parts = append(parts, text)
		}
	}
	return strings.Join(parts, " ")
}

// framed writes the blocks of the only cell of a table.
func (w *wordFile) framed(n *xmlNode) {
	for _, k := range n.kids {
		switch k.name {
		case "p":
			w.paragraph(k)
		case "tbl":
			w.table(k)
		case "tr", "tc", "sdt", "sdtContent":
			w.framed(k)
		}
	}
}

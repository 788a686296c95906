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
	graphics := w.graphics
	w.graphics = nil
	for _, data := range graphics {
		w.graphic(data)
	}
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
	cells := make([]string, gridColumns(tr, "gridBefore"))
	for _, tc := range cellsIn(tr) {
		text := w.cell(tc)
		if merge := tc.kid("tcPr", "hMerge"); merge != nil && merge.attr("val") != "restart" && len(cells) > 0 {
			text = cells[len(cells)-1]
		}
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
	if len(cells) == gridColumns(tr, "gridBefore") {
		return nil
	}
	return append(cells, make([]string, gridColumns(tr, "gridAfter"))...)
}

// gridColumns returns how many columns a row leaves out before or after its cells.
func gridColumns(tr *xmlNode, name string) int {
	n, _ := strconv.Atoi(tr.val("trPr", name))
	return min(max(n, 0), 100)
}

func cellsIn(tr *xmlNode) []*xmlNode {
	var cells []*xmlNode
	for _, k := range tr.kids {
		switch k.name {
		case "tc":
			if k.kid("tcPr", "cellDel") == nil {
				cells = append(cells, k)
			}
		case "sdt", "sdtContent", "customXml", "ins", "moveTo":
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
		switch k.name {
		case "p":
			text = w.cellText(k)
		case "altChunk":
			text = document.Line(w.embedded(k))
		case "tcPr", "del", "moveFrom", "Fallback", "sdtPr":
		default:
			text = w.cell(k)
		}
		if text != "" {
			parts = append(parts, text)
		}
	}
	return strings.Join(parts, " ")
}

// cellText returns a paragraph of a cell with its number and its text boxes.
func (w *wordFile) cellText(p *xmlNode) string {
	parts := []string{document.Line(w.runs(p))}
	properties := p.kid("pPr")
	if number := w.numbering.next(properties, w.styles[properties.val("pStyle")]); number.label != "" {
		parts[0] = strings.TrimSpace(document.Escape(number.label) + " " + parts[0])
	} else if number.listed && parts[0] != "" {
		parts[0] = "• " + parts[0]
	}
	eachBox(p, func(k *xmlNode) {
		if k.name == "graphicData" {
			w.graphics = append(w.graphics, k)
		} else {
			parts = append(parts, w.cell(k))
		}
	})
	return strings.TrimSpace(strings.Join(parts, " "))
}

// framed writes the blocks of the only cell of a table.
func (w *wordFile) framed(n *xmlNode) {
	for _, k := range n.kids {
		switch k.name {
		case "p":
			w.paragraph(k)
		case "tbl":
			w.table(k)
		case "altChunk":
			w.chunk(k)
		case "tr", "tc", "sdt", "sdtContent":
			w.framed(k)
		}
	}
}

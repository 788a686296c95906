package office

import (
	"bytes"
	"strings"

	"github.com/xuri/excelize/v2"

	"parley/core/fault"
	"parley/core/knowledge"
	"parley/extract/document"
)

// sheetRows is how many rows a worksheet can have.
const sheetRows = 1_048_576

// ReadXLSX reads the visible sheets of a workbook, each as a table under a
// heading. It shows cells as the program displays them, and formulas by the
// values last calculated.
func ReadXLSX(doc *document.Document, in document.Input) error {
	a, err := openArchive(in, doc.Limits)
	if err != nil {
		return err
	}
	sheets, err := sheetsOf(a)
	if err != nil {
		return err
	}
	if len(sheets) == 0 {
		return document.NotOfKind(in, knowledge.XLSX, nil)
	}
	body, err := a.standard(in.Body)
	if err != nil {
		return err
	}
	book, err := excelize.OpenReader(bytes.NewReader(body), excelize.Options{
		UnzipSizeLimit: doc.Limits.Unpacked, UnzipXMLSizeLimit: doc.Limits.Unpacked, // so that nothing goes to files
	})
	if err != nil {
		return document.Damaged(knowledge.XLSX, err)
	}
	defer book.Close()
	doc.Title = a.properTitle()
	for i, sheet := range sheets {
		if sheet.hidden {
			doc.Notes.Add(knowledge.NoteHidden, 1)
			continue
		}
		doc.At(i+1, sheet.name)
		if err := readSheet(doc, a, book, sheet); err != nil {
			return err
		}
		if err := noteSheet(doc, a, sheet); err != nil {
			return err
		}
	}
	a.noteUnread(&doc.Notes)
	return doc.Err
}

// sheet is a sheet as the workbook lists it.
type sheet struct {
	name, part string
	hidden     bool
}

func sheetsOf(a *archive) ([]sheet, error) {
	part, err := a.mainPart("xl/workbook.xml")
	if err != nil {
		return nil, err
	}
	root, err := a.tree(part)
	if err != nil {
		return nil, err
	}
	relations, err := a.relations(part)
	if err != nil {
		return nil, err
	}
	var sheets []sheet
	root.kid("sheets").each("sheet", func(n *xmlNode) {
		r := relations[n.attr("id")]
		if r.kind == "worksheet" {
			sheets = append(sheets, sheet{name: n.attr("name"), part: r.target, hidden: n.attr("state") == "hidden" || n.attr("state") == "veryHidden"})
		}
	})
	return sheets, nil
}

// sparse holds the non-empty cells of a row by column, from 0.
type sparse map[int]string

func readSheet(doc *document.Document, a *archive, book *excelize.File, s sheet) error {
	merges, err := mergesOf(a, s.part)
	if err != nil {
		return err
	}
	if merges.headed {
		doc.Notes.Add(knowledge.NoteHeader, 1)
	}
	rows, err := book.Rows(s.name)
	if err != nil {
		return document.Damaged(knowledge.XLSX, err)
	}
	defer rows.Close()
	var kept []sparse
	columns := make(map[int]bool)
	for at := 0; rows.Next(); at++ {
		if at >= sheetRows {
			return document.Damaged(knowledge.XLSX, nil)
		}
		cells, err := rows.Columns()
		if err != nil {
			return document.Damaged(knowledge.XLSX, err)
		}
		found := merges.apply(at, cells)
		if len(found) == 0 {
			continue
		}
		for column := range found {
			columns[column] = true
		}
		if kept = append(kept, found); len(kept) > doc.Limits.Rows {
			return fault.New(fault.TooLarge, "The sheet %q has more than %s. Split it, and add its parts.", document.Clip(document.Line(s.name), 100), document.Count(doc.Limits.Rows, "row"))
		}
	}
	if err := rows.Error(); err != nil {
		return document.Damaged(knowledge.XLSX, err)
	}
	writeSheet(doc, s.name, kept, sortedColumns(columns))
	return nil
}

// writeSheet writes a sheet's rows. Single-value rows before the first row with
// several values describe the table, so they become lines of text; the rest
// becomes the table.
func writeSheet(doc *document.Document, name string, rows []sparse, columns []int) {
	if len(rows) == 0 {
		return
	}
	doc.Heading(2, document.Escape(name))
	for len(columns) > 1 && len(rows) > 0 && rows[0].single() {
		for _, text := range rows[0] {
			doc.Block(document.Escape(document.Line(text)))
			break
		}
		rows = rows[1:]
	}
	t := &document.Table{Doc: doc}
	for _, found := range rows {
		cells := make([]string, len(columns))
		last := 0
		for i, column := range columns {
			if text, ok := found[column]; ok {
				cells[i], last = document.Escape(strings.TrimSpace(text)), i+1
			}
		}
		if t.Rows == 0 {
			last = len(cells)
		}
		if t.Row(cells[:last]); doc.Err != nil {
			return
		}
	}
}

// single reports whether all cells of a row hold the same value.
func (s sparse) single() bool {
	value, first := "", true
	for _, text := range s {
		if !first && text != value {
			return false
		}
		value, first = text, false
	}
	return !first
}

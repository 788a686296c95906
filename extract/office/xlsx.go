package office

import (
	"bytes"
	"maps"
	"regexp"
	"slices"
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
// values last calculated, or else by what [calculate] makes of them.
func ReadXLSX(doc *document.Document, in document.Input) error {
	a, err := openArchive(in, doc.Limits)
	if err != nil {
		return err
	}
	w, err := workbookOf(a)
	if err != nil {
		return err
	}
	if len(w.sheets) == 0 {
		return document.NotOfKind(in, knowledge.XLSX, nil)
	}
	body, err := a.standard(in.Body)
	if err != nil {
		return err
	}
	book, err := excelize.OpenReader(bytes.NewReader(body), excelize.Options{
		UnzipSizeLimit: doc.Limits.Unpacked, UnzipXMLSizeLimit: doc.Limits.Unpacked, // so that nothing goes to files
		ShortDatePattern: "yyyy-mm-dd", // spreadsheets show this format in the order of their user's language
	})
	if err != nil {
		return document.Damaged(knowledge.XLSX, err)
	}
	defer book.Close()
	spellGeneral(book)
	calculate(book, w)
	markRuns(book, w.sheets[0].name)
	struck := struckStyles(book)
	doc.Title = a.properTitle()
	for i, sheet := range w.sheets {
		if sheet.hidden {
			doc.Notes.Add(knowledge.NoteHidden, 1)
			continue
		}
		doc.At(i+1, sheet.name)
		if err := readSheet(doc, a, book, sheet, struck); err != nil {
			return err
		}
		if err := noteSheet(doc, a, sheet); err != nil {
			return err
		}
	}
	a.noteUnread(&doc.Notes)
	return doc.Err
}

// general matches General in a number format, and the texts in which it is a word.
var general = regexp.MustCompile(`"[^"]*"|\\.|(?i)General`)

// spellGeneral replaces General in number formats that show a unit beside it, which the library would
// leave out.
func spellGeneral(book *excelize.File) {
	if book.Styles == nil || book.Styles.NumFmts == nil {
		return
	}
	for _, format := range book.Styles.NumFmts.NumFmt {
		if format == nil || strings.EqualFold(format.FormatCode, "general") {
			continue
		}
		format.FormatCode = general.ReplaceAllStringFunc(format.FormatCode, func(found string) string {
			if strings.EqualFold(found, "general") {
				return "0.##########"
			}
			return found
		})
	}
}

// sheet is a sheet as the workbook lists it.
type sheet struct {
	name, part string
	hidden     bool
}

// workbook is what a workbook says of itself.
type workbook struct {
	sheets []sheet
	// names are what formulas call cells, in lower case.
	names map[string]string
	// calculatesOnLoad says that its program left the formulas to whoever opens it.
	calculatesOnLoad bool
}

func workbookOf(a *archive) (*workbook, error) {
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
	w := &workbook{names: make(map[string]string), calculatesOnLoad: root.kid("calcPr").attr("fullCalcOnLoad") == "1" || root.kid("calcPr").attr("fullCalcOnLoad") == "true"}
	root.kid("definedNames").each("definedName", func(n *xmlNode) {
		if n.attr("localSheetId") == "" {
			w.names[strings.ToLower(n.attr("name"))] = n.text
		}
	})
	root.kid("sheets").each("sheet", func(n *xmlNode) {
		r := relations[n.attr("id")]
		if r.kind == "worksheet" {
			w.sheets = append(w.sheets, sheet{name: n.attr("name"), part: r.target, hidden: n.attr("state") == "hidden" || n.attr("state") == "veryHidden"})
		}
	})
	return w, nil
}

// sparse holds the non-empty cells of a row by column, from 0.
type sparse map[int]string

func readSheet(doc *document.Document, a *archive, book *excelize.File, s sheet, struck map[string]bool) error {
	merges, err := mergesOf(a, s.part)
	if err != nil {
		return err
	}
	marks, err := marksOf(a, s.part, struck)
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
	var apart []int // rows behind an empty one
	empty := false
	for at := 0; rows.Next(); at++ {
		if at >= sheetRows {
			return document.Damaged(knowledge.XLSX, nil)
		}
		cells, err := rows.Columns()
		if err != nil {
			return document.Damaged(knowledge.XLSX, err)
		}
		marks.apply(at, cells)
		found := merges.apply(at, cells)
		if len(found) == 0 {
			empty = true
			continue
		}
		if empty {
			apart, empty = append(apart, len(kept)), false
		}
		if kept = append(kept, found); len(kept) > doc.Limits.Rows {
			return fault.New(fault.TooLarge, "The sheet %q has more than %s. Split it, and add its parts.", document.Clip(document.Line(s.name), 100), document.Count(doc.Limits.Rows, "row"))
		}
	}
	if err := rows.Error(); err != nil {
		return document.Damaged(knowledge.XLSX, err)
	}
	if len(kept) > 0 {
		doc.Heading(2, document.Escape(s.name))
	}
	begin := 0
	for _, at := range apart {
		if beginsTable(kept[at:]) {
			writeTables(doc, kept[begin:at])
			begin = at
		}
	}
	writeTables(doc, kept[begin:])
	return nil
}

// writeTables writes the tables that stand side by side in rows, with an empty column between
// them. Columns that begin and end in the same rows are one table, in spite of such a column,
// and a single row is no table of its own.
func writeTables(doc *document.Document, rows []sparse) {
	type extent struct{ left, right, first, last int }
	var tables []extent
	ends := map[int]extent{}
	for at, row := range rows {
		for column := range row {
			e, known := ends[column]
			if !known {
				e = extent{column, column, at, at}
			}
			e.last = at
			ends[column] = e
		}
	}
	columns := slices.Sorted(maps.Keys(ends))
	for _, column := range columns {
		e, n := ends[column], len(tables)-1
		if n >= 0 && tables[n].right == column-1 {
			tables[n] = extent{tables[n].left, column, min(tables[n].first, e.first), max(tables[n].last, e.last)}
		} else {
			tables = append(tables, e)
		}
	}
	for n := 1; n < len(tables); {
		before, next := &tables[n-1], tables[n]
		if before.first == next.first && before.last == next.last || before.first == before.last || next.first == next.last {
			*before = extent{before.left, next.right, min(before.first, next.first), max(before.last, next.last)}
			tables = slices.Delete(tables, n, n+1)
		} else {
			n++
		}
	}
	for _, t := range tables {
		if len(tables) == 1 {
			writeTable(doc, rows)
			return
		}
		var own []sparse
		for _, row := range rows[t.first : t.last+1] {
			cells := make(sparse)
			for column, text := range row {
				if t.left <= column && column <= t.right {
					cells[column] = text
				}
			}
			if len(cells) > 0 {
				own = append(own, cells)
			}
		}
		writeTable(doc, own)
	}
}

// beginsTable reports whether rows behind an empty one are a table of their own: titles, then
// names of columns, then a row with a number.
func beginsTable(rows []sparse) bool {
	for i := 0; i+1 < min(len(rows), 5); i++ {
		if !rows[i].single() {
			return !rows[i].hasDigit() && !rows[i+1].single() && rows[i+1].hasDigit()
		}
	}
	return false
}

func (s sparse) hasDigit() bool {
	for _, text := range s {
		if strings.ContainsAny(text, "0123456789") {
			return true
		}
	}
	return false
}

// writeTable writes the rows of a table. Single-value rows before the first row with
// several values describe the table, so they become lines of text; the rest
// becomes the table.
func writeTable(doc *document.Document, rows []sparse) {
	found := make(map[int]bool)
	for _, row := range rows {
		for column := range row {
			found[column] = true
		}
	}
	columns := sortedColumns(found)
	for len(columns) > 1 && len(rows) > 0 && rows[0].single() {
		for _, text := range rows[0] {
			doc.Block(document.Line(cellText(text)))
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
				cells[i], last = cellText(text), i+1
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

// cellText returns the text of a cell as Markdown, and a formula in place of its value as code.
func cellText(text string) string {
	formula, is := strings.CutPrefix(text, formulaMark)
	if is && !strings.ContainsAny(formula, "`\n") {
		return "`" + formula + "`"
	}
	return written(formula)
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

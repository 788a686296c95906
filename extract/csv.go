package extract

import (
	"strings"

	"parley/extract/document"
	"parley/internal/separated"
)

// readCSV reads a table of separated values (RFC 4180, but leniently).
func readCSV(doc *document.Document, in Input) error {
	text := document.Decode(in.Body, in.ContentType, "")
	rows := rowsOf(text, delimiter(text))
	t := &document.Table{Doc: doc}
	for doc.Err == nil {
		cells, _, ok := rows.Next()
		if !ok {
			return nil
		}
		for i := range cells[:min(len(cells), document.MaxColumns)] {
			cells[i] = document.Escape(strings.TrimSpace(cells[i]))
		}
		t.Row(cells)
	}
	return doc.Err
}

// rowsOf reads one cell more than a table may have, by which a wider one is known.
func rowsOf(text string, comma rune) *separated.Rows {
	// Excel writes a first line that names the delimiter.
	if first, rest, ok := strings.Cut(text, "\n"); ok && len(strings.TrimSpace(first)) == 5 && strings.HasPrefix(first, "sep=") {
		text = rest
	}
	return separated.New(text, comma, document.MaxColumns+1)
}

// delimiter guesses the delimiter: the character that gives the first rows the
// most columns and the same number of them.
func delimiter(text string) rune {
	if strings.HasPrefix(text, "sep=") && len(text) > 4 && strings.ContainsRune(",;\t|", rune(text[4])) {
		return rune(text[4])
	}
	start := text[:min(len(text), 64<<10)]
	best, score := ',', 0.0
	for _, comma := range ",;\t|" {
		if s := consistency(start, comma); s > score {
			best, score = comma, s
		}
	}
	return best
}

// consistency is 0 for a delimiter that does not occur, and higher for more
// rows that are as wide as the first.
func consistency(text string, comma rune) float64 {
	rows := rowsOf(text, comma)
	width, same, all := 0, 0, 0
	for all < 30 {
		cells, _, ok := rows.Next()
		if !ok {
			break
		}
		if all++; all == 1 {
			width = len(cells)
		}
		if len(cells) == width {
			same++
		}
	}
	if width < 2 || all == 0 {
		return 0
	}
	part := float64(same) / float64(all)
	return part*part*10 + min(float64(width), 20)/20
}

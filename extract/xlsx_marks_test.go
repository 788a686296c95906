package extract

import (
	"testing"

	"github.com/xuri/excelize/v2"

	"parley/core/knowledge"
)

// workbook is one that a function has filled.
func workbook(t *testing.T, fill func(book *excelize.File) error) []byte {
	t.Helper()
	book := excelize.NewFile()
	defer book.Close()
	if err := fill(book); err != nil {
		t.Fatal(err)
	}
	b, err := book.WriteToBuffer()
	if err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// What a spreadsheet shows by how a cell is written is in its text.
func TestXLSXReadsHowCellsAreWritten(t *testing.T) {
	styled := func(style *excelize.Style) func(*excelize.File) error {
		return func(book *excelize.File) error {
			id, err := book.NewStyle(style)
			if err != nil {
				return err
			}
			_ = book.SetSheetRow("Sheet1", "A1", &[]any{"Room", "Price"})
			_ = book.SetSheetRow("Sheet1", "A2", &[]any{"Lake", 99.5})
			return book.SetCellStyle("Sheet1", "B2", "B2", id)
		}
	}
	rich := func(runs ...excelize.RichTextRun) func(*excelize.File) error {
		return func(book *excelize.File) error {
			_ = book.SetSheetRow("Sheet1", "A1", &[]any{"Room", "Price"})
			_ = book.SetSheetRow("Sheet1", "A2", &[]any{"Lake"})
			return book.SetCellRichText("Sheet1", "B2", runs)
		}
	}
	linked := func(to, kind string) func(*excelize.File) error {
		return func(book *excelize.File) error {
			_ = book.SetSheetRow("Sheet1", "A1", &[]any{"Room", "More"})
			_ = book.SetSheetRow("Sheet1", "A2", &[]any{"Lake", "Ask us"})
			return book.SetCellHyperLink("Sheet1", "B2", to, kind)
		}
	}
	for _, c := range []struct {
		what string
		fill func(*excelize.File) error
		want string
	}{
		{"a price that is struck out", styled(&excelize.Style{Font: &excelize.Font{Strike: true}}), "| Lake | ~~99.5~~ |"},
		{"a price that is bold", styled(&excelize.Style{Font: &excelize.Font{Bold: true}}), "| Lake | 99.5 |"},
		{"a price in euros that is struck out", styled(&excelize.Style{Font: &excelize.Font{Strike: true}, CustomNumFmt: new(`0.00 "€"`)}), "| Lake | ~~99.50 €~~ |"},
		{"an old price beside the new one", rich(excelize.RichTextRun{Text: "99 €", Font: &excelize.Font{Strike: true}}, excelize.RichTextRun{Text: " 79 €"}), "| Lake | ~~99 €~~ 79 € |"},
		{"a power of ten", rich(excelize.RichTextRun{Text: "10"}, excelize.RichTextRun{Text: "6", Font: &excelize.Font{VertAlign: "superscript"}}), "| Lake | 10^6 |"},
		{"an area", rich(excelize.RichTextRun{Text: "30 m"}, excelize.RichTextRun{Text: "2", Font: &excelize.Font{VertAlign: "superscript"}}), "| Lake | 30 m² |"},
		{"a formula of chemistry", rich(excelize.RichTextRun{Text: "CO"}, excelize.RichTextRun{Text: "2", Font: &excelize.Font{VertAlign: "subscript"}}), "| Lake | CO₂ |"},
		{"a link", linked("https://hotel.example/lake", "External"), "| Lake | [Ask us](https://hotel.example/lake) |"},
		{"a mail address", linked("mailto:desk@hotel.example", "External"), "desk@hotel.example"},
		{"a link within the workbook", linked("Sheet1!A1", "Location"), "| Lake | Ask us |"},
		{"two tables side by side", func(book *excelize.File) error {
			for row, cells := range [][]any{{"Item", "Price", nil, "Day", "Opens"}, {"Lamp", 3, nil, "Monday", "9:00"}, {"Chair", 5}} {
				cell, _ := excelize.CoordinatesToCellName(1, row+1)
				if err := book.SetSheetRow("Sheet1", cell, &cells); err != nil {
					return err
				}
			}
			return nil
		}, "| Item | Price |\n| --- | --- |\n| Lamp | 3 |\n| Chair | 5 |\n\n| Day | Opens |\n| --- | --- |\n| Monday | 9:00 |"},
		{"a column that is left empty in a table", func(book *excelize.File) error {
			_ = book.SetSheetRow("Sheet1", "A1", &[]any{"Item", nil, "Price"})
			return book.SetSheetRow("Sheet1", "A2", &[]any{"Lamp", nil, 3})
		}, "| Item | Price |\n| --- | --- |\n| Lamp | 3 |"},
	} {
		t.Run(c.what, func(t *testing.T) {
			t.Parallel()
			wantText(t, knowledge.XLSX, workbook(t, c.fill), c.want)
		})
	}
}

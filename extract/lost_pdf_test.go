package extract

import (
	"strings"
	"testing"

	"golang.org/x/text/encoding/charmap"
	"pgregory.net/rapid"

	"parley/core/knowledge"
	"parley/extract/extracttest"
	"parley/extract/pdf"
)

// TestPDFLosesNothing writes what the standard fonts of a PDF have.
func TestPDFLosesNothing(t *testing.T) {
	if err := pdf.Prepare(cacheDir, Limits{}.OrDefault()); err != nil {
		t.Fatal(err)
	}
	losesNothing(t, knowledge.PDF, func(t *rapid.T, d extracttest.Document) ([]byte, []string, []string) {
		var pages, pieces []string
		page, y := "", 780.0
		down := func(by float64) {
			if y -= by; y < 60 {
				pages, page, y = append(pages, page), "", 780
			}
		}
		put := func(x, size float64, font string, p extracttest.Paragraph) {
			written, err := charmap.Windows1252.NewEncoder().String(p.Text())
			if err != nil {
				return
			}
			page += text(x, y, size, font, written)
			pieces = append(pieces, p.Text())
		}
		for _, block := range d {
			switch block.Kind {
			case extracttest.Heading:
				down(30)
				put(50, 22-2*float64(block.Level), "B", block.Paragraph)
			case extracttest.Item:
				down(14)
				page += text(50+20*float64(block.Level), y, 10, "F", "\x95")
				put(60+20*float64(block.Level), 10, "F", block.Paragraph)
			case extracttest.Table:
				for _, row := range block.Rows {
					down(16)
					column := 0
					for _, cell := range row {
						put(50+130*float64(column), 4, "F", cell.Paragraph)
						column += cell.Columns
					}
				}
			default:
				down(rapid.SampledFrom([]float64{12, 24}).Draw(t, "down"))
				put(50, 10, rapid.SampledFrom([]string{"F", "B"}).Draw(t, "font"), block.Paragraph)
			}
		}
		if len(pieces) == 0 {
			return nil, nil, nil
		}
		for i := range pieces {
			pieces[i] = strings.ReplaceAll(pieces[i], "\u00ad", "")
		}
		return pdfFile{pages: append(pages, page)}.bytes(), pieces, nil
	})
}

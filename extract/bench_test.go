package extract

import (
	"fmt"
	"strings"
	"testing"

	"parley/core/knowledge"
)

// manualPDF has n pages of text.
func manualPDF(n int) []byte {
	var pages []string
	for i := range n {
		var texts []string
		for j := range 45 {
			texts = append(texts, fmt.Sprintf("Line %d of page %d says what the device does when it is switched on and off.", j, i))
		}
		pages = append(pages, lines(50, 780, 11, "F", texts...))
	}
	return pdfFile{pages: pages}.bytes()
}

func BenchmarkExtract(b *testing.B) {
	for name, in := range map[string]Input{
		"a page of HTML":       {Kind: knowledge.HTML, Body: []byte("<main><h1>Title</h1>" + strings.Repeat("<p>Some text for people to read.</p>", 100))},
		"a DOCX":               {Kind: knowledge.DOCX, Body: contract()},
		"a PDF of 1 page":      {Kind: knowledge.PDF, Body: manualPDF(1)},
		"a PDF of 100 pages":   {Kind: knowledge.PDF, Body: manualPDF(100)},
		"a PDF without cache":  {Kind: knowledge.PDF, Body: manualPDF(1)},
		"a CSV of 10,000 rows": {Kind: knowledge.CSV, Body: []byte("a,b\n" + strings.Repeat("some,values\n", 10_000))},
	} {
		b.Run(name, func(b *testing.B) {
			e := newExtractor(b, Limits{})
			if strings.Contains(name, "without") {
				e.CacheDir = ""
			}
			for b.Loop() {
				if _, err := e.Extract(b.Context(), in); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

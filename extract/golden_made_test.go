package extract

import (
	"maps"
	"path/filepath"
	"slices"
	"testing"
)

// made lists the binary documents that the tests build.
var made = map[string]func() []byte{
	"two-columns.pdf": twoColumns,
	"long-table.pdf":  longTable,
	"plain.pdf":       plainPDF,
	"turned.pdf":      turnedPDF,
	"scanned.pdf":     scannedPDF,
	"locked.pdf":      lockedPDF,
	"contract.docx":   contract,
	"pitch.pptx":      pitch,
	"prices.xlsx":     prices,
	"novel.epub":      novel,
}

func TestGoldenMade(t *testing.T) {
	e := newExtractor(t, Limits{})
	for _, name := range slices.Sorted(maps.Keys(made)) {
		t.Run(name+" becomes the Markdown in its golden file", func(t *testing.T) {
			t.Parallel()
			result, err := e.Extract(t.Context(), Input{Name: name, Body: made[name]()})
			checkGolden(t, filepath.Join("testdata", "golden", name+".md"), shown(result, err))
		})
	}
}

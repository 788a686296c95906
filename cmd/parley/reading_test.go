package main

import (
	"os"
	"strings"
	"testing"

	"parley/core/knowledge"
)

func TestRelativeDataFolder(t *testing.T) {
	t.Run("a PDF is read where DATA_DIR is relative, as it is by default", func(t *testing.T) {
		t.Chdir(t.TempDir())
		if err := os.Mkdir("data", 0o700); err != nil {
			t.Fatal(err)
		}
		shareCache(t, "data")
		files, err := newReader(&Config{DataDir: "data"})
		if err != nil {
			t.Fatal(err)
		}
		got, err := files.Extract(t.Context(), knowledge.File{Kind: knowledge.PDF, Name: "locks.pdf", Body: []byte(pdfOf("A lock of the first class weighs two kilograms."))})
		if err != nil || !strings.Contains(got.Markdown, "two kilograms") {
			t.Errorf("read %q, error %v", got.Markdown, err)
		}
	})
}

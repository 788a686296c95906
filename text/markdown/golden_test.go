package markdown_test

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"parley/text/markdown"
)

var update = flag.Bool("update", false, "write the files of testdata/golden anew")

func TestOrdinaryAnswers(t *testing.T) {
	paths, err := filepath.Glob("testdata/golden/*.md")
	if err != nil || len(paths) == 0 {
		t.Fatalf("the answers are missing: %v", err)
	}
	for _, path := range paths {
		content, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		name := strings.TrimSuffix(path, ".md")
		t.Run(filepath.Base(name)+" is rendered as HTML", func(t *testing.T) {
			out := markdown.Render(string(content), markdown.HTML, goodHosts)
			checkHTML(t, out)
			compareGolden(t, name+".html", out)
		})
		t.Run(filepath.Base(name)+" is rendered as plain text", func(t *testing.T) {
			out := markdown.Render(string(content), markdown.PlainText, goodHosts)
			checkCharacters(t, out)
			compareGolden(t, name+".txt", out)
		})
	}
}

// compareGolden compares with a file that, unlike the output, ends in a newline.
func compareGolden(t *testing.T, path, got string) {
	t.Helper()
	if *update {
		if err := os.WriteFile(path, []byte(got+"\n"), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatalf("run the test with -update once: %v", err)
	}
	if got+"\n" != string(want) {
		t.Errorf("%s is\n%s\nwant\n%s", path, got, want)
	}
}

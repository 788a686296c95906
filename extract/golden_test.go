package extract

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"parley/core/knowledge"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// TestGolden reads each file in testdata/in as a caller without hints would send
// it, and compares the result with the file of the same name in testdata/golden.
func TestGolden(t *testing.T) {
	inputs, err := filepath.Glob("testdata/in/*")
	if err != nil || len(inputs) < 10 {
		t.Fatalf("found %d inputs (%v); the fixtures are missing", len(inputs), err)
	}
	e := newExtractor(t, Limits{})
	for _, input := range inputs {
		name := filepath.Base(input)
		t.Run(name+" becomes the Markdown in its golden file", func(t *testing.T) {
			t.Parallel()
			body, err := os.ReadFile(input)
			if err != nil {
				t.Fatal(err)
			}
			result, err := e.Extract(t.Context(), Input{Name: name, Body: body, BaseURL: "https://example.com/help/page"})
			checkGolden(t, filepath.Join("testdata", "golden", name+".md"), shown(result, err))
		})
	}
}

// shown formats a whole result as text that people can compare.
func shown(result Result, err error) string {
	if err != nil {
		return fmt.Sprintf("error: %v\n", err)
	}
	var b strings.Builder
	fmt.Fprintf(&b, "kind: %s\ntitle: %s\n", result.Kind, result.Title)
	if result.Page.Canonical != "" || result.Page.NoIndex || result.Page.NoFollow {
		fmt.Fprintf(&b, "canonical: %s noindex: %t nofollow: %t\n", result.Page.Canonical, result.Page.NoIndex, result.Page.NoFollow)
	}
	for _, link := range result.Page.Links {
		fmt.Fprintf(&b, "link: %s\n", link)
	}
	for _, note := range knowledge.NotesOf(result.Notes) {
		fmt.Fprintf(&b, "not read: %d %s\n", note.Count, note.Kind)
	}
	b.WriteString("----\n")
	at := 0
	for _, place := range result.Places {
		b.WriteString(result.Markdown[at:place.Offset])
		fmt.Fprintf(&b, "[[page %d %q]]", place.Page, place.Name)
		at = place.Offset
	}
	b.WriteString(result.Markdown[at:])
	b.WriteByte('\n')
	return b.String()
}

func checkGolden(t *testing.T, path, got string) {
	t.Helper()
	if *update {
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatalf("%v; run the test with -update and review what it writes", err)
	}
	if got != string(want) {
		t.Errorf("%s differs. Got:\n%s\nWant:\n%s", path, got, want)
	}
}

package demo

import (
	"io/fs"
	"strings"
	"testing"
)

func TestPages(t *testing.T) {
	names, err := fs.Glob(Pages, "pages/*.md")
	if err != nil || len(names) < 20 {
		t.Fatalf("there are %d pages, %v", len(names), err)
	}
	seen := map[string]bool{}
	for _, name := range names {
		t.Run(name+" begins with a title that no other page has", func(t *testing.T) {
			text, err := Pages.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			title, _, _ := strings.Cut(string(text), "\n")
			if !strings.HasPrefix(title, "# ") || seen[title] {
				t.Errorf("it begins with %q", title)
			}
			seen[title] = true
		})
	}
}

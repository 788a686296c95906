package arch

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// top is the module's directory, seen from this package.
const top = "../.."

func TestTheCodeKeepsToTheTable(t *testing.T) {
	files, err := Read(top)
	if err != nil {
		t.Fatal(err)
	}
	if len(files) == 0 {
		t.Fatal("Read found no files")
	}
	for _, file := range files {
		for _, wrong := range Check(file) {
			t.Error(wrong)
		}
	}
}

// writePage makes TestThePageShowsTheTable write the page instead of failing.
var writePage = flag.Bool("write", false, "write the import table to docs/imports.md")

func TestThePageShowsTheTable(t *testing.T) {
	const before, after = "<!-- import table -->\n", "<!-- /import table -->"

	page := filepath.Join(top, "docs", "imports.md")
	content, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	head, rest, found := strings.Cut(string(content), before)
	shown, tail, closed := strings.Cut(rest, after)
	if !found || !closed {
		t.Fatalf("docs/imports.md has no lines %q and %q with the import table between them", strings.TrimSpace(before), after)
	}
	if shown == Markdown() {
		return
	}
	if !*writePage {
		t.Fatal("docs/imports.md differs from internal/arch/table.go. Update it with: go test ./internal/arch -write")
	}
	if err := os.WriteFile(page, []byte(head+before+Markdown()+after+tail), 0o644); err != nil {
		t.Fatal(err)
	}
}

func TestEveryRuleHasAReason(t *testing.T) {
	for _, row := range table {
		if row.Because == "" {
			t.Errorf("the row of %v has no reason", row.Packages)
		}
	}
	for _, ban := range bans {
		if ban.Because == "" {
			t.Errorf("the ban on %v has no reason", ban.Imports)
		}
	}
}

package arch

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// top is the module's directory, seen from this package.
const top = "../.."

func TestTheHouseKeepsTheTable(t *testing.T) {
	files, err := Read(top)
	if err != nil {
		t.Fatal(err)
	}
	if len(files) == 0 {
		t.Fatal("no file was read")
	}
	for _, file := range files {
		for _, wrong := range Check(file) {
			t.Error(wrong)
		}
	}
}

func TestTheReadmeShowsTheTable(t *testing.T) {
	const before, after = "<!-- import table -->\n", "<!-- /import table -->"

	content, err := os.ReadFile(filepath.Join(top, "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	_, rest, found := strings.Cut(string(content), before)
	shown, _, closed := strings.Cut(rest, after)
	if !found || !closed {
		t.Fatalf("README.md has no lines %q and %q with the import table between them", strings.TrimSpace(before), after)
	}
	if shown != Markdown() {
		t.Errorf("README.md shows another import table than internal/arch/table.go has. Put this between its markers:\n%s", Markdown())
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

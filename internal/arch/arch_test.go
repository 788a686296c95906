package arch

import "testing"

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

package privacy_test

import (
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"

	"parley/core/privacy"
)

var write = flag.Bool("write", false, "write the table of docs/privacy.md")

const (
	page  = "../../docs/privacy.md"
	begin = "<!-- The table below is written by go test ./core/privacy -write. -->\n"
)

// TestThePageShowsWhatIsStored compares docs/privacy.md with the list.
func TestThePageShowsWhatIsStored(t *testing.T) {
	content, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	text, _, found := strings.Cut(string(content), begin)
	if !found {
		t.Fatalf("%s has no line %q", page, begin)
	}
	text += begin + written()
	if *write {
		if err := os.WriteFile(page, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if text != string(content) {
		t.Errorf("%s differs from core/privacy/inventory_*.go. Update it with: go test ./core/privacy -write", page)
	}
}

// written is the list as a table for each owner.
func written() string {
	var b strings.Builder
	for _, part := range []struct {
		owner privacy.Owner
		title string
	}{{privacy.OfWorkspace, "Of a workspace"}, {privacy.OfPerson, "Of people who sign in"}, {privacy.OfInstallation, "Of the installation"}} {
		fmt.Fprintf(&b, "\n### %s\n\n| table | holds | why | how long | may tell of a person | never leaves the database |\n|---|---|---|---|---|---|\n", part.title)
		for _, t := range privacy.Tables() {
			if t.Owner == part.owner {
				fmt.Fprintf(&b, "| `%s` | %s | %s | %s | %s | %s |\n", t.Name, t.Holds, t.Why, t.Kept, columns(t.Personal), columns(t.Secret))
			}
		}
	}
	return b.String()
}

func columns(names string) string {
	var quoted []string
	for name := range strings.FieldsSeq(names) {
		quoted = append(quoted, "`"+name+"`")
	}
	return strings.Join(quoted, ", ")
}

func TestSubjectHashes(t *testing.T) {
	t.Run("one end user has another hash in another workspace", func(t *testing.T) {
		if privacy.EndUserHash("ws_1", "alice") == privacy.EndUserHash("ws_2", "alice") || privacy.EndUserHash("ws_1", "alice") == privacy.EndUserHash("ws_1", "bob") {
			t.Error("two subjects have one hash")
		}
	})
	t.Run("an account is found by its address, however that is written", func(t *testing.T) {
		if privacy.AccountHash("Ada@Example.com") != privacy.AccountHash("ada@example.com") {
			t.Error("the hashes differ")
		}
	})
}

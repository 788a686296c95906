// Package docs tests what can be read from the documentation and the code alone. What
// the documentation says of the running program is tested in e2e.
package docs

import (
	"io/fs"
	"os"
	"regexp"
	"strings"
	"testing"
)

// SECURITY.md and docs/security.md name tests, which must exist.
func TestSecurityPolicyNamesTests(t *testing.T) {
	defined := definedTests(t)
	for page, least := range map[string]int{"../SECURITY.md": 20, "security.md": 80} {
		text := readFile(t, page)
		named := regexp.MustCompile("`(Test\\w+)`").FindAllStringSubmatch(text, -1)
		if len(named) < least {
			t.Errorf("%s names only %d tests", page, len(named))
		}
		for _, name := range named {
			if !defined[name[1]] {
				t.Errorf("there is no test %s any more; %s names it", name[1], page)
			}
		}
	}
}

func definedTests(t *testing.T) map[string]bool {
	t.Helper()
	defined := map[string]bool{}
	test := regexp.MustCompile(`(?m)^func (Test\w+)\(`)
	err := fs.WalkDir(os.DirFS(".."), ".", func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || !strings.HasSuffix(path, "_test.go") {
			return err
		}
		source, err := os.ReadFile("../" + path)
		for _, found := range test.FindAllSubmatch(source, -1) {
			defined[string(found[1])] = true
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return defined
}

// TestEveryRequirementIsAnswered holds docs/security.md to the requirements of
// ASVS 5.0 level 2, of which testdata has the numbers.
func TestEveryRequirementIsAnswered(t *testing.T) {
	wanted := strings.Fields(readFile(t, "testdata/asvs-5.0-level-2.txt"))
	row := regexp.MustCompile(`(?m)^\| ((?:\d+\.\d+\.\d+(?:, )?)+) \| (yes|partly|no|operator|n/a) \| [^|]*\|[^|]*\|$`)
	answered := map[string]int{}
	for _, found := range row.FindAllStringSubmatch(readFile(t, "security.md"), -1) {
		for id := range strings.SplitSeq(found[1], ", ") {
			answered[id]++
		}
	}
	for _, id := range wanted {
		if answered[id] != 1 {
			t.Errorf("requirement %s is answered %d times, want once", id, answered[id])
		}
		delete(answered, id)
	}
	for id := range answered {
		t.Errorf("there is no requirement %s at level 2", id)
	}
}

func readFile(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

package static

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

var (
	runs    = regexp.MustCompile(`With\(((?:"[\w-]+\.js"(?:, )?)+)\)`)
	quoted  = regexp.MustCompile(`"([\w-]+\.js)"`)
	imports = regexp.MustCompile(`(?:from|import)\s*"\./([^"]+)"`)
)

// TestEveryScriptIsBundled finds a page's script that the Makefile does not name, and
// one that would have browsers ask for more than itself and the script of every page.
func TestEveryScriptIsBundled(t *testing.T) {
	named := map[string]bool{"parley.js": true}
	for _, top := range []string{"../views", "../web"} {
		err := filepath.WalkDir(top, func(path string, entry fs.DirEntry, err error) error {
			if err != nil || entry.IsDir() {
				return err
			}
			text, err := os.ReadFile(path)
			for _, match := range runs.FindAllStringSubmatch(string(text), -1) {
				for _, name := range quoted.FindAllStringSubmatch(match[1], -1) {
					named[name[1]] = true
				}
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if len(named) < 5 {
		t.Fatalf("pages name only the scripts %v", named)
	}
	for name := range named {
		script, _, found := Open(strings.TrimPrefix(URL("js/"+name), "/static/"))
		if !found {
			t.Errorf("no bundle is made of %s: name it in the Makefile's PAGE_SCRIPTS and run make generate", name)
		}
		for _, match := range imports.FindAllStringSubmatch(string(script.Content), -1) {
			if match[1] != "parley.js" {
				t.Errorf("%s imports %s", name, match[1])
			}
		}
	}
}

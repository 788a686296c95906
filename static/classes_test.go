package static

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestEveryClassIsUsed finds rules of the style that a page has left behind: a class
// has to stand in quotes in a template, in a view model or in a script.
func TestEveryClassIsUsed(t *testing.T) {
	style, _, found := Open(strings.TrimPrefix(URL(style), "/static/"))
	if !found {
		t.Fatal("there is no style")
	}
	selectors := regexp.MustCompile(`(?s)/\*.*?\*/|\{[^{}]*\}`).ReplaceAllString(string(style.Content), " ")
	used := map[string]bool{}
	quoted, word := regexp.MustCompile("\"[^\"\n]*\"|`[^`]*`"), regexp.MustCompile(`[a-zA-Z][\w-]*`)
	for _, top := range []string{"../views", "js"} {
		err := filepath.WalkDir(top, func(path string, entry fs.DirEntry, err error) error {
			if err != nil || entry.IsDir() || strings.HasSuffix(path, "_templ.go") {
				return err
			}
			text, err := os.ReadFile(path)
			for _, part := range quoted.FindAllString(string(text), -1) {
				for _, name := range word.FindAllString(part, -1) {
					used[name] = true
				}
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	for _, match := range regexp.MustCompile(`\.([a-zA-Z][\w-]*)`).FindAllStringSubmatch(selectors, -1) {
		if class := match[1]; !used[class] {
			t.Errorf("no page has the class %s: remove its rules", class)
		}
	}
}

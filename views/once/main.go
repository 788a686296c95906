// Command once has the compiler keep a single copy of each component that templ made. A
// component is a small function with a large closure, which the compiler would copy into
// all that call it: three megabytes of the program. It runs in the folder views after
// templ.
package main

import (
	"fmt"
	"go/format"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
)

var component = regexp.MustCompile(`(?m)^func .* templ\.Component \{$`)

func main() {
	err := filepath.WalkDir(".", func(name string, _ fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(name, "_templ.go") {
			return err
		}
		return mark(name)
	})
	if err != nil {
		fmt.Fprintln(os.Stderr, "once:", err)
		os.Exit(1)
	}
}

// mark puts the directive before each component of a file.
func mark(name string) error {
	text, err := os.ReadFile(name)
	if err != nil {
		return fmt.Errorf("reading what templ wrote: %w", err)
	}
	marked, err := format.Source(component.ReplaceAll(text, []byte("//go:noinline\n$0")))
	if err != nil {
		return fmt.Errorf("formatting %s: %w", name, err)
	}
	if err := os.WriteFile(name, marked, 0o644); err != nil { //nolint:gosec // a source file, as others are
		return fmt.Errorf("writing %s: %w", name, err)
	}
	return nil
}

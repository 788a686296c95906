package arch

import (
	"fmt"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strconv"
	"strings"
)

// Read returns every Go file of the module in a directory, ordered by path. It ignores
// build tags, because a rule holds on every platform.
func Read(dir string) ([]File, error) {
	var all []File
	tree := os.DirFS(dir)
	err := fs.WalkDir(tree, ".", func(file string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if entry.IsDir() {
			return enter(tree, file)
		}
		if path.Ext(file) != ".go" {
			return nil
		}
		read, err := readFile(dir, file)
		all = append(all, read)
		return err
	})
	return all, err
}

// enter returns fs.SkipDir for a directory that go list ./... also leaves out, and for
// the two that a build and a running server write to.
func enter(tree fs.FS, dir string) error {
	if dir == "." {
		return nil
	}
	base := path.Base(dir)
	if base == "testdata" || base == "vendor" || strings.HasPrefix(base, ".") || strings.HasPrefix(base, "_") {
		return fs.SkipDir
	}
	if dir == "bin" || dir == "data" {
		return fs.SkipDir
	}
	if _, err := fs.Stat(tree, path.Join(dir, "go.mod")); err == nil {
		return fs.SkipDir
	}
	return nil
}

func readFile(dir, file string) (File, error) {
	parsed, err := parser.ParseFile(token.NewFileSet(), filepath.Join(dir, filepath.FromSlash(file)), nil, parser.ImportsOnly)
	if err != nil {
		return File{}, err
	}
	read := File{Path: file, Package: path.Dir(file), Test: strings.HasSuffix(file, "_test.go")}
	for _, spec := range parsed.Imports {
		imported, err := strconv.Unquote(spec.Path.Value)
		if err != nil {
			return File{}, fmt.Errorf("%s: import %s: %w", file, spec.Path.Value, err)
		}
		read.Imports = append(read.Imports, imported)
	}
	return read, nil
}

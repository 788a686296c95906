package letters

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// contents are the types of which letters are made in single packages, before they are one.
var contents = map[string]string{"core/account/factor": "news", "core/subscription": "notice"}

// Every function under core that makes a letter, or what one is made of, is called for a
// sample, by whatever way; and the gallery shows the samples of every package that has any.
func TestEveryLetterHasASample(t *testing.T) {
	const core = "../../core"
	shown, err := os.ReadFile("letters.go")
	if err != nil {
		t.Fatal(err)
	}
	writers := 0
	err = filepath.WalkDir(core, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || !entry.IsDir() {
			return err
		}
		folder := "core" + strings.TrimPrefix(path, core)
		funcs := functionsOf(t, path)
		var makers []string
		for name, declared := range funcs {
			if slices.ContainsFunc(declared, func(f *ast.FuncDecl) bool { return makesLetter(f, contents[folder]) }) {
				makers = append(makers, name)
			}
		}
		if len(makers) == 0 || folder == "core/outbox" {
			return nil
		}
		writers++
		t.Run(folder, func(t *testing.T) {
			if !strings.Contains(string(shown), filepath.Base(folder)+".SampleLetters(") {
				t.Error("the gallery does not show its letters")
			}
			called := calledFrom(funcs, "SampleLetters")
			for _, maker := range makers {
				if !called[maker] {
					t.Errorf("SampleLetters has nothing of %s", maker)
				}
			}
		})
		return nil
	})
	if err != nil || writers < 7 {
		t.Errorf("%d packages write letters: %v", writers, err)
	}
}

// functionsOf returns the functions and methods of a package by their names.
func functionsOf(t *testing.T, folder string) map[string][]*ast.FuncDecl {
	t.Helper()
	names, err := filepath.Glob(filepath.Join(folder, "*.go"))
	if err != nil {
		t.Fatal(err)
	}
	funcs := map[string][]*ast.FuncDecl{}
	for _, name := range names {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		for _, declared := range file.Decls {
			if f, is := declared.(*ast.FuncDecl); is && f.Body != nil {
				funcs[f.Name.Name] = append(funcs[f.Name.Name], f)
			}
		}
	}
	return funcs
}

// makesLetter reports whether a function has a literal of a letter, or of its content.
func makesLetter(f *ast.FuncDecl, content string) (makes bool) {
	ast.Inspect(f.Body, func(n ast.Node) bool {
		literal, is := n.(*ast.CompositeLit)
		if !is || len(literal.Elts) == 0 {
			return true
		}
		switch kind := literal.Type.(type) {
		case *ast.SelectorExpr:
			makes = makes || kind.Sel.Name == "Letter"
		case *ast.Ident:
			makes = makes || kind.Name == content && content != ""
		case *ast.ArrayType:
			of, is := kind.Elt.(*ast.Ident)
			makes = makes || is && of.Name == content
		}
		return true
	})
	return makes
}

// calledFrom are the names that a function mentions, and those that these mention.
func calledFrom(funcs map[string][]*ast.FuncDecl, from string) map[string]bool {
	called, open := map[string]bool{from: true}, []string{from}
	for len(open) > 0 {
		name := open[0]
		open = open[1:]
		for _, f := range funcs[name] {
			ast.Inspect(f.Body, func(n ast.Node) bool {
				if id, is := n.(*ast.Ident); is && funcs[id.Name] != nil && !called[id.Name] {
					called[id.Name] = true
					open = append(open, id.Name)
				}
				return true
			})
		}
	}
	return called
}

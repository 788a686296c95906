// Command trim cuts what ent's generator writes. It runs in the folder ent after the
// generator.
//
//   - mutation.go has the mutations of all tables and would be larger than 1 MiB: it
//     becomes two files.
//   - client.go offers to migrate the schema, which Parley does with migrations of its
//     own. With that goes the package of migrations, which imports atlas, HCL and their
//     like: thirty packages of the program. The folder enttest is for tests that migrate
//     in this way, and hook for hooks in another form than the schema's.
package main

import (
	"bytes"
	"errors"
	"fmt"
	"go/ast"
	"go/format"
	"go/parser"
	"go/token"
	"os"
	"path"
	"strings"
)

const (
	whole = "generated/mutation.go"
	more  = "generated/mutation_more.go"
)

func main() {
	if err := trim(); err != nil {
		fmt.Fprintln(os.Stderr, "trim:", err)
		os.Exit(1)
	}
}

func trim() error {
	if err := split(); err != nil {
		return err
	}
	if err := withoutSchema(); err != nil {
		return err
	}
	return errors.Join(os.RemoveAll("generated/enttest"), os.RemoveAll("generated/hook"))
}

// withoutSchema removes from client.go what migrates.
func withoutSchema() error {
	const file = "generated/client.go"
	text, err := os.ReadFile(file)
	if err != nil {
		return fmt.Errorf("reading what the generator wrote: %w", err)
	}
	for _, line := range []string{
		"\t\"parley/ent/generated/migrate\"\n",
		"\t// Schema is the client for creating, migrating and dropping schema.\n\tSchema *migrate.Schema\n",
		"\tc.Schema = migrate.NewSchema(c.driver)\n",
	} {
		rest := bytes.Replace(text, []byte(line), nil, 1)
		if len(rest) == len(text) {
			return fmt.Errorf("%s has no line %q: the generator has changed", file, line)
		}
		text = rest
	}
	if text, err = format.Source(text); err != nil {
		return fmt.Errorf("formatting %s: %w", file, err)
	}
	if err := os.WriteFile(file, text, 0o644); err != nil { //nolint:gosec // a source file, as others are
		return fmt.Errorf("writing %s: %w", file, err)
	}
	return nil
}

func split() error {
	text, err := os.ReadFile(whole)
	if err != nil {
		return fmt.Errorf("reading what the generator wrote: %w", err)
	}
	files := token.NewFileSet()
	file, err := parser.ParseFile(files, whole, text, parser.ParseComments)
	if err != nil {
		return fmt.Errorf("parsing what the generator wrote: %w", err)
	}
	head, body := 0, 0 // where the imports begin, and where they end
	cut := len(text)
	for _, d := range file.Decls {
		general, ok := d.(*ast.GenDecl)
		switch {
		case ok && general.Tok == token.IMPORT:
			head, body = files.Position(general.Pos()).Offset, files.Position(general.End()).Offset
		case ok && general.Tok == token.TYPE && general.Doc != nil && cut == len(text):
			if at := files.Position(general.Doc.Pos()).Offset; at > len(text)/2 {
				cut = at
			}
		}
	}
	if err := write(whole, text[:head], text[head:body], text[body:cut]); err != nil {
		return err
	}
	return write(more, text[:head], text[head:body], text[cut:])
}

// write writes a file with those of the imports that its body uses.
func write(name string, head, imports, body []byte) error {
	used, err := packages(body)
	if err != nil {
		return fmt.Errorf("parsing %s: %w", name, err)
	}
	out := append([]byte{}, head...)
	for line := range bytes.Lines(imports) {
		_, imported, found := bytes.Cut(line, []byte(`"`))
		if !found || used[path.Base(strings.TrimSuffix(strings.TrimSpace(string(imported)), `"`))] {
			out = append(out, line...)
		}
	}
	text, err := format.Source(append(append(out, "\n\n"...), body...))
	if err != nil {
		return fmt.Errorf("formatting %s: %w", name, err)
	}
	if err := os.WriteFile(name, text, 0o644); err != nil { //nolint:gosec // a source file, as others are
		return fmt.Errorf("writing %s: %w", name, err)
	}
	return nil
}

// packages are the names that the declarations of a body select from and do not
// declare.
func packages(body []byte) (map[string]bool, error) {
	file, err := parser.ParseFile(token.NewFileSet(), "", append([]byte("package generated\n"), body...), 0)
	if err != nil {
		return nil, err
	}
	used := map[string]bool{}
	ast.Inspect(file, func(n ast.Node) bool {
		if selector, ok := n.(*ast.SelectorExpr); ok {
			if x, ok := selector.X.(*ast.Ident); ok && x.Obj == nil {
				used[x.Name] = true
			}
		}
		return true
	})
	return used, nil
}

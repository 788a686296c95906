// Command trim cuts what ent's generator writes and Parley has no use for. It runs in the
// folder ent after the generator.
//
//   - client.go offers to migrate the schema, which Parley does with migrations of its
//     own. With that goes the package of migrations, which imports atlas, HCL and their
//     like: thirty packages of the program. The folder enttest is for tests that migrate
//     in this way, and hook for hooks in another form than the schema's.
//   - mutation.go has the mutations of all tables and would be larger than 1 MiB: it
//     becomes two files.
//   - Methods whose names end in X panic where the others return an error.
//   - The scans of one column are for strings; the others are copied into 104 types.
//   - Methods whose names begin with Old read a row before it changes, one query for each
//     field, for hooks that compare.
//
// Linkers keep unused methods, because reflection could call them.
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
	"path/filepath"
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
	if err := withoutSchema(); err != nil {
		return err
	}
	names, err := filepath.Glob("generated/*.go")
	if err != nil {
		return fmt.Errorf("listing what the generator wrote: %w", err)
	}
	for _, name := range names {
		if err := withoutUnused(name); err != nil {
			return err
		}
	}
	if err := split(); err != nil {
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
	return write(file, text)
}

// withoutUnused removes methods that Parley never calls from a file. ent asks every
// mutation for OldField: it stays, and returns an error.
func withoutUnused(name string) error {
	text, err := os.ReadFile(name)
	if err != nil {
		return fmt.Errorf("reading what the generator wrote: %w", err)
	}
	files := token.NewFileSet()
	file, err := parser.ParseFile(files, name, text, parser.ParseComments)
	if err != nil {
		return fmt.Errorf("parsing what the generator wrote: %w", err)
	}
	var rest []byte
	from := 0
	for _, d := range file.Decls {
		method, ok := d.(*ast.FuncDecl)
		if !ok || method.Recv == nil {
			continue
		}
		begin, body, end := method.Pos(), method.Body.Pos(), method.End()
		if method.Doc != nil {
			begin = method.Doc.Pos()
		}
		switch called := method.Name.Name; {
		case called == "OldField":
			rest = append(rest, text[from:files.Position(body).Offset]...)
			rest = append(rest, "{\n\treturn nil, errors.New(\"this client reads no old values\")\n}"...)
		case panics(method), strings.HasPrefix(called, "Old"), scans(method) && called != "Strings":
			rest = append(rest, text[from:files.Position(begin).Offset]...)
		default:
			continue
		}
		from = files.Position(end).Offset
	}
	return write(name, append(rest, text[from:]...))
}

// panics reports whether a method is one that panics where another returns an error.
func panics(method *ast.FuncDecl) bool {
	return strings.HasSuffix(method.Name.Name, "X") && (strings.Contains(method.Doc.Text(), "panics") || strings.HasSuffix(method.Name.Name, "ExecX"))
}

// scans reports whether a method scans the one column that was selected.
func scans(method *ast.FuncDecl) bool {
	of, pointer := method.Recv.List[0].Type.(*ast.StarExpr)
	if !pointer {
		return false
	}
	name, ok := of.X.(*ast.Ident)
	return ok && name.Name == "selector" && !strings.HasPrefix(method.Name.Name, "Scan")
}

func write(name string, text []byte) error {
	text, err := format.Source(text)
	if err != nil {
		return fmt.Errorf("formatting %s: %w", name, err)
	}
	if err := os.WriteFile(name, text, 0o644); err != nil { //nolint:gosec // a source file, as others are
		return fmt.Errorf("writing %s: %w", name, err)
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
	if err := writePart(whole, text[:head], text[head:body], text[body:cut]); err != nil {
		return err
	}
	return writePart(more, text[:head], text[head:body], text[cut:])
}

// writePart writes a file with those of the imports that its body uses.
func writePart(name string, head, imports, body []byte) error {
	used, err := packages(body)
	if err != nil {
		return fmt.Errorf("parsing %s: %w", name, err)
	}
	text := append([]byte{}, head...)
	for line := range bytes.Lines(imports) {
		_, imported, found := bytes.Cut(line, []byte(`"`))
		if !found || used[path.Base(strings.TrimSuffix(strings.TrimSpace(string(imported)), `"`))] {
			text = append(text, line...)
		}
	}
	return write(name, append(append(text, "\n\n"...), body...))
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

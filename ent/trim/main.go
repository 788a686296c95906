// Command trim cuts what ent's generator writes and Parley has no use for. It runs in the
// folder ent after the generator.
//
//   - client.go offers to migrate the schema, which Parley does with migrations of its
//     own. With that goes the package of migrations, which imports atlas, HCL and their
//     like: thirty packages of the program. The folder enttest is for tests that migrate
//     in this way, and hook for hooks in another form than the schema's.
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
	"path/filepath"
	"strings"
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

// Command trim cuts what ent's generator writes and Parley has no use for. It runs in the
// folder ent after the generator.
//
//   - client.go offers to migrate the schema, which Parley does with migrations of its
//     own. With that goes the package of migrations, which imports atlas, HCL and their
//     like: thirty packages of the program. The folder enttest is for tests that migrate
//     in this way, and hook for hooks in another form than the schema's.
//   - Builders that update one row: Parley's updates name a condition.
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
	"regexp"
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
		if declares(d, "UpdateOne") {
			rest = append(rest, text[from:files.Position(beginOf(d)).Offset]...)
			from = files.Position(d.End()).Offset
			continue
		}
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
		case updatesOne(method), panics(method), strings.HasPrefix(called, "Old"), scans(method) && called != "Strings":
			rest = append(rest, text[from:files.Position(begin).Offset]...)
		default:
			continue
		}
		from = files.Position(end).Offset
	}
	rest, err = withoutImports(updateOneCase.ReplaceAll(append(rest, text[from:]...), nil))
	if err != nil {
		return fmt.Errorf("reading what is left of %s: %w", name, err)
	}
	return write(name, rest)
}

// updateOneCase is where a client runs a mutation with a builder for one row.
var updateOneCase = regexp.MustCompile(`\n\tcase OpUpdateOne:\n.*`)

// declares reports whether a declaration is of a type whose name ends so.
func declares(d ast.Decl, suffix string) bool {
	general, ok := d.(*ast.GenDecl)
	return ok && general.Tok == token.TYPE && len(general.Specs) == 1 && strings.HasSuffix(general.Specs[0].(*ast.TypeSpec).Name.Name, suffix)
}

// beginOf is where a declaration begins, with its comment.
func beginOf(d ast.Decl) token.Pos {
	if general, ok := d.(*ast.GenDecl); ok && general.Doc != nil {
		return general.Doc.Pos()
	}
	return d.Pos()
}

// updatesOne reports whether a method is of a builder that updates one row, or returns one.
func updatesOne(method *ast.FuncDecl) bool {
	of := []*ast.Field{method.Recv.List[0]}
	if method.Type.Results != nil {
		of = append(of, method.Type.Results.List...)
	}
	for _, field := range of {
		if pointer, ok := field.Type.(*ast.StarExpr); ok {
			if name, ok := pointer.X.(*ast.Ident); ok && strings.HasSuffix(name.Name, "UpdateOne") {
				return true
			}
		}
	}
	return false
}

// withoutImports removes the imports of packages that a file no longer names.
func withoutImports(text []byte) ([]byte, error) {
	file, err := parser.ParseFile(token.NewFileSet(), "", text, 0)
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
	for _, imported := range file.Imports {
		if imported.Name == nil && !used[path.Base(strings.Trim(imported.Path.Value, `"`))] {
			text = bytes.Replace(text, []byte("\t"+imported.Path.Value+"\n"), nil, 1)
		}
	}
	return text, nil
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

package arch

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// The limits of a package. Tests and generated files are not counted.
const (
	// maxLines bounds the lines of a package's files, comments and blank lines
	// included: wc -l counts the same.
	maxLines = 2500
	// maxExported bounds the exported types, functions, variables and
	// constants of a package.
	maxExported = 40
	// maxInterface bounds the methods of an interface, those of the interfaces
	// in it included.
	maxInterface = 12
	// maxMethods bounds the methods declared on a type.
	maxMethods = 15
)

// Limit names what an exception is about.
type Limit string

// The limits that a package can exceed.
const (
	Lines     Limit = "lines"
	Exported  Limit = "exported names"
	Interface Limit = "methods of an interface"
	Methods   Limit = "methods of a type"
)

// Exception allows a package to exceed a limit.
type Exception struct {
	// Package is a package's path below the module.
	Package string
	// Limit is the limit that it exceeds.
	Limit Limit
	// Name is the interface or the type. It is empty for lines and exported
	// names.
	Name string
	// Because is the reason. The package's comment gives the same one.
	Because string
}

// Excess is a limit that a package exceeds.
type Excess struct {
	Package string
	Limit   Limit
	Name    string
	Has     int
	Most    int
}

func (e Excess) String() string {
	subject := e.Package
	if e.Name != "" {
		subject += "." + e.Name
	}
	return fmt.Sprintf("%s: %d %s, and at most %d are allowed", subject, e.Has, e.Limit, e.Most)
}

// size holds the measurements of a package.
type size struct {
	doc      string
	lines    int
	exported int
	// methods counts the methods declared on each type.
	methods map[string]int
	// interfaces holds the members of each interface.
	interfaces map[string]members
}

// members are the methods and the embedded types of an interface. An embedded type has
// the path of its package, or none if that is the same package.
type members struct {
	methods  int
	embedded []reference
}

type reference struct {
	pkg  string
	name string
}

// sizes measures the packages that own the files.
func sizes(dir string, files []File) (map[string]*size, error) {
	all := make(map[string]*size)
	for _, file := range files {
		if file.Test {
			continue
		}
		content, err := os.ReadFile(filepath.Join(dir, filepath.FromSlash(file.Path)))
		if err != nil {
			return nil, err
		}
		if generated(content) {
			continue
		}
		parsed, err := parser.ParseFile(token.NewFileSet(), file.Path, content, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			return nil, err
		}
		pkg := all[file.Package]
		if pkg == nil {
			pkg = &size{methods: make(map[string]int), interfaces: make(map[string]members)}
			all[file.Package] = pkg
		}
		pkg.lines += bytes.Count(content, []byte("\n"))
		pkg.doc += parsed.Doc.Text()
		pkg.count(parsed)
	}
	return all, nil
}

// generated reports whether a file says that it was generated.
func generated(content []byte) bool {
	head, _, _ := bytes.Cut(content, []byte("\npackage "))
	return bytes.Contains(head, []byte("// Code generated ")) && bytes.Contains(head, []byte(" DO NOT EDIT."))
}

func (s *size) count(file *ast.File) {
	for _, declared := range file.Decls {
		switch declared := declared.(type) {
		case *ast.FuncDecl:
			s.countFunc(declared)
		case *ast.GenDecl:
			for _, spec := range declared.Specs {
				s.countSpec(file, spec)
			}
		}
	}
}

func (s *size) countFunc(declared *ast.FuncDecl) {
	if declared.Recv != nil {
		s.methods[receiver(declared.Recv.List[0].Type)]++
		return
	}
	s.countName(declared.Name)
}

func (s *size) countSpec(file *ast.File, spec ast.Spec) {
	switch spec := spec.(type) {
	case *ast.ValueSpec:
		for _, name := range spec.Names {
			s.countName(name)
		}
	case *ast.TypeSpec:
		s.countName(spec.Name)
		if declared, ok := spec.Type.(*ast.InterfaceType); ok {
			s.interfaces[spec.Name.Name] = membersOf(file, declared)
		}
	}
}

func (s *size) countName(name *ast.Ident) {
	if name.IsExported() {
		s.exported++
	}
}

func receiver(expr ast.Expr) string {
	switch expr := expr.(type) {
	case *ast.StarExpr:
		return receiver(expr.X)
	case *ast.IndexExpr:
		return receiver(expr.X)
	case *ast.IndexListExpr:
		return receiver(expr.X)
	case *ast.Ident:
		return expr.Name
	}
	return ""
}

func membersOf(file *ast.File, declared *ast.InterfaceType) members {
	var found members
	for _, field := range declared.Methods.List {
		if len(field.Names) > 0 {
			found.methods += len(field.Names)
			continue
		}
		switch embedded := field.Type.(type) {
		case *ast.Ident:
			found.embedded = append(found.embedded, reference{name: embedded.Name})
		case *ast.SelectorExpr:
			if pkg, ok := embedded.X.(*ast.Ident); ok {
				found.embedded = append(found.embedded, reference{pkg: imported(file, pkg.Name), name: embedded.Sel.Name})
			}
		}
	}
	return found
}

// imported returns the path that a file imports under a name.
func imported(file *ast.File, name string) string {
	for _, spec := range file.Imports {
		path := strings.Trim(spec.Path.Value, `"`)
		if spec.Name != nil && spec.Name.Name == name || spec.Name == nil && path[strings.LastIndex(path, "/")+1:] == name {
			return path
		}
	}
	return name
}

// interfaceSize counts the methods of an interface. An interface from another module
// counts as one method.
func interfaceSize(all map[string]*size, pkg, name string) int {
	measured := all[pkg]
	if measured == nil {
		return 1
	}
	found, ok := measured.interfaces[name]
	if !ok {
		return 1
	}
	total := found.methods
	for _, embedded := range found.embedded {
		in := pkg
		if embedded.pkg != "" {
			in = strings.TrimPrefix(embedded.pkg, root+"/")
		}
		total += interfaceSize(all, in, embedded.name)
	}
	return total
}

// excesses returns each limit that a package exceeds, in the order of the
// packages' paths.
func excesses(all map[string]*size) []Excess {
	var found []Excess
	exceeds := func(pkg string, limit Limit, name string, has, most int) {
		if has > most {
			found = append(found, Excess{Package: pkg, Limit: limit, Name: name, Has: has, Most: most})
		}
	}
	for _, pkg := range slices.Sorted(maps.Keys(all)) {
		measured := all[pkg]
		exceeds(pkg, Lines, "", measured.lines, maxLines)
		exceeds(pkg, Exported, "", measured.exported, maxExported)
		for _, name := range slices.Sorted(maps.Keys(measured.interfaces)) {
			exceeds(pkg, Interface, name, interfaceSize(all, pkg, name), maxInterface)
		}
		for _, name := range slices.Sorted(maps.Keys(measured.methods)) {
			exceeds(pkg, Methods, name, measured.methods[name], maxMethods)
		}
	}
	return found
}

// Package arch has the import table, which says which package may import which and
// why. Its tests check the code against the table.
//
// It does not own what the packages do: see docs/architecture.md.
package arch

import (
	"fmt"
	"strings"
)

// root is this module's path.
const root = "parley"

// Row says what some packages may import.
//
// A pattern is a package's path below the module: "store" is that package,
// "core/*" everything one step below core, "ent/..." ent and everything below
// it. "." is the root package and "..." is everything.
type Row struct {
	// Packages are the patterns of the packages that the row covers. The first
	// row that matches a package applies.
	Packages []string
	// Ours are the patterns of this module's packages that they may import.
	Ours []string
	// Outside are the path prefixes of outside packages that they may import, at
	// the boundary of a path element. "*" means all of them.
	Outside []string
	// Closed says that the packages' tests may import no more than the packages.
	Closed bool
	// Because is the reason, part of every failure.
	Because string
}

// Ban says what only some packages may import, whatever their row says.
type Ban struct {
	// Imports are path prefixes, as in Row.Outside; this module's packages
	// start with its name.
	Imports []string
	// In are the patterns of the packages to which the ban applies.
	In []string
	// Except are the patterns of the packages to which it does not apply.
	Except []string
	// Tests says whether the ban applies to tests too.
	Tests bool
	// Because is the reason, part of every failure.
	Because string
}

// File is a Go file with its imports.
type File struct {
	// Path is the file's path below the module.
	Path string
	// Package is the path of its package below the module.
	Package string
	// Test says whether it is a test file.
	Test bool
	// Imports are the import paths.
	Imports []string
}

// Check returns what is wrong with a file's imports, one sentence each. Only a ban can
// forbid an import of the standard library.
func Check(f File) []string {
	row, ok := rowOf(f.Package)
	if !ok {
		return []string{fmt.Sprintf("%s: the import table has no row for %s: add one in internal/arch/table.go", f.Path, name(f.Package))}
	}
	var wrong []string
	for _, path := range f.Imports {
		if reason := f.refused(path, row); reason != "" {
			wrong = append(wrong, fmt.Sprintf("%s: %s must not import %s: %s", f.Path, name(f.Package), path, reason))
		}
	}
	return wrong
}

// refused returns why the file must not import path, or nothing.
func (f File) refused(path string, row Row) string {
	if reason := f.banned(path); reason != "" {
		return reason
	}
	if f.allowed(path, row) {
		return ""
	}
	return row.Because
}

func (f File) allowed(path string, row Row) bool {
	more := f.Test && !row.Closed
	if ours, ok := below(path); ok {
		return ours == f.Package || matchesAny(row.Ours, ours) || more && matchesAny(testOurs, ours)
	}
	return standard(path) || within(row.Outside, path) || more && within(testOutside, path)
}

func (f File) banned(path string) string {
	for _, ban := range bans {
		if f.Test && !ban.Tests {
			continue
		}
		if within(ban.Imports, path) && matchesAny(ban.In, f.Package) && !matchesAny(ban.Except, f.Package) {
			return ban.Because
		}
	}
	return ""
}

func rowOf(pkg string) (Row, bool) {
	for _, row := range table {
		if matchesAny(row.Packages, pkg) {
			return row, true
		}
	}
	return Row{}, false
}

func matchesAny(patterns []string, pkg string) bool {
	for _, pattern := range patterns {
		if matches(pattern, pkg) {
			return true
		}
	}
	return false
}

func matches(pattern, pkg string) bool {
	if pattern == "..." {
		return true
	}
	if parent, ok := strings.CutSuffix(pattern, "/..."); ok {
		return pkg == parent || strings.HasPrefix(pkg, parent+"/")
	}
	if parent, ok := strings.CutSuffix(pattern, "/*"); ok {
		rest, ok := strings.CutPrefix(pkg, parent+"/")
		return ok && !strings.Contains(rest, "/")
	}
	return pattern == pkg
}

// within reports whether path equals one of the prefixes or is below one.
func within(prefixes []string, path string) bool {
	for _, prefix := range prefixes {
		if prefix == "*" || path == prefix || strings.HasPrefix(path, prefix+"/") {
			return true
		}
	}
	return false
}

// below returns the path below this module.
func below(path string) (string, bool) {
	if path == root {
		return ".", true
	}
	return strings.CutPrefix(path, root+"/")
}

// standard reports whether path belongs to the standard library: the first element of
// any other path has a dot.
func standard(path string) bool {
	first, _, _ := strings.Cut(path, "/")
	return !strings.Contains(first, ".")
}

func name(pkg string) string {
	if pkg == "." {
		return "the root package"
	}
	return pkg
}

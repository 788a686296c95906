package api

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// pagesOnly are codes that no program reads.
var pagesOnly = map[string]string{"step_ended": "it is between the pages of a sign-in"}

// TestErrorCodesAreDescribed holds the codes that the program has to both descriptions for
// callers, and these to the program.
func TestErrorCodesAreDescribed(t *testing.T) {
	codes := codesOfProgram(t)
	if len(codes) < 50 {
		t.Fatalf("the program has only the codes %q", codes)
	}
	for name, described := range map[string][]string{"docs/api/errors.md": codesOfTable(t), "api/openapi.yaml": codesOfDescription(t)} {
		t.Run(name, func(t *testing.T) {
			for _, code := range codes {
				if !slices.Contains(described, code) && pagesOnly[code] == "" {
					t.Errorf("it lacks %s", code)
				}
			}
			for _, code := range described {
				if !slices.Contains(codes, code) || pagesOnly[code] != "" {
					t.Errorf("it has %s, which no answer has", code)
				}
			}
		})
	}
}

// codesOfProgram are those that package fault names, and those that a failure gets where it
// is made.
func codesOfProgram(t *testing.T) (codes []string) {
	t.Helper()
	for _, folder := range []string{"../api", "../core", "../llm", "../internal", "../web"} {
		err := filepath.WalkDir(folder, func(path string, entry fs.DirEntry, err error) error {
			if err != nil || entry.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
				return err
			}
			file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
			if err != nil {
				return err
			}
			ast.Inspect(file, func(n ast.Node) bool {
				for _, text := range codesIn(n, file.Name.Name) {
					if literal, is := text.(*ast.BasicLit); is && literal.Kind == token.STRING {
						code, err := strconv.Unquote(literal.Value)
						if err != nil {
							t.Error(err)
						}
						codes = append(codes, code)
					}
				}
				return true
			})
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	slices.Sort(codes)
	return slices.Compact(codes)
}

// codesIn are the expressions in which a node of a package gives a code.
func codesIn(n ast.Node, of string) []ast.Expr {
	switch n := n.(type) {
	case *ast.ValueSpec: // Busy Code = "busy" in package fault, or fault.Code
		if _, isNear := n.Type.(*ast.Ident); isCode(n.Type) && (of == "fault" || !isNear) {
			return n.Values
		}
	case *ast.CallExpr: // failure.Named("busy")
		if called, is := n.Fun.(*ast.SelectorExpr); is && called.Sel.Name == "Named" && len(n.Args) == 1 {
			return n.Args
		}
	case *ast.CompositeLit:
		return codesOfLiteral(n)
	}
	return nil
}

// codesOfLiteral are the values of map[Kind]Code, and the name of a failure.
func codesOfLiteral(n *ast.CompositeLit) (codes []ast.Expr) {
	table, isTable := n.Type.(*ast.MapType)
	made, isMade := n.Type.(*ast.Ident)
	for _, element := range n.Elts {
		pair, is := element.(*ast.KeyValueExpr)
		if !is {
			continue
		}
		key, _ := pair.Key.(*ast.Ident)
		if isTable && isCode(table.Value) || isMade && made.Name == "failure" && key != nil && key.Name == "name" {
			codes = append(codes, pair.Value)
		}
	}
	return codes
}

func isCode(of ast.Expr) bool {
	switch of := of.(type) {
	case *ast.Ident:
		return of.Name == "Code"
	case *ast.SelectorExpr:
		in, _ := of.X.(*ast.Ident)
		return of.Sel.Name == "Code" && in != nil && in.Name == "fault"
	}
	return false
}

var inQuotes = regexp.MustCompile("`([a-z_]+)`")

// codesOfTable are the second column of the table in the documentation.
func codesOfTable(t *testing.T) (codes []string) {
	t.Helper()
	text, err := os.ReadFile("../docs/api/errors.md")
	if err != nil {
		t.Fatal(err)
	}
	_, section, _ := strings.Cut(string(text), "\n## Error codes\n")
	section, _, _ = strings.Cut(section, "\n## ")
	for line := range strings.Lines(section) {
		if columns := strings.Split(line, "|"); len(columns) > 3 {
			codes = append(codes, quotedIn(columns[2])...)
		}
	}
	return codes
}

// codesOfDescription are those that the description of the header lists.
func codesOfDescription(t *testing.T) []string {
	t.Helper()
	text, err := os.ReadFile("openapi.yaml")
	if err != nil {
		t.Fatal(err)
	}
	_, header, _ := strings.Cut(string(text), "\n    X-Error-Code:\n")
	header, _, _ = strings.Cut(header, "\n      required:")
	_, listed, _ := strings.Cut(header, "may add some:")
	return quotedIn(listed)
}

func quotedIn(text string) (all []string) {
	for _, match := range inQuotes.FindAllStringSubmatch(text, -1) {
		all = append(all, match[1])
	}
	return all
}

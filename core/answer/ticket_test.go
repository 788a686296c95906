package answer

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"log/slog"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"parley/core/chat/quota"
	"parley/core/chatbot"
)

func TestNoDraftBeginsWithoutATicket(t *testing.T) {
	model := script(answers("At nine."))
	p := New(&shelf{}, Always(model), nil, time.Now, slog.New(slog.DiscardHandler))
	for name, ticket := range map[string]*quota.Ticket{"no ticket": nil, "one that no quota made": {}} {
		if d, err := p.Draft(&chatbot.Chatbot{}, ticket, ""); d != nil || err == nil {
			t.Errorf("%s gives %v, %v", name, d, err)
		}
	}
}

// callers have a model generate: a draft, and models that pass a prompt on.
var callers = []string{"core/answer/", "llm/fallback/", "app/counted_models.go", "app/telemetry.go"}

// TestOnlyADraftHasAModelGenerate reads the program: nothing else calls the port to a model.
func TestOnlyADraftHasAModelGenerate(t *testing.T) {
	found := 0
	for _, folder := range []string{"api", "app", "cmd", "core", "jobs", "llm", "web"} {
		err := filepath.WalkDir("../../"+folder, func(path string, entry fs.DirEntry, err error) error {
			if err != nil || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") || strings.Contains(path, "test/") {
				return err
			}
			file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
			if err != nil {
				return err
			}
			ast.Inspect(file, func(n ast.Node) bool {
				if call, ok := n.(*ast.CallExpr); ok && generates(call) {
					found++
					if !slices.ContainsFunc(callers, func(caller string) bool { return strings.HasPrefix(path, "../../"+caller) }) {
						t.Errorf("%s has a model generate", path)
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
	if found < 4 {
		t.Errorf("only %d calls were found", found)
	}
}

// generates reports whether a call is one of [Model.Generate], and not of [Draft.Generate].
func generates(call *ast.CallExpr) bool {
	method, ok := call.Fun.(*ast.SelectorExpr)
	if !ok || method.Sel.Name != "Generate" || len(call.Args) != 3 {
		return false
	}
	switch of := method.X.(type) {
	case *ast.Ident:
		return of.Name != "draft"
	case *ast.SelectorExpr:
		return of.Sel.Name != "draft"
	}
	return true
}

package arch

import (
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
)

func TestCheckAdmits(t *testing.T) {
	for sentence, file := range map[string]File{
		"a domain package may import one before it":         {Package: "core/chat/turn", Imports: []string{"parley/core/chat"}},
		"any package may import the standard library":       {Package: "core/chat", Imports: []string{"strings"}},
		"the store may import ent's generated packages":     {Package: "store", Imports: []string{"parley/ent/generated/message"}},
		"a module's subpackage comes with the module":       {Package: "core/account", Imports: []string{"golang.org/x/crypto/argon2"}},
		"text may import its own packages and stemmers":     {Package: "text/lexical", Imports: []string{"parley/text/language", "github.com/blevesearch/snowballstem/english"}},
		"a domain package may read texts":                   {Package: "core/retrieval", Imports: []string{"parley/text/encode"}},
		"an index may import the SQLite driver":             {Package: "index/embedded", Imports: []string{"modernc.org/sqlite"}},
		"the API's test may put the whole program together": {Package: "api", Test: true, Imports: []string{"parley/store"}},
		"an external test may import the package it tests":  {Package: "api", Test: true, Imports: []string{"parley/api"}},
		"a test may import a double":                        {Package: "core/chat", Test: true, Imports: []string{"parley/llm/llmtest"}},
		"a test may look for leaks":                         {Package: "api", Test: true, Imports: []string{"go.uber.org/goleak"}},
		"the command may import the program":                {Package: "cmd/parley", Imports: []string{"parley/app"}},
		"the program may import any of our packages":        {Package: "app", Imports: []string{"parley/web", "parley/store"}},
		"the command may import its own library":            {Package: "cmd/parley", Imports: []string{"github.com/alecthomas/kong"}},
	} {
		t.Run(sentence, func(t *testing.T) {
			for _, wrong := range Check(file) {
				t.Error(wrong)
			}
		})
	}
}

func TestCheckRefuses(t *testing.T) {
	for sentence, c := range map[string]struct {
		File
		reason string
	}{
		"a domain package that imports HTTP":                  {File{Package: "core/chat", Imports: []string{"net/http"}}, "core/chat must not import net/http: domain packages know no transport"},
		"a domain package whose test imports HTTP":            {File{Package: "core/chat", Test: true, Imports: []string{"net/http/httptest"}}, "domain packages know no transport"},
		"a domain package that grants itself an access":       {File{Package: "core/chat", Imports: []string{"parley/core/system/grant"}}, "only the program's wiring"},
		"a domain package that imports SQL":                   {File{Package: "core/tenant", Imports: []string{"database/sql"}}, "domain packages know no database"},
		"a domain package that imports one after it":          {File{Package: "core/tenant", Imports: []string{"parley/core/chat"}}, "those before it"},
		"a domain package that imports a transport":           {File{Package: "core/chat/turn", Imports: []string{"parley/api"}}, "instead of knowing a model or a vendor"},
		"a transport that imports the store":                  {File{Package: "api", Imports: []string{"parley/store"}}, "app decides"},
		"a transport that imports the other":                  {File{Package: "web/bot", Imports: []string{"parley/api"}}, "app decides"},
		"a transport that imports ent":                        {File{Package: "web/bot", Imports: []string{"parley/ent"}}, "ent ends in store"},
		"a test of a transport that imports ent":              {File{Package: "web/bot", Test: true, Imports: []string{"parley/ent/generated/user"}}, "ent ends in store"},
		"the command when it imports an adapter":              {File{Package: "cmd/parley", Imports: []string{"parley/store"}}, "app opens"},
		"the command when it imports ent":                     {File{Package: "cmd/parley", Imports: []string{"parley/ent"}}, "ent ends in store"},
		"the command when it imports Stripe":                  {File{Package: "cmd/parley", Imports: []string{"github.com/stripe/stripe-go/v76"}}, "Stripe ends in billing"},
		"the command when it imports a double":                {File{Package: "cmd/parley", Imports: []string{"parley/llm/llmtest"}}, "out of the program"},
		"an adapter that imports another":                     {File{Package: "llm/openai", Imports: []string{"parley/store"}}, "adapters never import one another"},
		"billing when it imports Fiber":                       {File{Package: "billing", Imports: []string{"github.com/gofiber/fiber/v2"}}, "no transport"},
		"a module with a longer name":                         {File{Package: "views/bot", Imports: []string{"github.com/a-h/templating"}}, "nothing is fetched"},
		"a test outside cmd that imports cmd":                 {File{Package: "web/bot", Test: true, Imports: []string{"parley/cmd/parley"}}, "app decides"},
		"a whole-program test that imports an adapter":        {File{Package: "e2e/api", Test: true, Imports: []string{"parley/store"}}, "it sees no adapter"},
		"a test that imports the program":                     {File{Package: "web/bot", Test: true, Imports: []string{"parley/app"}}, "the program knows all"},
		"a helper that imports the configuration":             {File{Package: "internal/id", Imports: []string{"parley/app/config"}}, "the program knows all"},
		"a domain package that imports a stemmer":             {File{Package: "core/retrieval", Imports: []string{"github.com/blevesearch/snowballstem/english"}}, "core has rules and no stemmers"},
		"a domain package that imports forms of letters":      {File{Package: "core/answer/prompt", Imports: []string{"golang.org/x/text/unicode/norm"}}, "the business of text"},
		"a package of text that imports the domain":           {File{Package: "text/ground", Imports: []string{"parley/core/retrieval"}}, "none of the domain's types"},
		"a test of text that imports the domain":              {File{Package: "text/ground", Test: true, Imports: []string{"parley/core/retrieval"}}, "none of the domain's types"},
		"a package of text that imports the network":          {File{Package: "text/markdown", Imports: []string{"net/http"}}, "no network"},
		"a package of text that imports a helper of ours":     {File{Package: "text/lexical", Imports: []string{"parley/internal/id"}}, "nothing of ours but text"},
		"a package without a row, even if it imports nothing": {File{Package: "util"}, "the import table has no row for util"},
		"a package without a row":                             {File{Package: "util", Imports: []string{"strings"}}, "the import table has no row for util"},
	} {
		t.Run(sentence, func(t *testing.T) {
			wrong := Check(c.File)
			if len(wrong) != 1 || !strings.Contains(wrong[0], c.reason) {
				t.Errorf("Check says %q, want one sentence with %q", wrong, c.reason)
			}
		})
	}
}

func TestRead(t *testing.T) {
	t.Run("Read returns the module's files, but not those of other modules, test data and builds", func(t *testing.T) {
		dir := t.TempDir()
		write(t, dir, "main.go", "package main\n\nimport \"fmt\"\n")
		write(t, dir, "api/api_windows.go", "package api\n\nimport web \"parley/web\"\n")
		write(t, dir, "api/api_test.go", "package api_test\n\nimport _ \"testing\"\n")
		write(t, dir, "api/testdata/a.go", "package a\n\nimport \"os\"\n")
		write(t, dir, "tools/go.mod", "module parley/tools\n")
		write(t, dir, "tools/tools.go", "package tools\n\nimport \"os\"\n")
		write(t, dir, "data/upload.go", "not Go at all")
		write(t, dir, ".git/hook.go", "package hook\n\nimport \"os\"\n")

		got, err := Read(dir)
		if err != nil {
			t.Fatal(err)
		}
		want := []File{
			{Path: "api/api_test.go", Package: "api", Test: true, Imports: []string{"testing"}},
			{Path: "api/api_windows.go", Package: "api", Imports: []string{"parley/web"}},
			{Path: "main.go", Package: ".", Imports: []string{"fmt"}},
		}
		if !reflect.DeepEqual(got, want) {
			t.Errorf("Read returned %+v, want %+v", got, want)
		}
	})

	t.Run("a file that is not Go is an error that names it", func(t *testing.T) {
		dir := t.TempDir()
		write(t, dir, "api/broken.go", "pakcage api")

		if _, err := Read(dir); err == nil || !strings.Contains(err.Error(), "broken.go") {
			t.Errorf("Read returned %v, want an error that names broken.go", err)
		}
	})
}

func write(t *testing.T, dir, file, content string) {
	t.Helper()
	name := filepath.Join(dir, filepath.FromSlash(file))
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(content), 0o644); err != nil {
		t.Fatal(err)
	}
}

package main

import (
	"bytes"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"

	"parley/app"
	"parley/core/account"
	"parley/core/audit"
	"parley/core/chatbot"
	"parley/core/knowledge"
	"parley/core/plan"
	"parley/store/storetest"
)

// terminal runs the command with a data folder and database of their own.
type terminal struct {
	*testing.T
	folder, database string
}

func newTerminal(t *testing.T) *terminal { return &terminal{T: t, folder: t.TempDir()} }

func onTerminals(t *testing.T, test func(term *terminal)) {
	t.Helper()
	for name, database := range map[string]func(*testing.T) string{
		"sqlite":   func(*testing.T) string { return "" },
		"postgres": func(t *testing.T) string { return storetest.Postgres(t) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			term := newTerminal(t)
			term.database = database(t)
			test(term)
		})
	}
}

// in returns the terminal for a part of a test.
func (term *terminal) in(t *testing.T) *terminal {
	return &terminal{T: t, folder: term.folder, database: term.database}
}

// run runs the command and returns what it prints, what it complains of, and its exit
// code.
func (term *terminal) run(args ...string) (out, complaint string, code int) {
	term.Helper()
	all := append(slices.Clone(args), "--data-dir="+term.folder, "--log-level=error", "--listen=127.0.0.1:8080")
	if term.database != "" {
		all = append(all, "--database-url="+term.database)
	}
	var printed, complaints bytes.Buffer
	code = run(term.Context(), all, streams{in: strings.NewReader(""), out: &printed}, &complaints)
	return printed.String(), complaints.String(), code
}

// ok runs a command that must succeed.
func (term *terminal) ok(args ...string) string {
	term.Helper()
	out, complaint, code := term.run(args...)
	if code != 0 || complaint != "" {
		term.Fatalf("eval %s ends with %d and says %s", strings.Join(args, " "), code, complaint)
	}
	return out
}

// record runs a command with --json and returns the object that it prints.
func (term *terminal) record(args ...string) map[string]any {
	term.Helper()
	return decoded[map[string]any](term, term.ok(append(args, "--json")...))
}

// records is record for a list.
func (term *terminal) records(args ...string) []map[string]any {
	term.Helper()
	return decoded[[]map[string]any](term, term.ok(append(args, "--json")...))
}

func decoded[T any](term *terminal, text string) T {
	term.Helper()
	var value T
	if err := json.Unmarshal([]byte(text), &value); err != nil {
		term.Fatalf("no JSON: %v\n%s", err, text)
	}
	return value
}

// fails runs a command that must fail, with these words.
func (term *terminal) fails(says string, args ...string) {
	term.Helper()
	out, complaint, code := term.run(args...)
	if code != 1 || !strings.HasPrefix(complaint, "eval: ") || !strings.Contains(complaint, says) {
		term.Errorf("eval %s ends with %d and says %s%s, want %q", strings.Join(args, " "), code, out, complaint, says)
	}
}

func (term *terminal) file(name, text string) string {
	term.Helper()
	path := filepath.Join(term.folder, name)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		term.Fatal(err)
	}
	return path
}

// near reports whether a number of a report is what it should be.
func (term *terminal) near(report map[string]any, want float64, path ...string) {
	term.Helper()
	var value any = report
	for _, name := range path {
		record, _ := value.(map[string]any)
		value = record[name]
	}
	if got, ok := value.(float64); !ok || math.Abs(got-want) > 1e-9 {
		term.Errorf("%v is %v, want %v", path, value, want)
	}
}

// newChatbot makes a chatbot that knows a document, in the installation of the terminal,
// and returns its id.
func (term *terminal) newChatbot(document string) string {
	term.Helper()
	config := &app.Config{}
	config.DataDir, config.DatabaseURL, config.LogLevel = term.folder, term.database, "error"
	p, err := app.Open(term.Context(), config, app.NewLog(config))
	term.must(err)
	defer func() { term.must(p.Close()) }()
	ctx := audit.As(term.Context(), audit.Operator)
	_, workspace, err := p.Tenants.SignUps.Create(ctx, account.Account{Email: "owner@example.com", Password: "correct horse bakery", Workspace: "Bakery"})
	term.must(err)
	term.must(p.Tenants.Grants.SetPlan(ctx, workspace, plan.Starter))
	bot, err := p.Chatbots.Create(ctx, workspace, chatbot.Settings{Name: "Guide"})
	term.must(err)
	added, err := p.Knowledge.Documents.Add(ctx, workspace, bot.ID, knowledge.NewDocument{Title: knowledge.TitleOf("hours.md", document), Kind: knowledge.Markdown, Content: document})
	term.must(err)
	term.must(p.Settle(ctx, []knowledge.Document{added}))
	return bot.ID
}

func (term *terminal) must(err error) {
	term.Helper()
	if err != nil {
		term.Fatal(err)
	}
}

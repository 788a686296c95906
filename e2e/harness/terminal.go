package harness

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"

	"parley/internal/pgtest"
)

// Terminal runs commands on a data folder and database of their own, as an
// operator does.
type Terminal struct {
	*testing.T
	Folder, Database string
}

// OnTerminals runs a test on a folder with SQLite, and without -short on one with
// PostgreSQL, too. The commands migrate the database.
func OnTerminals(t *testing.T, test func(term *Terminal)) {
	t.Helper()
	onDatabases(t, !testing.Short(), pgtest.New, func(t *testing.T, database func(testing.TB) string) {
		term := &Terminal{T: t, Folder: t.TempDir(), Database: database(t)}
		ShareCache(t, term.Folder)
		test(term)
	})
}

// Execute runs a command and returns what it prints, what it complains of, and its
// exit code.
func (term *Terminal) Execute(stdin string, args ...string) (out, complaint string, code int) {
	term.Helper()
	all := append(slices.Clone(args), "--data-dir="+term.Folder, "--log-level=error", "--listen=127.0.0.1:8080")
	if term.Database != "" {
		all = append(all, "--database-url="+term.Database)
	}
	var printed, complaints bytes.Buffer
	command := exec.CommandContext(term.Context(), Program(), all...)
	command.Stdin, command.Stdout, command.Stderr = strings.NewReader(stdin), &printed, &complaints
	_ = command.Run() // the exit code says it
	return printed.String(), complaints.String(), command.ProcessState.ExitCode()
}

// OK runs a command that must succeed.
func (term *Terminal) OK(args ...string) string {
	term.Helper()
	return term.Fed("", args...)
}

// Fed is ok with something on standard input.
func (term *Terminal) Fed(stdin string, args ...string) string {
	term.Helper()
	out, complaint, code := term.Execute(stdin, args...)
	if code != 0 || complaint != "" {
		term.Fatalf("parley %s ends with %d and says %s", strings.Join(args, " "), code, complaint)
	}
	return out
}

// Record runs a command with --json and returns the object that it prints.
func (term *Terminal) Record(args ...string) map[string]any {
	term.Helper()
	return Decoded[map[string]any](term, term.OK(append(args, "--json")...))
}

// Records is record for a list.
func (term *Terminal) Records(args ...string) []map[string]any {
	term.Helper()
	return Decoded[[]map[string]any](term, term.OK(append(args, "--json")...))
}

// Decoded is a text as JSON.
func Decoded[T any](term *Terminal, text string) T {
	term.Helper()
	var value T
	if err := json.Unmarshal([]byte(text), &value); err != nil {
		term.Fatalf("no JSON: %v\n%s", err, text)
	}
	return value
}

// Fails runs a command that must fail, with these words.
func (term *Terminal) Fails(says string, args ...string) {
	term.Helper()
	out, complaint, code := term.Execute("", args...)
	if code != 1 || !strings.HasPrefix(complaint, "parley: ") || !strings.Contains(complaint, says) {
		term.Errorf("parley %s ends with %d and says %s%s, want %q", strings.Join(args, " "), code, out, complaint, says)
	}
}

// File writes a file beside the data, and returns its path.
func (term *Terminal) File(name, text string) string {
	term.Helper()
	path := filepath.Join(term.Folder, name)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		term.Fatal(err)
	}
	return path
}

// Field is a text in a record, empty if there is none.
func Field(of map[string]any, name string) string {
	value, _ := of[name].(string)
	return value
}

// Values returns the values that the records of a list have under a name.
func Values(list []map[string]any, name string) (all []string) {
	for _, record := range list {
		all = append(all, Field(record, name))
	}
	return all
}

// NewChatbot makes a user, a workspace on a plan and a chatbot.
func (term *Terminal) NewChatbot(plan string) (workspace, chatbot string) {
	term.Helper()
	term.OK("user", "create", "owner@example.com")
	workspace = Field(term.Record("workspace", "create", "Bakery", "--owner=owner@example.com"), "id")
	term.OK("plan", "set", workspace, plan)
	return workspace, Field(term.Record("chatbot", "create", workspace, "Guide"), "id")
}

// In is the same terminal in the sub-test that t belongs to.
func (term *Terminal) In(t *testing.T) *Terminal {
	return &Terminal{T: t, Folder: term.Folder, Database: term.Database}
}

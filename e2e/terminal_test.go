package e2e

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

// terminal runs commands on a data folder and database of their own, as an
// operator does.
type terminal struct {
	*testing.T
	folder, database string
}

func onTerminals(t *testing.T, test func(term *terminal)) {
	t.Helper()
	for name, database := range map[string]func(*testing.T) string{
		"sqlite":   func(*testing.T) string { return "" },
		"postgres": func(t *testing.T) string { return pgtest.New(t) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			term := &terminal{T: t, folder: t.TempDir(), database: database(t)}
			shareCache(t, term.folder)
			test(term)
		})
	}
}

// run runs a command and returns what it prints, what it complains of, and its
// exit code.
func (term *terminal) run(stdin string, args ...string) (out, complaint string, code int) {
	term.Helper()
	all := append(slices.Clone(args), "--data-dir="+term.folder, "--log-level=error", "--listen=127.0.0.1:8080")
	if term.database != "" {
		all = append(all, "--database-url="+term.database)
	}
	path, err := executable()
	if err != nil {
		term.Fatalf("the program does not build: %v", err)
	}
	var printed, complaints bytes.Buffer
	command := exec.CommandContext(term.Context(), path, all...)
	command.Stdin, command.Stdout, command.Stderr = strings.NewReader(stdin), &printed, &complaints
	_ = command.Run() // the exit code says it
	return printed.String(), complaints.String(), command.ProcessState.ExitCode()
}

// ok runs a command that must succeed.
func (term *terminal) ok(args ...string) string {
	term.Helper()
	return term.fed("", args...)
}

// fed is ok with something on standard input.
func (term *terminal) fed(stdin string, args ...string) string {
	term.Helper()
	out, complaint, code := term.run(stdin, args...)
	if code != 0 || complaint != "" {
		term.Fatalf("parley %s ends with %d and says %s", strings.Join(args, " "), code, complaint)
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
	out, complaint, code := term.run("", args...)
	if code != 1 || !strings.HasPrefix(complaint, "parley: ") || !strings.Contains(complaint, says) {
		term.Errorf("parley %s ends with %d and says %s%s, want %q", strings.Join(args, " "), code, out, complaint, says)
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

// listed is what commands and the API print of a document.
type listed struct {
	ID    string `json:"id"`
	State string `json:"state"`
}

func field(of map[string]any, name string) string {
	value, _ := of[name].(string)
	return value
}

// values are those of one name in a list.
func values(list []map[string]any, name string) (all []string) {
	for _, record := range list {
		all = append(all, field(record, name))
	}
	return all
}

// newChatbot makes a user, a workspace on a plan and a chatbot.
func (term *terminal) newChatbot(plan string) (workspace, chatbot string) {
	term.Helper()
	term.ok("user", "create", "owner@example.com")
	workspace = field(term.record("workspace", "create", "Bakery", "--owner=owner@example.com"), "id")
	term.ok("plan", "set", workspace, plan)
	return workspace, field(term.record("chatbot", "create", workspace, "Guide"), "id")
}

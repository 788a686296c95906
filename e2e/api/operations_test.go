package api

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"parley/billing/stripetest"
	"parley/core/plan"
	"parley/core/seal"
	"parley/e2e/harness"
)

// notRunHere are lines of docs/operations.md that no test runs, by how they begin, and why.
var notRunHere = map[string]string{
	"make build":  "the tests build the program as it does",
	"sudo ":       "it is about systemd, and a machine of its own",
	"as_parley":   "it is about systemd",
	"journalctl ": "it is about systemd",
}

// notTyped are commands that the page names in a sentence and that no test types from it.
var notTyped = map[string]string{
	"parley doctor isolation":                         "it takes minutes: see TestDoctorIsolationCommand",
	"parley restore":                                  "it is in the block about restoring, with what follows it",
	"parley user reset-second-factor you@example.com": "it wants somebody with a second factor: see TestChangesOfSecondFactors",
}

// before are commands by which something comes about that a command of the page mends.
var before = map[string][]string{
	"parley workspace restore ws_…": {"workspace", "delete", "ws_…"},
}

// operations is the page with what it says to type.
type operations struct {
	// blocks are its blocks of shell, without the lines that are not run here, and inline
	// the commands in its sentences and tables.
	blocks, inline []string
}

func readOperations(t *testing.T) (page operations) {
	t.Helper()
	text, err := os.ReadFile("../../docs/operations.md")
	if err != nil {
		t.Fatal(err)
	}
	prose := string(text)
	for _, block := range regexp.MustCompile("(?s)```sh\n(.*?)```\n").FindAllStringSubmatch(string(text), -1) {
		var run []string
		for line := range strings.Lines(block[1]) {
			if beginning := beginningIn(notRunHere, line); beginning == "" {
				run = append(run, line)
			}
		}
		page.blocks = append(page.blocks, strings.Join(run, ""))
		prose = strings.Replace(prose, block[0], "", 1)
	}
	for _, command := range regexp.MustCompile("`(parley [^`]+)`").FindAllStringSubmatch(prose, -1) {
		if notTyped[command[1]] == "" && !slices.Contains(page.inline, command[1]) {
			page.inline = append(page.inline, command[1])
		}
	}
	return page
}

func beginningIn(lines map[string]string, line string) string {
	for beginning := range lines {
		if strings.HasPrefix(line, beginning) {
			return beginning
		}
	}
	return ""
}

// served stops a server as soon as it listens, as its operator does.
const served = `#!/bin/sh
[ "$1" = serve ] || exec PROGRAM "$@"
PROGRAM serve >served 2>&1 &
until grep -q "Parley is at" served; do kill -0 $! || { cat served; exit 1; }; sleep 0.02; done
kill -TERM $!
wait $!
`

// operator types what a page says.
type operator struct {
	*harness.Installation
	desk    string
	replace *strings.Replacer
}

func (o *operator) types(script string) {
	o.Helper()
	command := exec.CommandContext(o.Context(), "bash", "-euo", "pipefail", "-c", o.replace.Replace(script))
	command.Dir = o.desk
	command.Env = append([]string{"PATH=" + o.desk + ":" + os.Getenv("PATH"), "TMPDIR=" + o.TempDir(), "DATA_DIR=" + o.Dir, "DATABASE_URL=" + o.Database}, o.Environment...)
	var said bytes.Buffer
	command.Stdout, command.Stderr = &said, &said
	if err := command.Run(); err != nil {
		o.Errorf("%s\nends with %v:\n%s", script, err, said.String())
	}
}

// TestOperationsPage runs what docs/operations.md says to type.
func TestOperationsPage(t *testing.T) {
	t.Parallel()
	page := readOperations(t)
	harness.OnAnyInstallation(t, func(s *harness.Installation) {
		stripe := stripetest.New(s.T, stripetest.Options{})
		s.Environment = []string{
			"SECRET_KEY=" + seal.ServerKey{7}.Text(), "STRIPE_SECRET_KEY=" + stripe.Key, "STRIPE_WEBHOOK_SECRET=" + stripe.WebhookSecret, "STRIPE_URL=" + harness.Elsewhere(stripe.URL),
		}
		var tn, deleted harness.Tenant
		s.Inside(func(w *harness.Instance) {
			tn, deleted = w.NewTenant("baker", plan.Standard, harness.Opening), w.NewTenant("deleted", plan.Standard)
		})
		s.Parley("billing", "sync")
		p := s.Serve()
		o := &operator{Installation: s, desk: s.TempDir()}
		for _, name := range []string{"parley", "parley-new"} {
			s.MustNot(os.WriteFile(filepath.Join(o.desk, name), []byte(strings.ReplaceAll(served, "PROGRAM", harness.Program())), 0o700))
		}
		s.MustNot(os.Mkdir(filepath.Join(o.desk, "backups"), 0o700))
		s.MustNot(os.WriteFile(filepath.Join(o.desk, "passphrase"), []byte(harness.BackupPassphrase), 0o600))
		o.replace = strings.NewReplacer("/backups/", o.desk+"/backups/", "/etc/parley.passphrase", o.desk+"/passphrase", "http://127.0.0.1:8080", p.Base, ":8090", ":0",
			"ws_…", deleted.Workspace, "cb_…", tn.Chatbot, "tok_…", tn.TokenID)
		s.Environment = append(s.Environment, "BACKUP_PASSPHRASE_FILE="+o.desk+"/passphrase", "BASE_URL=https://parley.example.com", "TRUSTED_PROXIES=127.0.0.1")
		secret := regexp.MustCompile(`whsec_\w+`).FindString(s.Parley("billing", "webhook"))
		s.Environment = append(s.Environment, "STRIPE_WEBHOOK_SECRET="+secret)

		blocks := slices.Clone(page.blocks)
		slices.SortStableFunc(blocks, func(a, b string) int { // what is restored was backed up before
			return strings.Index(a, "parley restore") - strings.Index(b, "parley restore")
		})
		for _, block := range blocks {
			o.types(block)
		}
		for _, command := range page.inline {
			if first := before[command]; first != nil {
				o.types("parley " + strings.Join(first, " "))
			}
			o.types(command)
		}
		if len(blocks) < 6 || len(page.inline) < 8 {
			s.Errorf("the page has %d blocks and %d commands in its texts", len(blocks), len(page.inline))
		}
	})
}

package e2e

import (
	"bytes"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json"

	"parley/app"
	"parley/core/chatbot"
	"parley/core/knowledge"
	"parley/core/plan"
	"parley/core/seal"
	"parley/core/webhook"
	"parley/store/storetest"
)

const backupPassphrase = "correct horse battery staple"

// fresh is an installation with nothing, on either database.
func fresh(t *testing.T, onPostgres bool) *installation {
	t.Helper()
	s := &installation{T: t, dir: t.TempDir(), environment: []string{"BACKUP_PASSPHRASE=" + backupPassphrase}}
	shareCache(t, s.dir)
	if onPostgres {
		s.database = storetest.EmptyPostgres(t)
	}
	return s
}

// parley runs a command, which has to succeed.
func (s *installation) parley(args ...string) string {
	s.Helper()
	var complaint bytes.Buffer
	out, err := s.command(&complaint, args...).Output()
	if err != nil {
		s.Fatalf("parley %v: %v: %s", args, err, complaint.String())
	}
	return string(out)
}

// refuses runs a command, which has to fail with a sentence.
func (s *installation) refuses(says string, args ...string) {
	s.Helper()
	var complaint bytes.Buffer
	if err := s.command(&complaint, args...).Run(); err == nil || !strings.Contains(complaint.String(), says) {
		s.Errorf("parley %v: %v: %s, want %q", args, err, complaint.String(), says)
	}
}

// secrets seals what a workspace keeps with the server's key, and adds a large document that
// waits to be indexed.
func (s *installation) secrets(tn tenantOf, secretKey string) {
	s.Helper()
	config := &app.Config{}
	config.DataDir, config.DatabaseURL, config.SecretKey, config.WebhookAllow = s.dir, s.database, secretKey, []string{nobodyListens}
	p, err := app.Open(s.Context(), config, slog.New(slog.DiscardHandler))
	if err != nil {
		s.Fatal(err)
	}
	defer p.Close()
	if _, err := p.Chatbots.Providers.Create(s.Context(), tn.workspace, chatbot.ProviderSettings{Name: "a", Kind: chatbot.Anthropic, Key: providerCanary}); err != nil {
		s.Fatal(err)
	}
	if _, _, err := p.Webhooks.Endpoints.Create(s.Context(), tn.workspace, webhook.Settings{URL: "http://" + nobodyListens, Kinds: webhook.Kinds()}); err != nil {
		s.Fatal(err)
	}
	if _, err := p.Knowledge.Documents.Add(s.Context(), tn.workspace, tn.chatbot, knowledge.NewDocument{Title: "Waiting", Content: bookOf("zanzibar", 500)}); err != nil {
		s.Fatal(err)
	}
}

func TestBackupUnderLoad(t *testing.T) {
	t.Parallel()
	onInstallations(t, func(s *installation) {
		s.environment = append(s.environment, "BACKUP_PASSPHRASE="+backupPassphrase)
		secretKey := ""
		if s.database != "" {
			secretKey = seal.ServerKey{7}.Text()
			s.environment = append(s.environment, "SECRET_KEY="+secretKey)
		}
		var tn tenantOf
		s.inside(func(w *instance) { tn = w.newTenant("baker", plan.Enterprise, opening) })
		s.secrets(tn, secretKey)
		server := s.serve()
		busy := under(server, tn.token)
		server.eventually("some questions are answered", func() bool { return busy.count() >= 20 })

		before := busy.soFar()
		file := filepath.Join(s.TempDir(), "backup")
		s.parley("backup", file)
		at := busy.count()
		server.eventually("questions are answered after the backup, too", func() bool { return busy.count() > at })
		busy.end()
		if len(busy.wrong) > 0 {
			s.Errorf("questions failed beside the backup: %v", busy.wrong)
		}
		if log := s.parley("audit", "list"); !strings.Contains(log, "backup.made") {
			s.Errorf("the audit log does not know of it: %s", log)
		}
		server.kill()
		s.Logf("%d questions were answered before the backup, %d during it", len(before), at-len(before))

		for name, onPostgres := range map[string]bool{"SQLite": false, "PostgreSQL": true} {
			s.Run("all of it is there after a restore into "+name, func(t *testing.T) {
				to := fresh(t, onPostgres)
				to.parley("restore", file)
				to.refuses("empty", "restore", file)
				to.hasAll(tn, before)
			})
		}
	})
}

// hasAll checks an installation that was restored.
func (s *installation) hasAll(tn tenantOf, before []acknowledged) {
	s.Helper()
	key, err := os.ReadFile(filepath.Join(s.dir, "secret.key"))
	if err != nil {
		s.Fatalf("the server key was not restored: %v", err)
	}
	if s.database != "" {
		s.environment = append(s.environment, "SECRET_KEY="+strings.TrimSpace(string(key)))
	}
	if log := s.parley("audit", "list"); !strings.Contains(log, "backup.restored") {
		s.Errorf("the audit log does not know of the restore: %s", log)
	}
	if said := s.parley("provider", "reseal", "--json", "--secret-key="+seal.ServerKey{9}.Text()+","+strings.TrimSpace(string(key))); !strings.Contains(said, `"sealed": 1`) || !strings.Contains(said, `"webhooks": 1`) {
		s.Errorf("sealed secrets do not open: %s", said)
	}
	s.environment = append(s.environment, "SECRET_KEY="+seal.ServerKey{9}.Text())
	p := s.serve()
	conversations := map[string]map[string]bool{}
	for _, a := range before {
		if conversations[a.conversation] == nil {
			conversations[a.conversation] = map[string]bool{}
			for _, m := range p.messages(tn.token, a.conversation, "") {
				conversations[a.conversation][fmt.Sprint(m["content"])] = true
			}
		}
		if !conversations[a.conversation][a.question] {
			s.Errorf("%q was acknowledged before the backup and is not there", a.question)
		}
	}
	p.signedIn(tn.email, tn.password)
	p.eventually("the index is built", func() bool {
		return strings.Contains(p.replyTo(tn, "When does the bakery open on holidays?"), "seven in the morning")
	})
	p.eventually("the document that waited is indexed", func() bool {
		return strings.Contains(p.replyTo(tn, "Where does the zanzibar499 stand?"), "zanzibar499")
	})
	var added []listed
	p.must(json.Unmarshal([]byte(s.parley("knowledge", "add", "--wait", "--json", tn.chatbot, s.file("more.md", "# Cats\n\nThe cat of the bakery is called Wilhelmina.\n"))), &added))
	if len(added) != 1 || added[0].State != "ready" {
		s.Errorf("a document that is added is %+v", added)
	}
	if said := p.replyTo(tn, "What is the cat of the bakery called?"); !strings.Contains(said, "Wilhelmina") {
		s.Errorf("the answer is %q", said)
	}
	p.terminate()
	p.endsWithin(patience)
}

func TestUpgradeCheckCommand(t *testing.T) {
	t.Parallel()
	onInstallations(t, func(s *installation) {
		_, file := killable(s)
		scratch := storetest.EmptyPostgres(s.T)
		for _, args := range [][]string{nil, {"--scratch-url=" + scratch}, {"--scratch-url=" + scratch, "--json"}} {
			said := s.parley(append([]string{"upgrade", "check", file}, args...)...)
			if !strings.Contains(said, "upgrades to this version") && !strings.Contains(said, `"rows_before"`) {
				s.Errorf("with %v it says %s", args, said)
			}
		}
		s.environment = append(s.environment, "BACKUP_PASSPHRASE=another passphrase")
		s.refuses("The passphrase is not the one", "upgrade", "check", file)
		s.refuses("The passphrase is not the one", "verify", file)
		s.refuses("no such file", "verify", file+"x")
		s.refuses("not a backup", "verify", s.file("hello", "hello"))
	})
}

func TestLastBackupIsMeasured(t *testing.T) {
	t.Parallel()
	onInstallations(t, func(s *installation) {
		s.environment = append(s.environment, "BACKUP_PASSPHRASE="+backupPassphrase)
		s.inside(func(w *instance) { w.newTenant("baker", plan.Standard) })
		// measured is what a server says that starts now.
		measured := func(t *testing.T, want func(seconds float64) bool) {
			w := start(t, func(c *app.Config) {
				c.DataDir, c.DatabaseURL, c.MetricsAddr = s.dir, s.database, "127.0.0.1:0"
			})
			says := ""
			w.eventually("the metric says when the last backup was made", func() bool {
				answer, err := http.Get("http://" + w.server.MetricsAddr().String() + "/metrics")
				w.must(err)
				defer answer.Body.Close()
				text, err := io.ReadAll(answer.Body)
				w.must(err)
				found := regexp.MustCompile(`(?m)^parley_last_backup_timestamp_seconds (\S+)$`).FindSubmatch(text)
				if found == nil {
					t.Fatalf("it is not among the metrics: %s", text)
				}
				says = string(found[1])
				seconds, err := strconv.ParseFloat(says, 64)
				w.must(err)
				return want(seconds)
			})
			t.Logf("it says %s", says)
		}
		s.Run("before the first backup it is zero", func(t *testing.T) {
			measured(t, func(seconds float64) bool { return seconds == 0 })
		})
		s.Run("a failed backup does not count", func(t *testing.T) {
			s.refuses("no such file", "backup", filepath.Join(t.TempDir(), "nowhere", "backup"))
			measured(t, func(seconds float64) bool { return seconds == 0 })
		})
		s.Run("then it is the time of the last one", func(t *testing.T) {
			from := time.Now().Unix()
			s.parley("backup", filepath.Join(t.TempDir(), "backup"))
			to := time.Now().Unix()
			measured(t, func(seconds float64) bool { return int64(seconds) >= from && int64(seconds) <= to })
		})
	})
}

package crash

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
	"parley/e2e/harness"
	"parley/store/storetest"
)

// fresh is an installation with nothing, on either database.
func fresh(t *testing.T, onPostgres bool) *harness.Installation {
	t.Helper()
	s := &harness.Installation{T: t, Dir: t.TempDir(), Environment: []string{"BACKUP_PASSPHRASE=" + harness.BackupPassphrase}}
	harness.ShareCache(t, s.Dir)
	if onPostgres {
		s.Database = storetest.EmptyPostgres(t)
	}
	return s
}

// refusesCommand runs a command, which has to fail with a sentence.
func refusesCommand(s *harness.Installation, says string, args ...string) {
	s.Helper()
	var complaint bytes.Buffer
	if err := s.Command(&complaint, args...).Run(); err == nil || !strings.Contains(complaint.String(), says) {
		s.Errorf("parley %v: %v: %s, want %q", args, err, complaint.String(), says)
	}
}

// secrets seals what a workspace keeps with the server's key, and adds a large document that
// waits to be indexed.
func secrets(s *harness.Installation, tn harness.Tenant, secretKey string) {
	s.Helper()
	config := &app.Config{}
	config.DataDir, config.DatabaseURL, config.SecretKey, config.WebhookAllow = s.Dir, s.Database, secretKey, []string{harness.NobodyListens}
	p, err := app.Open(s.Context(), config, slog.New(slog.DiscardHandler))
	if err != nil {
		s.Fatal(err)
	}
	defer p.Close()
	if _, err := p.Chatbots.Providers.Create(s.Context(), tn.Workspace, chatbot.ProviderSettings{Name: "a", Kind: chatbot.Anthropic, Key: harness.ProviderCanary}); err != nil {
		s.Fatal(err)
	}
	if _, _, err := p.Webhooks.Endpoints.Create(s.Context(), tn.Workspace, webhook.Settings{URL: "http://" + harness.NobodyListens, Kinds: webhook.Kinds()}); err != nil {
		s.Fatal(err)
	}
	if _, err := p.Knowledge.Documents.Add(s.Context(), tn.Workspace, tn.Chatbot, knowledge.NewDocument{Title: "Waiting", Content: bookOf("zanzibar", 500)}); err != nil {
		s.Fatal(err)
	}
}

func TestBackupUnderLoad(t *testing.T) {
	t.Parallel()
	harness.OnAnyInstallation(t, func(s *harness.Installation) {
		s.Environment = append(s.Environment, "BACKUP_PASSPHRASE="+harness.BackupPassphrase)
		secretKey := ""
		if s.Database != "" {
			secretKey = seal.ServerKey{7}.Text()
			s.Environment = append(s.Environment, "SECRET_KEY="+secretKey)
		}
		var tn harness.Tenant
		s.Inside(func(w *harness.Instance) { tn = w.NewTenant("baker", plan.Enterprise, harness.Opening) })
		secrets(s, tn, secretKey)
		server := s.Serve()
		busy := under(server, tn.Token)
		server.Eventually("some questions are answered", func() bool { return busy.count() >= 20 })

		before := busy.soFar()
		file := filepath.Join(s.TempDir(), "backup")
		s.Parley("backup", file)
		at := busy.count()
		server.Eventually("questions are answered after the backup, too", func() bool { return busy.count() > at })
		busy.end()
		if len(busy.wrong) > 0 {
			s.Errorf("questions failed beside the backup: %v", busy.wrong)
		}
		if log := s.Parley("audit", "list"); !strings.Contains(log, "backup.made") {
			s.Errorf("the audit log does not know of it: %s", log)
		}
		server.Kill()
		s.Logf("%d questions were answered before the backup, %d during it", len(before), at-len(before))

		for name, onPostgres := range map[string]bool{"SQLite": false, "PostgreSQL": true} {
			s.Run("all of it is there after a restore into "+name, func(t *testing.T) {
				to := fresh(t, onPostgres)
				to.Parley("restore", file)
				refusesCommand(to, "empty", "restore", file)
				hasAll(to, tn, before)
			})
		}
	})
}

// hasAll checks an installation that was restored.
func hasAll(s *harness.Installation, tn harness.Tenant, before []acknowledged) {
	s.Helper()
	key, err := os.ReadFile(filepath.Join(s.Dir, "secret.key"))
	if err != nil {
		s.Fatalf("the server key was not restored: %v", err)
	}
	if s.Database != "" {
		s.Environment = append(s.Environment, "SECRET_KEY="+strings.TrimSpace(string(key)))
	}
	if log := s.Parley("audit", "list"); !strings.Contains(log, "backup.restored") {
		s.Errorf("the audit log does not know of the restore: %s", log)
	}
	if said := s.Parley("provider", "reseal", "--json", "--secret-key="+seal.ServerKey{9}.Text()+","+strings.TrimSpace(string(key))); !strings.Contains(said, `"sealed": 1`) || !strings.Contains(said, `"webhooks": 1`) {
		s.Errorf("sealed secrets do not open: %s", said)
	}
	s.Environment = append(s.Environment, "SECRET_KEY="+seal.ServerKey{9}.Text())
	p := s.Serve()
	conversations := map[string]map[string]bool{}
	for _, a := range before {
		if conversations[a.conversation] == nil {
			conversations[a.conversation] = map[string]bool{}
			for _, m := range p.Messages(tn.Token, a.conversation, "") {
				conversations[a.conversation][fmt.Sprint(m["content"])] = true
			}
		}
		if !conversations[a.conversation][a.question] {
			s.Errorf("%q was acknowledged before the backup and is not there", a.question)
		}
	}
	p.SignedIn(tn.Email, tn.Password)
	p.Eventually("the index is built", func() bool {
		return strings.Contains(p.ReplyTo(tn, "When does the bakery open on holidays?"), "seven in the morning")
	})
	p.Eventually("the document that waited is indexed", func() bool {
		return strings.Contains(p.ReplyTo(tn, "Where does the zanzibar499 stand?"), "zanzibar499")
	})
	var added []listed
	p.Must(json.Unmarshal([]byte(s.Parley("knowledge", "add", "--wait", "--json", tn.Chatbot, writeFile(s, "more.md", "# Cats\n\nThe cat of the bakery is called Wilhelmina.\n"))), &added))
	if len(added) != 1 || added[0].State != "ready" {
		s.Errorf("a document that is added is %+v", added)
	}
	if said := p.ReplyTo(tn, "What is the cat of the bakery called?"); !strings.Contains(said, "Wilhelmina") {
		s.Errorf("the answer is %q", said)
	}
	p.Terminate()
	p.EndsWithin(harness.Patience)
}

func TestUpgradeCheckCommand(t *testing.T) {
	t.Parallel()
	harness.OnAnyInstallation(t, func(s *harness.Installation) {
		_, file := killable(s)
		scratch := storetest.EmptyPostgres(s.T)
		for _, args := range [][]string{nil, {"--scratch-url=" + scratch}, {"--scratch-url=" + scratch, "--json"}} {
			said := s.Parley(append([]string{"upgrade", "check", file}, args...)...)
			if !strings.Contains(said, "upgrades to this version") && !strings.Contains(said, `"rows_before"`) {
				s.Errorf("with %v it says %s", args, said)
			}
		}
		s.Environment = append(s.Environment, "BACKUP_PASSPHRASE=another passphrase")
		refusesCommand(s, "The passphrase is not the one", "upgrade", "check", file)
		refusesCommand(s, "The passphrase is not the one", "verify", file)
		refusesCommand(s, "no such file", "verify", file+"x")
		refusesCommand(s, "not a backup", "verify", writeFile(s, "hello", "hello"))
	})
}

func TestLastBackupIsMeasured(t *testing.T) {
	t.Parallel()
	harness.OnAnyInstallation(t, func(s *harness.Installation) {
		s.Environment = append(s.Environment, "BACKUP_PASSPHRASE="+harness.BackupPassphrase)
		s.Inside(func(w *harness.Instance) { w.NewTenant("baker", plan.Standard) })
		// measured is what a server says that starts now.
		measured := func(t *testing.T, want func(seconds float64) bool) {
			w := harness.Start(t, func(c *app.Config) {
				c.DataDir, c.DatabaseURL, c.MetricsAddr = s.Dir, s.Database, "127.0.0.1:0"
			})
			says := ""
			w.Eventually("the metric says when the last backup was made", func() bool {
				answer, err := http.Get("http://" + w.Server.MetricsAddr().String() + "/metrics")
				w.Must(err)
				defer answer.Body.Close()
				text, err := io.ReadAll(answer.Body)
				w.Must(err)
				found := regexp.MustCompile(`(?m)^parley_last_backup_timestamp_seconds (\S+)$`).FindSubmatch(text)
				if found == nil {
					t.Fatalf("it is not among the metrics: %s", text)
				}
				says = string(found[1])
				seconds, err := strconv.ParseFloat(says, 64)
				w.Must(err)
				return want(seconds)
			})
			t.Logf("it says %s", says)
		}
		s.Run("before the first backup it is zero", func(t *testing.T) {
			measured(t, func(seconds float64) bool { return seconds == 0 })
		})
		s.Run("a failed backup does not count", func(t *testing.T) {
			refusesCommand(s, "no such file", "backup", filepath.Join(t.TempDir(), "nowhere", "backup"))
			measured(t, func(seconds float64) bool { return seconds == 0 })
		})
		s.Run("then it is the time of the last one", func(t *testing.T) {
			from := time.Now().Unix()
			s.Parley("backup", filepath.Join(t.TempDir(), "backup"))
			to := time.Now().Unix()
			measured(t, func(seconds float64) bool { return int64(seconds) >= from && int64(seconds) <= to })
		})
	})
}

package e2e

import (
	"bytes"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/go-json-experiment/json"

	"parley/core/chatbot"
	"parley/core/knowledge"
	"parley/core/plan"
	"parley/core/seal"
	"parley/core/webhook"
	"parley/internal/app"
	"parley/store/storetest"
)

const backupPassphrase = "correct horse battery staple"

// acknowledged is a question that was answered before a backup began.
type acknowledged struct{ question, conversation string }

// load asks questions over connections of its own until it is stopped.
type load struct {
	mu    sync.Mutex
	asked []acknowledged
	wrong []string
	stop  chan struct{}
	done  sync.WaitGroup
}

// under begins to ask a server.
func under(p *process, token string) *load {
	l := &load{stop: make(chan struct{})}
	for n := range 4 {
		l.done.Go(func() { l.ask(p.base, token, n) })
	}
	return l
}

func (l *load) ask(base, token string, n int) {
	conversation := ""
	for i := 0; ; i++ {
		select {
		case <-l.stop:
			return
		default:
		}
		if i%5 == 0 {
			conversation = ""
		}
		question := fmt.Sprintf("When does bakery %d.%d open?", n, i)
		id, err := askOnce(base, token, question, conversation)
		l.mu.Lock()
		if err != nil {
			l.wrong = append(l.wrong, err.Error())
		} else {
			conversation = id
			l.asked = append(l.asked, acknowledged{question, id})
		}
		l.mu.Unlock()
	}
}

// askOnce asks a question whose answer is read whole.
func askOnce(base, token, question, conversation string) (id string, err error) {
	body := fmt.Sprintf(`{"message":%q}`, question)
	if conversation != "" {
		body = fmt.Sprintf(`{"message":%q,"conversation_id":%q}`, question, conversation)
	}
	request, err := http.NewRequest("POST", base+chatPath, strings.NewReader(body))
	if err != nil {
		return "", err
	}
	request.Header.Set("Authorization", "Bearer "+token)
	request.Header.Set("Content-Type", "application/json")
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return "", err
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil || response.StatusCode != http.StatusOK {
		return "", fmt.Errorf("%s %s %w", response.Status, text, err)
	}
	var answer struct {
		Data struct {
			ConversationID int64 `json:"conversation_id"`
		} `json:"data"`
	}
	err = json.Unmarshal(text, &answer)
	return written(answer.Data.ConversationID), err
}

func (l *load) count() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return len(l.asked)
}

// soFar are those that have been answered by now.
func (l *load) soFar() []acknowledged {
	l.mu.Lock()
	defer l.mu.Unlock()
	return append([]acknowledged(nil), l.asked...)
}

func (l *load) end() {
	close(l.stop)
	l.done.Wait()
}

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

// killable is an installation to back up, with a file of it.
func killable(s *installation) (tn tenantOf, file string) {
	s.environment = append(s.environment, "BACKUP_PASSPHRASE="+backupPassphrase)
	s.inside(func(w *instance) { tn = w.newTenant("baker", plan.Enterprise, opening, bookOf("timbuktu", 200)) })
	file = filepath.Join(s.TempDir(), "whole")
	s.parley("backup", file)
	return tn, file
}

func TestKilledBackup(t *testing.T) {
	t.Parallel()
	onInstallations(t, func(s *installation) {
		_, whole := killable(s)
		info, err := os.Stat(whole)
		if err != nil {
			s.Fatal(err)
		}
		s.Run("whatever was written to a pipe before the kill is refused", func(t *testing.T) {
			for _, part := range []int64{0, 1, 2, 3} {
				command := s.command(io.Discard, "backup", "-")
				out, err := command.StdoutPipe()
				s.mustNot(err)
				s.mustNot(command.Start())
				content := make([]byte, info.Size()*part/4)
				_, err = io.ReadFull(out, content)
				s.mustNot(err)
				s.mustNot(command.Process.Kill())
				_ = command.Wait()
				cut := s.file(fmt.Sprint("cut", part), string(content))
				if err := s.command(io.Discard, "verify", cut).Run(); err == nil {
					t.Errorf("%d of %d bytes are taken for a backup", len(content), info.Size())
				}
			}
		})
		s.Run("a file with the name that was asked for is complete", func(t *testing.T) {
			begun := time.Now()
			s.parley("backup", filepath.Join(t.TempDir(), "timed"))
			took := time.Since(begun)
			for n := range 4 {
				file := filepath.Join(t.TempDir(), "backup")
				command := s.command(io.Discard, "backup", file)
				s.mustNot(command.Start())
				timer := time.AfterFunc(took*time.Duration(n+1)/4, func() { _ = command.Process.Kill() })
				_ = command.Wait()
				timer.Stop()
				if _, err := os.Stat(file); err == nil {
					s.parley("verify", file)
				}
			}
			s.parley("verify", whole)
		})
	})
}

// mustNot stops a test at an error.
func (s *installation) mustNot(err error) {
	s.Helper()
	if err != nil {
		s.Fatal(err)
	}
}

func TestKilledRestore(t *testing.T) {
	t.Parallel()
	onInstallations(t, func(s *installation) {
		tn, file := killable(s)
		content, err := os.ReadFile(file)
		s.mustNot(err)
		// The last stage has read all, and waits to see that nothing follows.
		for stage := range 5 {
			s.Run(fmt.Sprintf("after %d quarters nothing is restored, and the next restore succeeds", stage), func(t *testing.T) {
				to := fresh(t, s.database != "")
				command := to.command(io.Discard, "restore", "-")
				in, err := command.StdinPipe()
				to.mustNot(err)
				to.mustNot(command.Start())
				_, err = in.Write(content[:len(content)*stage/4])
				to.mustNot(err)
				unfinished := filepath.Join(to.dir, "parley.db.restoring")
				if stage == 4 && to.database == "" {
					(&instance{T: t}).eventually("the restore has begun", func() bool { _, err := os.Stat(unfinished); return err == nil })
				}
				to.mustNot(command.Process.Kill())
				_ = command.Wait()
				if _, err := os.Stat(unfinished); err == nil {
					to.refuses("was not completed", "serve")
					to.refuses("was not completed", "workspace", "list")
				}
				to.parley("restore", file)
				if listed := to.parley("chatbot", "list", tn.workspace); !strings.Contains(listed, tn.chatbot) {
					t.Errorf("it has the chatbots %s", listed)
				}
				if _, err := os.Stat(unfinished); err == nil {
					t.Errorf("%s stays", unfinished)
				}
			})
		}
		s.Run("at any other time there is all or nothing", func(t *testing.T) {
			timed := fresh(t, s.database != "")
			begun := time.Now()
			timed.parley("restore", file)
			took := time.Since(begun)
			for n := range 4 {
				to := fresh(t, s.database != "")
				command := to.command(io.Discard, "restore", file)
				to.mustNot(command.Start())
				timer := time.AfterFunc(took*time.Duration(n+2)/6, func() { _ = command.Process.Kill() })
				_ = command.Wait()
				timer.Stop()
				if err := to.command(io.Discard, "restore", file).Run(); err != nil {
					to.refuses("empty", "restore", file) // the first one was done
				}
				if listed := to.parley("chatbot", "list", tn.workspace); !strings.Contains(listed, tn.chatbot) {
					t.Errorf("it has the chatbots %s", listed)
				}
			}
		})
	})
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

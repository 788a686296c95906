package e2e

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"parley/core/plan"
)

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

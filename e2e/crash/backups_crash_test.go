package crash

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"parley/core/plan"
	"parley/e2e/harness"
)

// killable is an installation to back up, with a file of it.
func killable(s *harness.Installation) (tn harness.Tenant, file string) {
	s.Environment = append(s.Environment, "BACKUP_PASSPHRASE="+harness.BackupPassphrase)
	s.Inside(func(w *harness.Instance) {
		tn = w.NewTenant("baker", plan.Enterprise, harness.Opening, bookOf("timbuktu", 200))
	})
	file = filepath.Join(s.TempDir(), "whole")
	s.Parley("backup", file)
	return tn, file
}

func TestKilledBackup(t *testing.T) {
	t.Parallel()
	harness.OnAnyInstallation(t, func(s *harness.Installation) {
		_, whole := killable(s)
		info, err := os.Stat(whole)
		if err != nil {
			s.Fatal(err)
		}
		s.Run("whatever was written to a pipe before the kill is refused", func(t *testing.T) {
			for _, part := range []int64{0, 1, 2, 3} {
				command := s.Command(io.Discard, "backup", "-")
				out, err := command.StdoutPipe()
				s.MustNot(err)
				s.MustNot(command.Start())
				content := make([]byte, info.Size()*part/4)
				_, err = io.ReadFull(out, content)
				s.MustNot(err)
				s.MustNot(command.Process.Kill())
				_ = command.Wait()
				cut := writeFile(s, fmt.Sprint("cut", part), string(content))
				if err := s.Command(io.Discard, "verify", cut).Run(); err == nil {
					t.Errorf("%d of %d bytes are taken for a backup", len(content), info.Size())
				}
			}
		})
		s.Run("a file with the name that was asked for is complete", func(t *testing.T) {
			begun := time.Now()
			s.Parley("backup", filepath.Join(t.TempDir(), "timed"))
			took := time.Since(begun)
			for n := range 4 {
				file := filepath.Join(t.TempDir(), "backup")
				command := s.Command(io.Discard, "backup", file)
				s.MustNot(command.Start())
				timer := time.AfterFunc(took*time.Duration(n+1)/4, func() { _ = command.Process.Kill() })
				_ = command.Wait()
				timer.Stop()
				if _, err := os.Stat(file); err == nil {
					s.Parley("verify", file)
				}
			}
			s.Parley("verify", whole)
		})
	})
}

func TestKilledRestore(t *testing.T) {
	t.Parallel()
	harness.OnAnyInstallation(t, func(s *harness.Installation) {
		tn, file := killable(s)
		content, err := os.ReadFile(file)
		s.MustNot(err)
		// The last stage has read all, and waits to see that nothing follows.
		for stage := range 5 {
			s.Run(fmt.Sprintf("after %d quarters nothing is restored, and the next restore succeeds", stage), func(t *testing.T) {
				to := fresh(t, s.Database != "")
				command := to.Command(io.Discard, "restore", "-")
				in, err := command.StdinPipe()
				to.MustNot(err)
				to.MustNot(command.Start())
				_, err = in.Write(content[:len(content)*stage/4])
				to.MustNot(err)
				unfinished := filepath.Join(to.Dir, "parley.db.restoring")
				if stage == 4 && to.Database == "" {
					(&harness.Instance{T: t}).Eventually("the restore has begun", func() bool { _, err := os.Stat(unfinished); return err == nil })
				}
				to.MustNot(command.Process.Kill())
				_ = command.Wait()
				if _, err := os.Stat(unfinished); err == nil {
					refusesCommand(to, "was not completed", "serve")
					refusesCommand(to, "was not completed", "workspace", "list")
				}
				to.Parley("restore", file)
				if listed := to.Parley("chatbot", "list", tn.Workspace); !strings.Contains(listed, tn.Chatbot) {
					t.Errorf("it has the chatbots %s", listed)
				}
				if _, err := os.Stat(unfinished); err == nil {
					t.Errorf("%s stays", unfinished)
				}
			})
		}
		s.Run("at any other time there is all or nothing", func(t *testing.T) {
			timed := fresh(t, s.Database != "")
			begun := time.Now()
			timed.Parley("restore", file)
			took := time.Since(begun)
			for n := range 4 {
				to := fresh(t, s.Database != "")
				command := to.Command(io.Discard, "restore", file)
				to.MustNot(command.Start())
				timer := time.AfterFunc(took*time.Duration(n+2)/6, func() { _ = command.Process.Kill() })
				_ = command.Wait()
				timer.Stop()
				if err := to.Command(io.Discard, "restore", file).Run(); err != nil {
					refusesCommand(to, "empty", "restore", file) // the first one was done
				}
				if listed := to.Parley("chatbot", "list", tn.Workspace); !strings.Contains(listed, tn.Chatbot) {
					t.Errorf("it has the chatbots %s", listed)
				}
			}
		})
	})
}

package harness

import (
	"bytes"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	"parley/app"
	"parley/llm/llmtest"
)

// Installation is a data folder and a database on which processes run, one after the
// other or at once.
type Installation struct {
	*testing.T
	Dir, Database string
	Environment   []string
	// Configure says what else the environment does, for the program in this process.
	Configure func(*app.Config)
	// Files is how many files a process may open, 0 for as many as here.
	Files int
	// Cgroup, unless nil, is where processes run.
	Cgroup *Cgroup
}

// AnsweredBy lets a model's server answer.
func (s *Installation) AnsweredBy(upstream *llmtest.Server) {
	s.Environment = append(s.Environment, "LLM_BASE_URL="+upstream.BaseURL(), "LLM_API_KEY=key", "LLM_MODEL=double",
		"LLM_TIMEOUT=1h", "LLM_FIRST_TOKEN_TIMEOUT=1h")
}

// Inside opens the program in this process, between two others, and gives it
// to a function.
func (s *Installation) Inside(do func(w *Instance)) {
	s.Helper()
	config := &app.Config{}
	config.DataDir, config.DatabaseURL, config.SignUp = s.Dir, s.Database, true
	if s.Configure != nil {
		s.Configure(config)
	}
	p, err := app.OpenWith(s.Context(), config, slog.New(slog.DiscardHandler), app.Options{WeakPasswords: true, Program: Program()})
	if err != nil {
		s.Fatal(err)
	}
	do(&Instance{T: s.T, Server: &app.Server{Program: p}})
	if err := p.Close(); err != nil {
		s.Fatal(err)
	}
}

// Process is a process of the binary that serves.
type Process struct {
	*Instance
	Command  *exec.Cmd
	Ended    chan struct{}
	ExitCode int
}

// Command prepares a command line of the binary, with no environment but what
// the test gives. Unless that says otherwise, nothing is encoded: to read the sentence
// encoder takes a server ten times as long as to start.
func (s *Installation) Command(log io.Writer, arguments ...string) *exec.Cmd {
	s.Helper()
	command := exec.Command(Program(), arguments...)
	if s.Files != 0 {
		command = exec.Command("sh", append([]string{"-c", fmt.Sprintf(`ulimit -n %d && exec "$0" "$@"`, s.Files), Program()}, arguments...)...)
	}
	if s.Cgroup != nil {
		command = s.Cgroup.command(Program(), arguments)
	}
	command.Env = append([]string{"DATA_DIR=" + s.Dir, "DATABASE_URL=" + s.Database, "ENCODE_PASSAGES=off"}, s.Environment...)
	command.Stderr = log
	return command
}

// Serve starts a server on a free port and waits until it listens.
func (s *Installation) Serve(environment ...string) *Process {
	s.Helper()
	if _, err := os.Stat(s.Dir); err == nil { // otherwise the server makes it
		ShareCache(s.T, s.Dir)
	}
	log := &Buffer{}
	p := &Process{Instance: &Instance{T: s.T, ServerLog: log}, Command: s.Command(log, "serve"), Ended: make(chan struct{})}
	p.Command.Env = append(append(p.Command.Env, "LISTEN_ADDR=127.0.0.1:0"), environment...)
	out := &Buffer{}
	p.Command.Stdout = out
	p.Must(p.Command.Start())
	go func() {
		defer close(p.Ended)
		_ = p.Command.Wait() // the exit code says it
		p.ExitCode = p.Command.ProcessState.ExitCode()
	}()
	s.Cleanup(p.Kill)
	p.Eventually("the server listens", func() bool {
		select {
		case <-p.Ended:
			s.Fatalf("the server ended with %d:\n%s", p.ExitCode, log.String())
		default:
		}
		found := WhereItIs.FindStringSubmatch(out.String())
		if found != nil {
			p.Base = "http://" + found[1]
		}
		return found != nil
	})
	p.Eventually("the index holds what the database says, or never will", func() bool {
		reason := p.Health("").Parts["index"].Reason
		return !strings.HasSuffix(reason, " documents") && !strings.HasSuffix(reason, "compared with the database.")
	})
	return p
}

// Kill ends the process as a power cut would.
func (p *Process) Kill() {
	_ = p.Command.Process.Kill() // it may have ended
	<-p.Ended
}

// Terminate asks the process to stop.
func (p *Process) Terminate() {
	p.Helper()
	p.Must(p.Command.Process.Signal(syscall.SIGTERM))
}

// EndsWithin waits for the end of the process.
func (p *Process) EndsWithin(limit time.Duration) {
	p.Helper()
	select {
	case <-p.Ended:
		if p.ExitCode != 0 {
			p.Errorf("the exit code is %d:\n%s", p.ExitCode, p.ServerLog.String())
		}
	case <-time.After(limit):
		p.Errorf("the process did not end within %v:\n%s", limit, p.ServerLog.String())
	}
}

// MustNot stops a test at an error.
func (s *Installation) MustNot(err error) {
	s.Helper()
	if err != nil {
		s.Fatal(err)
	}
}

// BackupPassphrase is what backups are sealed with.
const BackupPassphrase = "correct horse battery staple"

// Parley runs a command, which has to succeed.
func (s *Installation) Parley(args ...string) string {
	s.Helper()
	var complaint bytes.Buffer
	out, err := s.Command(&complaint, args...).Output()
	if err != nil {
		s.Fatalf("parley %v: %v: %s", args, err, complaint.String())
	}
	return string(out)
}

// In is the same process in the sub-test that t belongs to.
func (p *Process) In(t *testing.T) *Process {
	inner := *p
	inner.Instance = p.Within(t)
	return &inner
}

// WhereItIs finds the address in what a server prints when it listens.
var WhereItIs = regexp.MustCompile(`Parley is at http://(\S+)\n`)

package e2e

import (
	"context"
	"debug/elf"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"parley/app"
	"parley/llm/llmtest"
	"parley/store/storetest"
)

// builtIn is the folder of the binary, once it has been built.
var builtIn string

// home is this folder, wherever a test goes.
var home, _ = os.Getwd()

// executable builds the program as users run it, once for all tests.
var executable = sync.OnceValues(func() (string, error) {
	dir, err := os.MkdirTemp("", "parley-test-")
	if err != nil {
		return "", err
	}
	builtIn = dir
	path := filepath.Join(dir, "parley")
	build := exec.Command("go", "build", "-o", path, "parley/cmd/parley")
	build.Dir, build.Stderr = home, os.Stderr
	build.Env = append(os.Environ(), "CGO_ENABLED=0") // as make build does
	return path, build.Run()
})

// TestMain lets the test binary be the process that reads a file, too: servers
// in these tests start what they are themselves.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == app.ExtractChild {
		if err := app.ReadAsChild(os.Stdin, os.Stdout); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	code := m.Run()
	for _, dir := range []string{builtIn, compiledIn} {
		if dir != "" {
			_ = os.RemoveAll(dir)
		}
	}
	os.Exit(code)
}

// compiledIn is the folder of the compiled PDF reader, once it is needed.
var compiledIn string

var compiled = sync.OnceValues(func() (dir string, err error) {
	compiledIn, err = os.MkdirTemp("", "parley-test-cache-")
	return compiledIn, err
})

// shareCache lets the programs of all tests compile the PDF reader once.
func shareCache(t *testing.T, dataDir string) {
	t.Helper()
	cache, err := compiled()
	if err == nil {
		err = os.Symlink(cache, filepath.Join(dataDir, "cache"))
	}
	if err != nil && !errors.Is(err, fs.ErrExist) {
		t.Fatal(err)
	}
}

// installation is a data folder and a database on which processes run, one after the
// other or at once.
type installation struct {
	*testing.T
	dir, database string
	environment   []string
	// configure says what else the environment does, for the program in this process.
	configure func(*app.Config)
	// files is how many files a process may open, 0 for as many as here.
	files int
}

// onInstallations runs a test on a folder with SQLite and on one with PostgreSQL.
func onInstallations(t *testing.T, test func(s *installation)) {
	for name, database := range map[string]func(*testing.T) string{
		"sqlite":   func(*testing.T) string { return "" },
		"postgres": func(t *testing.T) string { return storetest.Postgres(t) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := &installation{T: t, dir: t.TempDir(), database: database(t)}
			shareCache(t, s.dir)
			if s.database == "" {
				storetest.File(t, filepath.Join(s.dir, "parley.db"))
			}
			test(s)
		})
	}
}

// answeredBy lets a model's server answer.
func (s *installation) answeredBy(upstream *llmtest.Server) {
	s.environment = append(s.environment, "LLM_BASE_URL="+upstream.BaseURL(), "LLM_API_KEY=key", "LLM_MODEL=double",
		"LLM_TIMEOUT=1h", "LLM_FIRST_TOKEN_TIMEOUT=1h")
}

// inside opens the program in this process, between two others, and gives it
// to a function.
func (s *installation) inside(do func(w *instance)) {
	s.Helper()
	config := &app.Config{}
	config.DataDir, config.DatabaseURL, config.SignUp = s.dir, s.database, true
	if s.configure != nil {
		s.configure(config)
	}
	p, err := app.OpenWith(s.Context(), config, slog.New(slog.DiscardHandler), app.Options{})
	if err != nil {
		s.Fatal(err)
	}
	do(&instance{T: s.T, server: &app.Server{Program: p}})
	if err := p.Close(); err != nil {
		s.Fatal(err)
	}
}

// process is a process of the binary that serves.
type process struct {
	*instance
	command *exec.Cmd
	ended   chan struct{}
	code    int
}

// command prepares a command line of the binary, with no environment but what
// the test gives.
func (s *installation) command(log io.Writer, arguments ...string) *exec.Cmd {
	s.Helper()
	path, err := executable()
	if err != nil {
		s.Fatalf("the program does not build: %v", err)
	}
	command := exec.Command(path, arguments...)
	if s.files != 0 {
		command = exec.Command("sh", append([]string{"-c", fmt.Sprintf(`ulimit -n %d && exec "$0" "$@"`, s.files), path}, arguments...)...)
	}
	command.Env = append([]string{"DATA_DIR=" + s.dir, "DATABASE_URL=" + s.database}, s.environment...)
	command.Stderr = log
	return command
}

// serve starts a server on a free port and waits until it listens.
func (s *installation) serve(environment ...string) *process {
	s.Helper()
	log := &lockedBuffer{}
	p := &process{instance: &instance{T: s.T, log: log}, command: s.command(log, "serve"), ended: make(chan struct{})}
	p.command.Env = append(append(p.command.Env, "LISTEN_ADDR=127.0.0.1:0"), environment...)
	out := &lockedBuffer{}
	p.command.Stdout = out
	p.must(p.command.Start())
	go func() {
		defer close(p.ended)
		_ = p.command.Wait() // the exit code says it
		p.code = p.command.ProcessState.ExitCode()
	}()
	s.Cleanup(p.kill)
	p.eventually("the server listens", func() bool {
		select {
		case <-p.ended:
			s.Fatalf("the server ended with %d:\n%s", p.code, log.String())
		default:
		}
		found := whereItIs.FindStringSubmatch(out.String())
		if found != nil {
			p.base = "http://" + found[1]
		}
		return found != nil
	})
	return p
}

// kill ends the process as a power cut would.
func (p *process) kill() {
	_ = p.command.Process.Kill() // it may have ended
	<-p.ended
}

// terminate asks the process to stop.
func (p *process) terminate() {
	p.Helper()
	p.must(p.command.Process.Signal(syscall.SIGTERM))
}

// endsWithin waits for the end of the process.
func (p *process) endsWithin(limit time.Duration) {
	p.Helper()
	select {
	case <-p.ended:
		if p.code != 0 {
			p.Errorf("the exit code is %d:\n%s", p.code, p.log.String())
		}
	case <-time.After(limit):
		p.Errorf("the process did not end within %v:\n%s", limit, p.log.String())
	}
}

// halfAMinuteLater does what a process that is alive does when the leases of
// those that died have ended.
func (w *instance) halfAMinuteLater() {
	w.Helper()
	w.later(31*time.Second, func(p *app.Program) { w.must(p.Turns.Renew(context.WithoutCancel(w.Context()))) })
}

func TestBuildIsStatic(t *testing.T) {
	t.Parallel()
	t.Run("every way to build the program leaves cgo out", func(t *testing.T) {
		for file, line := range map[string]string{
			"../Makefile":   "CGO_ENABLED=0 $(GO) build",
			"../Dockerfile": "CGO_ENABLED=0 go build",
		} {
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			if !strings.Contains(string(text), line) {
				t.Errorf("%s does not have %q", file, line)
			}
		}
	})
	t.Run("the binary needs no library of the system", func(t *testing.T) {
		if runtime.GOOS != "linux" {
			return
		}
		path, err := executable()
		if err != nil {
			t.Fatal(err)
		}
		binary, err := elf.Open(path)
		if err != nil {
			t.Fatal(err)
		}
		defer binary.Close()
		if libraries, err := binary.ImportedLibraries(); err != nil || len(libraries) != 0 {
			t.Errorf("it needs %v, %v", libraries, err)
		}
	})
}

package extract

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	seccomp "github.com/elastic/go-seccomp-bpf"
	"golang.org/x/sys/unix"

	"parley/core/fault"
	"parley/core/knowledge"
)

// forbiddenCalls are what a document would try once it has taken over a child.
var forbiddenCalls = []struct {
	what string
	try  func() error
}{
	{"make a socket", func() error { return second(unix.Socket(unix.AF_INET, unix.SOCK_STREAM, 0)) }},
	{"make a local socket", func() error { return second(unix.Socket(unix.AF_UNIX, unix.SOCK_STREAM, 0)) }},
	{"connect", func() error { return unix.Connect(0, &unix.SockaddrInet4{Port: 80}) }},
	{"listen with Go's own package", func() error { return second(net.Listen("tcp", "127.0.0.1:0")) }},
	{"read a file", func() error { return second(os.Open("/proc/self/environ")) }},
	{"write a file", func() error { return os.WriteFile("canary", []byte("x"), 0o600) }},
	{"make a folder", func() error { return unix.Mkdir("canary", 0o700) }},
	{"delete a file", func() error { return unix.Unlink("canary") }},
	{"start a program", func() error { return exec.Command("/bin/true").Run() }},
	{"become another program", func() error { return unix.Exec("/bin/true", []string{"true"}, nil) }},
	{"fork", func() error {
		_, _, failure := unix.RawSyscall(unix.SYS_CLONE, uintptr(unix.SIGCHLD), 0, 0)
		return errnoOf(failure)
	}},
	{"trace its parent", func() error { return unix.PtraceAttach(os.Getppid()) }},
	{"kill its parent", func() error { return unix.Kill(os.Getppid(), 0) }},
	{"kill a thread of its parent", func() error { return unix.Tgkill(os.Getppid(), os.Getppid(), 0) }},
	{"raise its limits", func() error { return unix.Setrlimit(unix.RLIMIT_NOFILE, &unix.Rlimit{Cur: 0, Max: 0}) }},
	{"map code", func() error {
		return second(unix.Mmap(-1, 0, 4096, unix.PROT_READ|unix.PROT_EXEC, unix.MAP_ANON|unix.MAP_PRIVATE))
	}},
	{"mount", func() error { return unix.Mount("none", "/", "tmpfs", 0, "") }},
	{"make a namespace", func() error { return unix.Unshare(unix.CLONE_NEWUSER) }},
	{"load another filter", func() error { return unix.Prctl(unix.PR_SET_SECCOMP, 1, 0, 0, 0) }},
}

func second[T any](_ T, err error) error { return err }

func errnoOf(failure unix.Errno) error {
	if failure == 0 {
		return nil
	}
	return failure
}

// misbehave confines this process like a child, and writes how each of the calls
// fails. TestMain runs it for "bad-child misbehaves".
func misbehave() {
	if err := errors.Join(confine(Limits{}.OrDefault()), seal()); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	results := map[string]string{}
	for _, call := range forbiddenCalls {
		results[call.what] = fmt.Sprint(call.try())
	}
	if err := json.NewEncoder(os.Stdout).Encode(results); err != nil {
		os.Exit(1)
	}
}

func TestForbiddenCalls(t *testing.T) {
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	args := child(program, "bad-child", "misbehaves")
	command := exec.CommandContext(t.Context(), args[0], args[1:]...)
	command.Dir = t.TempDir()
	output, err := command.Output()
	if err != nil {
		t.Fatalf("%v: %s", err, output)
	}
	var results map[string]string
	if err := json.Unmarshal(output, &results); err != nil {
		t.Fatalf("%v: %s", err, output)
	}
	for _, call := range forbiddenCalls {
		t.Run("a child cannot "+call.what, func(t *testing.T) {
			if result := results[call.what]; !strings.Contains(result, "operation not permitted") {
				t.Errorf("it gets %q", result)
			}
		})
	}
	if left, _ := filepath.Glob(filepath.Join(command.Dir, "*")); len(left) != 0 {
		t.Errorf("it has left %v", left)
	}
}

func TestEveryThreadIsConfined(t *testing.T) {
	for _, kind := range []knowledge.Kind{knowledge.HTML, knowledge.PDF, knowledge.DOCX} {
		t.Run("of a child that reads a "+string(kind), func(t *testing.T) {
			e := newExtractor(t, Limits{})
			if err := e.warmUp(t.Context()); err != nil {
				t.Fatal(err)
			}
			command := exec.CommandContext(t.Context(), e.program[0], e.program[1:]...)
			command.Env = append(environment(), "GORACE=atexit_sleep_ms=0")
			input, err := command.StdinPipe()
			if err != nil {
				t.Fatal(err)
			}
			command.Stdout = io.Discard
			if err := command.Start(); err != nil {
				t.Fatal(err)
			}
			head, err := json.Marshal(request{Kind: kind, Limits: e.limits, CacheDir: e.CacheDir, Size: 1})
			if err != nil {
				t.Fatal(err)
			}
			// It waits for a body that never arrives.
			if _, err := input.Write(append(head, '\n')); err != nil {
				t.Fatal(err)
			}
			deadline := time.Now().Add(time.Minute)
			for statusOf(t, fmt.Sprintf("/proc/%d/status", command.Process.Pid))["Seccomp"] != "2" {
				if time.Now().After(deadline) {
					t.Fatal("no filter was set")
				}
				time.Sleep(time.Millisecond)
			}
			threads, err := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/status", command.Process.Pid))
			if err != nil || len(threads) < 2 {
				t.Fatalf("%d threads, %v", len(threads), err)
			}
			for _, thread := range threads {
				if status := statusOf(t, thread); status["NoNewPrivs"] != "1" || status["Seccomp"] != "2" {
					t.Errorf("%s: NoNewPrivs %s, Seccomp %s", thread, status["NoNewPrivs"], status["Seccomp"])
				}
			}
			input.Close()
			_ = command.Wait()
		})
	}
}

// statusOf reads the fields of proc_pid_status(5).
func statusOf(t *testing.T, path string) map[string]string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	fields := map[string]string{}
	for line := range strings.Lines(string(text)) {
		name, value, _ := strings.Cut(line, ":")
		fields[name] = strings.TrimSpace(value)
	}
	return fields
}

func TestUnconfined(t *testing.T) {
	page := Input{Kind: knowledge.HTML, Body: []byte("<p>canary")}
	refuses := func(t *testing.T, e *Extractor, cause string) {
		t.Helper()
		for what, err := range map[string]error{"a page": second(e.Extract(t.Context(), page)), "the check": e.Check(t.Context())} {
			if f := fault.As(err); f.Kind != fault.Unavailable || !f.OperatorMustAct() || !strings.Contains(f.Message, "cannot read files") || !strings.Contains(f.Error(), cause) {
				t.Errorf("%s gives %v", what, err)
			}
		}
	}
	t.Run("the extractor refuses a document when the filter cannot be set", func(t *testing.T) {
		e := newExtractor(t, Limits{})
		e.program[slices.Index(e.program, "extract-child")] = "unconfined-child"
		refuses(t, e, "no filter here")
		e.Unconfined = true // has no effect on Linux
		refuses(t, e, "no filter here")
	})
	t.Run("it refuses one on another system, too, unless the operator allows it", func(t *testing.T) {
		e := newExtractor(t, Limits{})
		e.sandboxed = false
		refuses(t, e, "EXTRACT_UNCONFINED")
		e.Unconfined = true
		if _, err := e.Extract(t.Context(), page); err != nil {
			t.Error(err)
		}
	})
	t.Run("text is still read, because it needs no child", func(t *testing.T) {
		e := newExtractor(t, Limits{})
		e.sandboxed = false
		if _, err := e.Extract(t.Context(), Input{Kind: knowledge.Markdown, Body: []byte("# Hours")}); err != nil {
			t.Error(err)
		}
	})
	t.Run("the check passes on this system", func(t *testing.T) {
		if err := newExtractor(t, Limits{}).Check(t.Context()); err != nil {
			t.Error(err)
		}
	})
}

// BenchmarkStart measures the cost of a child that reads nothing.
func BenchmarkStart(b *testing.B) {
	e := newExtractor(b, Limits{})
	for b.Loop() {
		if _, err := e.run(b.Context(), bytes.NewReader([]byte(`{"kind":"html","limits":{"time":60000000000,"memory":300000000},"size":0}`+"\n")), time.Minute, 1<<30); err != nil {
			b.Fatal(err)
		}
	}
}

// filtered is a child under a filter around the server that kills whoever lowers a limit, as
// systemd's SystemCallFilter does. TestMain runs it for "bad-child is filtered".
func filtered() {
	around := seccomp.Filter{NoNewPrivs: true, Flag: seccomp.FilterFlagTSync, Policy: seccomp.Policy{
		DefaultAction: seccomp.ActionAllow,
		Syscalls:      []seccomp.SyscallGroup{{Action: seccomp.ActionKillProcess, Names: []string{"prlimit64"}}},
	}}
	if err := seccomp.LoadFilter(around); err != nil {
		panic(err)
	}
	if err := Child(os.Stdin, os.Stdout); err != nil {
		panic(err)
	}
}

func TestFilterAroundTheServer(t *testing.T) {
	t.Run("where a filter kills the children, the operator must act, and no file is called damaged", func(t *testing.T) {
		e := newExtractor(t, Limits{})
		e.beBad("is filtered")
		wantOperators(t, e, Input{Kind: knowledge.HTML, Body: []byte("<p>x")})
	})
}

package e2e

import (
	"bytes"
	"context"
	"net/http"
	"os/exec"
	"regexp"
	"strings"
	"syscall"
	"testing"

	"parley/app"
)

// serving runs `parley serve` on a free port and returns its address and what
// stops it.
func serving(t *testing.T, args ...string) (address string, stop func() int) {
	t.Helper()
	path, err := executable()
	if err != nil {
		t.Fatalf("the program does not build: %v", err)
	}
	var out, complaints lockedBuffer
	server := exec.Command(path, append([]string{"serve", "--log-level=error"}, args...)...)
	server.Stdout, server.Stderr = &out, &complaints
	if err := server.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		_ = server.Wait() // the exit code says it
	}()
	stop = func() int {
		_ = server.Process.Signal(syscall.SIGTERM) // it may have ended
		<-ended
		return server.ProcessState.ExitCode()
	}
	t.Cleanup(func() { stop() })
	(&instance{T: t}).eventually("the server says where it is", func() bool {
		select {
		case <-ended:
			t.Fatalf("it ended with %d: %s", server.ProcessState.ExitCode(), complaints.String())
		default:
		}
		return whereItIs.MatchString(out.String())
	})
	return whereItIs.FindStringSubmatch(out.String())[1], stop
}

var whereItIs = regexp.MustCompile(`Parley is at http://(\S+)\n`)

// refused runs a second server, which must end by itself, and returns what it
// says.
func refused(t *testing.T, args ...string) string {
	t.Helper()
	path, err := executable()
	if err != nil {
		t.Fatalf("the program does not build: %v", err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	var out, complaints bytes.Buffer
	server := exec.CommandContext(ctx, path, append([]string{"serve", "--log-level=error"}, args...)...)
	server.Stdout, server.Stderr = &out, &complaints
	_ = server.Run() // the exit code says it
	if code := server.ProcessState.ExitCode(); code != 1 {
		t.Errorf("exit code %d, want 1", code)
	}
	if out.String() != "" {
		t.Errorf("it printed %q", out.String())
	}
	return complaints.String()
}

func TestSecondServer(t *testing.T) {
	data := t.TempDir()
	address, stop := serving(t, "--listen=127.0.0.1:0", "--data-dir="+data)
	oneSentence := func(t *testing.T, said string, has ...string) {
		t.Helper()
		(&instance{T: t}).checkParts(said, append(has, "parley: "), "goroutine", ".go:", "Usage")
		if strings.Count(said, "\n") != 1 {
			t.Errorf("it is not one line: %q", said)
		}
	}
	t.Run("on the same port it says which, and what to do", func(t *testing.T) {
		oneSentence(t, refused(t, "--listen="+address, "--data-dir="+t.TempDir()), address, "--listen")
	})
	t.Run("on the same data folder it says which, and what to do", func(t *testing.T) {
		oneSentence(t, refused(t, "--listen=127.0.0.1:0", "--data-dir="+data), data, "--data-dir")
	})
	t.Run("the first server keeps running", func(t *testing.T) {
		response, err := http.Get("http://" + address + "/readyz")
		if err != nil {
			t.Fatal(err)
		}
		defer response.Body.Close()
		if response.StatusCode != http.StatusOK {
			t.Errorf("status %d", response.StatusCode)
		}
	})
	t.Run("after it has stopped, another takes the folder and the port", func(t *testing.T) {
		if code := stop(); code != 0 {
			t.Errorf("the first ended with %d", code)
		}
		_, stopSecond := serving(t, "--listen="+address, "--data-dir="+data)
		if code := stopSecond(); code != 0 {
			t.Errorf("the second ended with %d", code)
		}
	})
}

func TestServerWithoutAWebhookSecret(t *testing.T) {
	if said := refused(t, "--listen=127.0.0.1:0", "--data-dir="+t.TempDir(), "--stripe-secret-key=sk_test_hunter2"); !strings.Contains(said, "STRIPE_WEBHOOK_SECRET must be set") || strings.Contains(said, "hunter2") {
		t.Errorf("it says %q", said)
	}
}

func TestDemoLetsOwnersChangePlans(t *testing.T) {
	for sentence, c := range map[string]struct {
		args []string
		want int
	}{
		"an owner of the demo changes the plan":       {nil, http.StatusSeeOther},
		"unless it is said that the operator does so": {[]string{"--plan-changes=operator"}, http.StatusForbidden},
	} {
		t.Run(sentence, func(t *testing.T) {
			t.Parallel()
			term := &terminal{T: t, folder: t.TempDir()}
			address, _ := serving(t, append(c.args, "--demo", "--listen=127.0.0.1:0", "--data-dir="+term.folder)...)
			term.fed(staffPassword+"\n", "user", "password", app.DemoEmail, "--password-stdin")
			workspace := field(term.records("workspace", "list")[0], "id")
			v := (&instance{T: t, base: "http://" + address}).signedIn(app.DemoEmail, staffPassword)
			v.expect(v.post("/workspaces/"+workspace+"/billing", pairs{"plan", "premium"}), c.want)
		})
	}
}

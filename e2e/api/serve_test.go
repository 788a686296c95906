package api

import (
	"bytes"
	"context"
	"net/http"
	"os/exec"
	"strings"
	"syscall"
	"testing"

	"parley/app"
	"parley/e2e/harness"
)

// serving runs `parley serve` on a free port and returns its address and what
// stops it.
func serving(t *testing.T, args ...string) (address string, stop func() int) {
	t.Helper()
	var out, complaints harness.Buffer
	server := exec.Command(harness.Program(), append([]string{"serve", "--log-level=error"}, args...)...)
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
	(&harness.Instance{T: t}).Eventually("the server says where it is", func() bool {
		select {
		case <-ended:
			t.Fatalf("it ended with %d: %s", server.ProcessState.ExitCode(), complaints.String())
		default:
		}
		return harness.WhereItIs.MatchString(out.String())
	})
	return harness.WhereItIs.FindStringSubmatch(out.String())[1], stop
}

// refused runs a second server, which must end by itself, and returns what it
// says.
func refused(t *testing.T, args ...string) string {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), harness.Patience)
	defer cancel()
	var out, complaints bytes.Buffer
	server := exec.CommandContext(ctx, harness.Program(), append([]string{"serve", "--log-level=error"}, args...)...)
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
		(&harness.Instance{T: t}).CheckParts(said, append(has, "parley: "), "goroutine", ".go:", "Usage")
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
			term := &harness.Terminal{T: t, Folder: t.TempDir()}
			address, _ := serving(t, append(c.args, "--demo", "--listen=127.0.0.1:0", "--data-dir="+term.Folder)...)
			term.Fed(harness.StaffPassword+"\n", "user", "password", app.DemoEmail, "--password-stdin")
			workspace := harness.Field(term.Records("workspace", "list")[0], "id")
			v := (&harness.Instance{T: t, Base: "http://" + address}).SignedIn(app.DemoEmail, harness.StaffPassword)
			v.Expect(v.Post("/workspaces/"+workspace+"/billing", harness.Pairs{"plan", "premium"}), c.want)
		})
	}
}

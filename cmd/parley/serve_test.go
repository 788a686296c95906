package main

import (
	"context"
	"net/http"
	"regexp"
	"strings"
	"testing"
)

// serving runs `parley serve` on a free port and returns its address and what
// stops it.
func serving(t *testing.T, args ...string) (address string, stop func() int) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.WithoutCancel(t.Context()))
	var out, complaints lockedBuffer
	code := make(chan int, 1)
	go func() {
		code <- run(ctx, append([]string{"serve", "--log-level=error"}, args...), streams{in: strings.NewReader(""), out: &out}, &complaints)
	}()
	w := &world{T: t}
	w.eventually("the server says where it is", func() bool {
		select {
		case c := <-code:
			t.Fatalf("it ended with %d: %s", c, complaints.String())
		default:
		}
		return whereItIs.MatchString(out.String())
	})
	ended := false
	stop = func() int {
		if ended {
			return 0
		}
		ended = true
		cancel()
		return <-code
	}
	t.Cleanup(func() { stop() })
	return whereItIs.FindStringSubmatch(out.String())[1], stop
}

var whereItIs = regexp.MustCompile(`Parley is at http://(\S+)\n`)

// refused runs a second server, which must end by itself, and returns what it
// says.
func refused(t *testing.T, args ...string) string {
	t.Helper()
	var out, complaints lockedBuffer
	code := run(t.Context(), append([]string{"serve", "--log-level=error"}, args...), streams{in: strings.NewReader(""), out: &out}, &complaints)
	if code != 1 {
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
		(&world{T: t}).checkParts(said, append(has, "parley: "), "goroutine", ".go:", "Usage")
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
	t.Run("the first goes on", func(t *testing.T) {
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
			term.fed(staffPassword+"\n", "user", "password", demoEmail, "--password-stdin")
			workspace := field(term.records("workspace", "list")[0], "id")
			v := (&world{T: t, base: "http://" + address}).signedIn(demoEmail, staffPassword)
			v.expect(v.post("/workspaces/"+workspace+"/plan", pairs{"plan", "premium"}), c.want)
		})
	}
}

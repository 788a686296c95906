package servers

import (
	"fmt"
	"net/http"
	"os"
	"strings"
	"sync"
	"testing"

	"parley/app"
	"parley/core/chatbot"
	"parley/core/plan"
	"parley/e2e/harness"
)

// encodedInstallation has a chatbot whose passages are encoded, without limits, and a token that
// may do all.
func encodedInstallation(t *testing.T) (s *harness.Installation, secret string) {
	t.Helper()
	s = &harness.Installation{T: t, Dir: t.TempDir(), Configure: func(c *app.Config) { c.Encode = "on" }, Environment: []string{"ENCODE_PASSAGES=on"}}
	s.Inside(func(w *harness.Instance) {
		var documents []string
		for _, pair := range harness.Misleading {
			documents = append(documents, pair[:]...)
		}
		tn := w.NewTenant("baker", plan.Enterprise, documents...)
		for more := true; more; {
			var err error
			more, err = w.Server.Knowledge.Worker.WorkOff(t.Context(), tn.Workspace)
			w.Must(err)
		}
		w.EncodeAll(w.Server.Encoding)
		_, secret = w.Issue(tn, chatbot.NewToken{Scopes: chatbot.AllScopes()})
	})
	return s, secret
}

// memoryAtRest waits until the weights are unpacked, forgets how much memory that took, and returns
// how much there is.
func memoryAtRest(p *harness.Process) int64 {
	p.Helper()
	p.Eventually("the sentence encoder is read", func() bool { return strings.Contains(p.ServerLog.String(), "sentence encoder read") })
	p.Must(os.WriteFile(fmt.Sprintf("/proc/%d/clear_refs", p.Command.Process.Pid), []byte("5"), 0)) // proc(5): resets VmHWM
	return memory(p, "VmRSS")
}

// asksMuch asks so many long questions, of which none was asked before, eight at a time.
func asksMuch(p *harness.Process, secret string, from, to int) {
	p.Helper()
	const long = 7_900 // characters
	var all sync.WaitGroup
	for asker := range 8 {
		all.Go(func() {
			for n := from + asker; n < to; n += 8 {
				question := strings.Repeat(fmt.Sprintf("Are dogs of kind %d allowed? ", n), long)[:long]
				if r := p.Call("POST", harness.ChatPath, fmt.Sprintf(`{"message":%q}`, question), harness.Bearer(secret)); r.StatusCode != http.StatusOK {
					p.Errorf("answered %d: %s", r.StatusCode, r.Text)
					return
				}
			}
		})
	}
	all.Wait()
}

func TestMemoryWithEncodings(t *testing.T) {
	if _, err := os.Stat("/proc/self/status"); err != nil {
		t.Log("the memory of a process cannot be seen here")
		return
	}
	s, secret := encodedInstallation(t)
	p := s.Serve()
	for range 20 { // what a first request loads is no attacker's
		p.Call("GET", "/sign-in", "")
	}
	memoryAtRest(p)
	asksMuch(p, secret, 0, 100)
	before := memoryAtRest(p)
	t.Run("a thousand long questions cost less than 64 MiB", func(t *testing.T) {
		p := &harness.Process{Instance: p.Within(t), Command: p.Command}
		asksMuch(p, secret, 100, 1100)
		costs(p, before)
	})
	t.Run("they were encoded", func(t *testing.T) {
		w := p.Within(t)
		session := w.NewAgent(secret)
		found, text, _ := w.UseTool(session, "search", map[string]any{"query": "Are dogs allowed?"})
		if len(found.Results) == 0 || found.Results[0].Title != "Pets" {
			t.Errorf("found are %s", text)
		}
	})
	withstands(p, t, memoryAtRest(p), wavesWithoutSignIn)
}

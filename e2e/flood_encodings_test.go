package e2e

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
)

// encodedInstallation has a chatbot whose passages are encoded, without limits, and a token that
// may do all.
func encodedInstallation(t *testing.T) (s *installation, secret string) {
	t.Helper()
	s = &installation{T: t, dir: t.TempDir(), configure: func(c *app.Config) { c.Encode = "on" }}
	s.inside(func(w *instance) {
		var documents []string
		for _, pair := range misleading {
			documents = append(documents, pair[:]...)
		}
		tn := w.newTenant("baker", plan.Enterprise, documents...)
		for more := true; more; {
			var err error
			more, err = w.server.Knowledge.Worker.WorkOff(t.Context(), tn.workspace)
			w.must(err)
		}
		w.encodeAll(w.server.Encoding)
		_, secret = w.issue(tn, chatbot.NewToken{Scopes: chatbot.AllScopes()})
	})
	return s, secret
}

// rests waits until the weights are unpacked, forgets how much memory that took, and returns
// how much there is.
func (p *process) rests() int64 {
	p.Helper()
	p.eventually("the sentence encoder is read", func() bool { return strings.Contains(p.log.String(), "sentence encoder read") })
	p.must(os.WriteFile(fmt.Sprintf("/proc/%d/clear_refs", p.command.Process.Pid), []byte("5"), 0)) // proc(5): resets VmHWM
	return p.memory("VmRSS")
}

// asksMuch asks so many long questions, of which none was asked before, eight at a time.
func (p *process) asksMuch(secret string, from, to int) {
	p.Helper()
	const long = 7_900 // characters
	var all sync.WaitGroup
	for asker := range 8 {
		all.Go(func() {
			for n := from + asker; n < to; n += 8 {
				question := strings.Repeat(fmt.Sprintf("Are dogs of kind %d allowed? ", n), long)[:long]
				if r := p.call("POST", chatPath, fmt.Sprintf(`{"message":%q}`, question), bearer(secret)); r.StatusCode != http.StatusOK {
					p.Errorf("answered %d: %s", r.StatusCode, r.body)
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
	p := s.serve()
	for range 20 { // what a first request loads is no attacker's
		p.call("GET", "/sign-in", "")
	}
	p.rests()
	p.asksMuch(secret, 0, 100)
	before := p.rests()
	t.Run("a thousand long questions cost less than 64 MiB", func(t *testing.T) {
		p := &process{instance: p.within(t), command: p.command}
		p.asksMuch(secret, 100, 1100)
		p.costs(before)
	})
	t.Run("they were encoded", func(t *testing.T) {
		w := p.within(t)
		session := w.agent(secret)
		found, text, _ := w.use(session, "search", map[string]any{"query": "Are dogs allowed?"})
		if len(found.Results) == 0 || found.Results[0].Title != "Pets" {
			t.Errorf("found are %s", text)
		}
	})
	p.withstands(t, p.rests(), wavesWithoutSignIn)
}

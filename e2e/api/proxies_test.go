package api

import (
	"regexp"
	"strings"
	"testing"

	"parley/e2e/harness"
)

func TestWarningOfProxies(t *testing.T) {
	t.Run("a server whose clients are all one does not start in silence", func(t *testing.T) {
		logged := func(environment ...string) string {
			log := &harness.Buffer{}
			server := (&harness.Installation{T: t, Dir: t.TempDir()}).Command(log, "serve")
			server.Env = append(append(server.Env, "LISTEN_ADDR=127.0.0.1:0", "BASE_URL=https://parley.example.com"), environment...)
			if err := server.Start(); err != nil {
				t.Fatal(err)
			}
			defer func() {
				_ = server.Process.Kill()
				_ = server.Wait() // it was killed
			}()
			(&harness.Instance{T: t, ServerLog: log}).Eventually("the server listens", func() bool { return strings.Contains(log.String(), "msg=listening") })
			return log.String()
		}
		if log := logged(); !regexp.MustCompile(`level=WARN .*TRUSTED_PROXIES`).MatchString(log) {
			t.Errorf("the log says %s", log)
		}
		if log := logged("TRUSTED_PROXIES=127.0.0.1"); strings.Contains(log, "TRUSTED_PROXIES") {
			t.Errorf("behind a trusted proxy the log says %s", log)
		}
	})
}

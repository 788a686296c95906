package security_test

import (
	"bytes"
	"log/slog"
	"os"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"parley/internal/security"
)

func TestReport(t *testing.T) {
	t.Run("a line has the known fields and nothing else", func(t *testing.T) {
		var out bytes.Buffer
		counted := 0
		events := security.New(slog.New(slog.NewTextHandler(&out, nil)), func(security.Name) { counted++ }, time.Now)
		events.Report(t.Context(), security.Event{Name: security.TokenRefused, Reason: "revoked", RequestID: "req_1", TokenID: "tok_1"})
		line := out.String()
		if !strings.HasSuffix(line, `level=WARN msg="security event" event=token_refused reason=revoked request_id=req_1 token_id=tok_1`+"\n") || counted != 1 {
			t.Errorf("counted %d, logged %s", counted, line)
		}
	})
	t.Run("a flood does not fill the log, and omitted events are counted", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			var out bytes.Buffer
			var mu sync.Mutex
			counted := 0
			events := security.New(slog.New(slog.NewTextHandler(&out, nil)), func(security.Name) { mu.Lock(); counted++; mu.Unlock() }, time.Now)
			var flood sync.WaitGroup
			for range 10 {
				flood.Go(func() {
					for range 1000 {
						events.Report(t.Context(), security.Event{Name: security.SignInRefused})
					}
				})
			}
			flood.Wait()
			events.Report(t.Context(), security.Event{Name: security.WebhookRefused})
			time.Sleep(2 * time.Minute)
			synctest.Wait()
			text := out.String()
			if lines := strings.Count(text, "\n"); lines != 62 || counted != 10_001 {
				t.Errorf("%d lines of %d events", lines, counted)
			}
			if !strings.Contains(text, "event=sign_in_refused left_out=9940\n") || !strings.Contains(text, "event=webhook_refused\n") {
				t.Errorf("the log is %s", text)
			}
			events.Report(t.Context(), security.Event{Name: security.SignInRefused})
			if strings.Count(out.String(), "\n") != 63 {
				t.Error("the next minute's events are not written")
			}
		})
	})
}

func TestDocs(t *testing.T) {
	text, err := os.ReadFile("../../docs/security-events.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range security.Names() {
		if !strings.Contains(string(text), "`"+string(name)+"`") {
			t.Errorf("docs/security-events.md does not have %s", name)
		}
	}
}

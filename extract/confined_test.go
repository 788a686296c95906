//go:build unix

package extract

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"parley/internal/health"
)

// killedWhile returns an extractor whose readers are killed while a file is there.
func killedWhile(t *testing.T, signal string) (e *Extractor, flag string) {
	t.Helper()
	e = newExtractor(t, Limits{})
	dir := t.TempDir()
	flag = filepath.Join(dir, "kills")
	script := filepath.Join(dir, "reader")
	text := "#!/bin/sh\n[ -e '" + flag + "' ] && kill -" + signal + " $$\nexec \"$@\"\n"
	if err := errors.Join(os.WriteFile(script, []byte(text), 0o700), os.WriteFile(flag, nil, 0o600)); err != nil {
		t.Fatal(err)
	}
	e.program = append([]string{script}, e.program...)
	return e, flag
}

// said returns what strangers are told of the readers.
func said(t *testing.T, r *Readiness) string {
	t.Helper()
	err := r.Check(t.Context())
	if err == nil {
		return ""
	}
	var reason *health.Reason
	if !errors.As(err, &reason) {
		t.Fatalf("it is no reason: %v", err)
	}
	return reason.Sentence
}

func TestReadiness(t *testing.T) {
	t.Parallel()
	t.Run("a confined reader reads the server's own PDF", func(t *testing.T) {
		t.Parallel()
		r := newExtractor(t, Limits{}).Readiness()
		if got := said(t, r); !strings.Contains(got, "still being read") {
			t.Errorf("before, it says %q", got)
		}
		r.read(t.Context())
		if got := said(t, r); got != "" || r.due() {
			t.Errorf("it says %q", got)
		}
	})
	for _, signal := range []string{"SYS", "KILL"} {
		t.Run("readers that SIG"+signal+" ends are told of, until one reads again", func(t *testing.T) {
			t.Parallel()
			e, flag := killedWhile(t, signal)
			r := e.Readiness()
			r.read(t.Context())
			if got := said(t, r); !strings.Contains(got, "cannot be read") {
				t.Errorf("it says %q", got)
			}
			if err := os.Remove(flag); err != nil {
				t.Fatal(err)
			}
			r.read(t.Context())
			if got := said(t, r); got != "" {
				t.Errorf("mended, it says %q", got)
			}
			if err := os.WriteFile(flag, nil, 0o600); err != nil {
				t.Fatal(err)
			}
			_, _ = e.Extract(t.Context(), Input{Name: "a.pdf", Body: ownPDF})
			if got := said(t, r); !strings.Contains(got, "were killed") || !strings.Contains(got, "SIG"+signal) {
				t.Errorf("after another one it says %q", got)
			}
			r.checked = r.checked.Add(-time.Hour)
			if !r.due() {
				t.Error("the own file is not read again")
			}
		})
	}
	t.Run("a reader that this process stops is none that was killed", func(t *testing.T) {
		t.Parallel()
		e := newExtractor(t, Limits{})
		ctx, cancel := context.WithCancel(t.Context())
		e.began = func(int) { cancel() }
		_, _ = e.Extract(ctx, Input{Name: "a.pdf", Body: ownPDF})
		e.began = nil
		_, _ = e.Extract(t.Context(), Input{Name: "broken.pdf", Body: []byte("%PDF-1.4\nbroken")})
		if n, last := e.kills.recent(); n != 0 {
			t.Errorf("%d were killed by %s", n, last)
		}
	})
}

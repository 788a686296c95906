package health_test

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"parley/internal/health"
)

// part is one whose check a test decides about.
type part struct {
	mu     sync.Mutex
	err    error
	hangs  chan struct{}
	checks atomic.Int32
}

func (p *part) set(err error, hangs chan struct{}) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.err, p.hangs = err, hangs
}

func (p *part) check(context.Context) error {
	p.checks.Add(1)
	p.mu.Lock()
	err, hangs := p.err, p.hangs
	p.mu.Unlock()
	if hangs != nil {
		<-hangs
	}
	return err
}

// watched runs a watch on one vital part, and gives the test its only state.
func watched(t *testing.T, log *bytes.Buffer, p *part, test func(state func() health.State)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		w := health.New(slog.New(slog.NewTextHandler(log, nil)), health.Part{Name: "database", Vital: true, Check: p.check})
		ctx, stop := context.WithCancel(t.Context())
		ended := make(chan struct{})
		go func() { defer close(ended); w.Run(ctx) }()
		synctest.Wait()
		test(func() health.State { synctest.Wait(); return w.States()[0] })
		stop()
		<-ended
		synctest.Wait()
	})
}

func TestWatch(t *testing.T) {
	secret := errors.New("dial tcp: secret-1234")
	t.Run("nothing is ready that was not checked", func(t *testing.T) {
		w := health.New(slog.New(slog.DiscardHandler), health.Part{Name: "database", Vital: true, Check: (&part{}).check})
		if s := w.States()[0]; s.Ready || !strings.Contains(s.Reason, "not checked yet") || health.StatusOf(w.States(), false) != health.NotReady {
			t.Errorf("it is %+v", s)
		}
		w.CheckVital(t.Context())
		if s := w.States()[0]; !s.Ready || health.StatusOf(w.States(), false) != health.Ready {
			t.Errorf("after its check it is %+v", s)
		}
	})
	t.Run("a part that fails says so within seconds, since when, and is ready again as soon as it works", func(t *testing.T) {
		var log bytes.Buffer
		p := &part{}
		watched(t, &log, p, func(state func() health.State) {
			if s := state(); !s.Ready {
				t.Errorf("at first it is %+v", s)
			}
			time.Sleep(time.Hour)
			p.set(secret, nil)
			time.Sleep(5 * time.Second)
			failed := state()
			if failed.Ready || time.Since(failed.Since) > 5*time.Second || !errors.Is(failed.Err, secret) {
				t.Errorf("it is %+v", failed)
			}
			if strings.Contains(failed.Reason, "secret") {
				t.Errorf("strangers read %q", failed.Reason)
			}
			time.Sleep(time.Hour)
			if s := state(); !s.Since.Equal(failed.Since) {
				t.Errorf("an hour later it fails since %v", s.Since)
			}
			p.set(nil, nil)
			time.Sleep(time.Second)
			if s := state(); !s.Ready || s.Reason != "" {
				t.Errorf("mended it is %+v", s)
			}
		})
		if said := log.String(); strings.Count(said, "level=ERROR") != 1 || !strings.Contains(said, "part=database") || !strings.Contains(said, "secret-1234") || strings.Count(said, `msg="part ready"`) != 1 {
			t.Errorf("the log has %s", said)
		}
	})
	t.Run("a reason for strangers is told as it is", func(t *testing.T) {
		p := &part{err: &health.Reason{Sentence: "12 of 25 documents", Pending: true}}
		var log bytes.Buffer
		watched(t, &log, p, func(state func() health.State) {
			if s := state(); s.Ready || s.Reason != "12 of 25 documents" {
				t.Errorf("it is %+v", s)
			}
		})
		if strings.Contains(log.String(), "ERROR") {
			t.Errorf("what becomes ready by itself is logged as %s", log.String())
		}
	})
	t.Run("a check that hangs makes its part not ready, and no second one begins", func(t *testing.T) {
		p := &part{}
		watched(t, &bytes.Buffer{}, p, func(state func() health.State) {
			hangs := make(chan struct{}) // of this bubble, whose time stands still for others
			p.set(nil, hangs)
			checked := p.checks.Load()
			time.Sleep(time.Minute)
			if s := state(); s.Ready || !strings.Contains(s.Reason, "did not end") || p.checks.Load() != checked+1 {
				t.Errorf("after %d more checks it is %+v", p.checks.Load()-checked, s)
			}
			p.set(nil, nil)
			close(hangs)
			if s := state(); !s.Ready {
				t.Errorf("when it ends, it is %+v", s)
			}
		})
	})
	t.Run("a check that panics fails", func(t *testing.T) {
		w := health.New(slog.New(slog.DiscardHandler), health.Part{Name: "index", Vital: true, Check: func(context.Context) error { panic("secret-1234") }})
		w.CheckVital(t.Context())
		if s := w.States()[0]; s.Ready || strings.Contains(s.Reason+s.Err.Error(), "secret-1234") {
			t.Errorf("it is %+v", s)
		}
	})
}

func TestStatus(t *testing.T) {
	good, vital, other := health.State{Ready: true, Vital: true}, health.State{Vital: true}, health.State{}
	for sentence, c := range map[string]struct {
		states []health.State
		strict bool
		want   health.Status
	}{
		"all parts work":                          {[]health.State{good}, true, health.Ready},
		"a vital one does not":                    {[]health.State{other, vital, good}, false, health.NotReady},
		"another one does not":                    {[]health.State{good, other}, false, health.Degraded},
		"another one does not, and all are vital": {[]health.State{good, other}, true, health.NotReady},
	} {
		t.Run(sentence, func(t *testing.T) {
			if got := health.StatusOf(c.states, c.strict); got != c.want {
				t.Errorf("it is %s", got)
			}
		})
	}
}

func TestTally(t *testing.T) {
	broken := errors.New("away")
	for sentence, c := range map[string]struct {
		// calls are F for one that fails, S for one that succeeds, and m for a minute that passes.
		calls string
		want  bool
	}{
		"nothing was called":                           {"", false},
		"the only call failed":                         {"F", true},
		"one of many failed":                           {"SSSSSSSSF", false},
		"half of them failed":                          {"SFSF", true},
		"all failed lately, after many that had not":   {"SSSSSSSSSSFFF", true},
		"all failed more than a minute ago":            {"FFFFmm", false},
		"many failed, and then enough have succeeded":  {"FFFFFFFFSSS", false},
		"many failed, and then too few to be sure":     {"FFFFFFFFSS", true},
		"it failed anew after it had succeeded":        {"FFFSSSF", true},
		"what succeeded long ago makes up for nothing": {"SSSSSSSSmmF", true},
	} {
		t.Run(sentence, func(t *testing.T) {
			now := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
			tally := health.NewTally(time.Minute, 3, func() time.Time { return now })
			for _, call := range c.calls {
				switch call {
				case 'F':
					tally.Failed(broken)
				case 'S':
					tally.Succeeded()
				case 'm':
					now = now.Add(time.Minute)
				}
			}
			if tally.Failing() != c.want {
				calls, failed, _ := tally.Counts()
				t.Errorf("with %d of %d it fails: %t", failed, calls, tally.Failing())
			}
		})
	}
}

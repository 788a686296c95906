package jobs

import (
	"context"
	"errors"
	"log/slog"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

func TestFailures(t *testing.T) {
	onBothDatabases(t, func(h *fixture) {
		h.workspaces("ws_error", "ws_panic", "ws_index", "ws_good")
		var text lines
		q := h.queue(Config{Workers: map[string]int{someWork: 4}, Poll: 10 * time.Millisecond, Log: logTo(&text)})
		var errored, panicked, indexed atomic.Bool
		w := h.worker(func(_ context.Context, workspaceID string) error {
			switch {
			case workspaceID == "ws_error" && !errored.Swap(true):
				return errTest
			case workspaceID == "ws_panic" && !panicked.Swap(true):
				panic("the text of a document")
			case workspaceID == "ws_index" && !indexed.Swap(true):
				var none []int
				_ = none[len(workspaceID)]
			}
			return nil
		})
		for _, id := range []string{"ws_error", "ws_panic", "ws_index", "ws_good"} {
			h.add(q, id, 1)
		}
		h.run(q, w)
		eventually(h.T, "every job is completed, failed or not", func() bool { return h.jobs("completed") == 4 })

		for _, want := range []string{errTest.Error(), "workspace_id=ws_error", "panic with a string", "workspace_id=ws_panic", "worker_test.go", "index out of range"} {
			if !strings.Contains(text.String(), want) {
				h.Errorf("the log lacks %q", want)
			}
		}
		if strings.Contains(text.String(), "text of a document") {
			h.Error("the log shows the value of a panic")
		}
		if n := h.failures(); n != 0 {
			h.Errorf("%d failures are in the rows of jobs, where they would grow without end", n)
		}
	})
}

// failures counts the errors and the used attempts in the rows of jobs.
func (h *fixture) failures() (n int) {
	h.Helper()
	h.must(h.store.InTx(context.WithoutCancel(h.Context()), func(ctx context.Context) error {
		return scan(ctx, &n, "SELECT count(*) FROM river_job WHERE errors IS NOT NULL OR attempt > 1")
	}))
	return n
}

func TestBackoff(t *testing.T) {
	last := time.Duration(0)
	for failures := 1; failures <= 100; failures++ {
		delay := backoff(failures)
		if delay <= 0 || delay > time.Minute {
			t.Errorf("after %d failures the delay is %v", failures, delay)
		}
		if failures <= 6 && delay <= last {
			t.Errorf("after %d failures the delay is %v, after one less %v", failures, delay, last)
		}
		last = delay
	}
}

func TestStop(t *testing.T) {
	onBothDatabases(t, func(h *fixture) {
		h.Run("a running slice may end, and the rest waits for the next start", func(t *testing.T) {
			h.workspaces("ws_a")
			q := h.queue(Config{Poll: never})
			began, end := make(chan struct{}, 1), make(chan struct{})
			w := h.worker(func(ctx context.Context, _ string) error {
				began <- struct{}{}
				<-end
				return ctx.Err()
			})
			h.add(q, "ws_a", 3)
			stop := h.run(q, w)
			receive(t, "a slice runs", began)
			stopped := make(chan struct{})
			go func() { stop(); close(stopped) }()
			end <- struct{}{}
			receive(t, "the queue stops", stopped)
			if due := h.due("ws_a"); due != 2 || h.jobs("available") != 1 {
				t.Errorf("%d units are due, and %d jobs wait", due, h.jobs("available"))
			}
			defer h.run(q, h.worker(nil))()
			eventually(t, "the rest is done", func() bool { return h.due("ws_a") == 0 })
		})

		h.Run("a slice that continues is canceled after the grace, without counting as a failure", func(t *testing.T) {
			h.workspaces("ws_b")
			q := h.queue(Config{Poll: never, Grace: 10 * time.Millisecond})
			began := make(chan struct{}, 1)
			var ended atomic.Value
			w := h.worker(func(ctx context.Context, _ string) error {
				began <- struct{}{}
				<-ctx.Done()
				ended.Store(context.Cause(ctx))
				return ctx.Err()
			})
			h.add(q, "ws_b", 1)
			stop := h.run(q, w)
			receive(t, "a slice runs", began)
			stop()
			if ended.Load() == nil || h.jobs("available") != 1 || h.failures() != 0 {
				t.Errorf("the slice ended with %v; %d jobs wait, %d have failed", ended.Load(), h.jobs("available"), h.failures())
			}
		})
	})
}

func TestWorkThatOverrunsItsLeaseIsCanceled(t *testing.T) {
	onBothDatabases(t, func(h *fixture) {
		h.workspaces("ws_a")
		var text lines
		q := h.queue(Config{Lease: 100 * time.Millisecond, Poll: 20 * time.Millisecond, Log: logTo(&text)})
		var cut atomic.Bool
		w := h.worker(func(ctx context.Context, _ string) error {
			if cut.Swap(true) {
				return nil
			}
			<-ctx.Done()
			if !errors.Is(ctx.Err(), context.DeadlineExceeded) {
				h.Errorf("the slice ends because of %v", ctx.Err())
			}
			return ctx.Err()
		})
		h.add(q, "ws_a", 1)
		h.run(q, w)
		eventually(h.T, "the job is retried", func() bool { return h.jobs("completed") == 1 })
		if !strings.Contains(text.String(), "deadline exceeded") {
			h.Error("the log does not mention it")
		}
	})
}

func TestRiversLogIsQuiet(t *testing.T) {
	var text lines
	log := slog.New(quietHandler{slog.NewTextHandler(&text, &slog.HandlerOptions{Level: slog.LevelInfo})}).With("a", 1).WithGroup("g")
	log.Info("remark")
	log.Debug("detail")
	log.Warn("warning")
	log.Error("error")
	if got := text.String(); strings.Contains(got, "remark") || strings.Contains(got, "detail") ||
		!strings.Contains(got, "warning") || !strings.Contains(got, "level=WARN msg=error a=1") {
		t.Errorf("the log says\n%s", got)
	}
	text = lines{}
	slog.New(quietHandler{slog.NewTextHandler(&text, &slog.HandlerOptions{Level: slog.LevelDebug})}).Info("remark")
	if got := text.String(); !strings.Contains(got, "level=DEBUG msg=remark") {
		t.Errorf("at debug level, the log says\n%s", got)
	}
}

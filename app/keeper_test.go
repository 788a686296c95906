package app

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"parley/internal/metrics"
)

// lines is a log that several goroutines write.
type lines struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (l *lines) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(p)
}

func (l *lines) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}

func TestKeeper(t *testing.T) {
	start := func(t *testing.T) (*keeper, *lines, func()) {
		log := &lines{}
		ctx, stop := context.WithCancel(t.Context())
		k := newKeeper(ctx, slog.New(slog.NewTextHandler(log, nil)))
		k.pause = time.Nanosecond
		return k, log, func() {
			stop()
			k.tasks.Wait()
		}
	}
	for name, fails := range map[string]func() error{
		"fails":  func() error { return errors.New("no such day") },
		"panics": func() error { panic("no such day") },
	} {
		t.Run("a task that "+name+" begins again, and the log says so", func(t *testing.T) {
			k, log, stop := start(t)
			runs := make(chan int)
			n := 0
			k.keep("bake", func(ctx context.Context) error {
				n++
				select {
				case runs <- n:
				case <-ctx.Done():
				}
				return fails()
			})
			for want := 1; want <= 4; want++ {
				if got := <-runs; got != want {
					t.Errorf("run %d, want %d", got, want)
				}
			}
			stop()
			if said := log.String(); strings.Count(said, "level=ERROR") < 3 || !strings.Contains(said, "task=bake") || !strings.Contains(said, "no such day") {
				t.Errorf("the log says %s", said)
			}
		})
	}
	t.Run("a task that is done does not begin again", func(t *testing.T) {
		k, log, stop := start(t)
		n := 0
		k.keep("bake", func(context.Context) error { n++; return nil })
		k.tasks.Wait()
		stop()
		if n != 1 || log.String() != "" {
			t.Errorf("it ran %d times, and the log says %s", n, log.String())
		}
	})
	t.Run("a task that ends with the server is no failure", func(t *testing.T) {
		k, log, stop := start(t)
		k.keep("bake", func(ctx context.Context) error { <-ctx.Done(); return ctx.Err() })
		stop()
		if log.String() != "" {
			t.Errorf("the log says %s", log.String())
		}
	})
	t.Run("a job that panics is done again at the next interval", func(t *testing.T) {
		k, _, stop := start(t)
		done := make(chan bool)
		n := 0
		k.atOnceAndEvery(time.Millisecond, "bake", func(ctx context.Context) error {
			n++
			if n%2 == 1 {
				panic("no flour")
			}
			select {
			case done <- true:
			case <-ctx.Done():
			}
			return nil
		})
		for range 3 {
			<-done
		}
		stop()
	})
}

func TestMetricsAreServedAgain(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s := &Server{Program: &Program{metrics: metrics.New()}, measured: listener}
	ctx, stop := context.WithCancel(t.Context())
	k := newKeeper(ctx, slog.New(slog.DiscardHandler))
	k.pause = time.Millisecond
	k.keep("serve metrics", s.serveMetrics)
	defer func() {
		stop()
		k.tasks.Wait()
	}()
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	ask := func() bool {
		response, err := client.Get("http://" + listener.Addr().String() + "/metrics")
		if err != nil {
			return false
		}
		_ = response.Body.Close()
		return response.StatusCode == http.StatusOK
	}
	for !ask() {
	}
	if err := listener.Close(); err != nil {
		t.Fatal(err)
	}
	for !ask() {
	}
}

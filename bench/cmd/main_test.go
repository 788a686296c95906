package main

import (
	"context"
	"io"
	"os"
	"strings"
	"testing"
	"time"

	"parley/bench"
)

// TestMain makes the test's program what the benchmark starts it as.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && !strings.HasPrefix(os.Args[1], "-") {
		main()
		return
	}
	os.Exit(m.Run())
}

func TestRun(t *testing.T) {
	report, err := bench.Run(context.Background(), bench.Settings{
		Duration: 50 * time.Millisecond, Settle: time.Millisecond,
		Rounds: 1, Clients: []int{1, 3}, Streams: 20, Steady: 20,
		Databases: []string{bench.SQLite, bench.Postgres}, OnlyRelays: true, Command: "go test",
	}, io.Discard)
	if err != nil {
		t.Fatal(err)
	}
	t.Run("every server answers every load, and keeps its streams open", func(t *testing.T) {
		if report.Failed() {
			t.Fatal(report.Markdown())
		}
	})
	t.Run("there is a cell for each server, endpoint and number of clients", func(t *testing.T) {
		if got, want := len(report.Cells), 5*2*2; got != want {
			t.Errorf("%d cells, not %d", got, want)
		}
	})
	t.Run("a pace of streams has figures for each server, and PostgreSQL's part only where it is used", func(t *testing.T) {
		for _, s := range report.Steady {
			if s.First <= 0 || s.Slow < s.First || s.CPU <= 0 || (s.Database > 0 && s.System != bench.DurablePostgres) {
				t.Errorf("%+v", s)
			}
		}
		if len(report.Steady) != 4 {
			t.Errorf("%d servers", len(report.Steady))
		}
	})
	t.Run("the memory of open streams is read of each server", func(t *testing.T) {
		for _, m := range report.Memory {
			if m.Before <= 0 || m.Open <= 0 {
				t.Errorf("%s has no figures: %s", m.System, m)
			}
		}
		if len(report.Memory) != 4 {
			t.Errorf("%d servers", len(report.Memory))
		}
	})
}

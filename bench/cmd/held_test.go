package main

import (
	"io"
	"testing"
	"time"

	"parley/bench"
)

func TestHeld(t *testing.T) {
	t.Chdir("../..") // the top folder, where the command runs
	report, err := bench.RunHeld(t.Context(), bench.HeldSettings{
		Streams: 21, Within: 100 * time.Millisecond, Files: 2020, Settle: 50 * time.Millisecond,
		Databases: []string{bench.SQLite, bench.Postgres},
	}, io.Discard)
	if err != nil {
		t.Fatal(err)
	}
	if len(report.Systems) != 2 {
		t.Fatalf("there are %d systems", len(report.Systems))
	}
	for _, s := range report.Systems {
		t.Run(s.Name+" holds all streams in as many processes as may open their connections", func(t *testing.T) {
			if s.Failure != "" || s.Streams != 21 || s.Processes != 3 || s.Before <= 0 || s.Open <= 0 || s.First <= 0 || s.Slow < s.First || s.FirstBeside <= 0 {
				t.Errorf("measured is %+v", s)
			}
		})
	}
}

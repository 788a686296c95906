package main

import (
	"io"
	"testing"
	"time"

	"parley/bench"
	"parley/bench/scale"
)

func TestScale(t *testing.T) {
	t.Chdir("../..") // the top folder, where the command runs
	report, err := bench.RunScale(t.Context(), bench.ScaleSettings{
		// Long enough for an answer also where other tests keep all processors busy.
		Sizes: scale.Sizes{Workspaces: 30, Messages: 200}, Rounds: 1, Duration: 2 * time.Second, Requests: 1,
		Databases: []string{bench.SQLite, bench.Postgres},
	}, io.Discard)
	if err != nil {
		t.Fatal(err)
	}
	if len(report.Systems) != 4 || len(report.Pages) == 0 || len(report.Pages)%4 != 0 {
		t.Fatalf("there are %d systems and %d pages", len(report.Systems), len(report.Pages))
	}
	for _, s := range report.Systems {
		t.Run(s.Name+" starts and answers", func(t *testing.T) {
			if s.P50 <= 0 || s.P99 < s.P50 || s.Failures > 0 || s.Start <= 0 || s.Resident <= 0 {
				t.Errorf("measured is %+v", s)
			}
		})
	}
}

package app

import (
	"fmt"
	"log/slog"
	"os"
	"testing"

	"parley/store/storetest"
)

// TestMain lets the test binary serve as the process that reads a file, too, because a
// program in these tests starts its own binary.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == ExtractChild {
		if err := ReadAsChild(os.Stdin, os.Stdout); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	os.Exit(m.Run())
}

// onBothDatabases runs a test with programs on SQLite and on PostgreSQL. Programs that
// a test opens share no database.
func onBothDatabases(t *testing.T, test func(t *testing.T, open func(Config) *Program)) {
	for name, database := range map[string]func(*testing.T) string{
		"sqlite":   func(*testing.T) string { return "" },
		"postgres": func(t *testing.T) string { return storetest.Postgres(t) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test(t, func(config Config) *Program {
				config.DataDir, config.DatabaseURL = t.TempDir(), database(t)
				p, err := Open(t.Context(), &config, slog.New(slog.DiscardHandler))
				must(t, err)
				t.Cleanup(func() { must(t, p.Close()) })
				return p
			})
		})
	}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

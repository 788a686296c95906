package harness

import (
	"path/filepath"
	"testing"

	"parley/app"
	"parley/store/storetest"
)

// OnBothDatabases runs a test on SQLite and on PostgreSQL. It is for what the databases do
// themselves, such as the wall between workspaces, and for tests that take no time.
func OnBothDatabases(t *testing.T, test func(t *testing.T, start func(...func(*app.Config)) *Instance)) {
	t.Helper()
	onDatabases(t, true, storetest.Postgres, startingOn(test))
}

// OnAnyDatabase runs a test on SQLite, and without -short on PostgreSQL, too. It is
// for tests that take long: package store's own tests run each statement on both.
func OnAnyDatabase(t *testing.T, test func(t *testing.T, start func(...func(*app.Config)) *Instance)) {
	t.Helper()
	onDatabases(t, !testing.Short(), storetest.Postgres, startingOn(test))
}

// OnInstallations is OnBothDatabases for a data folder on which processes run.
func OnInstallations(t *testing.T, test func(s *Installation)) {
	t.Helper()
	onDatabases(t, true, storetest.Postgres, installedOn(test))
}

// OnAnyInstallation is OnAnyDatabase for a data folder on which processes run.
func OnAnyInstallation(t *testing.T, test func(s *Installation)) {
	t.Helper()
	onDatabases(t, !testing.Short(), storetest.Postgres, installedOn(test))
}

// onDatabases gives a test what makes an empty database and returns its URL, "" for SQLite.
func onDatabases(t *testing.T, onBoth bool, postgres func(testing.TB) string, test func(t *testing.T, database func(testing.TB) string)) {
	t.Helper()
	t.Run("sqlite", func(t *testing.T) {
		t.Parallel()
		test(t, func(testing.TB) string { return "" })
	})
	if !onBoth {
		return
	}
	t.Run("postgres", func(t *testing.T) {
		t.Parallel()
		test(t, postgres)
	})
}

func startingOn(test func(t *testing.T, start func(...func(*app.Config)) *Instance)) func(*testing.T, func(testing.TB) string) {
	return func(t *testing.T, database func(testing.TB) string) {
		test(t, func(change ...func(*app.Config)) *Instance {
			url := database(t)
			return Start(t, append([]func(*app.Config){func(c *app.Config) { c.DatabaseURL = url }}, change...)...)
		})
	}
}

func installedOn(test func(s *Installation)) func(*testing.T, func(testing.TB) string) {
	return func(t *testing.T, database func(testing.TB) string) {
		s := &Installation{T: t, Dir: t.TempDir(), Database: database(t)}
		ShareCache(t, s.Dir)
		if s.Database == "" {
			storetest.File(t, filepath.Join(s.Dir, "parley.db"))
		}
		test(s)
	}
}

package pgtest

import (
	"net/url"
	"path"
	"testing"
)

// Outage makes a database of [New] refuse connections, and breaks the open ones, until
// the returned function is called.
func Outage(t testing.TB, database string) (restore func()) {
	t.Helper()
	address, err := url.Parse(database)
	if err != nil {
		t.Fatalf("%q is not a postgres:// URL.", database)
	}
	name := path.Base(address.Path)
	address.Path = "/postgres"
	admit := func(yes string) {
		t.Helper()
		if err := execute(address.String(), "ALTER DATABASE "+name+" ALLOW_CONNECTIONS "+yes); err != nil {
			t.Fatalf("let connections to the test's database be %s: %v", yes, err)
		}
	}
	admit("false")
	err = execute(address.String(), "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '"+name+"'")
	if err != nil {
		t.Fatalf("break the connections to the test's database: %v", err)
	}
	return func() { admit("true") }
}

// Disconnect breaks the open connections to a database of [New] whose last statement
// begins so.
func Disconnect(t testing.TB, database, statement string) {
	t.Helper()
	err := execute(database, "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND starts_with(query, '"+statement+"')")
	if err != nil {
		t.Fatalf("break the connections to the test's database: %v", err)
	}
}

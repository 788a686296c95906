package store

import (
	"strings"
	"testing"
)

func TestNamesOfRoles(t *testing.T) {
	t.Run("come from the database", func(t *testing.T) {
		if r := rolesOf("parley"); r != (roles{"parley_workspace", "parley_workspaces", "parley_system"}) {
			t.Errorf("they are %v", r)
		}
	})
	t.Run("of databases with long names differ and fit", func(t *testing.T) {
		long := strings.Repeat("ü", 31)
		one, other := rolesOf(long+"a"), rolesOf(long+"b")
		for _, name := range []string{one.one, one.several, one.system} {
			if len(name) > 63 {
				t.Errorf("%s has %d bytes", name, len(name))
			}
		}
		if one.one == other.one {
			t.Errorf("both are %s", one.one)
		}
	})
}

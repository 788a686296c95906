package person

import (
	"strings"

	"parley/views/ui"
)

// Privacy is the page of a copy of an account, and its end.
type Privacy struct {
	Delete ui.Form
	// Password says that the person has one.
	Password bool
	// Alone are workspaces that are deleted with the account, and Needed those that keep
	// it from being deleted.
	Alone, Needed []string
}

// quoted lists names in a sentence.
func quoted(names []string) string { return "“" + strings.Join(names, "”, “") + "”" }

package testrun

import (
	"strings"
	"testing"
)

func TestBareAnswers(t *testing.T) {
	if got := withoutCitations("At ten [1].\n\n*Source: Opening hours* [1]"); strings.TrimSpace(got) != "At ten." {
		t.Errorf("it is %q", got)
	}
}

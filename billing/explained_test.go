package billing

import (
	"os"
	"strings"
	"testing"

	"parley/billing/setup"
)

func TestEveryAlarmIsExplained(t *testing.T) {
	content, err := os.ReadFile("../docs/billing.md")
	if err != nil {
		t.Fatal(err)
	}
	page := string(content)
	for _, reason := range Alarms() {
		if !strings.Contains(page, "| `"+reason+"` |") {
			t.Errorf("docs/billing.md does not say what to do for %s", reason)
		}
	}
	for _, right := range setup.Rights() {
		if !strings.Contains(page, "| "+right.Resource+" | "+right.Level+" |") {
			t.Errorf("docs/billing.md lacks the right %s: %s", right.Resource, right.Level)
		}
	}
	for _, kind := range setup.Events() {
		if !strings.Contains(page, "`"+kind+"`") {
			t.Errorf("docs/billing.md lacks the event %s", kind)
		}
	}
}

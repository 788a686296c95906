package api

import (
	"os"
	"regexp"
	"strings"
	"testing"

	"parley/core/plan"
	"parley/e2e/harness"
)

// pair is a question of docs/faq.md with what its answer begins with.
type pair struct{ question, beginning string }

func pairsOf(t *testing.T) (pairs []pair) {
	t.Helper()
	text, err := os.ReadFile("../../docs/faq.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range regexp.MustCompile(`(?m)^### (.*)\n([^.:]*)`).FindAllStringSubmatch(string(text), -1) {
		pairs = append(pairs, pair{m[1], m[2]})
	}
	return pairs
}

// The questions of an FAQ are answered by their own answers, also among documents that say
// more about the same.
func TestFAQ(t *testing.T) {
	t.Parallel()
	w := harness.Start(t)
	documentation := w.NewTenant("faq", plan.Enterprise, filesOf(t, "README.md", "docs/*.md", "docs/api/*.md")...)
	w.Settled(documentation)
	pairs := pairsOf(t)
	if len(pairs) < 25 {
		t.Fatalf("docs/faq.md has %d questions", len(pairs))
	}
	missed := 0
	for _, p := range pairs {
		message, _ := w.Asked(documentation, p.question).Data["message"].(string)
		if !strings.HasPrefix(message, p.beginning) {
			t.Logf("%s\n%s", p.question, message)
			missed++
		}
	}
	if missed > 1 {
		t.Errorf("%d of %d questions get another answer", missed, len(pairs))
	}
}

package answers

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// pair is a question of the documentation's faq.md with what its answer begins with.
type pair struct{ question, beginning string }

var pairLine = regexp.MustCompile(`(?m)^### (.*)\n([^.:]*)`)

func pairsOf(t *testing.T) (pairs []pair) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(testdata, "documentation", "docs", "faq.md"))
	must(t, err)
	for _, m := range pairLine.FindAllStringSubmatch(string(text), -1) {
		pairs = append(pairs, pair{m[1], m[2]})
	}
	return pairs
}

// The questions of an FAQ are answered by their own answers, also among documents that say
// more about the same.
func TestFAQ(t *testing.T) {
	t.Parallel()
	pairs := pairsOf(t)
	if len(pairs) < 25 {
		t.Fatalf("faq.md has %d questions", len(pairs))
	}
	asked := newBusiness(t, documentation(t))
	missed := 0
	for _, p := range pairs {
		if r := asked.ask(t, p.question); !strings.HasPrefix(r.text, p.beginning) {
			t.Logf("%s\n%s", p.question, r.text)
			missed++
		}
	}
	if missed > 1 {
		t.Errorf("%d of %d questions get another answer", missed, len(pairs))
	}
}

package chat

import (
	"strings"
	"testing"
	"time"
)

const (
	// A hostile answer has so many bytes for the check of citations, and for
	// grounding. What took the square of it would take hours.
	hostileSize, hostileGrounded = 1 << 20, 1 << 18
	// maxSlowdown is how much longer one may take than an ordinary answer of
	// the length, on a machine that has other things to do.
	maxSlowdown = 60
)

// streamed is the time that a stage takes with a text over and over, which it
// must never hold more of than a limit.
func streamed(t *testing.T, s stage, held func() int, limit, size int, part string) time.Duration {
	t.Helper()
	pieces := everySo(strings.Repeat(part, size/len(part)), 64)
	began := time.Now()
	for _, piece := range pieces {
		s.write(piece)
		if n := held(); n > limit {
			t.Fatalf("%d bytes are held, %d at most", n, limit)
		}
	}
	s.end()
	return time.Since(began)
}

func TestHostileAnswersAreCheckedInTime(t *testing.T) {
	check := func(t *testing.T, part string) time.Duration {
		s := newCitations(bakery)
		return streamed(t, s, func() int { return len(s.held) }, maxSpaces+maxSpan, hostileSize, part)
	}
	usual := check(t, "The bakery opens at eight [1]. “Rolls are baked twice a day” [2]. ")
	for name, part := range map[string]string{
		"brackets": "[", "markers": "[1]", "numbers": "[1,", "backticks": "`", "code and brackets": "`[", "spaces": " ", "spaces and brackets": " [", "quotes": `"`,
		"quotations": "“The bakery opens at nine” [1] ", "backslashes": `\`, "fences": "```\n", "quoted fences": "> ```\n", "lines": "\n[", "definitions": "[1]: x\n",
		"ranges": "[1-999]", "foreign": "【1†", "removed": " [9]", "parentheses": "([9]", "omissions": "“The … ",
	} {
		t.Run(name, func(t *testing.T) {
			if took := check(t, part); took > maxSlowdown*usual {
				t.Errorf("it took %v, an ordinary answer %v", took, usual)
			}
		})
	}
}

func TestHostileAnswersAreGroundedInTime(t *testing.T) {
	check := func(t *testing.T, part string) time.Duration {
		g := newGrounding(shop, ownersText)
		held := func() int { return len(g.sentences.held) + g.sentences.text.Len() + g.heldBytes }
		return streamed(t, g, held, maxCode+maxHeld+maxSpan, hostileGrounded, part)
	}
	usual := check(t, "The bakery opens at eight [1]. Rye bread costs 3.50 € [2].\n\n")
	for name, part := range map[string]string{
		"letters": "a", "stops": ".", "sentences": "A b. ", "brackets": "[", "backticks": "`", "fences": "```\n", "lines": "\n", "signs": "- ", "headings": "# a\n",
		"rows": "|a", "stars": "*", "numbers": "1 ", "names": "aa Bb ", "addresses": "https://a.test/b ", "stops and brackets": ".[1", "dropped": "Planes land. ",
	} {
		t.Run(name, func(t *testing.T) {
			if took := check(t, part); took > maxSlowdown*usual {
				t.Errorf("it took %v, an ordinary answer %v", took, usual)
			}
		})
	}
}

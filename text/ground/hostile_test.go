package ground

import (
	"testing"
	"time"

	"parley/text/answertest"
	"parley/text/fence"
)

// hostileGrounded is the length of a hostile answer in bytes. A check that takes
// the square of it would take hours.
const hostileGrounded = 1 << 18

func TestHostileAnswersAreGroundedInTime(t *testing.T) {
	check := func(t *testing.T, part string) time.Duration {
		g := New(answertest.Shop, answertest.OwnersText)
		held := func() int { return len(g.sentences.held) + g.sentences.text.Len() + g.heldBytes }
		return answertest.Streamed(t, g, held, maxCode+maxHeld+fence.MaxSpan, hostileGrounded, part)
	}
	usual := check(t, "The bakery opens at eight [1]. Rye bread costs 3.50 € [2].\n\n")
	for name, part := range map[string]string{
		"letters": "a", "stops": ".", "sentences": "A b. ", "brackets": "[", "backticks": "`", "fences": "```\n", "lines": "\n", "signs": "- ", "headings": "# a\n",
		"rows": "|a", "stars": "*", "numbers": "1 ", "names": "aa Bb ", "addresses": "https://a.test/b ", "stops and brackets": ".[1", "dropped": "Planes land. ",
		"negations": "not ", "units": "5 days ", "dates": "3 May 2024 ", "letters without spaces": "不没", "clauses": "bakery, ", "ranges": "1-2 to ",
	} {
		t.Run(name, func(t *testing.T) {
			if took := check(t, part); took > answertest.MaxSlowdown*usual {
				t.Errorf("it took %v, an ordinary answer %v", took, usual)
			}
		})
	}
}

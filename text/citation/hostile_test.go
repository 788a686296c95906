package citation

import (
	"testing"
	"time"

	"parley/text/answertest"
	"parley/text/fence"
)

// hostileSize is the length of a hostile answer in bytes. A check that takes the
// square of it would take hours.
const hostileSize = 1 << 20

func TestHostileAnswersAreCheckedInTime(t *testing.T) {
	check := func(t *testing.T, part string) time.Duration {
		s := New(answertest.Bakery)
		return answertest.Streamed(t, s, func() int { return len(s.scanner.held) }, maxSpaces+fence.MaxSpan, hostileSize, part)
	}
	usual := check(t, "The bakery opens at eight [1]. “Rolls are baked twice a day” [2]. ")
	for name, part := range map[string]string{
		"brackets": "[", "markers": "[1]", "numbers": "[1,", "backticks": "`", "code and brackets": "`[", "spaces": " ", "spaces and brackets": " [", "quotes": `"`,
		"quotations": "“The bakery opens at nine” [1] ", "backslashes": `\`, "fences": "```\n", "quoted fences": "> ```\n", "lines": "\n[", "definitions": "[1]: x\n",
		"ranges": "[1-999]", "foreign": "【1†", "removed": " [9]", "parentheses": "([9]", "omissions": "“The … ",
	} {
		t.Run(name, func(t *testing.T) {
			if took := check(t, part); took > answertest.MaxSlowdown*usual {
				t.Errorf("it took %v, an ordinary answer %v", took, usual)
			}
		})
	}
}

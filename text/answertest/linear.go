package answertest

import (
	"strings"
	"testing"
	"time"
)

// pieces are what hostile texts repeat.
var pieces = []string{
	"](", "](a)", "![", "[[]", "[", "[1]", "[1-999]", " [9]", "[a]: b\n", "(", "([9]", "http://", "http:/", "https://a.b/c ", "a@b.c ", "a", "a'", "a-", "aa Bb ", "A b. ", "#!", "# a\n",
	"\u0301", "日", "ไ", "不没", "\u202E", "\n", "\n\n", " ", "\t", "> ", "- ", "1. ", "    a\n", "|a", "|-", "a|b\n-|-\n", "<a ", "<b>", "<!--", "-->", "&", "&amp;", `\`, "`", "`[", "```\n", "~~~\n", "*", "**a", "_a", "~~",
	"“", "“a” ", "\"", "?", "Why? ", ".", "… ", "1 ", "1-2 to ", "3 May 2024 ", "5 days ", "not ", "$1,", "how much is ", "x\x00",
}

// TakesLinearTime reads hostile texts, and others of sixteen times their length. A reader
// that takes the square of it would take 256 times as long.
func TakesLinearTime(t *testing.T, readers map[string]func(text string)) {
	t.Helper()
	for name, read := range readers {
		t.Run(name, func(t *testing.T) {
			for _, piece := range pieces {
				checkLinear(t, piece, read)
			}
		})
	}
}

func checkLinear(t *testing.T, piece string, read func(text string)) {
	t.Helper()
	const short, times = 2 << 10, 16
	took := func(length int) time.Duration {
		text := strings.Repeat(piece, length/len(piece))
		began := time.Now()
		read(text)
		return time.Since(began)
	}
	least, most := max(took(short), 100*time.Microsecond), took(short*times)
	for range 4 { // the machine may have done something else
		if most <= times*times*least/2 {
			return
		}
		least, most = max(least, took(short)), min(most, took(short*times))
	}
	if most > times*times*least/2 {
		t.Errorf("%q: %d bytes take %v, and %d times as many %v", piece, short, least, times, most)
	}
}

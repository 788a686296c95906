package fence

import (
	"strings"
	"testing"
)

// codeOf returns what of a Markdown text is code, as a reader of whole lines
// sees it: the lines of blocks, and the runs of text while a span is open.
func codeOf(markdown string) string {
	var c Code
	var found []string
	for line := range strings.Lines(markdown) {
		if c.Fenced() {
			if n, verdict := c.Line(line, true); verdict == IsCode && n == len(line) {
				found = append(found, strings.TrimSuffix(line, "\n"))
				continue
			}
		}
		for at := 0; at < len(line); {
			sign := line[at]
			if n := RunLength(line[at:], sign, MaxRun); sign == '`' || sign == '~' {
				c.Signs(line[at:at+n], line[:at], IsContainer(line[:at]))
				at += n
				continue
			}
			end := at + 1
			for end < len(line) && !strings.ContainsRune("`~\n", rune(line[end])) {
				end++
			}
			if c.InSpan() && sign != '\n' {
				if _, verdict := c.Ahead(line[at:], true); verdict == IsCode {
					found = append(found, line[at:end])
				}
			}
			c.Pass(line[at:end])
			at = end
		}
	}
	return strings.Join(found, "|")
}

func TestCode(t *testing.T) {
	for sentence, c := range map[string]struct{ markdown, code string }{
		"prose has none": {"Just words.\n", ""},
		"a span lasts from backticks to equal backticks": {"Press `x` or ``a`b`` now.\n", "x|a|b"},
		"backticks that nothing closes begin no span":    {"A ` alone.\n", ""},
		"a span ends with its line":                      {"An ` open\none ` here.\n", ""},
		"a block lasts from fence to fence":              {"```\nx [1]\n```\nprose `y`\n", "x [1]|```|y"},
		"a block of tildes is no different":              {"~~~ go\nx\n~~~\n", "x|~~~"},
		"a shorter fence closes nothing":                 {"````\n```\nx\n````\nprose\n", "```|x|````"},
		"nor does one of the other sign":                 {"```\n~~~\n```\nprose\n", "~~~|```"},
		"nor one with text behind it":                    {"```\n``` x\n```\nprose\n", "``` x|```"},
		"two backticks are no fence":                     {"``\nx\n", ""},
		"a block in a quotation ends with it":            {"> ```\n> x\nprose\n", "> x"},
		"one in an item of a list ends with it":          {"- ```\n  x\nprose\n", "  x"},
		"a block that is never closed lasts to the end":  {"```\nx\ny", "x|y"},
	} {
		t.Run(sentence, func(t *testing.T) {
			if got := codeOf(c.markdown); got != c.code {
				t.Errorf("got %q, want %q", got, c.code)
			}
		})
	}
}

func TestCodeInPieces(t *testing.T) {
	t.Run("a line of a block that stands in a quotation waits until it is known whether it does, too", func(t *testing.T) {
		var c Code
		c.Open('`', 3, "> ")
		c.Line("\n", false)
		if n, verdict := c.Line("  ", false); n != 0 || verdict != Wait {
			t.Errorf("spaces: %d, %v", n, verdict)
		}
		if n, verdict := c.Line("  > x", false); n != 5 || verdict != IsCode {
			t.Errorf("a further line: %d, %v", n, verdict)
		}
	})
	t.Run("a closing fence may come sign by sign", func(t *testing.T) {
		var c Code
		c.Open('`', 3, "")
		c.Line("\n", false)
		for _, piece := range []string{"x\n", "`", "`", "`", "\n"} {
			if _, verdict := c.Line(piece, false); verdict != IsCode {
				t.Errorf("%q is %v", piece, verdict)
			}
		}
		if c.Fenced() {
			t.Error("the block is still open")
		}
	})
	t.Run("whether a span closes is undecided until the line says so, or is too long", func(t *testing.T) {
		for text, want := range map[string]Verdict{
			"a":                            Wait,
			"a`":                           Wait, // more backticks may follow
			"a` b":                         IsCode,
			"a\n":                          Prose,
			strings.Repeat("a", MaxSpan):   Prose,
			strings.Repeat("a", MaxSpan-1): Wait,
		} {
			var c Code
			c.Signs("`", "See ", false)
			if _, got := c.Ahead(text, false); got != want {
				t.Errorf("behind %q it is %v, want %v", text, got, want)
			}
		}
	})
}

func TestContainers(t *testing.T) {
	for prefix, want := range map[string]bool{
		"": true, "> ": true, ">": true, "- ": true, "  * ": true, "> 1. ": true, "12) ": true,
		"-": false, "1 ": false, ". ": false, "x. ": false, "Look: ": false, "> see ": false,
	} {
		if got := IsContainer(prefix); got != want {
			t.Errorf("%q: %t", prefix, got)
		}
	}
}

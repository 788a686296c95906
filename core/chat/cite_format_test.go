package chat

import (
	"strings"
	"testing"

	"parley/core/chat/format"
	"parley/core/retrieval"
)

// formats are all that an answer leaves in.
var formats = []format.Format{format.Markdown, format.PlainText, format.HTML}

func TestCitationsInAllFormats(t *testing.T) {
	for name, c := range map[string]struct {
		answer string
		want   []string
	}{
		"in a sentence":                  {"Open at eight [1], not on Mondays [1, 3].", []string{"[1]", "[1]", "[3]"}},
		"in a list, a table and a title": {"# Hours [1]\n\n- Bread[^2]\n- Rolls【3】\n\n| a | b |\n|---|---|\n| c [1] | d [2][3] |", []string{"[1]", "[2]", "[3]", "[1]", "[2]", "[3]"}},
		"behind a link and emphasis":     {"See [the oven](http://oven.test) [3] and **bread** [2].", []string{"[3]", "[2]"}},
		"beside a definition of a link":  {"True [1] and [2].\n\n[1]: http://evil.test\n\n[2]: http://evil.test 'x'", []string{"[1]", "[2]", "[1]", "[2]"}},
		"in a quotation":                 {"> “The bakery opens at eight” [1]\n>\n> [1]:http://evil.test", []string{"[1]", "[1]"}},
		"with a definition in a list":    {"- [1]: <http://evil.test>\n\nTrue [1].", []string{"[1]", "[1]"}},
		"with a number that is no given": {"True [1] and [9].", []string{"[1]"}},
		"in parentheses":                 {"True ([1]) and ([2], [3]).", []string{"[1]", "[2]", "[3]"}},
	} {
		t.Run(name, func(t *testing.T) {
			checked := through(newCitations(bakery), c.answer)
			for _, to := range formats {
				shown := format.Render(checked, to, nil)
				if got := markers.FindAllString(shown, -1); strings.Join(got, "") != strings.Join(c.want, "") {
					t.Errorf("as %s it has %v, want %v:\n%s", to, got, c.want, shown)
				}
			}
			if shown := format.Render(checked, format.HTML, nil); strings.Contains(shown, `evil.test/">1`) || strings.Contains(shown, `evil.test">[1]`) || strings.Contains(shown, `evil.test">1<`) {
				t.Errorf("a citation is a link: %s", shown)
			}
		})
	}
}

func TestChecksTogether(t *testing.T) {
	passages := append(bakery[:3:3], shop...)
	answer := "Yes! “The bakery opens at eight” [7]. Planes land at our airport [1].\n\n- “Nobody has better stories than kings” [2]\n- Croissants contain butter [6].\n"
	want := "Yes! “The bakery opens at eight” [1].\n\n- Croissants contain butter [6]."
	for size := 1; size < 20; size++ {
		c, g := newCitations(passages), newGrounding(passages, ownersText)
		var b strings.Builder
		for _, piece := range everySo(answer, size) {
			b.WriteString(g.write(c.write(piece)))
		}
		b.WriteString(g.write(c.end()) + g.end())
		if b.String() != want || c.refuted != 2 || g.cites(7) || !g.cites(6) {
			t.Errorf("in pieces of %d bytes it becomes %q, %d refuted", size, b.String(), c.refuted)
		}
	}
}

// long is an answer of the usual length, and long passages to go with it.
func long() (string, []retrieval.Result) {
	answer := strings.Repeat("The bakery opens at eight o'clock [1]. “Rolls are baked twice a day” [3]. A loaf of rye bread costs 3,50 € [3][4].\n\n", 12)
	var passages []retrieval.Result
	for _, p := range bakery {
		p.Text = strings.Repeat(p.Text+"\n", 12)
		passages = append(passages, p, p)
	}
	return answer, passages
}

func BenchmarkChecks(b *testing.B) {
	answer, passages := long()
	plain := strings.NewReplacer("[", "", "]", "", "\"", "", "“", "", "”", "").Replace(answer)
	for name, c := range map[string]struct {
		answer string
		strict bool
	}{"without citations": {plain, false}, "open": {answer, false}, "strict": {answer, true}} {
		pieces := everySo(c.answer, 5)
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				checks := &checks{citations: newCitations(passages)}
				if c.strict {
					checks.grounding = newGrounding(passages, ownersText)
				}
				for _, piece := range pieces {
					checks.write(piece)
				}
				if checks.end(); checks.refuted() > 0 || c.strict && checks.grounding.dropped > 0 {
					b.Fatalf("%d refuted", checks.refuted())
				}
			}
		})
	}
}

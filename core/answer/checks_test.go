package answer

import (
	"strings"
	"testing"

	"parley/text/answertest"
	"parley/text/citation"
	"parley/text/ground"
	"parley/text/passage"
)

func TestChecksTogether(t *testing.T) {
	passages := append(answertest.Bakery[:3:3], answertest.Shop...)
	answer := "Yes! “The bakery opens at eight” [7]. Planes land at our airport [1].\n\n- “Nobody has better stories than kings” [2]\n- Croissants contain butter [6].\n"
	want := "Yes! “The bakery opens at eight” [1].\n\n- Croissants contain butter [6]."
	for size := 1; size < 20; size++ {
		c := checks{citation.New(passages), ground.New(passages, answertest.OwnersText)}
		var b strings.Builder
		for _, piece := range answertest.EverySo(answer, size) {
			b.WriteString(c.write(piece))
		}
		b.WriteString(c.end())
		if b.String() != want || c.refuted() != 2 || c.cites(7) || !c.cites(6) {
			t.Errorf("in pieces of %d bytes it becomes %q, %d refuted", size, b.String(), c.refuted())
		}
	}
}

// long is an answer of the usual length, and long passages to go with it.
func long() (string, []passage.Passage) {
	answer := strings.Repeat("The bakery opens at eight o'clock [1]. “Rolls are baked twice a day” [3]. A loaf of rye bread costs 3,50 € [3][4].\n\n", 12)
	var passages []passage.Passage
	for _, p := range answertest.Bakery {
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
		answer, strict := c.answer, c.strict
		pieces := answertest.EverySo(answer, 5)
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				c := checks{citation.New(passages)}
				if strict {
					c = append(c, ground.New(passages, answertest.OwnersText))
				}
				said := 0
				for _, piece := range pieces {
					said += len(c.write(piece))
				}
				if said += len(c.end()); c.refuted() > 0 || said != len(strings.TrimRight(answer, "\n")) && strict {
					b.Fatalf("%d refuted, %d bytes of %d", c.refuted(), said, len(answer))
				}
			}
		})
	}
}

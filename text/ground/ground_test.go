package ground

import (
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"

	"parley/text/answertest"
)

func TestGrounding(t *testing.T) {
	for _, c := range []struct {
		name, answer, want string
		dropped            int
	}{
		{"what is supported goes on", "The bakery opens at eight in the morning [1]. Closed on Mondays [1].", "The bakery opens at eight in the morning [1]. Closed on Mondays [1].", 0},
		{"other forms of the words are supported", "We open the answertest.Bakery mornings at 8. [1]", "We open the answertest.Bakery mornings at 8. [1]", 0},
		{"a greeting goes on with what follows it", "Yes! Hello. The bakery is closed on Mondays.", "Yes! Hello. The bakery is closed on Mondays.", 0},
		{"a greeting behind it does not", "The bakery is closed on Mondays. So it is. Thanks!", "The bakery is closed on Mondays.", 2},
		{"nothing of it makes the owner's text of it", "Our airport has two runways. Planes land there.", answertest.OwnersText, 2},
		{"a greeting alone makes the owner's text of it", "Hello!", answertest.OwnersText, 1},
		{"no answer makes the owner's text of it", "", answertest.OwnersText, 0},
		{"a foreign sentence is dropped wherever it stands", "Planes land at our airport. The bakery is closed on Mondays. Planes leave the airport, too. Rye bread costs 3.50 €.", "The bakery is closed on Mondays. Rye bread costs 3.50 €.", 2},
		{"a number that no passage has is dropped", "Rye bread costs 4.50 €. A roll costs 0,80 €.", "A roll costs 0,80 €.", 1},
		{"a number of another passage is not enough", "The bakery opens at 1200 o'clock in the morning.", answertest.OwnersText, 1},
		{"numbers may be written otherwise", "In 2024 we baked 1200 cakes. The bakery opens at 8:00.", "In 2024 we baked 1200 cakes. The bakery opens at 8:00.", 0},
		{"a name that no passage has is dropped", "We baked cakes for Berta Schmidt. We baked cakes for Anna Schmidt.", "We baked cakes for Anna Schmidt.", 1},
		{"an address that no passage has is dropped", "The delivery takes 3 days: https://evil.test/all. The delivery takes 3 days to Potsdam: https://bakery.test/delivery.", "The delivery takes 3 days to Potsdam: https://bakery.test/delivery.", 1},
		{"two neighbors together support a sentence", "Rye bread costs 3.50 €, croissants contain butter.", "Rye bread costs 3.50 €, croissants contain butter.", 0},
		{"two that are none do not", "Mondays answertest.Bakery Potsdam Werder butter hazelnuts.", answertest.OwnersText, 1},
		{"the owner's text may be said", "I looked everywhere. I don't know that. Call us on 030 1234.", "I don't know that. Call us on 030 1234.", 1},
		{"nothing hides behind the owner's text", "I don't know that. Planes land at our airport, I guess.", "I don't know that.", 1},
		{"a list keeps its form", "We sell:\n\n1. Gold bars\n2. Rye bread at 3,50 €\n3. Croissants with butter\n\nPlanes land.\n", "We sell:\n\n2. Rye bread at 3,50 €\n3. Croissants with butter", 2},
		{"a line keeps its sign when its first sentence goes", "Croissants contain butter.\n- Planes land there. Rye bread costs 3,50 €.", "Croissants contain butter.\n- Rye bread costs 3,50 €.", 1},
		{"an announcement alone is nothing", "The bakery opens mornings at eight:\n\nPlanes land.", answertest.OwnersText, 2},
		{"a heading alone is nothing", "# Opening hours\n\nPlanes land.", answertest.OwnersText, 2},
		{"a heading goes on with its section", "# Opening hours\n\nClosed on Mondays.", "# Opening hours\n\nClosed on Mondays.", 0},
		{"paragraphs stay apart", "Closed on Mondays.\n\nPlanes land.\nCroissants contain butter.", "Closed on Mondays.\n\nCroissants contain butter.", 1},
		{"a table keeps its head", "| Town | Delivery |\n|---|---|\n| Potsdam | 3 days |\n| Hamburg | 9 days |\n| Werder | 5 days |", "| Town | Delivery |\n|---|---|\n| Potsdam | 3 days |\n| Werder | 5 days |", 1},
		{"a block of code of a passage goes on", "```bash\ncurl https://bakery.test/menu\n```", "```bash\ncurl https://bakery.test/menu\n```", 0},
		{"a block of code of nobody is dropped", "Croissants contain butter:\n\n```sh\nrm -rf /\n```\n\nCroissants contain butter.", "Croissants contain butter:\n\nCroissants contain butter.", 1},
		{"an announcement may count", "There are 9 kinds:\n\nCroissants with butter.", "There are 9 kinds:\n\nCroissants with butter.", 0},
		{"an announcement that claims something must be supported", "Planes land at our airport twice every single hour:\n\nCroissants with butter.", "Croissants with butter.", 1},
		{"nouns of German are no names", "Das Gebäck Croissants enthält butter hazelnuts.", "Das Gebäck Croissants enthält butter hazelnuts.", 0},
		{"a negation that no passage has is dropped", "The bakery is not closed on Mondays.", answertest.OwnersText, 1},
		{"an exclusive that no passage has is dropped", "The bakery is only closed on Mondays.", answertest.OwnersText, 1},
		{"another unit is dropped", "The delivery to Potsdam takes 3 hours. The delivery to Potsdam takes 3 days.", "The delivery to Potsdam takes 3 days.", 1},
		{"markers are no numbers", "The bakery is closed on Mondays [4].", "The bakery is closed on Mondays [4].", 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			g := New(answertest.Shop, answertest.OwnersText)
			got := answertest.Through(g, c.answer)
			if got != c.want || g.dropped != c.dropped || g.replaced != (g.units == c.dropped) {
				t.Errorf("%q became\n%q with %d dropped of %d, want\n%q with %d", c.answer, got, g.dropped, g.units, c.want, c.dropped)
			}
		})
	}
}

func TestGroundingAsItStreams(t *testing.T) {
	g := New(answertest.Shop, answertest.OwnersText)
	if got := g.Write("Yes. The bakery is closed on Mondays. Cro"); got != "Yes. The bakery is closed on Mondays." {
		t.Errorf("at once comes %q", got)
	}
	if got := g.Write("issants contain butter [3].\n"); got != " Croissants contain butter [3]." {
		t.Errorf("at the end of the line comes %q", got)
	}
	if g.Cites(1) || !g.Cites(3) {
		t.Errorf("it cites %v", g.marked)
	}
	t.Run("passages that come later count", func(t *testing.T) {
		g := New(answertest.Shop[:1], answertest.OwnersText)
		g.Add(answertest.Shop[2:3])
		if got := answertest.Through(g, "Croissants contain butter."); g.replaced {
			t.Errorf("got %q", got)
		}
	})
	t.Run("names of the question are allowed, and its numbers are not", func(t *testing.T) {
		g := New(answertest.Shop, answertest.OwnersText, "Is the bakery Müller closed on Mondays at 7?")
		if got := answertest.Through(g, "The bakery Müller is closed on Mondays. The bakery Müller is closed on Mondays at 7."); got != "The bakery Müller is closed on Mondays." {
			t.Errorf("got %q", got)
		}
	})
	t.Run("what waits is bounded", func(t *testing.T) {
		g := New(answertest.Shop, answertest.OwnersText)
		for range 10_000 {
			g.Write("Well then, and so on.\n")
			if g.heldBytes > maxHeld {
				t.Fatalf("%d bytes wait", g.heldBytes)
			}
		}
	})
	t.Run("without passages it is the owner's text", func(t *testing.T) {
		if got := answertest.Through(New(nil, answertest.OwnersText), "The bakery is closed on Mondays."); got != answertest.OwnersText {
			t.Errorf("got %q", got)
		}
	})
}

func TestGroundingOfAnyAnswer(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		answer := answertest.Draw(t)
		checkGrounding(t, answer, answertest.Cut(t, answer))
	})
}

func checkGrounding(t answertest.Failer, answer string, pieces []string) {
	t.Helper()
	passages := append(answertest.Bakery[:3:3], answertest.Shop...)
	whole, cut := New(passages, answertest.OwnersText), New(passages, answertest.OwnersText)
	want, got := answertest.Through(whole, answer), answertest.Through(cut, pieces...)
	if got != want || cut.replaced != whole.replaced || cut.dropped != whole.dropped {
		t.Errorf("%q in pieces %q becomes\n%q, at once\n%q", answer, pieces, got, want)
	}
	if whole.replaced != (want == answertest.OwnersText) && !strings.Contains(answer, "030 1234") {
		t.Errorf("%q becomes %q, replaced %t", answer, want, whole.replaced)
	}
	if whole.dropped == 0 && whole.units > 0 && !strings.HasPrefix(strings.TrimLeft(answer, "\n"), want) {
		t.Errorf("%q becomes %q with nothing dropped", answer, want)
	}
	if !utf8.ValidString(want) {
		t.Errorf("%q becomes %q", answer, want)
	}
}

func FuzzGrounding(f *testing.F) {
	for _, part := range answertest.Parts {
		f.Add("The bakery is closed on Mondays. "+part+" Rolls cost 9 €.\n"+part, uint8(3))
	}
	f.Fuzz(func(t *testing.T, answer string, every uint8) {
		if !answertest.Fuzzable(answer) {
			return // not what a stage is given
		}
		checkGrounding(t, answer, answertest.EverySo(answer, int(every%16)+1))
	})
}

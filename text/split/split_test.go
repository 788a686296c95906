package split

import (
	"slices"
	"strings"
	"testing"

	"parley/text/tokens"
)

var usual = Sizes{Aim: 300, Limit: 500, Count: tokens.Count}

func markdown(text string) []Passage {
	return Split(Document{ID: "d", Title: "Guide", Content: text}, usual)
}

func words(n int, word string) string { return strings.Repeat(word+" ", n) }

func TestSplitFollowsTheStructure(t *testing.T) {
	t.Run("headings become the path, outermost first and as plain text", func(t *testing.T) {
		got := markdown("# The **big** [guide](https://x.example)\n\n" + words(200, "intro") + "\n\n## A & B `c`\n\n" + words(400, "hello"))
		want := []string{"The big guide", "A & B c"}
		if last := got[len(got)-1]; !slices.Equal(last.HeadingPath, want) {
			t.Errorf("path = %q, want %q", last.HeadingPath, want)
		}
	})
	t.Run("tags of HTML are no words of a heading, but names between angle brackets are", func(t *testing.T) {
		for heading, want := range map[string]string{
			"Using Vec<T> and Map<K, V>": "Using Vec<T> and Map<K, V>", "GET /users/<id>/<your-key>": "GET /users/<id>/<your-key>",
			"<b>Big</b> <a name=\"x\">news</a><br/>": "Big news", "Soon <!-- or not -->": "Soon", "a < b > c": "a < b > c",
		} {
			if got := markdown("# " + heading + "\n\ntext\n"); len(got) != 1 || !slices.Equal(got[0].HeadingPath, []string{want}) {
				t.Errorf("%q gives %+v, want %q", heading, got, want)
			}
		}
	})
	t.Run("a setext heading is a heading", func(t *testing.T) {
		got := markdown("Limits\n======\n\nTen a day.\n")
		if len(got) != 1 || !slices.Equal(got[0].HeadingPath, []string{"Limits"}) || got[0].Text != "Ten a day." {
			t.Errorf("got %+v", got)
		}
	})
	t.Run("small neighbors share a passage that keeps their headings", func(t *testing.T) {
		got := markdown("# Plans\n\n" + words(495, "intro") + "\n\n## Price\n\nFree.\n\n## Speed\n\nFast.\n")
		last := got[len(got)-1]
		if last.Text != "## Price\n\nFree.\n\n## Speed\n\nFast." || !slices.Equal(last.HeadingPath, []string{"Plans"}) {
			t.Errorf("got %q under %q", last.Text, last.HeadingPath)
		}
	})
	t.Run("a question with its answer has a passage of its own, however short the FAQ", func(t *testing.T) {
		for _, mark := range []string{"?", "？", "؟", " ? ", "?**"} {
			got := markdown("# Help\n\nAsk away.\n\n## FAQ\n\n### Does it cost anything" + mark + "\n\nNo, it is free for everybody and for ever.\n\n### Is it fast" + mark + "\n\nYes, it answers within a thousandth of a second.\n\n## Address\n\nQuay Street 5\n")
			if len(got) != 4 || got[1].Text != "No, it is free for everybody and for ever." || len(got[1].HeadingPath) != 3 || !strings.HasPrefix(got[1].HeadingPath[2], "Does it cost anything") ||
				!strings.HasPrefix(got[2].Text, "Yes, it answers") || got[3].Text != "Quay Street 5" {
				t.Errorf("with %q got %+v", mark, got)
			}
		}
	})
	t.Run("questions of a few letters share one, so that no text has a passage for each line", func(t *testing.T) {
		if got := markdown(strings.Repeat("# Why?\n\nSo.\n\n", 1000)); len(got) > 60 {
			t.Errorf("there are %d", len(got))
		}
	})
	t.Run("of pairs each has its own, whatever its words", func(t *testing.T) {
		got := Split(Document{ID: "d", Pairs: true, Content: "## opening hours\n\nTen to five.\n\n## parking\n\nNo.\n"}, usual)
		if len(got) != 2 || got[0].Text != "Ten to five." || !slices.Equal(got[1].HeadingPath, []string{"parking"}) {
			t.Errorf("got %+v", got)
		}
	})
	t.Run("large sections do not share a passage", func(t *testing.T) {
		got := markdown("# A\n\n" + words(100, "alpha") + "\n\n# B\n\n" + words(100, "beta"))
		if len(got) != 2 || strings.Contains(got[0].Text, "beta") || got[1].HeadingPath[0] != "B" {
			t.Errorf("got %+v", got)
		}
	})
	t.Run("a heading over nothing is kept as text", func(t *testing.T) {
		got := markdown("# No refunds after 30 days\n")
		if len(got) != 1 || got[0].Text != "# No refunds after 30 days" {
			t.Errorf("got %+v", got)
		}
	})
	t.Run("ordinals count from zero and every field but the ID is filled in", func(t *testing.T) {
		got := markdown(strings.Repeat(words(150, "long")+"\n\n", 4))
		for i, p := range got {
			if p.Ordinal != i || p.DocumentID != "d" || p.Title != "Guide" {
				t.Errorf("passage %d = %+v", i, p)
			}
		}
		if len(got) != 4 {
			t.Errorf("%d passages, want 4", len(got))
		}
	})
	t.Run("a document without words has no passages", func(t *testing.T) {
		if got := markdown(" \n\t\n\r\n"); len(got) != 0 {
			t.Errorf("got %+v", got)
		}
	})
	t.Run("front matter is text, not a heading", func(t *testing.T) {
		got := markdown("---\ntitle: x\n---\nBody.\n")
		if len(got) != 1 || len(got[0].HeadingPath) != 0 || !strings.Contains(got[0].Text, "title: x") {
			t.Errorf("got %+v", got)
		}
	})
}

func TestSplitKeepsBlocksWhole(t *testing.T) {
	t.Run("a table within the limit stays whole with its introduction", func(t *testing.T) {
		text := "The prices:\n\n| plan | price |\n|---|---|\n" + strings.Repeat("| basic | 10 dollars |\n", 50)
		if got := markdown(text); len(got) != 1 {
			t.Errorf("%d passages, want 1", len(got))
		}
	})
	t.Run("each piece of a long table starts with the header", func(t *testing.T) {
		got := markdown("Intro line\n| plan | price |\n|---|---|\n" + strings.Repeat("| basic | 10 dollars |\n", 300))
		for _, p := range got[1:] {
			if !strings.HasPrefix(p.Text, "| plan | price |\n|---|---|\n| basic") {
				t.Errorf("piece starts %.60q", p.Text)
			}
		}
		if len(got) < 5 || !strings.HasPrefix(got[0].Text, "Intro line\n| plan | price |\n|---|---|\n| basic") {
			t.Errorf("%d passages, first %.60q", len(got), got[0].Text)
		}
	})
	t.Run("each piece of a long code block is fenced and cut at lines", func(t *testing.T) {
		got := markdown("````go\n" + strings.Repeat("fmt.Println(\"hello, world\")\n", 200) + "````\n")
		for _, p := range got {
			if !strings.HasPrefix(p.Text, "````go\nfmt") || !strings.HasSuffix(p.Text, "world\")\n````") {
				t.Errorf("piece %.30q…%q", p.Text, p.Text[len(p.Text)-20:])
			}
		}
	})
	t.Run("a list is cut between items", func(t *testing.T) {
		for _, p := range markdown(strings.Repeat("- "+words(40, "item")+"\n  - nested\n", 20)) {
			if !strings.HasPrefix(p.Text, "- item") || !strings.HasSuffix(p.Text, "nested") {
				t.Errorf("piece %.30q", p.Text)
			}
		}
	})
	t.Run("an item that is too long is cut between the items in it", func(t *testing.T) {
		nested := "  - Nested " + words(100, "item") + "\n"
		got := markdown("- Short.\n- Long:\n" + strings.Repeat(nested, 8) + "- Last.\n")
		for _, p := range got[1:] {
			if !strings.HasPrefix(p.Text, "  - Nested item") {
				t.Errorf("piece %.30q", p.Text)
			}
		}
		if last := got[len(got)-1].Text; len(got) != 4 || !strings.HasPrefix(got[0].Text, "- Short.\n- Long:\n  - Nested") || !strings.HasSuffix(last, "- Last.") {
			t.Errorf("%d passages, first %.60q, last …%.20q", len(got), got[0].Text, last[len(last)-20:])
		}
	})
	t.Run("an item stays whole beside nested ones, if it is not too long", func(t *testing.T) {
		got := markdown(strings.Repeat("- Top "+words(100, "item")+"\n  - Nested "+words(120, "item")+"\n", 6))
		for _, p := range got {
			if !strings.HasPrefix(p.Text, "- Top") {
				t.Errorf("piece %.30q", p.Text)
			}
		}
		if len(got) != 6 {
			t.Errorf("%d passages, want 6", len(got))
		}
	})
	t.Run("long code in an item or a quote is fenced where it stands", func(t *testing.T) {
		for mark, margin := range map[string]string{"- ": "  ", "> ": "> ", "2. ": "   "} {
			got := markdown(mark + "```go\n" + strings.Repeat(margin+"fmt.Println(\"hello, world\")\n", 200) + margin + "```\n")
			for i, p := range got {
				opening := margin
				if i == 0 {
					opening = mark
				}
				if !strings.HasPrefix(p.Text, opening+"```go\n"+margin+"fmt") || !strings.HasSuffix(p.Text, "world\")\n"+margin+"```") {
					t.Errorf("%q: piece %.30q…%q", mark, p.Text, p.Text[len(p.Text)-20:])
				}
			}
			if len(got) < 4 {
				t.Errorf("%q: %d passages", mark, len(got))
			}
		}
	})
	t.Run("a row that is too long is cut between its cells", func(t *testing.T) {
		got := markdown("| a | b |\n|---|---|\n| " + words(300, "one") + "| " + words(300, "two") + "|\n")
		if len(got) != 2 || !strings.HasPrefix(got[1].Text, "| a | b |\n|---|---|\ntwo") {
			t.Errorf("%d passages, the last %.60q", len(got), got[len(got)-1].Text)
		}
	})
	t.Run("a heading inside code is not a heading", func(t *testing.T) {
		got := markdown("```sh\n# comment\nls\n```\n")
		if len(got) != 1 || len(got[0].HeadingPath) != 0 {
			t.Errorf("got %+v", got)
		}
	})
	t.Run("a structure across windows is read as in one", func(t *testing.T) {
		got := markdown(strings.Repeat("## Part\n\n```\n# code\n```\n\n"+words(250, "text")+"\n\n", 200))
		for _, p := range got {
			if !slices.Equal(p.HeadingPath, []string{"Part"}) {
				t.Fatalf("passage %d has path %q", p.Ordinal, p.HeadingPath)
			}
		}
	})
}

func TestSplitKeepsSentences(t *testing.T) {
	text := func(content string) []Passage { return Split(Document{Plain: true, Content: content}, usual) }
	for name, part := range map[string]string{
		"sentences":              "This is one sentence, not two; it is of the text. ",
		"sentences over lines":   "This is one sentence that goes on\nfor two lines of text.\n",
		"abbreviations":          "This is e.g. what Dr. No and J. Doe saw in No. 7 (cf. Fig. 12). ",
		"marks and quotes":       "This is \"what? who!\" he asked… and got. (Really.) ",
		"sentences of questions": "This is a question?! ",
		"lists of a text":        "This: e.g.\n• This and\n• This or that\n",
	} {
		t.Run("a passage starts where a sentence does: "+name, func(t *testing.T) {
			for _, content := range []string{strings.Repeat(part, 100), "# Not code\n\n" + strings.Repeat(part, 100)} {
				for _, p := range text(content)[1:] {
					if start := strings.TrimLeft(p.Text, "• "); !strings.HasPrefix(start, "This") && !strings.HasPrefix(start, "(Really") {
						t.Errorf("a passage starts with %.40q", p.Text)
					}
				}
			}
		})
	}
	t.Run("sentences without spaces between them stay whole", func(t *testing.T) {
		for _, p := range text(strings.Repeat("我们在午夜烘烤黑麦面包。", 200)) {
			if !strings.HasPrefix(p.Text, "我们") || !strings.HasSuffix(p.Text, "。") {
				t.Errorf("piece %q", p.Text)
			}
		}
	})
	t.Run("a sentence that is too long is cut between its clauses", func(t *testing.T) {
		for _, p := range text(strings.Repeat("and so it went on and on and on, ", 200)) {
			if !strings.HasPrefix(p.Text, "and so") {
				t.Errorf("piece %.30q", p.Text)
			}
		}
	})
	t.Run("text is cut at blank lines first, and has no headings", func(t *testing.T) {
		got := text("# not a heading\n\n" + strings.Repeat(words(150, "long")+"\n\n", 4))
		for _, p := range got {
			if len(p.HeadingPath) != 0 || strings.Count(p.Text, "\n\n") > 1 {
				t.Errorf("got %q", p.Text)
			}
		}
	})
}

func TestSplitSizes(t *testing.T) {
	content := strings.Repeat("This is one sentence of the text. ", 1000)
	t.Run("passages are as large as the owner says", func(t *testing.T) {
		for _, sizes := range []Sizes{{Aim: 50, Limit: 60}, {Aim: 300, Limit: 500}, {Aim: 1000, Limit: 1000}} {
			sizes.Count = tokens.Count
			got := Split(Document{Content: content}, sizes)
			for _, p := range got[:len(got)-1] {
				if n := tokens.Count(p.Text); n > sizes.Aim || n < sizes.Aim*3/4 {
					t.Errorf("a passage of %d tokens where the aim is %d", n, sizes.Aim)
				}
			}
		}
	})
	t.Run("a small rest goes with what is before it", func(t *testing.T) {
		for n := range 200 {
			got := markdown(strings.Repeat("This is one sentence of the text.\n\n", 60+n))
			if last := tokens.Count(got[len(got)-1].Text); last <= 100 {
				t.Errorf("%d paragraphs leave a rest of %d tokens", 60+n, last)
			}
		}
	})
	t.Run("the name of a split changes with the sizes, and not with what else is set", func(t *testing.T) {
		names := map[string]bool{}
		for _, sizes := range []Sizes{{Aim: 300, Limit: 500}, {Aim: 301, Limit: 500}, {Aim: 300, Limit: 501}, usual} {
			names[Name(sizes)] = true
		}
		if len(names) != 3 {
			t.Errorf("names = %v", names)
		}
	})
}

func TestSplitSpans(t *testing.T) {
	stand := func(content string) (texts []string) {
		for _, p := range markdown(content) {
			texts = append(texts, string([]rune(content)[p.Start:p.End]))
		}
		return texts
	}
	t.Run("a span counts characters, and not the blanks at its ends", func(t *testing.T) {
		got := stand("# Müsli 🥣\n\n  Für Kinder: 5 €\n\n\n")
		if want := []string{"  Für Kinder: 5 €"}; !slices.Equal(got, want) {
			t.Errorf("there stand %q, want %q", got, want)
		}
	})
	t.Run("the spans of a cut table leave out the header that is repeated, and no row", func(t *testing.T) {
		table := "| größe | preis |\n|---|---|\n" + strings.Repeat("| klein | 10 € |\n", 300)
		got := stand(table)
		if len(got) < 3 || strings.Join(got, "\n")+"\n" != table {
			t.Errorf("%d passages stand at %.200q", len(got), got)
		}
	})
}

func TestSplitNamesPlaces(t *testing.T) {
	content := words(300, "one") + "\n\n\n" + words(300, "two") + "\n\n" + words(300, "three")
	at := func(word string) int { return strings.Index(content, word) }
	got := Split(Document{Content: content, Places: []Place{{at("two"), "Page 2"}, {at("three"), "Page 3"}}}, usual)
	var places []string
	for _, p := range got {
		places = append(places, p.Place)
	}
	if want := []string{"", "Page 2", "Page 3"}; !slices.Equal(places, want) {
		t.Errorf("places = %q, want %q", places, want)
	}
}

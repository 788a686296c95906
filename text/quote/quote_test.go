package quote

import (
	"io/fs"
	"strings"
	"testing"

	"parley/internal/demo"
	"parley/text/language"
)

// ask answers a question from passages titled "Manual" under "Care".
func ask(question string, texts ...string) string {
	asked := Question{Text: question}
	for _, text := range texts {
		asked.Passages = append(asked.Passages, Passage{
			Title: "Manual", HeadingPath: []string{"Guide", "Care"}, Text: text,
		})
	}
	return Answer(asked)
}

// inEnglish are the phrases of questions in English, and sayingNothing what it says when it
// does not know.
var (
	inEnglish     = language.PhrasesIn(language.English)
	sayingNothing = inEnglish.NoAnswer + " " + inEnglish.NextStep
)

func TestCourtesies(t *testing.T) {
	t.Run("a greeting is returned, even where a passage has its word", func(t *testing.T) {
		asked := Question{Text: "Hello!", NoAnswer: "Hello! Ask the shop a question."}
		asked.Passages = []Passage{{Title: "Contact", Text: "Write to hello@shop.example. Hello is our magazine."}}
		if got := Answer(asked); got != asked.NoAnswer {
			t.Errorf("got %q", got)
		}
	})
}

const source = "\n\n*Source: Manual › Care* [1]"

func TestAnswer(t *testing.T) {
	for name, c := range map[string]struct{ question, passage, want string }{
		"the sentence with the question's words is quoted": {
			"How do I reset the router?",
			"The box has a cable. To reset the router, press the button. Dust it weekly.",
			"To reset the router, press the button." + source,
		},
		"inflected forms match the same word": {
			"How is it installed?", "Nothing here.\n\nInstalling needs a screwdriver.", "Installing needs a screwdriver." + source,
		},
		"a list item is quoted as a list item": {
			"How long is the warranty?", "- Colour: blue\n- Warranty: two\n  years\n- Weight: 1 kg", "- Warranty: two years" + source,
		},
		"a sentence that announces steps brings them along": {
			"How do I reset the router?", "Resetting the router:\n\n1. Unplug it.\n2. Wait.\n\nThen celebrate.",
			"Resetting the router:\n\n1. Unplug it.\n2. Wait." + source,
		},
		"a row of a table keeps its header": {
			"What does Premium cost?", "| Plan | Price |\n|---|---:|\n| Basic | 5 |\n| Premium | 20 |\n",
			"| Plan | Price |\n| --- | --- |\n| Premium | 20 |" + source,
		},
		"a block of code is kept whole, with its language": {
			"What is the restart command?", "Run the restart command:\n\n```sh\nsystemctl restart \\\n  parley\n```\nDone.",
			"Run the restart command:\n\n```sh\nsystemctl restart \\\n  parley\n```" + source,
		},
		"text under a heading answers questions about the heading": {
			"How do I descale it?", "## Colours\nBlue and red.\n## Descaling\nPour vinegar in.", "Pour vinegar in.\n\n*Source: Manual › Descaling* [1]",
		},
		"an abbreviation or a number does not end a sentence": {
			"Which voltage?", "The voltage, e.g. 3.3 V, is printed below. Other text.", "The voltage, e.g. 3.3 V, is printed below." + source,
		},
		"a language without spaces is searched by pairs of characters": {
			"如何重置路由器?", "天气很好。\n\n按住按钮重置路由器。", "按住按钮重置路由器。\n\n*来源： Manual › Care* [1]",
		},
	} {
		t.Run(name, func(t *testing.T) {
			if got := ask(c.question, c.passage); got != c.want {
				t.Errorf("got\n%s\nwant\n%s", got, c.want)
			}
		})
	}
	t.Run("a rare word weighs more than one that occurs in every passage", func(t *testing.T) {
		got := ask("router beeping", "The router is blue.", "The router is heavy.", "Beeping means low battery.")
		if !strings.HasPrefix(got, "Beeping means low battery.") {
			t.Errorf("got %q", got)
		}
	})
	t.Run("of two equally good passages the better-ranked one is quoted first", func(t *testing.T) {
		got := ask("warranty", "The warranty is two years.", "The warranty is one year.")
		if !strings.HasPrefix(got, "The warranty is two years."+source) {
			t.Errorf("got %q", got)
		}
	})
	t.Run("each source is cited by its passage's number in the prompt", func(t *testing.T) {
		got := ask("router beeping battery", "The router is blue.", "Dust it weekly.", "Beeping means low battery.")
		want := "Beeping means low battery.\n\n*Source: Manual › Care* [3]\n\nThe router is blue.\n\n*Source: Manual › Care* [1]"
		if got != want {
			t.Errorf("got\n%s\nwant\n%s", got, want)
		}
	})
	t.Run("quotation marks in a title become nested ones", func(t *testing.T) {
		got := Answer(Question{Text: "router", Passages: []Passage{{
			Title: `On "routers"`, HeadingPath: []string{"“Red” and «blue»"}, Text: "The router.",
		}}})
		if want := "The router.\n\n*Source: On 'routers' › ‘Red’ and ‹blue›* [1]"; got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	})
	t.Run("a passage that is quoted twice is cited for each quotation", func(t *testing.T) {
		got := ask("reset router", "To reset the router, press the button.\n\nA reset of the router takes a minute.")
		if strings.Count(got, "[1]") != 1 {
			t.Errorf("got %q", got)
		}
	})
	t.Run("a long question and many passages give a short answer", func(t *testing.T) {
		passage := strings.Repeat("The router has a button. ", 2000)
		got := ask(strings.Repeat("router button ", 1000), passage, passage, passage, passage, passage, passage)
		if len(got) > 5000 {
			t.Errorf("the answer has %d bytes", len(got))
		}
	})
}

func TestNothingFound(t *testing.T) {
	for name, c := range map[string]struct {
		question string
		passages []string
	}{
		"without passages there is no answer":                       {"How do I reset it?", nil},
		"passages that share no word with the question are ignored": {"How do I reset it?", []string{"The sky is blue."}},
		"a question without content words gets no answer":           {"What is the?", []string{"What is the sky?"}},
		"an empty passage is ignored":                               {"Reset?", []string{""}},
		"passages that share only common words are ignored":         {"Is there a bicycle?", []string{"There is a car."}},
	} {
		t.Run(name, func(t *testing.T) {
			if got := ask(c.question, c.passages...); got != sayingNothing {
				t.Errorf("got %q", got)
			}
		})
	}
	t.Run("the owner's sentence is used if there is one", func(t *testing.T) {
		if got := Answer(Question{Text: "x", NoAnswer: "Call us: **123**"}); got != "Call us: **123**" {
			t.Errorf("got %q", got)
		}
	})
}

func BenchmarkAnswer(b *testing.B) {
	pages, err := fs.Glob(demo.Pages, "pages/*.md")
	if err != nil {
		b.Fatal(err)
	}
	asked := Question{Text: "How do I return the battery of an e-bike that I bought online?"}
	size := 0
	for _, page := range pages[:5] {
		text, err := demo.Pages.ReadFile(page)
		if err != nil {
			b.Fatal(err)
		}
		asked.Passages = append(asked.Passages, Passage{Title: "Help", HeadingPath: []string{"Care"}, Text: string(text), Score: 1})
		size += len(text)
	}
	b.SetBytes(int64(size))
	b.ReportAllocs()
	for b.Loop() {
		Answer(asked)
	}
}

package browse

import (
	"slices"
	"strings"
	"testing"

	"parley/core/knowledge"
	"parley/core/retrieval"
)

// sample is a document whose passages have these texts.
func sample(kind knowledge.Kind, title string, texts ...string) Sample {
	s := Sample{Kind: kind, Title: title}
	for _, text := range texts {
		s.Passages = append(s.Passages, retrieval.Passage{Title: title, HeadingPath: []string{title}, Text: text})
	}
	return s
}

func TestSuggest(t *testing.T) {
	pairs := sample(knowledge.Pairs, "Questions", "## Do you ship abroad?\n\nYes.\n\n## How long does it take\n\nA week.\n\n## Returns\n\nIn 30 days.")
	hours := sample(knowledge.Markdown, "Opening hours", "Our opening hours are from eight to six.\n\n## Holidays\n\nOn holidays we are closed.")
	guide := sample(knowledge.PDF, "guide.pdf", "# 1. Introduction\n\nHello.\n\n# 2.1 **Warranty** of the [ProMax](https://a.example)\n\nThe warranty lasts.\n\n## Can I open it myself?\n\nNo.\n\n# Page 3\n\n# HDMI ports\n\nTwo.")
	for name, c := range map[string]struct {
		from []Sample
		want []string
	}{
		"nothing suggests nothing":                       {nil, []string{}},
		"pairs come first, one document after the other": {[]Sample{hours, pairs}, []string{"Do you ship abroad?", "How long does it take?", "Returns"}},
		"then headings that ask, then others":            {[]Sample{hours, guide}, []string{"Can I open it myself?", "What should I know about holidays?", "What should I know about warranty of the ProMax?"}},
		"a name keeps its capital, and a title comes last": {
			[]Sample{sample(knowledge.Markdown, "Opening hours", "Our opening hours are long.\n\n## Christmas\n\nWe close.\n\n## Returning goods\n\nIn 30 days.")},
			[]string{"What should I know about Christmas?", "How do returns work?", "When are you open?"},
		},
		"what is in code, too long or in any document is no heading": {
			[]Sample{sample(knowledge.Markdown, "https://a.example/x", "```\n# not a heading\n```\n\n## Overview\n\n## FAQ\n\n## "+strings.Repeat("long ", 20)+"\n\n## 42\n\n## Delivery\n\nFast delivery.")},
			[]string{"How does delivery work?"},
		},
		"a question that needs what stands around it is left out": {
			[]Sample{sample(knowledge.Markdown, "Locks", "## Which lock?\n\nAny.\n\n## What about those above?\n\nYes.\n\n## Which lock fits my door?\n\nThis one.")},
			[]string{"Which lock fits my door?", "What should I know about Locks?"},
		},
		"first sentences suggest what they answer": {
			[]Sample{sample(knowledge.Markdown, "Skybound", "Skybound Rentals is a bicycle shop in Bergen.", "# Day tickets\n\nA day ticket costs 12 euros.", "# Repairs\n\nA repair takes two days.")},
			[]string{"What is Skybound Rentals?", "How much does a day ticket cost?", "How long does a repair take?"},
		},
		"a heading that makes no good question is quoted, and comes last": {
			[]Sample{sample(knowledge.Markdown, "house-rules.md", "## You must be 18: no exceptions\n\nYes.\n\n## Pets\n\nNo pets.")},
			[]string{"What should I know about pets?", "What does it say about “You must be 18: no exceptions”?"},
		},
		"so is one of another language": {
			[]Sample{sample(knowledge.Markdown, "a.md", "## Rückgabe\n\n"+strings.Repeat("Die Ware kann innerhalb von dreißig Tagen zurückgegeben werden. ", 5))},
			[]string{"What does it say about “Rückgabe”?"},
		},
		"the same question is asked once": {[]Sample{pairs, pairs}, []string{"Do you ship abroad?", "How long does it take?", "Returns"}},
		"capital letters stay":            {[]Sample{{Passages: guide.Passages[:1], Title: "HDMI", Kind: knowledge.HTML}}, []string{"Can I open it myself?", "What should I know about warranty of the ProMax?", "What should I know about HDMI ports?"}},
	} {
		if got := suggest(c.from); !slices.Equal(got, c.want) {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}

func TestAsk(t *testing.T) {
	const text = "The shop is open and you can return goods. We sell the bikes of many makers."
	for heading, want := range map[string]string{
		"Opening Hours":             "When are you open?",
		"Contact us:":               "How can I contact you?",
		"How to change a tube":      "How do I change a tube?",
		"Selling your bike":         "How does selling your bike work?",
		"Bikes":                     "What should I know about bikes?",
		"Norway":                    "What should I know about Norway?",
		"API keys":                  "What should I know about API keys?",
		"Something else":            "What should I know about Something else?",
		"We never close":            "What does it say about “We never close”?",
		"Rates (2026), from April":  "What does it say about “Rates (2026), from April”?",
		"<script>alert(1)</script>": "What does it say about “<script>alert(1)</script>”?",
		"A very long heading of many words indeed": "What does it say about “A very long heading of many words indeed”?",
	} {
		if got, _ := ask(heading, text); got != want {
			t.Errorf("%q becomes %q, want %q", heading, got, want)
		}
	}
}

func TestAnswered(t *testing.T) {
	for text, want := range map[string]string{
		"The bakery opens at seven in the morning and closes at noon.": "When are you open?",
		"# Hours\n\nWe are open from 8 to 6. Come in!":                 "When are you open?",
		"We open every door to new ideas.":                             "",
		"A day ticket costs 12 euros.":                                 "How much does a day ticket cost?",
		"The large lockers cost $4 a day.":                             "How much do the large lockers cost?",
		"A call costs nothing.":                                        "How much does a call cost?",
		"What it costs depends.":                                       "",
		"Standard delivery takes about 3 days.":                        "How long does standard delivery take?",
		"Refunds take up to ten days.":                                 "How long do refunds take?",
		"It takes two days.":                                           "",
		"Parley is a service for businesses.":                          "What is Parley?",
		"The Night Line is the last bus.":                              "What is the Night Line?",
		"There are the usual rules.":                                   "",
		"This is a text.":                                              "",
		"The rye loaf is baked at midnight.":                           "",
		"no sentence at all":                                           "",
		"```\nFoo is a bar.\n```":                                      "",
		"[Parley](https://a.example) is **a service**. And more.":      "What is Parley?",
		"": "",
	} {
		if got := answered(firstSentence(text)); got != want {
			t.Errorf("%q is an answer to %q, want %q", text, got, want)
		}
	}
}

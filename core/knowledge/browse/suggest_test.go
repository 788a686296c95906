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
		"then headings that ask, then others":            {[]Sample{hours, guide}, []string{"Can I open it myself?", "Tell me about holidays.", "Tell me about warranty of the ProMax."}},
		"a name keeps its capital, and a title comes last": {
			[]Sample{sample(knowledge.Markdown, "Opening hours", "Our opening hours are long.\n\n## Christmas\n\nWe close.\n\n## Returning goods\n\nIn 30 days.")},
			[]string{"Tell me about Christmas.", "Tell me about returning goods.", "Tell me about opening hours."},
		},
		"what is in code, too long or in any document is no heading": {
			[]Sample{sample(knowledge.Markdown, "https://a.example/x", "```\n# not a heading\n```\n\n## Overview\n\n## FAQ\n\n## "+strings.Repeat("long ", 20)+"\n\n## 42\n\n## Delivery\n\nFast delivery.")},
			[]string{"Tell me about delivery."},
		},
		"the same question is asked once": {[]Sample{pairs, pairs}, []string{"Do you ship abroad?", "How long does it take?", "Returns"}},
		"capital letters stay":            {[]Sample{{Passages: guide.Passages[:1], Title: "HDMI", Kind: knowledge.HTML}}, []string{"Can I open it myself?", "Tell me about warranty of the ProMax.", "Tell me about HDMI ports."}},
	} {
		if got := suggest(c.from); !slices.Equal(got, c.want) {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}

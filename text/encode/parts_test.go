package encode

import (
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestPartsOf(t *testing.T) {
	sentence := strings.Repeat("All is well here. ", 5)
	long := strings.Repeat(sentence, 5)
	for name, c := range map[string]struct {
		text  string
		parts int
	}{
		"a short text is one part":                               {sentence, 0},
		"a heading begins another":                               {"# A\n\n" + sentence + "\n\n## B\n\n" + sentence, 2},
		"so does a paragraph behind a long one":                  {long + "\n\n" + sentence, 2},
		"short paragraphs stay together":                         {sentence + "\n\n" + sentence, 0},
		"a comment in code is no heading":                        {"```sh\n" + sentence + "\n\n# comment\n" + sentence + "\n```", 0},
		"a last line that is short belongs to what is before it": {"# A\n\n" + long + "\n\n" + long + "\n\n## End\n\nBye.", 2},
	} {
		t.Run(name, func(t *testing.T) {
			if got := PartsOf(c.text); len(got) != c.parts {
				t.Errorf("they are %+v of %q", got, c.text)
			}
		})
	}
	t.Run("parts cover the text in order, and are not many", func(t *testing.T) {
		rapid.Check(t, func(t *rapid.T) {
			lines := rapid.SliceOf(rapid.SampledFrom([]string{"", "# A", "## B", "```", "Some words.", sentence, long})).Draw(t, "lines")
			text, end := strings.Join(lines, "\n"), 0
			parts := PartsOf(text)
			for _, p := range parts {
				if p.Start != end || p.End <= p.Start {
					t.Fatalf("they are %+v", parts)
				}
				end = p.End
			}
			if len(parts) > mostParts+1 || len(parts) > 0 && end != len(text) {
				t.Fatalf("they are %+v of %d bytes", parts, len(text))
			}
		})
	})
}

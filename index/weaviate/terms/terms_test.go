package terms

import (
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"parley/core/retrieval"
)

var anyTerms = rapid.SliceOfN(rapid.StringMatching("[\x01ab0]{1,3}|é🙂"), 1, 30)

func TestEncode(t *testing.T) {
	t.Run("each term is found where it was", rapid.MakeCheck(func(t *rapid.T) {
		terms := anyTerms.Draw(t, "terms")
		asked := rapid.SliceOfNDistinct(rapid.SampledFrom(terms), 1, 3, rapid.ID).Draw(t, "asked")
		var query []retrieval.Term
		for _, term := range asked {
			query = append(query, retrieval.Term{Text: term, Weight: 1})
		}
		var want []retrieval.Occurrence
		for at, term := range terms {
			if i := slices.Index(asked, term); i >= 0 {
				want = append(want, retrieval.Occurrence{Term: int32(i), At: int32(at)})
			}
		}
		locator := NewLocator(query)
		for range 2 {
			got, length := locator.Locate(Encode(terms))
			if length != len(terms) || !slices.Equal(got, want) {
				t.Fatalf("%q in %q: length %d and %v, want %v", asked, terms, length, got, want)
			}
		}
	}))
	t.Run("the server sees as many distinct words as there are terms, each as often as it occurs", rapid.MakeCheck(func(t *rapid.T) {
		terms := anyTerms.Draw(t, "terms")
		counts := map[string]int{}
		for _, word := range strings.Fields(Encode(terms)) {
			counts[word]++
		}
		if len(counts) != len(terms) {
			t.Fatalf("%q has %d terms, and %d distinct ones when encoded", terms, len(terms), len(counts))
		}
		for _, term := range terms {
			want := 0
			for _, other := range terms {
				if other == term {
					want++
				}
			}
			if got := counts[strings.TrimSpace(Question([]retrieval.Term{{Text: term, Weight: 1}}))]; got != want {
				t.Fatalf("%q occurs %d times in %q, want %d", term, got, terms, want)
			}
		}
	}))
}

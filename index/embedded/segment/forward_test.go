package segment

import (
	"fmt"
	"slices"
	"testing"

	"parley/core/retrieval"
)

func TestForward(t *testing.T) {
	t.Run("a number is read as it was written, whatever its size", func(t *testing.T) {
		for _, terms := range []int{1, 1 << 8, 1 << 16, 1<<16 + 1, 1 << 24, 1<<24 + 1, 1 << 32} {
			size := numberSize(terms)
			for _, number := range []uint32{0, 1, uint32((terms - 1) / 2), uint32(terms - 1)} {
				list := appendNumber([]byte{9}, size, number)
				if len(list) != 1+size || numberAt(append(list[1:], 0xff), size) != number {
					t.Errorf("%d of %d terms is written as %v", number, terms, list[1:])
				}
			}
		}
	})
	t.Run("terms beyond 65,536 are found in their places, and after a merge", func(t *testing.T) {
		entries := []retrieval.Entry{{PassageID: 1, DocumentID: "d", Terms: []string{"zebra", "apple"}}}
		for i := range 70 {
			e := retrieval.Entry{PassageID: int64(i + 2), DocumentID: "d"}
			for j := range 1000 {
				e.Terms = append(e.Terms, fmt.Sprintf("word%d", 1000*i+j))
			}
			entries = append(entries, e)
		}
		entries[70].Terms[998] = "zebra"
		whole := built(t, entries)
		other := built(t, []retrieval.Entry{{PassageID: 100, DocumentID: "e", Terms: []string{"a", "zebra"}}})
		merged, err := Decode(Merge([]Part{{View: View{Segment: whole}}, {View: View{Segment: other}, First: 1}}))
		if err != nil {
			t.Fatal(err)
		}
		for name, c := range map[string]struct {
			segment *Segment
			want    map[int64][]retrieval.Occurrence
		}{
			"built":  {whole, map[int64][]retrieval.Occurrence{1: {{Term: 0, At: 0}, {Term: 1, At: 1}}, 71: {{Term: 0, At: 998}}}},
			"merged": {merged, map[int64][]retrieval.Occurrence{1: {{Term: 0, At: 0}, {Term: 1, At: 1}}, 71: {{Term: 0, At: 998}}, 100: {{Term: 0, At: 1}}}},
		} {
			if numberSize(c.segment.terms) != 3 {
				t.Fatalf("%s: %d terms are too few for this test", name, c.segment.terms)
			}
			query := retrieval.IndexQuery{Limit: 10, OccurrencesOf: 10, Terms: []retrieval.Term{{Text: "zebra", Weight: 1}, {Text: "apple", Weight: 1}}}
			hits := mustSearch(t, []View{{Segment: c.segment}}, query).Lexical
			for _, hit := range hits {
				if !slices.Equal(hit.Occurrences, c.want[hit.PassageID]) {
					t.Errorf("%s: passage %d has %v, want %v", name, hit.PassageID, hit.Occurrences, c.want[hit.PassageID])
				}
			}
			if len(hits) != len(c.want) {
				t.Errorf("%s: %d passages are found, want %d", name, len(hits), len(c.want))
			}
		}
	})
}

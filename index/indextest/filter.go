package indextest

import (
	"fmt"
	"slices"
	"testing"

	"parley/core/retrieval"
)

// library fills home with three documents of two sources and one without a source.
// All passages have the word apple and a vector.
func (b *bundle) library() *reference {
	kept := newReference()
	for i, source := range []string{"src_1", "src_1", "src_2", ""} {
		document := fmt.Sprint("doc_", i+1)
		entries := Entries(document, int64(10*i+1), "apple one", "apple apple and more", "apple two three four")
		for j := range entries {
			entries[j].SourceID, entries[j].Vector = source, unit(1, float32(i), float32(j))
		}
		b.replace(home, document, entries)
		kept.documents[document] = entries
	}
	return kept
}

func testFilter(t *testing.T, b *bundle) {
	b.library()
	for _, c := range []struct {
		sentence           string
		documents, sources []string
		want               []int64
	}{
		{"one document", []string{"doc_2"}, nil, []int64{11, 12, 13}},
		{"two documents", []string{"doc_4", "doc_1"}, nil, []int64{1, 2, 3, 31, 32, 33}},
		{"one source", nil, []string{"src_1"}, []int64{1, 2, 3, 11, 12, 13}},
		{"two sources", nil, []string{"src_2", "src_1"}, []int64{1, 2, 3, 11, 12, 13, 21, 22, 23}},
		{"both lists must admit", []string{"doc_2", "doc_3"}, []string{"src_1"}, []int64{11, 12, 13}},
		{"lists that exclude each other", []string{"doc_3"}, []string{"src_1"}, nil},
		{"an unknown document", []string{"doc_9"}, nil, nil},
		{"an unknown source", nil, []string{"src_9"}, nil},
		{"an unknown one next to a known one", []string{"doc_9", "doc_1"}, []string{"src_9", "src_1"}, []int64{1, 2, 3}},
	} {
		t.Run(c.sentence, func(t *testing.T) {
			filter := retrieval.Filter{Documents: c.documents, Sources: c.sources}
			hits := b.search(home, retrieval.IndexQuery{Terms: Terms("apple"), Vector: unit(1, 1, 1), Filter: filter, Limit: 100})
			for list, got := range map[string][]int64{"lexical": ids(hits.Lexical), "near": ids(hits.Near)} {
				slices.Sort(got)
				if !slices.Equal(got, c.want) {
					t.Errorf("%s hits are %v, want %v", list, got, c.want)
				}
			}
		})
	}
	t.Run("the best admitted hit is found even with a low limit", func(t *testing.T) {
		filter := retrieval.Filter{Documents: []string{"doc_4"}}
		hits := b.search(home, retrieval.IndexQuery{Terms: Terms("apple"), Vector: unit(1, 0, 0), Filter: filter, Limit: 1})
		if !slices.Equal(ids(hits.Lexical), []int64{32}) || !slices.Equal(ids(hits.Near), []int64{31}) {
			t.Errorf("found %v and %v, want 32 and 31", ids(hits.Lexical), ids(hits.Near))
		}
	})
}

func testFilterScores(_ *testing.T, b *bundle) {
	kept := b.library()
	for _, filter := range []retrieval.Filter{{}, {Documents: []string{"doc_1"}}, {Sources: []string{"src_2"}}} {
		b.wantLexical(home, retrieval.IndexQuery{Terms: Terms("apple one three"), Filter: filter, Limit: 100}, kept)
	}
}

func testManyFilters(t *testing.T, b *bundle) {
	b.library()
	filter := retrieval.Filter{Documents: []string{"doc_2"}}
	for i := range 2000 {
		filter.Documents = append(filter.Documents, fmt.Sprintf("other_%d", i))
	}
	hits := b.search(home, retrieval.IndexQuery{Terms: Terms("apple"), Filter: filter, Limit: 100}).Lexical
	if len(hits) != 3 {
		t.Errorf("found %v, want the three passages of doc_2", ids(hits))
	}
}

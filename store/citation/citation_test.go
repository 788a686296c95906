package citation

import (
	"reflect"
	"strings"
	"testing"

	"parley/core/answer"
)

func TestSources(t *testing.T) {
	hash := strings.Repeat("0f", 32)
	for name, sources := range map[string][]answer.Citation{
		"none": nil,
		"all that there can be": {
			{
				Number: 1, Cited: true, DocumentID: "doc_a", Title: `A "b" <c>`, URL: "https://a.example/?b&c", Place: "page 2",
				HeadingPath: []string{"one", "two"}, Start: 3, End: 33, ContentHash: hash, Version: 4,
			},
			{Number: 2, DocumentID: "doc_a"},
		},
		"a cited title that is the first heading": {
			{Number: 1, Cited: true, DocumentID: "doc_b", Title: "one", HeadingPath: []string{"one", "two"}},
			{Number: 2, Cited: true, DocumentID: "doc_c", Title: "none"},
		},
		"a title that is the first heading": {{Number: 1, DocumentID: "doc_a", Title: "one", HeadingPath: []string{"one", "two"}}},
		"a title that is a later heading":   {{Number: 1, DocumentID: "doc_a", Title: "two", HeadingPath: []string{"one", "two"}}},
		"headings without a title":          {{Number: 1, DocumentID: "doc_a", HeadingPath: []string{"one", "two"}}},
		"a title alone":                     {{Number: 1, DocumentID: "doc_a", Title: "one"}},
		"a hash":                            {{Number: 1, DocumentID: "doc_a", Title: "one", ContentHash: hash}},
	} {
		t.Run(name+": what is kept is read as it was", func(t *testing.T) {
			got, err := FromColumn(ToColumn(sources))
			if err != nil || !reflect.DeepEqual(got, sources) {
				t.Errorf("%v\ngot  %+v\nwant %+v", err, got, sources)
			}
		})
		t.Run(name+": the statistics see what is cited", func(t *testing.T) {
			var want []answer.Citation
			for _, s := range sources {
				if s.Cited {
					want = append(want, answer.Citation{Number: len(want) + 1, Cited: true, DocumentID: s.DocumentID, Title: s.Title, HeadingPath: s.HeadingPath})
				}
			}
			if got := CitedIn(ToColumn(sources)); !reflect.DeepEqual(got, want) {
				t.Errorf("\ngot  %+v\nwant %+v", got, want)
			}
		})
	}
	t.Run("an invalid hash is left out, and nothing else", func(t *testing.T) {
		got, err := FromColumn(ToColumn([]answer.Citation{{Number: 1, DocumentID: "doc_a", Title: "one", ContentHash: "none"}}))
		if err != nil || len(got) != 1 || got[0].Title != "one" || got[0].ContentHash != "" {
			t.Errorf("%v, got %+v", err, got)
		}
	})
	t.Run("anything but a list is an error", func(t *testing.T) {
		if _, err := FromColumn("{"); err == nil {
			t.Error("there is none")
		}
	})
}

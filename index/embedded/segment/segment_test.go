package segment

import (
	"context"
	"fmt"
	"math"
	"reflect"
	"testing"

	"pgregory.net/rapid"

	"parley/core/retrieval"
)

// drawDocument draws a document of up to five passages over few words.
func drawDocument(t *rapid.T, number, dimension int) []retrieval.Entry {
	words := rapid.SampledFrom([]string{"a", "b", "c", "dd", "\x00", "é", `"`, "zebra", fmt.Sprint("own", number)})
	source := rapid.SampledFrom([]string{"", "src_1", "src_2"}).Draw(t, "source")
	var entries []retrieval.Entry
	for i := range rapid.IntRange(1, 5).Draw(t, "passages") {
		e := retrieval.Entry{
			PassageID: int64(10*number + i + 1), DocumentID: fmt.Sprint("doc_", number), SourceID: source,
			Terms: rapid.SliceOfN(words, 0, 40).Draw(t, "terms"),
		}
		if rapid.Bool().Draw(t, "has a vector") {
			e.Vector = rapid.SliceOfN(rapid.Float32Range(-1, 1), dimension, dimension).Draw(t, "vector")
		}
		entries = append(entries, e)
	}
	return entries
}

func drawQuery(t *rapid.T, dimension int) retrieval.IndexQuery {
	query := retrieval.IndexQuery{Limit: rapid.IntRange(1, 60).Draw(t, "limit"), OccurrencesOf: rapid.IntRange(0, 60).Draw(t, "occurrences of")}
	words := rapid.SampledFrom([]string{"a", "b", "c", "dd", "\x00", "é", `"`, "zebra", "own3", "own4", "unknown", ""})
	for _, word := range rapid.SliceOfNDistinct(words, 0, 8, rapid.ID[string]).Draw(t, "terms") {
		query.Terms = append(query.Terms, retrieval.Term{Text: word, Weight: rapid.IntRange(1, 100).Draw(t, "weight")})
	}
	if rapid.Bool().Draw(t, "asks for near ones") {
		query.Vector = rapid.SliceOfN(rapid.Float32Range(-1, 1), dimension, dimension).Draw(t, "question")
	}
	if rapid.Bool().Draw(t, "by document") {
		query.Filter.Documents = []string{"doc_1", "doc_3", "doc_4", "unknown"}
	}
	if rapid.Bool().Draw(t, "by source") {
		query.Filter.Sources = []string{"src_2"}
	}
	return query
}

func mustDecode(t rapid.TB, data []byte) *Segment {
	t.Helper()
	s, err := Decode(data)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func built(t rapid.TB, entries []retrieval.Entry) *Segment {
	t.Helper()
	list, err := Build(entries)
	if err != nil || len(list) != 1 {
		t.Fatalf("%d segments, %v", len(list), err)
	}
	return mustDecode(t, list[0])
}

func mustSearch(t rapid.TB, views []View, query retrieval.IndexQuery) retrieval.Hits {
	t.Helper()
	hits, err := Search(context.Background(), views, query)
	if err != nil {
		t.Fatal(err)
	}
	return hits
}

// TestMerge compares three forms of the same documents: segments with dead
// documents, the result of merging them, and segments that never had the dead
// documents. No bit of any hit may differ.
func TestMerge(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		const dimension = 70
		var fresh []View
		var parts []Part
		for number := range rapid.IntRange(1, 12).Draw(t, "documents") {
			s := built(t, drawDocument(t, number, dimension))
			parts = append(parts, Part{View: View{Segment: s}, First: uint64(100 + number)})
			if rapid.IntRange(0, 3).Draw(t, "dies") == 0 {
				parts[number].Dead = s.Bury(nil, []uint64{0})
			} else {
				fresh = append(fresh, View{Segment: s})
			}
		}
		parts = mergeSome(t, parts)
		var views []View
		for _, p := range parts {
			views = append(views, p.View)
		}
		data := Merge(parts)
		if len(fresh) == 0 {
			if data != nil {
				t.Fatal("a merge of dead documents is not empty")
			}
			return
		}
		merged := []View{{Segment: mustDecode(t, data)}}
		for range 5 {
			query := drawQuery(t, dimension)
			want := mustSearch(t, fresh, query)
			if got := mustSearch(t, views, query); !reflect.DeepEqual(got, want) {
				t.Fatalf("with dead documents %+v, without them %+v", got, want)
			}
			if got := mustSearch(t, merged, query); !reflect.DeepEqual(got, want) {
				t.Fatalf("merged %+v, separate %+v", got, want)
			}
		}
	})
}

// mergeSome merges the first parts with their dead documents, and kills another
// document in the merged one.
func mergeSome(t *rapid.T, parts []Part) []Part {
	n := rapid.IntRange(0, len(parts)).Draw(t, "merged before")
	data := Merge(parts[:n:n])
	if data == nil {
		return parts
	}
	return append([]Part{{View: View{Segment: mustDecode(t, data)}, First: parts[0].First}}, parts[n:]...)
}

func TestBury(t *testing.T) {
	var parts []Part
	for i := range 6 {
		entries := []retrieval.Entry{{PassageID: int64(i + 1), DocumentID: fmt.Sprint(i), Terms: []string{"a", "a", fmt.Sprint("own", i)}}}
		parts = append(parts, Part{View: View{Segment: built(t, entries)}, First: uint64(10 * i)})
	}
	s := mustDecode(t, Merge(parts))
	one := s.Bury(nil, []uint64{20, 50})
	two := s.Bury(one, []uint64{0, 20})
	for _, c := range []struct {
		sentence string
		dead     *Dead
		want     int
	}{
		{"nothing is dead at first", nil, 6},
		{"sequences count from the first part", one, 4},
		{"a dead document dies only once, and earlier results stay", two, 3},
	} {
		t.Run(c.sentence, func(t *testing.T) {
			v := View{Segment: s, Dead: c.dead}
			hits := mustSearch(t, []View{v}, retrieval.IndexQuery{Terms: []retrieval.Term{{Text: "a", Weight: 1}}, Limit: 10}).Lexical
			if v.Live() != c.want || v.frequency(v.lookup("a")) != c.want || len(hits) != c.want {
				t.Errorf("%d live, %d with the term, %d found, want %d", v.Live(), v.frequency(v.lookup("a")), len(hits), c.want)
			}
			if v.Lives(30) != true || v.Lives(31) || v.Lives(20) != (c.dead == nil) {
				t.Error("the wrong documents live")
			}
		})
	}
}

func TestBuildRefuses(t *testing.T) {
	entry := func(id int64, document, source string, vector ...float32) retrieval.Entry {
		return retrieval.Entry{PassageID: id, DocumentID: document, SourceID: source, Terms: []string{"a"}, Vector: vector}
	}
	for sentence, entries := range map[string][]retrieval.Entry{
		"two documents":                 {entry(1, "d", ""), entry(2, "e", "")},
		"two sources":                   {entry(1, "d", "s"), entry(2, "d", "")},
		"a duplicate passage":           {entry(1, "d", ""), entry(1, "d", "")},
		"a passage without a number":    {entry(0, "d", "")},
		"vectors of two dimensions":     {entry(1, "d", "", 1, 0), entry(2, "d", "", 1)},
		"a vector that is not a number": {entry(1, "d", "", float32(math.NaN()))},
		"an infinite vector":            {entry(1, "d", "", float32(math.Inf(-1)))},
	} {
		t.Run(sentence, func(t *testing.T) {
			if _, err := Build(entries); err == nil {
				t.Error("Build accepted it")
			}
		})
	}
}

func TestDecodeRefuses(t *testing.T) {
	list, err := Build([]retrieval.Entry{{PassageID: 1, DocumentID: "d", Terms: []string{"a", "b"}, Vector: []float32{1, 0}}})
	if err != nil {
		t.Fatal(err)
	}
	data := list[0]
	t.Run("a changed byte", func(t *testing.T) {
		for i := range data {
			damaged := append([]byte(nil), data...)
			damaged[i] ^= 1 << (i % 8)
			if _, err := Decode(damaged); err == nil {
				t.Errorf("byte %d of %d", i, len(data))
			}
		}
	})
	t.Run("a missing end", func(t *testing.T) {
		for i := range data {
			if _, err := Decode(data[:i]); err == nil {
				t.Errorf("%d of %d bytes", i, len(data))
			}
		}
	})
	t.Run("counts beyond the data", func(t *testing.T) {
		rapid.Check(t, func(t *rapid.T) {
			wrong := append([]byte(nil), data...)
			at := 8 + 4*rapid.IntRange(0, 11).Draw(t, "field")
			le.PutUint32(wrong[at:], rapid.Uint32Min(1<<20).Draw(t, "count"))
			le.PutUint32(wrong[4:], checksum(wrong))
			if _, err := Decode(wrong); err == nil && at != 32 && at != 36 {
				t.Fatalf("the count at %d was accepted", at)
			}
		})
	})
}

package embedded

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"time"

	"parley/core/retrieval"
	"parley/index/embedded/segment"
	"parley/index/indextest"
)

func pieces(sizes ...int64) []piece {
	var list []piece
	for i, size := range sizes {
		list = append(list, piece{id: int64(i), bytes: size << 10, passages: 100})
	}
	return list
}

func TestPlan(t *testing.T) {
	small := slices.Repeat([]int64{20}, 8)
	dead := pieces(1000, 20, 20)
	dead[1].gone = 25
	for _, c := range []struct {
		sentence    string
		pieces      []piece
		run         int
		first, many int
	}{
		{"few small ones wait", pieces(small[:7]...), busyRun, 0, 0},
		{"many small ones are merged", pieces(small...), busyRun, 0, 8},
		{"few small ones are merged when it is quiet", pieces(20, 30), settledRun, 0, 2},
		{"a large one is not merged with small ones", pieces(append([]int64{5000}, small...)...), busyRun, 1, 8},
		{"not even when it is quiet", pieces(5000, 20), settledRun, 0, 0},
		{"small ones between large ones go with them", pieces(900, 20, 900, 20, 900, 20, 900, 20, 900), busyRun, 0, 9},
		{"segments that would be too large together are not merged", pieces(slices.Repeat([]int64{20_000}, 9)...), busyRun, 0, 0},
		{"as many as fit are merged", pieces(append([]int64{30_000, 30_000}, slices.Repeat([]int64{10_000}, 9)...)...), busyRun, 2, 3},
		{"a segment that has lost a quarter is rewritten", dead, busyRun, 1, 1},
	} {
		t.Run(c.sentence, func(t *testing.T) {
			got := plan(c.pieces, c.run)
			if len(got) != c.many || c.many > 0 && got[0].id != int64(c.first) {
				t.Errorf("merges %d segments, %+v; want %d from %d on", len(got), got, c.many, c.first)
			}
		})
	}
}

// segments returns the segments of each scope.
func segments(t testing.TB, index *Index) [][]piece {
	t.Helper()
	scopes, err := column[int64](index.read.Query("SELECT DISTINCT scope FROM segment"))
	if err != nil {
		t.Fatal(err)
	}
	var all [][]piece
	for _, scope := range scopes {
		list, err := rowsOf(context.Background(), index.read, scope)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, list)
	}
	return all
}

// settle waits until nothing is left to merge.
func settle(t testing.TB, index *Index) {
	t.Helper()
	eventually(t, "all is merged", func() bool {
		return !slices.ContainsFunc(segments(t, index), func(list []piece) bool { return plan(list, settledRun) != nil })
	})
}

func TestCompaction(t *testing.T) {
	index := openNew(t)
	most := 0
	for i := range 300 {
		// A third of the documents are written twice, and some are removed.
		document := fmt.Sprint("doc_", i*2%400)
		put(t, index, 1, document, int64(10*i+1), "apples pears", "apples")
		if i%10 == 9 {
			if err := index.Remove(t.Context(), scope(1), fmt.Sprint("doc_", i)); err != nil {
				t.Fatal(err)
			}
		}
		most = max(most, len(segments(t, index)[0]))
	}
	before := found(t, index, 1, "apples")
	settle(t, index)
	t.Run("a scope has few segments during writes, and fewer afterward", func(t *testing.T) {
		if most > maxSegments+1 {
			t.Errorf("there were %d segments", most)
		}
		if n := len(segments(t, index)[0]); n != 1 {
			t.Errorf("%d segments are left", n)
		}
	})
	t.Run("merges do not change what searches find", func(t *testing.T) {
		for _, x := range []*Index{index, open(t, index.path)} {
			after := found(t, x, 1, "apples")
			if fmt.Sprint(after) != fmt.Sprint(before) {
				t.Errorf("%d hits before, %d after", len(before), len(after))
			}
		}
	})
	t.Run("dead passages are deleted from the file", func(t *testing.T) {
		want := 0
		if err := index.read.QueryRow("SELECT sum(passages) FROM document").Scan(&want); err != nil {
			t.Fatal(err)
		}
		held := int64(0)
		for _, p := range segments(t, index)[0] {
			held += p.passages
		}
		if held != int64(want) {
			t.Errorf("segments hold %d passages, %d are in documents", held, want)
		}
	})
}

// TestMergeBesideWriters changes documents after a merge has read its segments and
// before the merged segment replaces them.
func TestMergeBesideWriters(t *testing.T) {
	index := openNew(t)
	index.compactor.close()
	for i := range 5 {
		put(t, index, 1, fmt.Sprint("doc_", i), int64(10*i+1), "apples", "apples pears")
	}
	merging(t, index, func() {})
	put(t, index, 1, "doc_5", 51, "apples")
	merging(t, index, func() {
		put(t, index, 1, "doc_1", 61, "apples figs")
		if err := index.Remove(t.Context(), scope(1), "doc_3"); err != nil {
			t.Fatal(err)
		}
		put(t, index, 1, "doc_6", 71, "apples")
	})
	for _, x := range []*Index{index, open(t, index.path)} {
		var ids []int64
		for _, hit := range found(t, x, 1, "apples figs") {
			ids = append(ids, hit.PassageID)
		}
		slices.Sort(ids)
		if want := []int64{1, 2, 21, 22, 41, 42, 51, 61, 71}; !slices.Equal(ids, want) {
			t.Errorf("found %v, want %v", ids, want)
		}
	}
	t.Run("a merge gives up when its segments have disappeared", func(t *testing.T) {
		group, err := rowsOf(t.Context(), index.read, 1)
		if err != nil {
			t.Fatal(err)
		}
		if err := index.Drop(t.Context(), scope(1)); err != nil {
			t.Fatal(err)
		}
		err = index.write.change(t.Context(), func() error { return index.write.swap(1, group, &piece{}, []byte("x")) })
		if err == nil || len(found(t, index, 1, "apples")) != 0 {
			t.Errorf("got %v", err)
		}
	})
}

// merging merges all segments of the first scope in two steps, and calls change
// between them.
func merging(t *testing.T, index *Index, change func()) {
	t.Helper()
	group, err := rowsOf(t.Context(), index.read, 1)
	if err != nil {
		t.Fatal(err)
	}
	m, err := index.compactor.merger.prepare(t.Context(), 1, group)
	if err != nil {
		t.Fatal(err)
	}
	change()
	if err := index.compactor.merger.finish(t.Context(), m); err != nil {
		t.Fatal(err)
	}
}

// TestDocumentInParts has a document in three segments, as a very large one would be.
func TestDocumentInParts(t *testing.T) {
	index := openNew(t)
	index.compactor.close()
	put(t, index, 1, "before", 1, "apples")
	err := index.write.change(t.Context(), func() error {
		c, err := index.write.enter(serving, scope(1))
		if err != nil {
			return err
		}
		var parts [][]byte
		for i := range int64(3) {
			built, err := segment.Build(indextest.Entries("large", 10+i, "apples"))
			if err != nil {
				return err
			}
			parts = append(parts, built...)
		}
		if err := c.raise(1); err != nil {
			return err
		}
		_, err = c.insert("large", len(parts), parts)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	put(t, index, 1, "after", 20, "apples")
	want := func(want ...int64) {
		t.Helper()
		var ids []int64
		for _, hit := range found(t, index, 1, "apples") {
			ids = append(ids, hit.PassageID)
		}
		if slices.Sort(ids); !slices.Equal(ids, want) {
			t.Errorf("found %v, want %v", ids, want)
		}
	}
	want(1, 10, 11, 12, 20)
	merging(t, index, func() { put(t, index, 1, "after", 30, "apples") })
	want(1, 10, 11, 12, 30)
	put(t, index, 1, "more", 40, "apples")
	if err := index.Remove(t.Context(), scope(1), "large"); err != nil {
		t.Fatal(err)
	}
	want(1, 30, 40)
	merging(t, index, func() { put(t, index, 1, "more", 50, "apples") })
	want(1, 30, 50)
}

func TestSweep(t *testing.T) {
	index := openNew(t)
	rows := func() (n int) {
		err := index.read.QueryRow(`SELECT (SELECT count(*) FROM segment) + (SELECT count(*) FROM content) + (SELECT count(*) FROM document)
			+ (SELECT count(*) FROM dead) + (SELECT count(*) FROM dropped) + (SELECT count(*) FROM scope)`).Scan(&n)
		if err != nil {
			t.Fatal(err)
		}
		return n
	}
	for i := range 80 {
		put(t, index, i%4, fmt.Sprint("doc_", i/2), int64(10*i+1), "apples")
	}
	for i := range 3 {
		if err := index.Drop(t.Context(), scope(i)); err != nil {
			t.Fatal(err)
		}
	}
	for _, version := range []string{"two", "three"} {
		err := index.Rebuild(t.Context(), version, func(ctx context.Context, into retrieval.Filler) error {
			return into.Replace(ctx, scope(9), "doc", indextest.Entries("doc", 1, "apples"))
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	eventually(t, "only one scope with one document is left in the file", func() bool { return rows() == 4 })
	if len(found(t, index, 9, "apples")) != 1 {
		t.Error("it is not found")
	}
}

func eventually(t testing.TB, sentence string, ok func() bool) {
	t.Helper()
	for deadline := time.Now().Add(time.Minute); !ok(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatal("never true: " + sentence)
		}
	}
}

package weaviate

import (
	"testing"

	"parley/core/retrieval"
)

func TestRank(t *testing.T) {
	t.Run("scores that differ only by rounding are equal", func(t *testing.T) {
		made := func(id int64, score float64) hit { return hit{Hit: retrieval.Hit{PassageID: id, Score: score}} }
		hits := []hit{made(3, 2.0000002), made(4, 1.999), made(1, 2), made(2, 2.0000001), made(5, -1)}
		rank(hits)
		for i, want := range []int64{1, 2, 3, 4, 5} {
			if hits[i].PassageID != want {
				t.Fatalf("ranked as %+v", hits)
			}
		}
		if hits[0].Score != hits[2].Score || hits[2].Score == hits[3].Score {
			t.Errorf("scored as %+v", hits)
		}
	})
}

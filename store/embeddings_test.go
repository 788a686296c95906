package store_test

import (
	"fmt"
	"math"
	"sync"
	"testing"
	"time"

	"parley/store"
)

func TestEmbeddings(t *testing.T) {
	onBothDatabases(t, func(b *bundle) {
		a := b.fill("a")
		ctx := b.Context()
		vector := []float32{0, 1, -1, 0.1, math.MaxFloat32, math.SmallestNonzeroFloat32}

		b.Run("a vector is read bit by bit as it was saved, by its model and text", func(t *testing.T) {
			b.must(b.SaveEmbeddings(ctx, a.id, "m", map[string][]float32{"h1": vector, "h2": {1}}, epoch))
			got, err := b.Embeddings(ctx, a.id, "m", []string{"h1", "h2", "unknown"})
			b.must(err)
			if len(got) != 2 || fmt.Sprint(got["h1"]) != fmt.Sprint(vector) || fmt.Sprint(got["h2"]) != "[1]" {
				t.Errorf("got %v", got)
			}
			if got, err = b.Embeddings(ctx, a.id, "other", []string{"h1"}); err != nil || len(got) != 0 {
				t.Errorf("another model has %v, %v", got, err)
			}
			if got, err = b.Embeddings(ctx, a.id, "m", nil); err != nil || len(got) != 0 {
				t.Errorf("no hash gives %v, %v", got, err)
			}
		})
		b.Run("saving it again brings the newer vector, and the time of its use", func(t *testing.T) {
			b.must(b.SaveEmbeddings(ctx, a.id, "m", map[string][]float32{"h1": {9}, "h3": {3}}, epoch.Add(time.Hour)))
			got, err := b.Embeddings(ctx, a.id, "m", []string{"h1", "h3"})
			b.must(err)
			if fmt.Sprint(got) != "map[h1:[9] h3:[3]]" {
				t.Errorf("got %v", got)
			}
			if n := b.count("SELECT count(DISTINCT used_at) FROM embeddings WHERE model = 'm' AND text_hash IN ('h1', 'h2')"); n != 2 {
				t.Errorf("there are %d times of use", n)
			}
		})
		b.Run("many that save the same at once do not block each other", func(t *testing.T) {
			many := map[string][]float32{}
			for i := range 700 {
				many[fmt.Sprint("many ", i)] = []float32{float32(i)}
			}
			var all sync.WaitGroup
			for range 8 {
				all.Go(func() {
					if err := b.SaveEmbeddings(ctx, a.id, "m", many, epoch); err != nil {
						t.Error(err)
					}
				})
			}
			all.Wait()
			if n := b.count("SELECT count(*) FROM embeddings WHERE text_hash LIKE 'many %'"); n != len(many) {
				t.Errorf("%d are there", n)
			}
		})
		b.Run("more than one portion of old vectors goes, and what is newer stays", func(t *testing.T) {
			old, newer := map[string][]float32{}, map[string][]float32{"newer": {1}}
			for i := range store.TrimBatch + 5 {
				old[fmt.Sprint("old ", i)] = []float32{float32(i)}
			}
			b.must(b.SaveEmbeddings(ctx, a.id, "p", old, epoch))
			b.must(b.SaveEmbeddings(ctx, a.id, "p", newer, epoch.Add(time.Hour)))
			b.must(b.DeleteEmbeddings(ctx, everywhere, epoch.Add(time.Minute)))
			if n := b.count("SELECT count(*) FROM embeddings WHERE model = 'p'"); n != 1 {
				t.Errorf("%d are left", n)
			}
		})
		b.Run("a workspace that has too many loses those used longest ago, and others lose none", func(t *testing.T) {
			other := b.fill("b")
			for i := range 6 {
				b.must(b.SaveEmbeddings(ctx, a.id, "t", map[string][]float32{fmt.Sprint("t ", i): {1}}, epoch.Add(time.Duration(i-10)*time.Hour)))
			}
			b.must(b.SaveEmbeddings(ctx, other.id, "t", map[string][]float32{"theirs": {1}}, epoch.AddDate(-1, 0, 0)))
			all := b.count("SELECT count(*) FROM embeddings WHERE workspace_id = '" + a.id + "'")
			b.must(b.TrimEmbeddings(ctx, everywhere, all-2, 0))
			if n := b.count("SELECT count(*) FROM embeddings WHERE text_hash IN ('t 0', 't 1')"); n != 0 {
				t.Errorf("%d of the oldest two are left", n)
			}
			if n := b.count("SELECT count(*) FROM embeddings WHERE workspace_id = '" + a.id + "'"); n != all-2 {
				t.Errorf("%d are left of %d", n, all)
			}
			if n := b.count("SELECT count(*) FROM embeddings WHERE text_hash = 'theirs'"); n != 1 {
				t.Error("another workspace lost its vector")
			}
		})
	})
}

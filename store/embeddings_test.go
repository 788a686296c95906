package store

import (
	"fmt"
	"math"
	"sync"
	"testing"
	"time"
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
	})
}

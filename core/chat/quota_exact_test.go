package chat

import (
	"context"
	"testing"
	"time"

	"pgregory.net/rapid"
)

// Whatever happens in one process, no message too many is stored, and none is
// refused while there is one that is neither stored nor claimed.
func TestQuotaIsExact(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		l, q := newLedger()
		limit := rapid.IntRange(0, 6).Draw(t, "limit")
		stored := func() int { return l.stored["ws 2026-11"] }
		var claimed, committed []*ticket // committed ones are stored and not kept yet
		t.Repeat(map[string]func(*rapid.T){
			"take": func(t *rapid.T) {
				claim, err := q.take(context.Background(), "ws", including(limit))
				if err == nil {
					claimed = append(claimed, claim)
				} else if stored()+len(claimed)+len(committed) < limit {
					t.Fatalf("refused with %d stored, %d claimed and %d on the way of %d", stored(), len(claimed), len(committed), limit)
				}
			},
			"commit": func(t *rapid.T) {
				if len(claimed) > 0 {
					l.store("ws")
					claimed, committed = claimed[1:], append(committed, claimed[0])
				}
			},
			"keep": func(t *rapid.T) {
				if len(committed) > 0 {
					committed[0].keep()
					committed = committed[1:]
				}
			},
			"fail": func(t *rapid.T) {
				if len(claimed) > 0 {
					claimed[0].drop()
					claimed = claimed[1:]
				}
			},
			"wait": func(t *rapid.T) {
				l.now = l.now.Add(time.Duration(rapid.IntRange(1, 6).Draw(t, "seconds")) * time.Second)
			},
			"": func(t *rapid.T) {
				if stored()+len(claimed) > limit {
					t.Fatalf("%d are stored and %d claimed of %d", stored(), len(claimed), limit)
				}
			},
		})
	})
}

// BenchmarkQuota is what the limit costs a request while the count is known.
func BenchmarkQuota(b *testing.B) {
	q := newQuota(func(context.Context, string, string) (int, error) { return 0, nil }, time.Now)
	b.ReportAllocs()
	b.RunParallel(func(pb *testing.PB) {
		for pb.Next() {
			claim, err := q.take(context.Background(), "ws", including(1_000_000_000))
			if err != nil {
				b.Fatal(err)
			}
			claim.keep()
		}
	})
}

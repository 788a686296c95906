package store_test

import (
	"context"
	"fmt"
	"path/filepath"
	"sync/atomic"
	"testing"

	"parley/store"
	"parley/store/people"
)

// BenchmarkGroupCommit runs small transactions of 64 callers at a time, which
// share commits, and of one caller, who has each to himself.
func BenchmarkGroupCommit(b *testing.B) {
	for _, callers := range []int{1, 64} {
		b.Run(fmt.Sprint(callers, " callers"), func(b *testing.B) {
			s, err := store.Open(b.Context(), store.SQLiteScheme+filepath.Join(b.TempDir(), "parley.db"))
			if err != nil {
				b.Fatal(err)
			}
			defer s.Close()
			var n atomic.Int64
			b.SetParallelism(callers)
			b.ResetTimer()
			b.RunParallel(func(pb *testing.PB) {
				for pb.Next() {
					id := fmt.Sprint("usr_", n.Add(1))
					err := s.InTx(b.Context(), func(ctx context.Context) error { return people.NewUsers(s).CreateUser(ctx, newUser(id)) })
					if err != nil {
						b.Error(err)
					}
				}
			})
		})
	}
}

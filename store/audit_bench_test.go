package store_test

import (
	"context"
	"fmt"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"

	"parley/core/audit"
	"parley/ent/scope"
	"parley/internal/pgtest"
	"parley/store"
)

// BenchmarkAudit appends entries, each in a transaction of its own: to one chain, to a chain
// for each writer, and, to compare with, by an insert without a chain.
func BenchmarkAudit(b *testing.B) {
	entry := audit.Entry{
		Actor: audit.Person("usr_1", "ada@example.com"), Action: audit.ChatbotChanged, Object: audit.Object{Kind: "chatbot", ID: "cb_1", Name: "Guide"},
		Changes: []audit.Change{{Field: "name", Old: "Old", New: "Guide"}, {Field: "instructions"}}, Origin: audit.Origin{Address: "192.0.2.1", RequestID: "req_1"}, At: epoch,
	}
	for name, url := range map[string]string{"sqlite": store.SQLiteScheme + filepath.Join(b.TempDir(), "parley.db"), "postgres": pgtest.New(b)} {
		b.Run(name, func(b *testing.B) {
			s, err := store.Open(b.Context(), url)
			if err != nil {
				b.Fatal(err)
			}
			defer s.Close()
			unchained := func(ctx context.Context, _ int) error {
				plain := entry
				plain.WorkspaceID = "ws_none"
				return s.InTx(ctx, func(ctx context.Context) error {
					return store.NewAuditEntry(s.Client(ctx), plain).Exec(scope.Workspace(ctx, plain.WorkspaceID))
				})
			}
			for _, writers := range []int{1, 16} {
				write(b, fmt.Sprintf("%d writers, no chain", writers), writers, unchained)
				write(b, fmt.Sprintf("%d writers, one chain", writers), writers, func(ctx context.Context, _ int) error { return s.AddAudit(ctx, "ws_one", entry) })
				write(b, fmt.Sprintf("%d writers, a chain each", writers), writers, func(ctx context.Context, writer int) error {
					return s.AddAudit(ctx, fmt.Sprint("ws_", writer), entry)
				})
			}
		})
	}
}

// Write has writers do something until it was done often enough.
func write(b *testing.B, name string, writers int, do func(ctx context.Context, writer int) error) {
	b.Run(name, func(b *testing.B) {
		if err := do(b.Context(), 0); err != nil {
			b.Fatal(err)
		}
		var done atomic.Int64
		var working sync.WaitGroup
		b.ResetTimer()
		for writer := range writers {
			working.Go(func() {
				for done.Add(1) <= int64(b.N) {
					if err := do(b.Context(), writer); err != nil {
						b.Error(err)
						return
					}
				}
			})
		}
		working.Wait()
		b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "entries/s")
	})
}

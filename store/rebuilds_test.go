package store_test

import (
	"fmt"
	"testing"
	"time"
)

func TestRebuilds(t *testing.T) {
	onBothDatabases(t, func(b *bundle) {
		ctx := b.Context()
		marks := func() string {
			got, err := b.Rebuilds(ctx)
			b.must(err)
			return fmt.Sprint(got)
		}
		later, err := b.BeginRebuild(ctx, epoch.Add(time.Hour))
		b.must(err)
		first, err := b.BeginRebuild(ctx, epoch)
		b.must(err)

		b.Run("each rebuild leaves a mark, the earliest comes first", func(t *testing.T) {
			want := fmt.Sprintf("[{%d %v} {%d %v}]", first, epoch, later, epoch.Add(time.Hour))
			if got := marks(); got != want || first == later {
				t.Errorf("got %s, want %s", got, want)
			}
		})
		b.Run("its end takes its mark away, and may be told twice", func(t *testing.T) {
			b.must(b.EndRebuild(ctx, first))
			b.must(b.EndRebuild(ctx, first))
			if got, want := marks(), fmt.Sprintf("[{%d %v}]", later, epoch.Add(time.Hour)); got != want {
				t.Errorf("got %s, want %s", got, want)
			}
		})
	})
}

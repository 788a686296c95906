package store_test

import (
	"bytes"
	"sync"
	"testing"

	"parley/store"
	"parley/store/servers"
)

func TestPublicIDKey(t *testing.T) {
	onBothDatabases(t, func(b *bundle) {
		b.Run("ten processes that start at once make one key, and the next start finds it", func(t *testing.T) {
			keys := make([][]byte, 10)
			var all sync.WaitGroup
			for i := range keys {
				all.Go(func() {
					s, err := store.Open(t.Context(), b.url)
					if err != nil {
						t.Error(err)
						return
					}
					defer s.Close()
					if keys[i], err = servers.NewInstallation(s).KeepPublicIDKey(t.Context(), bytes.Repeat([]byte{byte(i + 1)}, 32)); err != nil {
						t.Error(err)
					}
				})
			}
			all.Wait()
			later, err := b.KeepPublicIDKey(t.Context(), bytes.Repeat([]byte{99}, 32))
			if err != nil {
				t.Fatal(err)
			}
			for i, key := range keys {
				if len(key) != 32 || !bytes.Equal(key, later) {
					t.Errorf("process %d has another key than the next start", i)
				}
			}
		})
	})
}

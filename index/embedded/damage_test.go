package embedded

import (
	"os"
	"strings"
	"testing"

	"parley/core/retrieval"
	"parley/index/indextest"
)

// TestDamageWhileOpen damages the file under an open index. What was read before may be found
// still; nothing is ever found wrong, and an error names the file.
func TestDamageWhileOpen(t *testing.T) {
	const chatbots = 5
	for name, damage := range map[string]func(file *os.File, size int64) error{
		"is overwritten": func(file *os.File, size int64) error {
			_, err := file.WriteAt([]byte(strings.Repeat("no index ", int(size)/9)), 0)
			return err
		},
		"is overwritten behind its beginning": func(file *os.File, size int64) error {
			_, err := file.WriteAt([]byte(strings.Repeat("no index ", int(size-4096)/9)), 4096)
			return err
		},
		"is truncated":  func(file *os.File, _ int64) error { return file.Truncate(0) },
		"loses its end": func(file *os.File, size int64) error { return file.Truncate(size / 2) },
	} {
		t.Run("a file that "+name+" is an error, or found whole", func(t *testing.T) {
			index := openNew(t)
			var holdings []retrieval.Holding
			for n := range chatbots {
				put(t, index, n, "doc", int64(n+1), strings.Repeat("apples pears ", 200))
				holdings = append(holdings, retrieval.Holding{Scope: scope(n), Documents: 1, Passages: 1})
			}
			index.compactor.close()
			if emptied, err := index.write.checkpoint(t.Context()); err != nil || !emptied {
				t.Fatalf("%t, %v", emptied, err)
			}
			index.states.cache.clear()
			info, err := os.Stat(index.path)
			if err != nil {
				t.Fatal(err)
			}
			file, err := os.OpenFile(index.path, os.O_WRONLY, 0)
			if err != nil {
				t.Fatal(err)
			}
			defer file.Close()
			if err := damage(file, info.Size()); err != nil {
				t.Fatal(err)
			}
			names := func(err error) {
				t.Helper()
				if err != nil && !strings.Contains(err.Error(), index.path) && !strings.Contains(err.Error(), "parley reindex") {
					t.Errorf("the error is %v", err)
				}
			}
			for n := range chatbots {
				hits, err := index.Search(t.Context(), scope(n), retrieval.IndexQuery{Terms: indextest.Terms("apples"), Limit: 5})
				if names(err); err == nil && len(hits.Lexical) != 1 {
					t.Errorf("%d passages are found", len(hits.Lexical))
				}
			}
			lacking, err := index.Lacking(t.Context(), holdings)
			if names(err); err == nil && len(lacking) > 0 {
				t.Errorf("%v are lacking, and no error says why", lacking)
			}
		})
	}
}

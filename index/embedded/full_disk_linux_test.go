package embedded

import (
	"path/filepath"
	"strings"
	"testing"

	"parley/core/fault"
	"parley/index/indextest"
	"parley/internal/smalldisk"
)

func TestFullDisk(t *testing.T) {
	smalldisk.Run(t, "size=8m,nr_inodes=50", func(d *smalldisk.Disk) {
		path := filepath.Join(d.Dir, "index.db")
		index, err := Open(path)
		if err != nil {
			t.Fatal(err)
		}
		put(t, index, 1, "doc", 1, "apples")
		for what, take := range map[string]func() func(){"full": d.Fill, "without inodes": d.TakeInodes, "read-only": d.ReadOnly} {
			t.Run("the index opens on a disk that is "+what+", and finds", func(t *testing.T) {
				if err := index.Close(); err != nil {
					t.Fatal(err)
				}
				free := take()
				if index, err = Open(path); err != nil {
					free()
					t.Fatal(err)
				}
				if hits := found(t, index, 1, "apples"); len(hits) != 1 {
					t.Errorf("it finds %v", hits)
				}
				err := index.Replace(t.Context(), scope(1), "large", indextest.Entries("large", 2, strings.Repeat("x", 200_000)))
				if what != "without inodes" && !fault.IsOutOfStorage(err) {
					t.Errorf("a change is answered with %v", err)
				}
				if what == "read-only" { // it has the file open
					if err := index.Close(); err != nil {
						t.Error(err)
					}
				}
				free()
				if what == "read-only" {
					if index, err = Open(path); err != nil {
						t.Fatal(err)
					}
				}
				put(t, index, 1, "doc", 1, "apples")
			})
		}
		if err := index.Close(); err != nil {
			t.Error(err)
		}
	})
}

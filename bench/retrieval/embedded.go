package retrieval

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"parley/index/embedded"
)

// openEmbedded opens Parley on its own index.
func (b *bench) openEmbedded(_ context.Context, dir string) (*system, error) {
	dir, err := os.MkdirTemp(dir, "embedded")
	if err != nil {
		return nil, err
	}
	index, err := embedded.Open(filepath.Join(dir, "index.db"))
	if err != nil {
		return nil, err
	}
	p := newProduct(b.ports, index)
	return &system{
		name: Embedded, add: p.add, put: p.put, ask: p.ask,
		size:  func() (int64, error) { return bytesIn(dir) },
		close: func() error { return errors.Join(index.Close(), os.RemoveAll(dir)) },
	}, nil
}

// bytesIn adds up the files below a directory, some of which may disappear
// meanwhile.
func bytesIn(dir string) (bytes int64, err error) {
	err = filepath.WalkDir(dir, func(_ string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return ignoreMissing(err)
		}
		info, err := entry.Info()
		if err == nil {
			bytes += info.Size()
		}
		return ignoreMissing(err)
	})
	return bytes, err
}

func ignoreMissing(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

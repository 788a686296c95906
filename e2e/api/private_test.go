//go:build unix

package api

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"parley/app"
	"parley/e2e/harness"
)

// TestFilesArePrivate starts servers on a folder that others can read.
func TestFilesArePrivate(t *testing.T) {
	t.Parallel()
	all := func(w *harness.Instance, dir string) {
		w.Helper()
		w.Must(filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
			if err != nil || entry.Type()&fs.ModeSymlink != 0 {
				return err
			}
			info, err := entry.Info()
			if err == nil && info.Mode().Perm()&0o077 != 0 {
				w.Errorf("others have rights in %s: %o", path, info.Mode().Perm())
			}
			return err
		}))
	}
	dir := t.TempDir()
	in := func(c *app.Config) { c.DataDir = dir }

	t.Run("nobody else can read what a server makes", func(t *testing.T) {
		w := harness.Start(t, in)
		w.NewTenant("baker", "standard", harness.Opening)
		all(w, dir)
	})
	t.Run("nor what an older version left readable, and the log says so", func(t *testing.T) {
		for _, name := range []string{"parley.db", "index.db"} {
			if err := os.Chmod(filepath.Join(dir, name), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		if err := os.Chmod(dir, 0o755); err != nil {
			t.Fatal(err)
		}
		w := harness.Start(t, in)
		all(w, dir)
		if log := w.ServerLog.String(); !strings.Contains(log, "other users of this machine could read") || !strings.Contains(log, "parley.db") || !strings.Contains(log, "index.db") {
			t.Errorf("the log is %s", log)
		}
	})
	t.Run("a folder that holds other things keeps its mode", func(t *testing.T) {
		shared := t.TempDir()
		if err := os.Mkdir(filepath.Join(shared, "photos"), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.Chmod(shared, 0o755); err != nil {
			t.Fatal(err)
		}
		harness.Start(t, func(c *app.Config) { c.DataDir = shared })
		info, err := os.Stat(shared)
		if err != nil || info.Mode().Perm() != 0o755 {
			t.Errorf("its mode is %v, %v", info.Mode(), err)
		}
	})
}

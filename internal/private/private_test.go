//go:build unix

package private

import (
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"syscall"
	"testing"
)

func modeOf(t *testing.T, path string) fs.FileMode {
	t.Helper()
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	return info.Mode().Perm()
}

func TestPrivate(t *testing.T) {
	old := syscall.Umask(0) // for the whole process, so these tests are not parallel
	t.Cleanup(func() { syscall.Umask(old) })

	t.Run("new files belong to their owner alone, even without a umask", func(t *testing.T) {
		file := filepath.Join(t.TempDir(), "parley.db")
		if err := Database(file); err != nil {
			t.Fatal(err)
		}
		if mode := modeOf(t, file); mode != 0o600 {
			t.Errorf("the file has %o", mode)
		}
	})
	t.Run("open files are closed to others and reported, and keep their content", func(t *testing.T) {
		dir := t.TempDir()
		file, beside, own := filepath.Join(dir, "parley.db"), filepath.Join(dir, "parley.db-wal"), filepath.Join(dir, "own.db")
		for path, mode := range map[string]fs.FileMode{file: 0o644, beside: 0o666, own: 0o400} {
			if err := os.WriteFile(path, []byte("content"), mode); err != nil {
				t.Fatal(err)
			}
		}
		if err := os.Chmod(dir, 0o755); err != nil {
			t.Fatal(err)
		}
		opened, err := Tighten(append(WithDatabases(file, own), dir, filepath.Join(dir, "none"))...)
		if err != nil || !slices.Equal(opened, []string{file, beside, dir}) {
			t.Errorf("open were %v, %v", opened, err)
		}
		if modeOf(t, file) != 0o600 || modeOf(t, beside) != 0o600 || modeOf(t, dir) != 0o700 || modeOf(t, own) != 0o400 {
			t.Errorf("the modes are %o %o %o %o", modeOf(t, file), modeOf(t, beside), modeOf(t, dir), modeOf(t, own))
		}
		if content, err := os.ReadFile(file); string(content) != "content" || err != nil {
			t.Errorf("it has %q, %v", content, err)
		}
	})
}

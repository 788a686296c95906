package app

import (
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"parley/app/status"
	"parley/internal/diskspace"
	"parley/internal/private"
)

// ownNames are the prefixes of the files that Parley keeps in its data folder.
var ownNames = []string{"parley.db", "index.db", "secret", "server.lock", status.Name, diskspace.Prefix, "cache", "lost+found"}

// makePrivate creates the data folder, and revokes the rights of other users of
// the machine to files that an earlier version left there.
func makePrivate(config *Config, log *slog.Logger) error {
	if err := os.MkdirAll(config.DataDir, 0o700); err != nil {
		return fmt.Errorf("DATA_DIR must be a folder that this server may write to: %w", err)
	}
	databases := []string{config.IndexPath()}
	if path, isFile := strings.CutPrefix(config.Database(), "sqlite:"); isFile {
		path, _, _ = strings.Cut(path, "?")
		databases = append(databases, path)
	}
	paths := append(private.WithDatabases(databases...), config.KeyPath(), filepath.Join(config.DataDir, "cache"))
	if isParleys(config.DataDir) {
		paths = append(paths, config.DataDir)
	}
	open, err := private.Tighten(paths...)
	if len(open) > 0 {
		log.Warn("other users of this machine could read this server's files; now they cannot", "paths", open)
	}
	if err != nil {
		log.Error("other users of this machine may read this server's files: cannot change the mode", "error", err)
	}
	return nil
}

// isParleys reports whether a folder holds only Parley's files. The mode of a folder
// that others use is not changed.
func isParleys(dir string) bool {
	entries, err := os.ReadDir(dir)
	return err == nil && !slices.ContainsFunc(entries, func(entry os.DirEntry) bool {
		return !slices.ContainsFunc(ownNames, func(name string) bool { return strings.HasPrefix(entry.Name(), name) })
	})
}

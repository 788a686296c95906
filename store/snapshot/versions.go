package snapshot

import (
	"io/fs"
	"path"
	"slices"
	"strings"

	"parley/core/backup/archive"
	"parley/core/fault"
)

// names returns the names of migrations, in order.
func names(files fs.FS) []string {
	all, _ := fs.Glob(files, "*.sql") // fails for a malformed pattern only
	return all
}

// label is the name of a migration without its time: both databases have a file for a change, and
// may have written it at different times.
func label(name string) string {
	_, label, _ := strings.Cut(strings.TrimSuffix(name, ".sql"), "_")
	return label
}

// upTo returns the migrations of a kind of database that lead to the schema which a backup was made
// of. Some migrations exist for one kind of database alone.
func upTo(kind archive.Database, header archive.Header) (fs.FS, error) {
	if header.Database != archive.SQLite && header.Database != archive.PostgreSQL {
		return nil, fault.New(fault.Invalid, "This backup is of a database that this version of Parley does not know.")
	}
	there := names(filesOf(header.Database))
	for i, name := range header.Migrations {
		if i >= len(there) || there[i] != name {
			return nil, fault.New(fault.Invalid, "This backup was made by another version of Parley, %.40s: it has the migration %.80s. Use that version, or a later one.", header.Program, name)
		}
	}
	missing := labels(there[len(header.Migrations):])
	files := filesOf(kind)
	all := names(files)
	first := slices.IndexFunc(all, func(name string) bool { return slices.Contains(missing, label(name)) })
	if first < 0 {
		return files, nil
	}
	return some{files, all[:first]}, nil
}

// some has some of the files of another file system.
type some struct {
	fs.FS
	names []string
}

// Glob implements [fs.GlobFS].
func (s some) Glob(pattern string) (matches []string, err error) {
	for _, name := range s.names {
		matched, err := path.Match(pattern, name)
		if err != nil {
			return nil, err
		}
		if matched {
			matches = append(matches, name)
		}
	}
	return matches, nil
}

func labels(names []string) []string {
	all := make([]string, len(names))
	for i, name := range names {
		all[i] = label(name)
	}
	return all
}

// Package sqlitelog has SQLite open its files on a full disk.
package sqlitelog

import (
	"fmt"
	"strings"
	"sync"

	"modernc.org/sqlite"
)

const (
	// Kept is the option of a file whose log, and the log's index, stay when it is closed.
	// SQLite would remove them, and a full disk might not let it make them again. It
	// takes effect after [Keep].
	Kept = "_log=kept"
	// Alone is the option of a file that this process alone has open. SQLite then has the
	// index of the log in memory, and needs no room for it.
	Alone = "vfs=unix-excl"
)

// Keep makes connections heed the option [Kept].
var Keep = sync.OnceFunc(func() {
	sqlite.RegisterConnectionHook(func(conn sqlite.ExecQuerierContext, dsn string) error {
		if !strings.Contains(dsn, Kept) {
			return nil
		}
		control, ok := conn.(sqlite.FileControl)
		if !ok {
			return fmt.Errorf("a %T does not let files keep their logs", conn)
		}
		_, err := control.FileControlPersistWAL("main", 1)
		return err
	})
})

package store

import (
	"fmt"
	"sync"

	"modernc.org/libc"
	sqlite "modernc.org/sqlite/lib"
)

// savepointMemory is how much of a savepoint SQLite keeps in memory, in bytes: the
// pages as they were before. Beyond it a temporary file is written. A question and an
// answer change a little over 16 pages, which is SQLite's own limit of 64 KiB; the
// system calls for the file took a tenth of the time of a question.
//
// SQLite writes such a file in pieces of this size, and writes no more than 128 KiB less
// a byte at once. Of a piece of 1 MiB it would write nothing, and take the disk for full:
// no statement could change more than that.
const savepointMemory = 120 << 10

// keepSavepoints sets savepointMemory for all connections of the process. SQLite
// allows it before the first of them alone, so whoever opened one has to do without.
var keepSavepoints = sync.OnceValue(func() error {
	tls := libc.NewTLS()
	defer tls.Close()
	args := libc.NewVaList(int32(savepointMemory))
	defer libc.Xfree(tls, args)
	switch code := sqlite.Xsqlite3_config(tls, sqlite.SQLITE_CONFIG_STMTJRNL_SPILL, args); code {
	case sqlite.SQLITE_OK, sqlite.SQLITE_MISUSE:
		return nil
	default:
		return fmt.Errorf("SQLite refuses %d bytes for savepoints (code %d)", savepointMemory, code)
	}
})

// Package archive owns the file of a backup: how it is written and read. A file is one stream,
// a tar compressed with zstd, so that zstd and tar show an operator what is in it:
//
//	parley-backup.json          what the file holds, and the sealed keys
//	rows/<table>/<number>.jsonl rows of a table, one JSON array a line
//	end.json                    rows and SHA-256 of each table, and of the whole
//
// Both databases write the same: text, integers, times, bytes and JSON have one form each
// (see [AppendRow]). A file without its end is not a backup. The keys of the installation are
// sealed with a passphrase, and so is the end, which shows who knows the passphrase that nobody
// has changed the file. Nothing else is encrypted.
//
// The package does not own where rows come from and go to (package store/snapshot), nor when a
// file may be restored (package backup).
package archive

import (
	"crypto/sha256"
	"encoding/hex"
	"hash"
	"io"
	"strconv"
	"time"

	"parley/core/fault"
)

// Format is the version of the file's form. A program reads files of its own version and of
// those before it.
const Format = 1

// Names of the entries.
const (
	headerName = "parley-backup.json"
	endName    = "end.json"
	rowsFolder = "rows/"
	rowsEnding = ".jsonl"
)

// Bounds of a file, which may come from anybody.
const (
	maxHeader = 4 << 20
	maxTables = 1_000
	// maxRow is the longest row as it is written. The longest of Parley's own is a file that
	// waits to be read, of 20 MiB, in base64.
	maxRow = 64 << 20
	// portion is how much of a table an entry has, at least, unless it is the last.
	portion  = 1 << 20
	maxEntry = maxRow + portion
	// window bounds what zstd looks back at, and so the memory that a file can ask for.
	window = 8 << 20
)

// Header says what a file holds.
type Header struct {
	Format int `json:"format"`
	// Program is the version of the program that made the file.
	Program string    `json:"program"`
	MadeAt  time.Time `json:"made_at"`
	// Database is the kind of database that the rows come from.
	Database Database `json:"database"`
	// Migrations are the names of those that the database had, in order.
	Migrations []string `json:"migrations"`
	// Tables are in the order in which they can be filled: a row comes after those that it refers to.
	Tables []Table    `json:"tables"`
	Keys   SealedKeys `json:"keys"`
}

// Database is a kind of database.
type Database string

// The kinds of databases.
const (
	SQLite     Database = "sqlite"
	PostgreSQL Database = "postgresql"
)

// Table describes the rows of a table.
type Table struct {
	Name    string   `json:"name"`
	Columns []Column `json:"columns"`
	Rows    int64    `json:"rows"`
	// Numbered is the highest number that the database has given to a row, or zero where it gives none.
	Numbered int64 `json:"numbered,omitzero"`
	// Sealed says that the rows are with the keys.
	Sealed bool `json:"sealed,omitzero"`
}

// Column is a column of a table.
type Column struct {
	Name string `json:"name"`
	Type Type   `json:"type"`
}

// Type is what the values of a column are, in either database.
type Type string

// The types of columns, and the Go types of their values. Every value may be nil.
const (
	Text    Type = "text"    // string
	Integer Type = "integer" // int64
	Real    Type = "real"    // float64
	Boolean Type = "boolean" // bool
	Time    Type = "time"    // time.Time, in UTC
	Bytes   Type = "bytes"   // []byte
	JSON    Type = "json"    // string
)

var types = []Type{Text, Integer, Real, Boolean, Time, Bytes, JSON}

// End is the last entry of a file.
type End struct {
	Tables []Sum `json:"tables"`
	// SHA256 is of all entries before this one, with their names and lengths.
	SHA256 string `json:"sha256"`
	// Seal is the HMAC-SHA-256 of SHA256 with a key from the passphrase.
	Seal string `json:"seal"`
}

// Sum counts and hashes the rows of a table.
type Sum struct {
	Name   string `json:"name"`
	Rows   int64  `json:"rows"`
	SHA256 string `json:"sha256"`
}

// digest is the hash of entries.
type digest struct{ hash.Hash }

func newDigest() digest { return digest{sha256.New()} }

// begin adds the name and the length of an entry, whose content follows.
func (d digest) begin(name string, length int64) {
	_, _ = io.WriteString(d, name+"\n"+strconv.FormatInt(length, 10)+"\n") // never fails
}

func (d digest) text() string { return hex.EncodeToString(d.Sum(nil)) }

// entryName is the name of the nth entry of a table's rows, from 1.
func entryName(table string, n int) string {
	number := strconv.Itoa(n)
	for len(number) < 6 {
		number = "0" + number
	}
	return rowsFolder + table + "/" + number + rowsEnding
}

// Sentences about files that cannot be read.
var (
	errForeign  = fault.New(fault.Invalid, "This file is not a backup of Parley.")
	errCut      = fault.New(fault.Invalid, "The backup is incomplete: the file ends too early. It was cut off while it was made or copied.")
	errBehind   = fault.New(fault.Invalid, "The backup is damaged: something stands behind its end.")
	errTooLarge = fault.New(fault.Invalid, "The backup is damaged: a part of it is larger than any that Parley makes.")
)

// damaged is the error of a file that contradicts itself.
func damaged(format string, args ...any) error {
	return fault.New(fault.Invalid, "The backup is damaged: "+format, args...)
}

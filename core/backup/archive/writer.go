package archive

import (
	"archive/tar"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/klauspost/compress/zstd"
)

// Writer writes a file. It holds a portion of a table in memory, or a row if that is longer.
type Writer struct {
	header  Header
	key     *Key
	packed  *zstd.Encoder
	entries *tar.Writer
	whole   digest
	sums    []Sum

	// The table that is being written: its place in the header, the rows that wait, their
	// number so far, and the number of entries.
	at      int
	table   digest
	waiting []byte
	rows    int64
	written int
}

// NewWriter writes the header, with the keys sealed.
func NewWriter(to io.Writer, header Header, key *Key, secrets Secrets) (*Writer, error) {
	packed, err := zstd.NewWriter(to, zstd.WithEncoderConcurrency(1), zstd.WithWindowSize(window), zstd.WithEncoderCRC(true))
	if err != nil {
		return nil, err
	}
	w := &Writer{header: header, key: key, packed: packed, entries: tar.NewWriter(packed), whole: newDigest(), table: newDigest()}
	w.header.Format = Format
	if w.header.Keys, err = key.seal(secrets); err != nil {
		return nil, err
	}
	content, err := json.Marshal(w.header, jsontext.WithIndent("  "))
	if err != nil {
		return nil, err
	}
	w.skip()
	return w, w.entry(headerName, content)
}

// entry writes an entry.
func (w *Writer) entry(name string, content []byte) error {
	w.whole.begin(name, int64(len(content)))
	_, _ = w.whole.Write(content) // never fails
	head := &tar.Header{Typeflag: tar.TypeReg, Name: name, Size: int64(len(content)), Mode: 0o600, ModTime: w.header.MadeAt.Truncate(time.Second), Format: tar.FormatUSTAR}
	if err := w.entries.WriteHeader(head); err != nil {
		return err
	}
	_, err := w.entries.Write(content)
	return err
}

// Row writes a row of the next table.
func (w *Writer) Row(values []any) error {
	table := w.header.Tables[w.at]
	rest := len(w.waiting)
	line, err := AppendRow(w.waiting, table.Columns, values)
	if err != nil {
		return fmt.Errorf("table %s, row %d: %w", table.Name, w.rows+1, err)
	}
	_, _ = w.table.Write(line[rest:]) // never fails
	w.waiting = line
	w.rows++
	if len(w.waiting) < portion {
		return nil
	}
	return w.flush()
}

// flush writes the rows that wait.
func (w *Writer) flush() error {
	if len(w.waiting) == 0 {
		return nil
	}
	w.written++
	err := w.entry(entryName(w.header.Tables[w.at].Name, w.written), w.waiting)
	w.waiting = w.waiting[:0]
	if cap(w.waiting) > 4*portion { // a long row is not kept
		w.waiting = nil
	}
	return err
}

// EndTable ends the table, which has as many rows as the header says. The next row is of the next
// table.
func (w *Writer) EndTable() error {
	table := w.header.Tables[w.at]
	if err := w.flush(); err != nil {
		return err
	}
	if w.rows != table.Rows {
		return fmt.Errorf("table %s has %d rows, and %d were read", table.Name, table.Rows, w.rows)
	}
	w.sums = append(w.sums, Sum{table.Name, w.rows, w.table.text()})
	w.at, w.rows, w.written, w.table = w.at+1, 0, 0, newDigest()
	w.skip()
	return nil
}

// skip passes over tables whose rows are sealed.
func (w *Writer) skip() {
	for w.at < len(w.header.Tables) && w.header.Tables[w.at].Sealed {
		w.at++
	}
}

// Close writes the end.
func (w *Writer) Close() error {
	if w.at != len(w.header.Tables) {
		return errors.New("the backup ends before its last table")
	}
	end := End{Tables: w.sums, SHA256: w.whole.text()}
	end.Seal = w.key.sign(end)
	content, err := json.Marshal(end, jsontext.WithIndent("  "))
	if err != nil {
		return err
	}
	if err := w.entry(endName, content); err != nil {
		return err
	}
	return errors.Join(w.entries.Close(), w.packed.Close())
}

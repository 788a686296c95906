package archive

import (
	"archive/tar"
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"slices"

	"github.com/go-json-experiment/json"
	"github.com/klauspost/compress/zstd"

	"parley/core/fault"
)

// Reader reads a file from its beginning to its end, and believes none of it before that. It
// holds a row in memory.
type Reader struct {
	// Header is what the file says that it holds.
	Header Header

	plain   io.Reader
	close   func()
	entries *tar.Reader
	whole   digest
	key     *Key
	secrets Secrets

	// The table that is being read: its place in the header, what is left of an entry, and
	// what was read so far.
	at      int
	lines   *bufio.Reader
	left    int64
	entry   int
	rows    int64
	table   digest
	sums    []Sum
	pending *tar.Header // of an entry that is not the table's
}

// zstdMagic begins what zstd has written (RFC 8878).
const zstdMagic = "\x28\xb5\x2f\xfd"

// NewReader reads the header. Without a passphrase the keys stay sealed, and it cannot be told
// whether somebody changed the file.
func NewReader(from io.Reader, passphrase string) (*Reader, error) {
	begin := bufio.NewReaderSize(from, 64<<10)
	magic, err := begin.Peek(len(zstdMagic))
	if err != nil && err != io.EOF {
		return nil, readError(err)
	}
	if string(magic) != zstdMagic {
		return nil, errForeign
	}
	packed, err := zstd.NewReader(begin, zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true), zstd.WithDecoderMaxWindow(window))
	if err != nil {
		return nil, err
	}
	r, err := newReader(packed, passphrase)
	if err != nil {
		packed.Close()
		return nil, err
	}
	r.close = packed.Close
	return r, nil
}

// newReader reads what zstd has unpacked.
func newReader(plain io.Reader, passphrase string) (*Reader, error) {
	r := &Reader{plain: plain, entries: tar.NewReader(plain), whole: newDigest(), table: newDigest(), close: func() {}}
	return r, r.readHeader(passphrase)
}

// Close releases memory. It does not close what is read from.
func (r *Reader) Close() { r.close() }

func (r *Reader) readHeader(passphrase string) error {
	head, err := r.entries.Next()
	if err == io.EOF || errors.Is(err, tar.ErrHeader) || err == nil && head.Name != headerName {
		return errForeign
	}
	if err != nil {
		return readError(err)
	}
	content, err := r.content(head, maxHeader)
	if err != nil {
		return readError(err)
	}
	var version struct {
		Format int `json:"format"`
	}
	if json.Unmarshal(content, &version) != nil || version.Format < 1 {
		return errForeign
	}
	if version.Format > Format {
		return fault.New(fault.Invalid, "This backup was made by a newer version of Parley, in format %d. Use that version, or a later one.", version.Format)
	}
	if err := json.Unmarshal(content, &r.Header); err != nil {
		return damaged("what it says about itself cannot be read.")
	}
	if err := r.Header.check(); err != nil {
		return err
	}
	r.skip()
	if passphrase == "" {
		return nil
	}
	if r.key, err = keyOf(passphrase, r.Header.Keys); err != nil {
		return err
	}
	r.secrets, err = r.key.open(r.Header.Keys.Sealed)
	return err
}

func (h Header) check() error {
	if len(h.Tables) > maxTables || len(h.Migrations) > 10*maxTables || len(h.Migrations) == 0 {
		return damaged("it has more tables than any database of Parley, or none.")
	}
	names := map[string]bool{}
	for _, table := range h.Tables {
		if names[table.Name] || !plainName(table.Name) || table.Rows < 0 || table.Numbered < 0 || len(table.Columns) == 0 {
			return damaged("the table %q cannot be one of Parley's.", table.Name)
		}
		names[table.Name] = true
		for _, column := range table.Columns {
			if !plainName(column.Name) || !slices.Contains(types, column.Type) {
				return damaged("the column %q of the table %s cannot be one of Parley's.", column.Name, table.Name)
			}
		}
	}
	return nil
}

// plainName reports whether a name is of small letters, digits and underscores: it is no path.
func plainName(name string) bool {
	plain := func(c byte) bool { return c >= 'a' && c <= 'z' || c >= '0' && c <= '9' || c == '_' }
	for i := range len(name) {
		if !plain(name[i]) {
			return false
		}
	}
	return name != "" && len(name) <= 63
}

// ServerKeys returns the keys that the server encrypted with.
func (r *Reader) ServerKeys() []string { return r.secrets.ServerKeys }

// skip passes over sealed tables.
func (r *Reader) skip() {
	for r.at < len(r.Header.Tables) && r.Header.Tables[r.at].Sealed {
		r.at++
	}
}

// Table returns the rows of a table, one after the other, and io.EOF after the last. Tables are
// read in the order of the header, each to its end.
func (r *Reader) Table(table Table) (next func() ([]any, error), err error) {
	if table.Sealed {
		return r.sealedRows(table)
	}
	if r.at >= len(r.Header.Tables) || r.Header.Tables[r.at].Name != table.Name {
		return nil, errors.New("tables are read in the order of the header")
	}
	return func() ([]any, error) { return r.row(table) }, nil
}

func (r *Reader) sealedRows(table Table) (next func() ([]any, error), err error) {
	rows := r.secrets.Rows[table.Name]
	if int64(len(rows)) != table.Rows {
		return nil, damaged("its keys are not all there.")
	}
	return func() ([]any, error) {
		if len(rows) == 0 {
			return nil, io.EOF
		}
		values, err := parseRow([]byte(rows[0]), table.Columns)
		rows = rows[1:]
		if err != nil {
			return nil, damaged("its keys cannot be read.")
		}
		return values, nil
	}, nil
}

func (r *Reader) row(table Table) ([]any, error) {
	for r.left == 0 {
		more, err := r.nextEntry(table)
		if err != nil {
			return nil, err
		}
		if !more {
			return nil, r.endTable(table)
		}
	}
	line, err := r.line()
	if err != nil {
		return nil, err
	}
	if r.rows++; r.rows > table.Rows {
		return nil, damaged("the table %s has more rows than the %d that it announces.", table.Name, table.Rows)
	}
	values, err := parseRow(line, table.Columns)
	if err != nil {
		return nil, damaged("row %d of the table %s cannot be read: %v.", r.rows, table.Name, err)
	}
	return values, nil
}

// nextEntry goes to the next entry of the table, if it is the next in the file.
func (r *Reader) nextEntry(table Table) (more bool, err error) {
	head, err := r.head()
	if err != nil {
		return false, err
	}
	if head.Name != entryName(table.Name, r.entry+1) {
		r.pending = head
		return false, nil
	}
	if head.Size == 0 || head.Size > maxEntry {
		return false, errTooLarge
	}
	r.entry++
	r.left = head.Size
	r.whole.begin(head.Name, head.Size)
	if r.lines == nil {
		r.lines = bufio.NewReaderSize(r.entries, 64<<10)
	} else {
		r.lines.Reset(r.entries)
	}
	return true, nil
}

// head returns the header of the next entry, which is a plain file.
func (r *Reader) head() (*tar.Header, error) {
	if r.pending != nil {
		head := r.pending
		r.pending = nil
		return head, nil
	}
	head, err := r.entries.Next()
	switch {
	case err == io.EOF:
		return nil, errCut
	case err != nil:
		return nil, readError(err)
	case head.Typeflag != tar.TypeReg || head.Size < 0:
		return nil, damaged("it has an entry that is no file.")
	}
	return head, nil
}

// line reads a line, with its line feed, and adds it to the sums. It is valid until the next one.
func (r *Reader) line() ([]byte, error) {
	line, err := r.lines.ReadSlice('\n')
	if errors.Is(err, bufio.ErrBufferFull) {
		whole := bytes.Clone(line)
		for errors.Is(err, bufio.ErrBufferFull) && len(whole) <= maxRow {
			line, err = r.lines.ReadSlice('\n')
			whole = append(whole, line...)
		}
		line = whole
	}
	if len(line) > maxRow {
		return nil, errTooLarge
	}
	if err == io.EOF {
		return nil, damaged("a row has no end.")
	}
	if err != nil {
		return nil, readError(err)
	}
	_, _ = r.table.Write(line) // never fails
	_, _ = r.whole.Write(line)
	r.left -= int64(len(line))
	return line, nil
}

func (r *Reader) endTable(table Table) error {
	if r.rows != table.Rows {
		return damaged("the table %s has %d rows of the %d that it announces.", table.Name, r.rows, table.Rows)
	}
	r.sums = append(r.sums, Sum{table.Name, r.rows, r.table.text()})
	r.at, r.rows, r.entry, r.table = r.at+1, 0, 0, newDigest()
	r.skip()
	return io.EOF
}

// End reads the end, after all tables, and compares the file with what that says.
func (r *Reader) End() error {
	if r.at != len(r.Header.Tables) {
		return errors.New("the end is read after all tables")
	}
	head, err := r.head()
	if err != nil {
		return err
	}
	if head.Name != endName {
		return damaged("it has an entry %.60q that does not belong there.", head.Name)
	}
	whole := r.whole.text()
	content, err := r.content(head, maxHeader)
	if err != nil {
		return readError(err)
	}
	var end End
	if err := json.Unmarshal(content, &end); err != nil {
		return damaged("its end cannot be read.")
	}
	if err := r.compare(end, whole); err != nil {
		return err
	}
	if _, err := r.entries.Next(); err != io.EOF {
		return errBehind
	}
	n, err := io.Copy(io.Discard, io.LimitReader(r.plain, maxHeader))
	if err != nil || n != 0 {
		return errBehind
	}
	return nil
}

func (r *Reader) compare(end End, whole string) error {
	if r.key != nil && !r.key.signed(end) {
		return damaged("somebody who does not know the passphrase has changed it.")
	}
	if len(end.Tables) != len(r.sums) {
		return damaged("its end names other tables.")
	}
	for i, sum := range r.sums {
		if end.Tables[i] != sum {
			return damaged("the rows of the table %s are not those that were written.", sum.Name)
		}
	}
	if end.SHA256 != whole {
		return damaged("its content is not what was written.")
	}
	return nil
}

// content reads an entry as a whole.
func (r *Reader) content(head *tar.Header, limit int64) ([]byte, error) {
	if head.Typeflag != tar.TypeReg || head.Size < 0 || head.Size > limit {
		return nil, errTooLarge
	}
	content, err := io.ReadAll(io.LimitReader(r.entries, limit))
	if err != nil {
		return nil, err
	}
	if int64(len(content)) != head.Size {
		return nil, errCut
	}
	r.whole.begin(head.Name, head.Size)
	_, _ = r.whole.Write(content) // never fails
	return content, nil
}

// readError tells a file that ends too early from one that was changed.
func readError(err error) error {
	var known *fault.Error
	switch {
	case errors.As(err, &known):
		return err
	case errors.Is(err, io.ErrUnexpectedEOF), err == io.EOF:
		return errCut
	}
	var ofSystem *fs.PathError
	if errors.As(err, &ofSystem) {
		return fmt.Errorf("the backup cannot be read: %w", err)
	}
	return fault.Wrap(fault.Invalid, err, "The backup is damaged: a part of it cannot be read.")
}

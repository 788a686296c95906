package export

import (
	"bytes"
	"io"
	"iter"

	"parley/core/audit"
)

// Format is how entries are exported.
type Format string

// The formats.
const (
	CSV   Format = "csv"
	JSONL Format = "jsonl"
)

// atOnce is about how many bytes are written before they are read.
const atOnce = 32 << 10

// Reader reads entries as text. It asks for entries when it is read on, and holds a few
// at a time. An error ends it in the middle.
type Reader struct {
	next  func() (audit.Entry, error, bool)
	stop  func()
	write func(io.Writer, audit.Entry) error
	text  bytes.Buffer
	ended error
}

// NewReader returns a reader of entries, which its caller closes.
func NewReader(entries iter.Seq2[audit.Entry, error], format Format) *Reader {
	r := &Reader{write: WriteJSON}
	r.next, r.stop = iter.Pull2(entries)
	if format == CSV {
		r.write = WriteCSV
		_ = WriteHead(&r.text) // to memory
	}
	return r
}

// Read implements [io.Reader].
func (r *Reader) Read(into []byte) (int, error) {
	for r.ended == nil && r.text.Len() < atOnce {
		entry, err, more := r.next()
		switch {
		case !more:
			r.ended = io.EOF
		case err != nil:
			r.ended = err
		default:
			r.ended = r.write(&r.text, entry)
		}
	}
	if r.text.Len() > 0 {
		return r.text.Read(into)
	}
	return 0, r.ended
}

// Close implements [io.Closer].
func (r *Reader) Close() error {
	r.stop()
	return nil
}

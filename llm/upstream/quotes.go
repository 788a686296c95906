package upstream

import (
	"bytes"
	"io"
)

// WithoutQuotes returns a writer for the log of the standard library: it ends each
// line before its first quotation mark. net/http quotes there what a server sends on
// an idle connection, which may repeat a question or a key.
func WithoutQuotes(to io.Writer) io.Writer { return withoutQuotes{to} }

type withoutQuotes struct{ to io.Writer }

// Write takes a whole line, as package log writes it.
func (w withoutQuotes) Write(line []byte) (int, error) {
	said, _, quotes := bytes.Cut(line, []byte(`"`))
	if quotes {
		said = append(bytes.Clone(said), "...\n"...)
	}
	if _, err := w.to.Write(said); err != nil {
		return 0, err
	}
	return len(line), nil
}

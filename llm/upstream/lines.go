package upstream

import (
	"bytes"
	"io"
	"sync"
)

const (
	// firstBuffer holds two to six lines of the usual size, and is all that
	// most streams need. bufio.Scanner would start with 4 KiB.
	firstBuffer = 1 << 10
	// maxLine bounds how much of one line a server can make this process hold.
	maxLine = 1<<20 + 64<<10
	// maxStream bounds what a server can make this process read for one answer, of
	// which it may give nothing. The events of 100,000 tokens have some 30 MiB.
	maxStream = 48 << 20
)

var buffers = sync.Pool{New: func() any { return new([firstBuffer]byte) }}

// Lines reads the data lines of an event stream (HTML Living Standard, 9.2.6). It
// skips other fields and comments. It treats each data line as a separate event,
// which is how model servers send them.
type Lines struct {
	source io.Reader
	first  *[firstBuffer]byte
	buffer []byte
	// buffer[start:end] is read but not returned yet. Its first seen bytes
	// contain no line break.
	start, end, seen int
	// total counts the bytes of the stream that were read.
	total int
	err   error
}

// NewLines returns the lines of a stream. They hold a buffer until [Lines.Free].
func NewLines(source io.Reader) *Lines {
	first := buffers.Get().(*[firstBuffer]byte)
	return &Lines{source: source, first: first, buffer: first[:]}
}

// Free returns the buffer to the pool. The last line returned becomes invalid.
func (l *Lines) Free() {
	buffers.Put(l.first)
	l.first, l.buffer = nil, nil
}

// NextData returns the data of the next data line, valid until the next call and
// never empty, or the error that ended the stream: io.EOF at a normal end. A line
// of more than 1 MiB and some is an error, and so is a stream of more than 48 MiB.
func (l *Lines) NextData() ([]byte, error) {
	for {
		line, err := l.next()
		if err != nil {
			return nil, err
		}
		line = bytes.TrimPrefix(line, []byte("\ufeff")) // The first may begin with a byte order mark.
		data, found := bytes.CutPrefix(line, []byte("data:"))
		if !found {
			continue
		}
		if data = bytes.TrimSpace(data); len(data) > 0 {
			return data, nil
		}
	}
}

// next returns the next line, which a line feed, a carriage return, or both end. An
// empty line may follow one that ends in both.
func (l *Lines) next() ([]byte, error) {
	for {
		unread := l.buffer[l.start:l.end]
		unseen := unread[l.seen:]
		at := bytes.IndexByte(unseen, '\n')
		if at >= 0 {
			unseen = unseen[:at]
		}
		if before := bytes.IndexByte(unseen, '\r'); before >= 0 {
			at = before
		}
		if at >= 0 {
			line := unread[:l.seen+at]
			l.start += len(line) + 1
			l.seen = 0
			return line, nil
		}
		l.seen = len(unread)
		if l.err != nil {
			return l.last(unread)
		}
		if err := l.fill(); err != nil {
			return nil, err
		}
	}
}

// last returns what a stream holds after its last line break.
func (l *Lines) last(unread []byte) ([]byte, error) {
	if l.err != io.EOF || len(unread) == 0 {
		return nil, l.err
	}
	l.start, l.seen = l.end, 0
	return unread, nil
}

func (l *Lines) fill() error {
	if l.start > 0 {
		l.end = copy(l.buffer, l.buffer[l.start:l.end])
		l.start = 0
	}
	if l.end == len(l.buffer) {
		if l.end >= maxLine {
			return errLongLine
		}
		l.buffer = append(l.buffer, make([]byte, min(len(l.buffer), maxLine-len(l.buffer)))...)
	}
	if l.total >= maxStream {
		return errLongStream
	}
	var read int
	read, l.err = l.source.Read(l.buffer[l.end:])
	l.end += read
	l.total += read
	return nil
}

package harness

import (
	"io"
	"time"
)

// HasEnded fails the test unless the server has closed the connection with
// nothing more to read.
func (l *Line) HasEnded() {
	l.Helper()
	if rest, err := io.ReadAll(l.In); err != nil || len(rest) > 0 {
		l.Errorf("there is more: %q, %v", rest, err)
	}
}

// HasNothing fails the test if an answer has come that nobody asked for.
func (l *Line) HasNothing() {
	l.Helper()
	_ = l.SetReadDeadline(time.Now().Add(time.Millisecond))
	if rest, _ := io.ReadAll(l.In); len(rest) > 0 {
		l.Errorf("there is more: %q", rest)
	}
}

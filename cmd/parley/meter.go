package main

import (
	"fmt"
	"io"
	"time"
)

// How often a meter shows where it is: on a terminal, which it writes over, and elsewhere.
const (
	showEvery  = 200 * time.Millisecond
	printEvery = 5 * time.Second
)

// meter shows how far a command is.
type meter struct {
	to           io.Writer
	live, on     bool
	begun, shown time.Time
	wrote        bool
}

// newMeter shows on a terminal, or where it is told to.
func newMeter(to io.Writer, always bool) *meter {
	live := isTerminal(to)
	return &meter{to: to, live: live, on: live || always, begun: time.Now(), shown: time.Now()}
}

// show tells how much of how much is done, and how long the rest will take. Of may be
// unknown: zero.
func (m *meter) show(done, of int64, what string) {
	every := printEvery
	if m.live {
		every = showEvery
	}
	if !m.on || time.Since(m.shown) < every {
		return
	}
	m.shown = time.Now()
	if done > 0 && of >= done {
		left := time.Duration(float64(time.Since(m.begun)) / float64(done) * float64(of-done))
		what += fmt.Sprintf(", %d %%, %s left", 100*done/of, left.Round(time.Second))
	}
	if m.live {
		fmt.Fprint(m.to, "\r\033[K", what)
		m.wrote = true
		return
	}
	fmt.Fprintln(m.to, what)
}

// end takes the last line away from a terminal.
func (m *meter) end() {
	if m.wrote {
		fmt.Fprint(m.to, "\r\033[K")
	}
}

// size is a number of bytes for people.
func size(bytes int64) string {
	const unit = 1000
	if bytes < unit {
		return fmt.Sprintf("%d bytes", bytes)
	}
	value, units := float64(bytes)/unit, "kMGTP"
	for value >= unit && len(units) > 1 {
		value, units = value/unit, units[1:]
	}
	return fmt.Sprintf("%.1f %cB", value, units[0])
}

type countedWriter struct {
	to io.Writer
	n  int64
}

// Write counts what is written.
func (c *countedWriter) Write(p []byte) (int, error) {
	n, err := c.to.Write(p)
	c.n += int64(n)
	return n, err
}

type countedReader struct {
	from io.Reader
	n    int64
	tell func()
}

// Read counts what is read.
func (c *countedReader) Read(p []byte) (int, error) {
	n, err := c.from.Read(p)
	c.n += int64(n)
	c.tell()
	return n, err
}

package terminal

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

// Meter shows how far a command is.
type Meter struct {
	to           io.Writer
	live, on     bool
	begun, shown time.Time
	wrote        bool
}

// NewMeter shows on a terminal, or where it is told to.
func NewMeter(to io.Writer, always bool) *Meter {
	live := Is(to)
	return &Meter{to: to, live: live, on: live || always, begun: time.Now(), shown: time.Now()}
}

// Show tells how much of how much is done, and how long the rest will take. Of may be
// unknown: zero.
func (m *Meter) Show(done, of int64, what string) {
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

// End takes the last line away from a terminal.
func (m *Meter) End() {
	if m.wrote {
		fmt.Fprint(m.to, "\r\033[K")
	}
}

// Size is a number of bytes for people.
func Size(bytes int64) string {
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

// CountedWriter counts the bytes that go through it.
type CountedWriter struct {
	To io.Writer
	N  int64
}

// Write counts what is written.
func (c *CountedWriter) Write(p []byte) (int, error) {
	n, err := c.To.Write(p)
	c.N += int64(n)
	return n, err
}

// CountedReader counts the bytes that go through it, and tells of them.
type CountedReader struct {
	From io.Reader
	N    int64
	Tell func()
}

// Read counts what is read.
func (c *CountedReader) Read(p []byte) (int, error) {
	n, err := c.From.Read(p)
	c.N += int64(n)
	c.Tell()
	return n, err
}

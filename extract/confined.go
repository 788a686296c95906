package extract

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"strings"
	"sync"
	"time"

	"parley/core/knowledge"
	"parley/internal/health"
)

// ownWords are what the file says that a server reads at its start.
const ownWords = "Readers of files work."

// ownPDF is that file. It has one page and a font that every reader knows.
var ownPDF = makeOwnPDF()

func makeOwnPDF() []byte {
	var b strings.Builder
	var offsets []int
	b.WriteString("%PDF-1.4\n")
	page := "BT /F 12 Tf 72 720 Td (" + ownWords + ") Tj ET"
	for i, object := range []string{
		"<< /Type /Catalog /Pages 2 0 R >>",
		"<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
		"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents 4 0 R /Resources << /Font << /F 5 0 R >> >> >>",
		fmt.Sprintf("<< /Length %d >>\nstream\n%s\nendstream", len(page), page),
		"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>",
	} {
		offsets = append(offsets, b.Len())
		fmt.Fprintf(&b, "%d 0 obj\n%s\nendobj\n", i+1, object)
	}
	start := b.Len()
	fmt.Fprintf(&b, "xref\n0 %d\n0000000000 65535 f \n", len(offsets)+1)
	for _, offset := range offsets {
		fmt.Fprintf(&b, "%010d 00000 n \n", offset)
	}
	fmt.Fprintf(&b, "trailer\n<< /Size %d /Root 1 0 R >>\nstartxref\n%d\n%%%%EOF\n", len(offsets)+1, start)
	return []byte(b.String())
}

// killedFor is how long a reader that was killed counts.
const killedFor = 5 * time.Minute

// kills are the readers that neither ended by themselves nor were stopped by this process.
type kills struct {
	mu   sync.Mutex
	at   []time.Time
	last string
}

// note counts a reader that a signal of somebody else's ended: a filter of system calls around
// the server, or the system that was out of memory. What a document can bring about has other
// signals.
func (k *kills) note(err error) {
	var exit *exec.ExitError
	if !errors.As(err, &exit) {
		return
	}
	signal := killedBy(exit.ProcessState)
	if signal == "" {
		return
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	k.at, k.last = append(k.at, time.Now()), signal
	if len(k.at) > 1000 {
		k.at = k.at[1:]
	}
}

// recent returns how many were killed lately, and by which signal the last one was.
func (k *kills) recent() (n int, last string) {
	k.mu.Lock()
	defer k.mu.Unlock()
	for len(k.at) > 0 && time.Since(k.at[0]) > killedFor {
		k.at = k.at[1:]
	}
	return len(k.at), k.last
}

// forget is for readers that work again.
func (k *kills) forget() {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.at = nil
}

// CheckReading has a confined reader read a PDF of the server's own.
func (e *Extractor) CheckReading(ctx context.Context) error {
	result, err := e.Extract(ctx, Input{Kind: knowledge.PDF, Name: "own.pdf", Body: ownPDF})
	if err == nil && !strings.Contains(result.Markdown, ownWords) {
		err = errors.New("extract: the server's own PDF was read wrongly")
	}
	return err
}

const (
	// lookEvery is how often a reading of the own file is found to be due.
	lookEvery = time.Second
	// failedFor is how long a reading holds that failed, or was overtaken by a reader's end.
	failedFor = 15 * time.Second
)

// Readiness knows whether the readers of files work.
type Readiness struct {
	extractor *Extractor

	mu      sync.Mutex
	checked time.Time
	err     error
	// killed is how many readers had been killed by then.
	killed int
}

// Readiness returns what watches the readers, once [Readiness.Run] runs.
func (e *Extractor) Readiness() *Readiness { return &Readiness{extractor: e} }

var errNotRead = &health.Reason{Sentence: "The server's own PDF is still being read, for the first time.", Pending: true}

// Run has a confined reader read a PDF of the server's own: at once, and again after a failure
// and after a reader was killed. It returns when ctx ends.
func (r *Readiness) Run(ctx context.Context) {
	for ctx.Err() == nil {
		if r.due() {
			r.read(ctx)
		}
		select {
		case <-time.After(lookEvery):
		case <-ctx.Done():
		}
	}
}

func (r *Readiness) due() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	killed, _ := r.extractor.kills.recent()
	return r.checked.IsZero() || (r.err != nil || killed > r.killed) && time.Since(r.checked) > failedFor
}

// read reads the own file and notes the outcome.
func (r *Readiness) read(ctx context.Context) {
	killed, _ := r.extractor.kills.recent()
	err := r.extractor.CheckReading(ctx)
	if ctx.Err() != nil {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if err == nil && r.err != nil { // what was killed before tells of a fault that is gone
		r.extractor.kills.forget()
		killed = 0
	}
	r.checked, r.err, r.killed = time.Now(), err, killed
}

// Check fails with a [health.Reason] unless the own file was read well and no reader was killed
// lately. It waits for nothing.
func (r *Readiness) Check(context.Context) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	killed, signal := r.extractor.kills.recent()
	switch {
	case r.checked.IsZero():
		return errNotRead
	case r.err != nil:
		return &health.Reason{Sentence: "Files cannot be read: a confined reader failed on a PDF of the server's own. The log says why.", Cause: r.err}
	case killed > 0:
		return &health.Reason{Sentence: fmt.Sprintf("Readers of files were killed in the last %d minutes: %d, the last one by %s.", int(killedFor.Minutes()), killed, signal)}
	}
	return nil
}

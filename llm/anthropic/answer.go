package anthropic

import (
	"errors"
	"io"
	"strings"
	"time"
)

const (
	// maxAnswerBytes bounds an answer, whatever the server sends.
	maxAnswerBytes = 1 << 20
	// usageTime is how long the server may take to say that the answer ended
	// once it has said why.
	usageTime = 2 * time.Second
	// drainTime is how long it may take to end the response after that, so
	// that the connection can be used again.
	drainTime = 20 * time.Millisecond
)

// answer is what has come of an answer so far.
type answer struct {
	call *call
	emit func(string) error
	// mayCall says that the prompt offered tools. Calls are passed over where
	// it did not.
	mayCall  bool
	text     strings.Builder
	pending  partial
	calls    calls
	stop     string
	finished bool
	reported reported
}

// read reads a stream to its end, and emits its text.
func (a *answer) read(body io.Reader) error {
	lines := newLines(body)
	defer lines.free()
	stop := func() bool { return true }
	defer func() { stop() }()
	for {
		data, err := lines.nextData()
		if err != nil {
			return a.ended(err)
		}
		found, err := decodeEvent(data)
		if err != nil {
			return err
		}
		had := a.finished
		if err := a.add(found); err != nil {
			return err
		}
		if found.ended {
			stop()
			a.drain(body)
			return a.ended(io.EOF)
		}
		if a.finished && !had {
			stop = a.call.hurry(usageTime)
		}
	}
}

func (a *answer) add(found event) error {
	a.reported.add(found.usage)
	if found.stop != "" {
		a.stop = found.stop
	}
	a.finished = a.finished || found.stop != "" || found.ended
	if found.thinking || found.text != "" || found.call != nil {
		a.call.started()
	}
	if a.mayCall && found.call != nil {
		return a.calls.begin(found.index, found.call)
	}
	if a.mayCall && found.arguments != "" {
		return a.calls.add(found.index, found.arguments)
	}
	if found.text == "" {
		return nil
	}
	return a.give(a.pending.join(found.text))
}

func (a *answer) give(text string) error {
	if text == "" {
		return nil
	}
	if err := a.call.caller.Err(); err != nil {
		return err
	}
	if a.text.Len()+len(text) > maxAnswerBytes {
		return errTooLong
	}
	a.text.WriteString(text)
	if err := a.emit(text); err != nil {
		return &emitError{err}
	}
	return nil
}

// ended judges the end of a stream: an answer that was complete stays so,
// even when the connection breaks before the end was said.
func (a *answer) ended(err error) error {
	if !a.finished || a.call.caller.Err() != nil {
		if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
			return errCut
		}
		return err
	}
	switch a.stop {
	case "refusal":
		return errDeclined
	case "max_tokens", "model_context_window_exceeded":
		a.calls = calls{} // The last one may be cut, and sense with it.
	}
	if err := a.give(a.pending.rest()); err != nil {
		return err
	}
	if a.text.Len() == 0 && len(a.calls.found(0)) == 0 {
		return errEmpty
	}
	return nil
}

// drain reads up to the end of the response, as net/http keeps only
// connections whose response was read to its end.
func (a *answer) drain(body io.Reader) {
	stop := a.call.hurry(drainTime)
	defer stop()
	_, _ = io.CopyN(io.Discard, body, maxRefusalBytes)
}

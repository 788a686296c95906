package openai

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"time"

	"parley/core/chat"
	"parley/llm/tokens"
)

const (
	// maxAnswerBytes bounds an answer, whatever the server sends.
	maxAnswerBytes = 1 << 20
	// maxWholeBytes is the same with what stands around it and its escapes.
	maxWholeBytes = 8 << 20
	// usageTime is how long the server may take for the usage and [DONE] once
	// the answer is complete.
	usageTime = 2 * time.Second
	// drainTime is how long it may take to end the response after [DONE], so
	// that the connection can be used again.
	drainTime = 20 * time.Millisecond
)

// answer is what has come of an answer so far.
type answer struct {
	call    *call
	emit    func(string) error
	counter *tokens.Counter
	text    strings.Builder
	pending partial
	// offered says that the prompt offered tools. Calls of others are passed
	// over.
	offered bool
	calls   calls
	// reasoning is how many tokens the model has thought.
	reasoning int
	finished  bool
	usage     chat.Usage
	hasUsage  bool
}

// read reads a stream to its end, and emits its text.
func (a *answer) read(body io.Reader) error {
	lines := newLines(body)
	defer lines.free()
	for {
		data, err := lines.nextData()
		if err != nil {
			return a.ended(err)
		}
		if string(data) == "[DONE]" {
			a.finished = true
			a.drain(body)
			return a.ended(io.EOF)
		}
		had := a.finished
		if err := a.add(data); err != nil {
			if had && errors.Is(err, errMalformed) {
				return a.ended(io.EOF) // The line of the usage broke off.
			}
			return err
		}
		if a.finished && !had {
			a.call.hurry(usageTime)
		}
	}
}

// readWhole reads an answer that is not streamed, and emits it.
func (a *answer) readWhole(body io.Reader) error {
	data, err := io.ReadAll(io.LimitReader(body, maxWholeBytes))
	if err != nil {
		return err
	}
	if len(data) == maxWholeBytes {
		return errTooLong
	}
	if err := a.add(bytes.TrimSpace(data)); err != nil {
		return err
	}
	a.finished = true
	return a.ended(io.EOF)
}

func (a *answer) add(data []byte) error {
	chunk, err := decodeChunk(data)
	if err != nil {
		return err
	}
	if chunk.hasUsage {
		a.usage, a.hasUsage = chunk.usage, true
	}
	a.finished = a.finished || chunk.finish != ""
	if chunk.reasoning != "" {
		a.call.started()
		a.reasoning += a.counter.Count(chunk.reasoning)
	}
	if a.offered && chunk.calls.Exists() {
		a.call.started()
		if err := a.calls.add(chunk.calls, chunk.whole); err != nil {
			return err
		}
	}
	if chunk.text == "" {
		return nil
	}
	a.call.started()
	return a.give(a.pending.join(chunk.text))
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
// even when the connection breaks before the usage.
func (a *answer) ended(err error) error {
	if !a.finished || a.call.caller.Err() != nil {
		if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
			return errCut
		}
		return err
	}
	if err := a.give(a.pending.rest()); err != nil {
		return err
	}
	if a.text.Len() == 0 && !a.calls.any() {
		return errEmpty
	}
	return nil
}

// used is the usage up to now: the server's, or else counted.
func (a *answer) used(body []byte) chat.Usage {
	if a.hasUsage {
		return a.usage
	}
	usage := estimatePrompt(a.counter, body)
	usage.CompletionTokens = a.reasoning + a.calls.count(a.counter)
	if a.text.Len() > 0 {
		usage.CompletionTokens += max(1, a.counter.Count(a.text.String()))
	}
	return usage
}

// drain reads up to the end of the response, as net/http keeps only
// connections whose response was read to its end.
func (a *answer) drain(body io.Reader) {
	a.call.hurry(drainTime)
	_, _ = io.CopyN(io.Discard, body, maxRefusalBytes)
}

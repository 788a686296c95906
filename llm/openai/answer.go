package openai

import (
	"errors"
	"io"

	"parley/core/chat"
	"parley/llm/tokens"
	"parley/llm/upstream"
)

// answer is what has come of an answer so far.
type answer struct {
	call    *upstream.Call
	text    upstream.Text
	counter *tokens.Counter
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
	lines := upstream.NewLines(body)
	defer lines.Free()
	for {
		data, err := lines.NextData()
		if err != nil {
			return a.ended(err)
		}
		if string(data) == "[DONE]" {
			a.finished = true
			a.call.Drain(body)
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
			a.call.Finished()
		}
	}
}

// readWhole reads an answer that is not streamed, and emits it.
func (a *answer) readWhole(body io.Reader) error {
	data, err := upstream.ReadWhole(body)
	if err != nil {
		return err
	}
	if err := a.add(data); err != nil {
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
		a.call.Started()
		a.reasoning += a.counter.Count(chunk.reasoning)
	}
	if a.offered && chunk.calls.Exists() {
		a.call.Started()
		if err := a.calls.add(chunk.calls, chunk.whole); err != nil {
			return err
		}
	}
	return a.text.Add(chunk.text)
}

// ended judges the end of a stream: an answer that was complete stays so,
// even when the connection breaks before the usage.
func (a *answer) ended(err error) error {
	if cut := a.call.Cut(err, a.finished); cut != nil {
		return cut
	}
	return a.text.End(a.calls.any())
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

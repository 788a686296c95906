package openai

import (
	"context"
	"errors"
	"io"
	"net/http"

	"github.com/tidwall/gjson"

	"parley/core/answer"
	"parley/core/answer/prompt"
	"parley/llm/upstream"
	"parley/text/tokens"
)

// decoder holds the part of an answer that has arrived so far.
type decoder struct {
	call  *upstream.Call
	asked *prompt.Prompt
	// taken are the texts of passages that the prompt no longer has.
	taken   []string
	text    upstream.Text
	counter *tokens.Counter
	// offered says that the prompt offered tools. Otherwise calls are ignored.
	offered bool
	calls   calls
	// accepted says that the server agreed to answer.
	accepted bool
	// reasoning is how many tokens of reasoning the model has sent.
	reasoning int
	finished  bool
	finish    answer.FinishReason
	// repeats says that the server gives a reason to finish within the answer. Such a
	// reason proves nothing; claims says that the last text came with one.
	repeats, claims bool
	// deltas says that text came in deltas, and said is what came in messages.
	deltas   bool
	said     []byte
	usage    answer.Usage
	hasUsage bool
}

// newDecoder starts the clock of an answer.
func (m *Model) newDecoder(ctx context.Context, asked *prompt.Prompt, emit func(text string) error) *decoder {
	call := upstream.Begin(ctx, m.config.limits)
	if asked.Whole {
		call.Started() // the first token arrives with the last
	}
	return &decoder{
		call: call, asked: asked, text: upstream.Text{Call: call, Habit: m.habit, Whole: asked.Whole, Emit: emit},
		counter: m.counter, offered: m.offers(asked),
	}
}

// readResponse reads a response to its end and emits its text.
func (a *decoder) readResponse(response *http.Response) error {
	a.accepted = true
	defer func() { _ = response.Body.Close() }()
	if upstream.IsStream(response) {
		return a.read(response.Body)
	}
	return a.readWhole(response.Body)
}

// read reads a stream to its end and emits its text.
func (a *decoder) read(body io.Reader) error {
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
				return a.ended(io.EOF) // The line with the usage broke off.
			}
			return err
		}
		switch {
		case a.claims:
			a.call.MayResume()
		case a.finished && !had && a.arrived():
			a.call.Finished()
		}
	}
}

// readWhole reads an answer without a stream and emits it.
func (a *decoder) readWhole(body io.Reader) error {
	a.text.Whole = true
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

func (a *decoder) add(data []byte) error {
	chunk, err := decodeChunk(data)
	if err != nil {
		return err
	}
	if chunk.hasUsage {
		a.usage, a.hasUsage = chunk.usage, true
	}
	if chunk.whole {
		a.leaveOutSaid(&chunk)
	}
	a.noteFinish(&chunk)
	if chunk.reasoning != "" {
		a.call.Started()
		a.text.ThinksElsewhere()
		a.reasoning += a.counter.Count(chunk.reasoning)
	}
	if a.offered && chunk.calls.Exists() {
		a.call.Started()
		if err := a.calls.add(chunk.calls, chunk.whole); err != nil {
			return err
		}
	}
	if err := a.text.Add(chunk.text); err != nil {
		return err
	}
	if a.asked.Once && !a.asked.Whole && a.text.Len() > 0 {
		a.shrink()
	}
	return nil
}

// noteFinish notes the reason to finish. A reason with text after it was none.
func (a *decoder) noteFinish(chunk *chunk) {
	carries := chunk.carries()
	if a.finished && carries {
		a.finished, a.repeats = false, true
		a.call.Resumed()
	}
	if carries {
		a.claims = chunk.finish != ""
		a.deltas = a.deltas || chunk.text != "" && !chunk.whole
	}
	if chunk.finish != "" {
		a.finish = reasonOf(chunk.finish)
		a.finished = !a.repeats || !carries
		a.claims = carries
	}
}

// leaveOutSaid takes out of a message within a stream what has arrived before.
// Messages beside deltas repeat them. Others have the text so far, or its next piece.
func (a *decoder) leaveOutSaid(chunk *chunk) {
	if a.calls.any() {
		chunk.calls = gjson.Result{}
	}
	if a.reasoning > 0 {
		chunk.reasoning = ""
	}
	if a.deltas {
		chunk.text = ""
		return
	}
	if len(a.said) > 0 && len(chunk.text) >= len(a.said) && chunk.text[:len(a.said)] == string(a.said) {
		chunk.text = chunk.text[len(a.said):]
	}
	a.said = append(a.said, chunk.text...)
}

// arrived reports whether anything of the answer has arrived.
func (a *decoder) arrived() bool {
	return a.text.Arrived() || a.reasoning > 0 || a.calls.any()
}

// shrink makes a prompt small that nobody asks with again.
func (a *decoder) shrink() {
	a.taken = a.asked.Shrink()
	a.asked.Once = false
}

// ended judges the end of a stream. A complete answer stays complete, even when
// the connection breaks before the usage.
func (a *decoder) ended(err error) error {
	complete := a.finished || a.claims && errors.Is(err, io.EOF)
	if cut := a.call.Cut(err, complete); cut != nil {
		return cut
	}
	err = a.text.End(a.calls.any()) // which emits what was held back
	if a.finish == answer.FinishContentFilter && a.text.Len() == 0 {
		return upstream.ErrDeclined
	}
	return err
}

// generated returns what has arrived of the answer, which ended with err.
func (a *decoder) generated(model string, err error) (answer.Generated, error) {
	generated := answer.Generated{Model: model, Usage: a.used()}
	if err != nil {
		return generated, a.call.Failure(err, a.text.Len() > 0)
	}
	generated.Calls, generated.Finish = a.calls.all(len(a.asked.Messages)), a.finish
	return generated, nil
}

// reasonOf translates a finish_reason. Servers invent some: those are not kept.
func reasonOf(name string) answer.FinishReason {
	switch upstream.EndingOf(name) {
	case upstream.Complete:
		return answer.FinishStop
	case upstream.CutByLength:
		return answer.FinishLength
	case upstream.Filtered:
		return answer.FinishContentFilter
	}
	return ""
}

// used returns the usage so far: the server's, or an estimate. What no server
// accepted has used nothing.
func (a *decoder) used() answer.Usage {
	if a.hasUsage || !a.accepted && !a.call.Sent() {
		return a.usage
	}
	usage := a.estimatePrompt()
	usage.CompletionTokens = a.reasoning + a.text.Hidden()/bytesPerToken + a.calls.count(a.counter)
	if a.text.Len() > 0 {
		usage.CompletionTokens += max(1, a.counter.Count(a.text.String()))
	}
	return usage
}

// bytesPerToken is about how long a token of a model's thoughts is.
const bytesPerToken = 4

// estimatePrompt counts the tokens of a request that the server did not count.
// The 3 tokens per message and 3 for the reply come from OpenAI's cookbook,
// "How to count tokens with tiktoken".
func (a *decoder) estimatePrompt() answer.Usage {
	total := 3
	for _, message := range a.asked.Messages {
		total += 3 + a.counter.Count(string(message.Role)) + a.counter.Count(message.Text)
		for _, call := range message.Calls {
			total += a.counter.Count(call.Name) + a.counter.Count(argumentsOf(call))
		}
	}
	for _, text := range a.taken {
		total += a.counter.Count(text)
	}
	if a.offered {
		for _, tool := range a.asked.Tools {
			total += a.counter.Count(tool.Name) + a.counter.Count(tool.Description) + a.counter.Count(tool.Parameters)
		}
	}
	return answer.Usage{PromptTokens: total, Estimated: true}
}

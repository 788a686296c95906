package openai

import (
	"cmp"
	"strings"

	"github.com/tidwall/gjson"

	"parley/core/answer"
	"parley/llm/upstream"
)

// maxReportedTokens exceeds any model's context. Larger or negative reports are
// ignored.
const maxReportedTokens = 100_000_000

// chunk holds the parts of a chat.completion.chunk that matter here.
type chunk struct {
	// text may start or end within a character.
	text string
	// reasoning is the model's reasoning. It is not part of the answer.
	reasoning string
	// calls is the array tool_calls, if there is one.
	calls gjson.Result
	// whole says that text and calls come from a message, which an answer without a
	// stream has. Some streams have messages, too: beside deltas, instead of them, or
	// after the last.
	whole    bool
	finish   string
	usage    answer.Usage
	hasUsage bool
}

// decodeChunk reads one data line.
//
// It looks fields up with gjson instead of decoding into a struct, because it
// reads one string in each of thousands of chunks a second. In BenchmarkDecode
// that is about 4 times as fast as encoding/json. gjson does not check its input,
// so decodeChunk validates the line first.
func decodeChunk(line []byte) (chunk, error) {
	if !upstream.IsObject(line) {
		return chunk{}, errMalformed
	}
	var found chunk
	var message gjson.Result
	choice := gjson.GetBytes(line, "choices.0")
	choice.ForEach(func(key, value gjson.Result) bool {
		switch key.Str {
		case "delta":
			found.readDelta(value)
		case "message":
			message = value
		case "text": // as completions had it before there were chats
			found.text += value.Str
		case "finish_reason":
			found.finish = value.Str
		}
		return true
	})
	if message.IsObject() && !found.carries() {
		found.whole = true
		found.readDelta(message)
	}
	ending := upstream.EndingOf(found.finish)
	if ending == upstream.Running {
		found.finish = ""
	}
	if found.text != "" && found.finish == "" {
		return found, nil // The usual chunk holds nothing else.
	}
	if reported := gjson.GetBytes(line, "error"); ending == upstream.Broken || reported.Type != gjson.Null {
		return chunk{}, cmp.Or(upstream.Reported([]byte(reported.Raw)), error(errReported))
	}
	found.readUsage(line)
	return found, nil
}

// carries reports whether the chunk has a piece of the answer.
func (c *chunk) carries() bool { return c.text != "" || c.reasoning != "" || c.calls.Exists() }

func (c *chunk) readDelta(delta gjson.Result) {
	delta.ForEach(func(key, value gjson.Result) bool {
		switch key.Str {
		case "content":
			c.text += textOf(value)
		case "refusal": // in the model's words, instead of a content
			c.text += value.Str
		case "reasoning_content", "reasoning":
			if value.Str != "" { // Some servers send both, one of them empty.
				c.reasoning = value.Str
			}
		case "tool_calls":
			if value.IsArray() {
				c.calls = value
			}
		}
		return true
	})
}

// textOf returns a content that is a string, or a list of parts of which some are
// texts.
func textOf(content gjson.Result) string {
	if !content.IsArray() {
		return content.Str
	}
	var text strings.Builder
	content.ForEach(func(_, part gjson.Result) bool {
		switch part.Get("type").Str {
		case "text", "output_text":
			text.WriteString(part.Get("text").Str)
		case "refusal":
			text.WriteString(part.Get("refusal").Str)
		}
		return true
	})
	return text.String()
}

func (c *chunk) readUsage(line []byte) {
	usage := gjson.GetBytes(line, "usage")
	if !usage.IsObject() {
		return
	}
	prompt, completion := usage.Get("prompt_tokens").Num, usage.Get("completion_tokens").Num
	if prompt < 1 || completion < 1 || prompt > maxReportedTokens || completion > maxReportedTokens {
		return
	}
	c.usage = answer.Usage{PromptTokens: int(prompt), CompletionTokens: int(completion)}
	c.hasUsage = true
}

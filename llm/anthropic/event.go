package anthropic

import (
	"github.com/tidwall/gjson"

	"parley/llm/upstream"
)

// event holds the parts of a stream's event that matter here (Anthropic,
// "Streaming Messages").
type event struct {
	// text may start or end within a character.
	text string
	// thinking says that the model is at work, though not on the answer.
	thinking bool
	// index is the content block's. call is a call that begins with this event,
	// and arguments are a piece of the arguments of the block's call.
	index     int
	call      *begunCall
	arguments string
	// stop is the stop_reason, the last part of an answer before ended.
	stop  string
	ended bool
	usage reported
}

// decodeEvent reads one data line. An error that the server reports is an
// [upstream.Refusal].
//
// It looks fields up with gjson instead of decoding into a struct, because it
// reads one string in each of thousands of events a second. See BenchmarkDecode.
// gjson does not check its input, so decodeEvent validates the line first.
func decodeEvent(line []byte) (event, error) {
	if !upstream.IsObject(line) {
		return event{}, errMalformed
	}
	found, all := event{}, gjson.ParseBytes(line)
	switch all.Get("type").Str {
	case "content_block_delta":
		found.index = int(all.Get("index").Int())
		found.readDelta(all.Get("delta"))
	case "content_block_start":
		found.index = int(all.Get("index").Int())
		found.readBlock(all.Get("content_block"))
	case "message_start":
		found.usage = readUsage(all.Get("message.usage"))
	case "message_delta":
		found.stop = all.Get("delta.stop_reason").Str
		switch upstream.EndingOf(found.stop) {
		case upstream.Running:
			found.stop = ""
		case upstream.Broken:
			return event{}, refusalIn(line)
		}
		found.usage = readUsage(all.Get("usage"))
		found.usage.final = found.usage.completion > 0
	case "message_stop":
		found.ended = true
	case "error":
		return event{}, refusalIn(line)
	}
	return found, nil // ping, content_block_stop, and future types
}

func (e *event) readDelta(delta gjson.Result) {
	delta.ForEach(func(key, value gjson.Result) bool {
		switch key.Str {
		case "text":
			e.text = value.Str
		case "partial_json":
			e.arguments = value.Str
		case "thinking", "signature":
			e.thinking = true
		}
		return true
	})
}

// readBlock reads a content block, at its beginning or as a whole.
func (e *event) readBlock(content gjson.Result) {
	switch content.Get("type").Str {
	case "text":
		e.text = content.Get("text").Str
	case "thinking", "redacted_thinking":
		e.thinking = true
	case "tool_use":
		e.call = &begunCall{id: content.Get("id").Str, name: content.Get("name").Str}
		if input := content.Get("input"); input.IsObject() {
			input.ForEach(func(gjson.Result, gjson.Result) bool { // once, if it holds anything
				e.call.input = input.Raw
				return false
			})
		}
	}
}

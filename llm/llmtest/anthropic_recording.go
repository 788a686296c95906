package llmtest

import "strings"

const (
	// AnthropicText is the text of [AnthropicRecording].
	AnthropicText = RecordedText

	anthropicRecorded = `event: message_start
data: {"type":"message_start","message":{"id":"msg_01","type":"message","role":"assistant","model":"test-model","content":[],"stop_reason":null,"stop_sequence":null,"usage":{"input_tokens":21,"cache_creation_input_tokens":0,"cache_read_input_tokens":0,"output_tokens":2}}}

event: content_block_start
data: {"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}}

event: ping
data: {"type":"ping"}

` + anthropicDelta + `To reset"}}

` + anthropicDelta + " the Ger\xc3\"}}\n\n" + anthropicDelta + "\xa4t, hold\"}}\n\n" + anthropicDelta + ` the **button** for"}}

` + anthropicDelta + ` ten seconds. The light blinks."}}

event: content_block_stop
data: {"type":"content_block_stop","index":0}

` + anthropicFinish + `
event: message_stop
data: {"type":"message_stop"}

`
	anthropicDelta = `event: content_block_delta
data: {"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"`
	anthropicFinish = `event: message_delta
data: {"type":"message_delta","delta":{"stop_reason":"end_turn","stop_sequence":null},"usage":{"output_tokens":17}}
`
)

// AnthropicRecording is [Recording] in the format of [Anthropic]: the bytes of
// one streamed answer, with a character split over two events. Its usage is
// [RecordedUsage].
func AnthropicRecording() Reply {
	return Reply{Pieces: []string{AnthropicText}, Body: anthropicRecorded, Usage: &RecordedUsage}
}

// AnthropicCutPositions is the number of positions at which [AnthropicRecording]
// can be cut: before each byte, and after the last.
func AnthropicCutPositions() int { return len(anthropicRecorded) + 1 }

// CutAnthropicRecording is the recording cut off after a number of bytes.
func CutAnthropicRecording(after int) Reply {
	reply := AnthropicRecording()
	reply.CutAfter = after
	if after == 0 {
		reply.CutAfter = CutAtStart
	}
	return reply
}

// AnthropicRecordedComplete is how many bytes of the recording make a complete
// answer: those up to the end of the line with the stop_reason.
func AnthropicRecordedComplete() int {
	return strings.Index(anthropicRecorded, anthropicFinish) + len(anthropicFinish)
}
